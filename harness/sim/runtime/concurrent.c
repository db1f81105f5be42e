/* Each piece of work has a stream and a number in that stream; clocks (order.h) say which piece
 * comes before which. A piece is forgotten when the host has waited for it, or when later work that
 * is ordered after it uses exactly the same words: whatever races with the earlier piece then races
 * with the later one. */
#include "order.h"

#include "sim/check/switchboard.h"
#include "sim/memory/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* When there is more work than this, the oldest is forgotten. */
enum { MOST_WORKS = 1024 };

struct work {
    int stream;
    uint64_t number;
    char what[256];
    const struct program *program;
    bool is_early; /* begins before the previous kernel of the stream has ended */
    struct sim_footprint footprint;
};

/* One for the whole process. */
static struct {
    struct work list[MOST_WORKS];
    int count;
    struct work next; /* the current work */
    bool is_wanted;   /* work is remembered even if only one stream is in use */
} works;

static bool is_before(const struct work *earlier, int stream)
{
    return sim_order_is_before(earlier->stream, earlier->number, stream);
}

void sim_concurrent_want(void)
{
    works.is_wanted = true;
}

/* The kernel with a number in the stream of the current work; NULL: none is remembered. */
static const struct work *find_kernel(uint64_t number)
{
    for (int i = 0; i < works.count; i++)
        if (works.list[i].program && works.list[i].stream == works.next.stream &&
            works.list[i].number == number)
            return &works.list[i];
    return NULL;
}

const struct sim_beside *sim_concurrent_earlier(void)
{
    enum { MOST_BESIDE = 16 };
    static struct sim_beside beside[MOST_BESIDE];
    const struct sim_beside *rest = NULL;
    const struct work *chain[MOST_BESIDE];
    int count = 0;
    works.next.is_early = true;
    for (const struct work *at = find_kernel(works.next.number - 1); at && count < MOST_BESIDE;
         at = at->is_early && !at->footprint.waits_first ? find_kernel(at->number - 1) : NULL)
        chain[count++] = at;
    for (int i = count - 1; i >= 0; rest = &beside[i--])
        beside[i] = (struct sim_beside){chain[i]->what, chain[i]->program, &chain[i]->footprint,
                                        i > 0 && chain[i - 1]->footprint.has_waited, rest};
    return rest;
}

static void drop(int index)
{
    sim_footprint_free(&works.list[index].footprint);
    works.count--;
    memmove(&works.list[index], &works.list[index + 1],
            (size_t)(works.count - index) * sizeof *works.list);
}

void sim_concurrent_forget(void)
{
    while (works.count > 0)
        drop(works.count - 1);
}

struct sim_footprint *sim_concurrent_begin(int stream)
{
    for (int i = works.count - 1; i >= 0; i--)
        if (is_before(&works.list[i], SIM_ORDER_HOST))
            drop(i);
    works.next.stream = stream;
    works.next.is_early = false;
    if (stream == SIM_ORDER_NONE || !(sim_order_is_shared() || works.is_wanted) ||
        !sim_checks_for(SIM_CHECK_RACE))
        return NULL;
    works.next.number = sim_order_number(stream);
    sim_footprint_free(&works.next.footprint);
    return &works.next.footprint;
}

/* The instruction that uses all words of a run; NULL: several instructions do, or a copy does. */
static const struct ptx_instruction *source_of(const struct work *work, const struct sim_used *used)
{
    return work->program && used->place ? sim_find_place(work->program, used->place) : NULL;
}

static void describe(const struct work *work, const struct sim_used *used, char *text, size_t size)
{
    static const char *const verbs[] = {"reads", "changes", "writes"};
    const struct ptx_instruction *const source = source_of(work, used);
    char place[600] = "";
    if (source && source->line)
        sim_name_place(work->program, used->place, place, sizeof place);
    snprintf(text, size, "%.150s in %s %s it%s%.200s", work->what, sim_order_name(work->stream),
             verbs[used->use], place[0] ? " at " : "", place);
}

static void report(const struct work *earlier, uint64_t address, const struct sim_used *theirs,
                   const struct sim_used *ours, struct sim_outcome *outcome)
{
    char what[200], first[420], second[420];
    const struct ptx_instruction *const source = source_of(&works.next, ours);
    sim_name_global(address, source ? sim_element_bytes(source) : 4, what, sizeof what);
    describe(earlier, theirs, first, sizeof first);
    describe(&works.next, ours, second, sizeof second);
    outcome->status = SIM_RACE;
    outcome->address = address;
    snprintf(outcome->message, sizeof outcome->message,
             "race on %s: %s, and %s; no event puts the two in order: join them with an event "
             "(cudaEventRecord after the one, cudaStreamWaitEvent before the other)",
             what, first, second);
    if (source && source->line) {
        snprintf(outcome->file, sizeof outcome->file, "%s", source->file ? source->file : "");
        outcome->line = source->line;
    }
}

/* Remembers the current work, and drops earlier work that it replaces. */
static void remember(void)
{
    const struct work *const next = &works.next;
    for (int i = works.count - 1; i >= 0; i--)
        if (is_before(&works.list[i], next->stream) && !next->is_early &&
            sim_footprints_equal(&works.list[i].footprint, &next->footprint))
            drop(i);
    if (works.count == MOST_WORKS)
        drop(0);
    works.list[works.count++] = *next;
    works.next.footprint = (struct sim_footprint){0};
}

bool sim_concurrent_end(const char *what, const struct program *program,
                        struct sim_outcome *outcome)
{
    struct work *const next = &works.next;
    snprintf(next->what, sizeof next->what, "%s", what);
    next->program = program;
    sim_footprint_sort(&next->footprint);
    for (int i = 0; i < works.count; i++) {
        const struct sim_used *theirs, *ours;
        if (is_before(&works.list[i], next->stream))
            continue;
        const uint64_t address =
            sim_footprints_clash(&works.list[i].footprint, &next->footprint, &theirs, &ours);
        if (address) {
            report(&works.list[i], address, theirs, ours, outcome);
            return true;
        }
    }
    if (next->footprint.count)
        remember();
    return false;
}
