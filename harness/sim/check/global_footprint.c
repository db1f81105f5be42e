/* The words that a launch or a copy uses, as runs. A launch's words come from its tags when it has
 * ended. A word that it both reads and writes counts as written. */
#include "global_footprint.h"

#include "order.h"
#include "switchboard.h"
#include "tags.h"

#include "sim/memory/memory.h"
#include "sim/memory/names.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Up to this number of runs, a run ends where the words of another instruction begin. Later runs
 * may have words of several instructions. */
enum { MOST_BY_PLACE = 4096 };

static void append(struct sim_footprint *footprint, const struct sim_used *used)
{
    if (footprint->count == footprint->capacity) {
        const size_t capacity = 2 * footprint->capacity + 16;
        struct sim_used *const list = realloc(footprint->list, capacity * sizeof *list);
        if (!list) /* without memory these words are not compared */
            return;
        footprint->list = list;
        footprint->capacity = capacity;
    }
    footprint->list[footprint->count++] = *used;
}

static bool is_atomic(const struct program *program, uint64_t tag)
{
    const struct ptx_instruction *const source = sim_find_place(program, global_place(tag));
    return tag & GLOBAL_CHANGED || (source && ptx_does(source, PTX_ATOMIC));
}

/* Whether any page of a stretch of memory was ever touched; true if the system does not tell. To
 * look at the others would give each a page. */
static bool is_touched(int pagemap, const void *from, size_t bytes)
{
    enum { MOST_PAGES = 128 };
    static const uint64_t PRESENT_OR_SWAPPED = UINT64_C(3) << 62;
    uint64_t pages[MOST_PAGES];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = (uint64_t)(uintptr_t)from / page;
    const uint64_t count = ((uint64_t)(uintptr_t)from + bytes - 1) / page - first + 1;
    const size_t size = count * sizeof *pages;
    if (pagemap < 0 || count > MOST_PAGES ||
        pread(pagemap, pages, size, (off_t)(first * sizeof *pages)) != (ssize_t)size)
        return true;
    for (uint64_t i = 0; i < count; i++)
        if (pages[i] & PRESENT_OR_SWAPPED)
            return true;
    return false;
}

void sim_footprint_add_tags(struct sim_footprint *footprint, const struct program *program,
                            const struct sim_allocation *allocation, const struct global_tags *tags)
{
    enum { STRETCH = 1 << 15 };
    struct sim_used run = {.serial = allocation->serial};
    uint64_t last = 0; /* the reader's tag for which `last_use` is known */
    enum sim_use last_use = SIM_READS;
    const uint64_t same = (uint64_t)GLOBAL_FAR_PLACE << GLOBAL_PLACE_SHIFT | GLOBAL_CHANGED;
    const int pagemap =
        tags->words > STRETCH ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    for (size_t word = 0; word < tags->words; word++) {
        const size_t rest = tags->words - word, stretch = rest < STRETCH ? rest : STRETCH;
        if (word % STRETCH == 0 && !is_touched(pagemap, tags->writer + word, 8 * stretch) &&
            !is_touched(pagemap, tags->reader + word, 8 * stretch)) {
            word += stretch - 1;
            continue;
        }
        const uint64_t writer = tags->writer[word], reader = tags->reader[word];
        if (!(writer | reader))
            continue;
        if (!writer && (!last || (reader ^ last) & same)) {
            last = reader;
            last_use = is_atomic(program, reader) ? SIM_CHANGES : SIM_READS;
        }
        const enum sim_use use = writer ? SIM_WRITES : last_use;
        const uint64_t address = allocation->address + 4 * word;
        const uint32_t place = global_place(writer ? writer : reader);
        const bool is_other = run.place != place && footprint->count < MOST_BY_PLACE;
        if (run.end != address || run.use != use || is_other) {
            if (run.end)
                append(footprint, &run);
            run.first = address;
            run.use = use;
            run.place = place;
        }
        run.end = address + 4;
        if (run.place != place)
            run.place = 0; /* the run has several instructions */
    }
    if (run.end)
        append(footprint, &run);
    if (pagemap >= 0)
        close(pagemap);
}

void sim_footprint_add(struct sim_footprint *footprint, uint64_t address, size_t size,
                       enum sim_use use)
{
    const struct sim_allocation *const found = sim_memory_find(address);
    if (found && size)
        append(footprint, &(struct sim_used){address, address + size, found->serial, use, 0});
}

static int by_address(const void *one, const void *other)
{
    const uint64_t a = ((const struct sim_used *)one)->first;
    const uint64_t b = ((const struct sim_used *)other)->first;
    return a < b ? -1 : a > b;
}

void sim_footprint_sort(struct sim_footprint *footprint)
{
    if (footprint->count)
        qsort(footprint->list, footprint->count, sizeof *footprint->list, by_address);
}

static bool is_alike(const struct sim_used *one, const struct sim_used *other)
{
    return one->first == other->first && one->end == other->end && one->serial == other->serial &&
           one->use == other->use;
}

bool sim_footprints_equal(const struct sim_footprint *one, const struct sim_footprint *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (!is_alike(&one->list[i], &other->list[i]))
            return false;
    return true;
}

uint64_t sim_footprints_clash(const struct sim_footprint *one, const struct sim_footprint *other,
                              const struct sim_used **by_one, const struct sim_used **by_other)
{
    size_t i = 0, j = 0;
    while (i < one->count && j < other->count) {
        const struct sim_used *const a = &one->list[i], *const b = &other->list[j];
        const uint64_t first = a->first > b->first ? a->first : b->first;
        if (first < a->end && first < b->end && a->serial == b->serial &&
            (a->use != b->use || a->use == SIM_WRITES)) {
            *by_one = a;
            *by_other = b;
            return first & ~UINT64_C(3);
        }
        if (a->end < b->end)
            i++;
        else
            j++;
    }
    return 0;
}

void sim_footprint_free(struct sim_footprint *footprint)
{
    free(footprint->list);
    *footprint = (struct sim_footprint){0};
}

/* Each access of a thread that has not waited for the previous kernel is compared with the words
 * that the previous kernel has used. The two kernels may signal to each other by strong accesses.
 * So a strong access races only if the other access is plain. */

/* The index of the first run that ends after an address. */
static size_t find(const struct sim_footprint *footprint, uint64_t address)
{
    size_t low = 0, high = footprint->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (footprint->list[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool clashes(const struct instruction *at, enum sim_use theirs, enum sim_use ours)
{
    if (at->flags & FLAG_STRONG && theirs != SIM_WRITES)
        return theirs == SIM_READS && ours == SIM_WRITES;
    return theirs != ours || ours == SIM_WRITES;
}

static void report(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   unsigned bytes, enum sim_use use, const struct sim_beside *beside,
                   const struct sim_used *used)
{
    static const char *const theirs[] = {"reads", "changes", "writes"};
    const struct sim_beside *const previous = warp->worker->launch->request->beside;
    char what[300], thread[120], place[600] = "";
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address, bytes, what, sizeof what);
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (used->place)
        sim_name_place(beside->program, used->place, place, sizeof place);
    if (beside != previous && sim_waited_lanes(warp) >> lane & 1)
        sim_fault(
            warp, at, lane, SIM_RACE, address,
            "race on %s: this %s by %s may come before %.150s has ended, which %s it%s%.200s; "
            "%.150s between the two begins early, too, and ends without having waited, so that "
            "who waits for it has not waited for both: let it wait (griddepcontrol.wait, "
            "cudaGridDependencySynchronize())",
            what, sim_use_name(use), thread, beside->what, theirs[used->use],
            place[0] ? " at " : "", place, previous->what);
    if (sim_wait_by_any(&warp->worker->checks->global))
        sim_fault(
            warp, at, lane, SIM_RACE, address,
            "race on %s: this %s by %s may come before %.150s has ended, which %s it%s%.200s; "
            "another thread of the block has waited for that kernel, and a wait holds back "
            "only the thread that executes it: let each thread wait (griddepcontrol.wait, "
            "cudaGridDependencySynchronize()), or put a __syncthreads() between the wait and "
            "this access",
            what, sim_use_name(use), thread, beside->what, theirs[used->use],
            place[0] ? " at " : "", place);
    sim_fault(warp, at, lane, SIM_RACE, address,
              "race on %s: this %s by %s comes before its block has waited for %.150s, which %s it"
              "%s%.200s; this kernel is launched to begin before that one has ended: let it wait "
              "(griddepcontrol.wait, cudaGridDependencySynchronize()) before it uses that",
              what, sim_use_name(use), thread, beside->what, theirs[used->use],
              place[0] ? " at " : "", place);
}

void sim_early_lane(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    unsigned bytes, enum sim_use use)
{
    const struct sim_beside *const first = warp->worker->checks->global.beside;
    const bool has_waited = sim_waited_lanes(warp) >> lane & 1;
    for (const struct sim_beside *beside = has_waited ? first->rest : first;
         beside && !(has_waited && beside->is_awaited); beside = beside->rest) {
        const struct sim_footprint *const footprint = beside->footprint;
        for (size_t i = find(footprint, address);
             i < footprint->count && footprint->list[i].first < address + bytes; i++)
            if (clashes(at, footprint->list[i].use, use))
                report(warp, at, lane, address, bytes, use, beside, &footprint->list[i]);
    }
}

void sim_early_warp(struct warp *warp, const struct instruction *at, const struct places *places,
                    unsigned bytes, enum sim_use use)
{
    const struct sim_beside *const rest = warp->worker->checks->global.beside->rest;
    const bool has_rest = rest && !rest->is_awaited;
    EACH_ACTIVE(lane, has_rest ? warp->active : warp->active & ~sim_waited_lanes(warp))
    sim_early_lane(warp, at, (int)lane,
                   sim_lane_address(warp, at, places, place_of(places, lane, bytes)), bytes, use);
}
