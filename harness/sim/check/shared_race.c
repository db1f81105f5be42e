/* Races in shared memory: finds the earlier use of a unit that is not ordered before an access, and
 * reports it. Called only for accesses to units that were used since the last barrier. */
#include "shared_race.h"

#include "cause.h"
#include "global_strong.h"
#include "order.h"
#include "switchboard.h"

#include "sim/memory/names.h"
#include "sim/memory/warning.h"

#include <stdlib.h>
#include <string.h>

static uint32_t turn_of(uint32_t tag)
{
    return tag >> TAG_TURN_SHIFT & LANE_LAST_TURN;
}

static uint32_t place_of_tag(uint32_t tag)
{
    return tag >> TAG_WARP_BITS & TAG_FAR_PLACE;
}

static struct shared_tags *shared_of(const struct warp *warp)
{
    return &warp->worker->checks->shared;
}

/* ---- What orders two uses ---- */

/* Whether the last write of a unit is not ordered before what a lane does now. */
static bool clashes_with_write(const struct warp *warp, size_t unit, unsigned lane)
{
    const struct shared_tags *const tags = shared_of(warp);
    const struct lane_order *const order = &tags->orders[warp->index];
    const uint32_t tag = tags->writer[unit];
    const unsigned by = tags->writer_lane[unit];
    if (tag < tag_floor(tags))
        return false;
    if (is_pending(tag) || by == LANE_SEVERAL_WARPS || (tag & TAG_WARP) != warp->index)
        return true;
    if (by == LANE_SEVERAL)
        return turn_of(tag) >= order->full && !order->is_partial;
    return by < WARP_LANES && !sim_lanes_are_ordered(order, turn_of(tag), by, lane);
}

/* The lanes whose reads of a unit are not ordered before what a lane does now. */
static uint32_t clashing_readers(const struct warp *warp, size_t unit, unsigned lane)
{
    const struct shared_tags *const tags = shared_of(warp);
    const uint32_t tag = tags->reader[unit];
    uint32_t clashing = 0;
    if (tag < tag_floor(tags))
        return 0;
    if ((tag & TAG_WARP_FIELD) != warp->index)
        return tags->reader_lanes[unit];
    EACH_ACTIVE(other, tags->reader_lanes[unit])
    if (!sim_lanes_are_ordered(&tags->orders[warp->index], turn_of(tag), other, lane))
        clashing |= 1u << other;
    return clashing;
}

/* ---- Messages ---- */

static void name_unit(const struct warp *warp, const struct instruction *at, size_t unit,
                      char *text, size_t size)
{
    sim_name_shared(warp, (uint64_t)unit << shared_of(warp)->shift,
                    sim_element_bytes(sim_source(warp, at)), text, size);
}

/* Says which thread made the earlier access: the first of `lanes`. */
static void name_thread(const struct warp *warp, unsigned index, uint32_t lanes, char *text,
                        size_t size)
{
    if (index >= warp->block->warp_count || lanes == 0) {
        snprintf(text, size, "several threads");
        return;
    }
    const struct warp *const other = &warp->block->warps[index];
    const int lane = __builtin_ctz(lanes);
    snprintf(text, size, "thread (%u, %u, %u)%s", other->thread[0][lane], other->thread[1][lane],
             other->thread[2][lane], other == warp ? " of the same warp" : "");
}

static const char COPY[] = "asynchronous copy";

/* What the thread that made a copy has left out. */
static void say_what_is_missing(struct pending_state state, const char *verb, char *text,
                                size_t size)
{
    if (strcmp(verb, COPY) == 0)
        snprintf(
            text, size,
            "both are on their way to the same elements: which buffer is free in this iteration, "
            "and does each copy, before the loop and in it, go to one of its own? Or, of two of "
            "one "
            "panel, which index gives both the same place?");
    else if (!state.is_committed)
        snprintf(text, size,
                 "it belongs to no group: __pipeline_commit() is missing before the wait");
    else if (!state.wait)
        snprintf(text, size,
                 "that thread must wait for it (__pipeline_wait_prior(), cp.async.wait_group)");
    else if (state.is_behind_wait)
        snprintf(text, size,
                 "it was committed after the last wait, at line %d: is this %s of another buffer "
                 "than the one that was waited for? Else that thread must wait again, or the copy "
                 "began too soon, into a buffer that is still in use",
                 state.wait->line, verb);
    else if (state.is_behind_none)
        snprintf(
            text, size,
            "the wait at line %d counts groups, of which the thread has committed none since "
            "it waited there before, so that this one is left on its way: commit a group in "
            "each iteration, an empty one where nothing is left to copy, by a __pipeline_commit() "
            "that no condition skips",
            state.wait->line);
    else if (state.committed <= state.left)
        snprintf(text, size,
                 "only %u group%s had been committed at the wait at line %d, which leaves %u on "
                 "the way: was another to begin before it, such as the next panel's before the "
                 "loop? Else that wait leaves it on its way, which __pipeline_wait_prior(%u) there "
                 "would not",
                 state.committed, state.committed == 1 ? "" : "s", state.wait->line, state.left,
                 state.later);
    else
        snprintf(text, size,
                 "the wait at line %d has brought an earlier group: is this %s of another buffer "
                 "than the one that was waited for? Else that wait leaves it on its way, which "
                 "__pipeline_wait_prior(%u) there would not, or it began too soon, into a buffer "
                 "that is still in use",
                 state.wait->line, verb, state.later);
}

static void report_pending(struct warp *warp, const struct instruction *at, unsigned lane,
                           size_t unit, const char *verb)
{
    const struct shared_tags *const tags = shared_of(warp);
    const unsigned by = tags->writer[unit] & TAG_WARP;
    const uint32_t offset = (uint32_t)(unit << tags->shift);
    char what[300], place[560], thread[120], missing[400];
    if (strcmp(verb, "write") == 0 && ptx_does(sim_source(warp, at), PTX_COPIES))
        verb = COPY;
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    name_unit(warp, at, unit, what, sizeof what);
    sim_name_place(warp->worker->launch->program, place_of_tag(tags->writer[unit]), place,
                   sizeof place);
    name_thread(warp, by, 1u << tags->writer_lane[unit], thread, sizeof thread);
    say_what_is_missing(sim_pending_state(tags, by, tags->writer_lane[unit], offset), verb, missing,
                        sizeof missing);
    sim_fault(warp, at, (int)lane, SIM_RACE, SHARED_WINDOW + offset,
              "race on %s: this %s comes before the asynchronous copy at %s by %s has been waited "
              "for; %s; where other threads use what it copies, a __syncthreads() must follow the "
              "wait, since each thread waits for its own copies alone",
              what, verb, place, thread, missing);
}

/* Whether an element is that of the thread's own number in the block: what it changes is its own,
 * and others read it, as in x[t] += x[t + 1]. */
static bool is_own(const struct warp *warp, const struct instruction *at, const struct clash *clash)
{
    const unsigned *const block = warp->worker->launch->request->block;
    const unsigned element = sim_element_bytes(sim_source(warp, at));
    const struct shared_variable *const base = sim_shared_base(warp, sim_source(warp, at));
    const uint32_t offset = clash->unit << shared_of(warp)->shift;
    const unsigned thread =
        (warp->thread[2][clash->lane] * block[1] + warp->thread[1][clash->lane]) * block[0] +
        warp->thread[0][clash->lane];
    return base && offset >= base->offset && (offset - base->offset) / element == thread;
}

/* Whether one statement reads the element and, in the thread that owns it, writes it, as
 * x[t] += x[t + 1] does. Of one warp alone: another may have read it in an earlier iteration. */
static bool is_one_statement(const struct warp *warp, const struct instruction *at,
                             const struct clash *clash)
{
    const struct ptx_instruction *const now = sim_source(warp, at);
    const struct ptx_instruction *const read =
        sim_find_place(warp->worker->launch->program, place_of_tag(clash->tag));
    return !clash->was_write && read && now->line && now->line == read->line &&
           now->file == read->file && is_own(warp, at, clash);
}

static const char *cause_of(const struct warp *warp, const struct instruction *at,
                            const struct clash *clash, const char *verb)
{
    const uint32_t field = clash->tag & TAG_WARP_FIELD;
    if (clash->was_write && strcmp(verb, COPY) == 0 && sim_is_copy(warp, place_of_tag(clash->tag)))
        return "two threads copy to the same element: the index leaves out a thread coordinate, or "
               "a row of the array is shorter than what is indexed in it; where one shall come "
               "first, its wait and then a __syncthreads() must stand between the two";
    if (clash->was_write && sim_is_copy(warp, place_of_tag(clash->tag)))
        return "each thread waits for its own copies alone: a __syncthreads() must stand after "
               "the "
               "wait for the copy (__pipeline_wait_prior(), cp.async.wait_group), which tells the "
               "others that it has arrived; one before the wait does not";
    if (strcmp(verb, COPY) == 0 && field == warp->index)
        return "the copy begins while other threads may still read what was there: it must begin "
               "after a __syncthreads() that follows the read, or go to another buffer";
    if (strcmp(verb, COPY) == 0)
        return "a __syncthreads() is missing: before the copy begins, where the read is to find "
               "what "
               "was there, or after the wait for the copy, where it is to find what is copied";
    if (sim_is_update(warp, at, place_of_tag(clash->tag)) && !is_own(warp, at, clash))
        return "several threads read this element, change it and write it back, as with +=, so "
               "that changes get lost: add with atomicAdd(), or let one thread own each element; "
               "where they shall take turns, a __syncthreads() between them is missing";
    if (sim_waits_for_plain(warp, at, place_of_tag(clash->tag)))
        return "a thread waits in a loop for what is read here, but by a plain read, which the "
               "compiler takes out of the loop: it is read once, and the loop never ends. Wait for "
               "other threads of the block at a __syncthreads(), or read through a volatile "
               "pointer";
    if (clash->was_write && strcmp(verb, "write") == 0)
        return "two threads write the same element: the index leaves out a thread coordinate, or "
               "gives two elements one place, or a sum needs an atomic operation; where one shall "
               "come first, a __syncthreads() between the two is missing";
    if (strcmp(verb, "write") == 0 && field == warp->index && is_one_statement(warp, at, clash))
        return "one statement reads an element that another thread changes by the same statement, "
               "where no barrier can stand between the two: is it another element that is to be "
               "read, farther away? Else read it into a variable, and write after a "
               "__syncthreads()";
    return (clash->was_write ? field & TAG_WARP : field) == warp->index
               ? "a __syncthreads() between the two is missing, or a __syncwarp() where no other "
                 "warp takes part: even the lanes of one warp need not run in step"
           : sim_waits_for_flag(warp)
               ? "a __syncthreads() between the two is missing; where a volatile flag tells that "
                 "the "
                 "data is there, a __threadfence_block() must stand before the flag is set, and "
                 "another one after the look at it, since volatile orders nothing else"
           : sim_sleeps(warp)
               ? "a __syncthreads() between the two is missing: sleeping orders nothing, however "
                 "long"
               : "a __syncthreads() between the two is missing";
}

/* Whether the other write, of the same warp, is of the same register at another line: how many
 * elements further each thread writes there; 0: it is not. */
static int64_t apart_by_line(const struct warp *warp, const struct instruction *at,
                             const struct clash *clash)
{
    const struct ptx_instruction *const one = sim_source(warp, at);
    const struct ptx_instruction *const other =
        sim_find_place(warp->worker->launch->program, place_of_tag(clash->tag));
    if (!clash->was_write || clash->tag & TAG_ATOMIC || !other || one->line == other->line ||
        (clash->tag & TAG_WARP) != warp->index || ptx_does(one, PTX_LOADS | PTX_COPIES) ||
        ptx_does(other, PTX_LOADS | PTX_COPIES) || one->operand_count == 0 ||
        other->operand_count == 0 || one->operands[0].reg < 0 ||
        one->operands[0].reg != other->operands[0].reg)
        return 0;
    return llabs(one->operands[0].offset - other->operands[0].offset) /
           (int64_t)sim_element_bytes(one);
}

static bool say_lines_apart(const struct warp *warp, const struct instruction *at,
                            const struct clash *clash, char *text, size_t size)
{
    const int64_t apart = apart_by_line(warp, at, clash);
    snprintf(text, size,
             "each thread writes elements %lld apart by these two lines, and another thread's lie "
             "as far from its own: is what one of them adds to an index added to the wrong one, "
             "the column in place of the row, or is the thread's own index not multiplied by how "
             "many it writes? Where one shall come first, a __syncthreads() is missing",
             (long long)apart);
    return apart != 0;
}

/* Says that one of the two is by an index of another array, past its end. */
static bool say_overrun(const struct warp *warp, const struct instruction *at,
                        const struct clash *clash, const char *verb, const char *earlier,
                        char *text, size_t size)
{
    const uint32_t offset = clash->unit << shared_of(warp)->shift;
    const struct ptx_instruction *const two[] = {
        sim_source(warp, at),
        sim_find_place(warp->worker->launch->program, place_of_tag(clash->tag))};
    for (int i = 0; i < 2; i++) {
        const struct shared_variable *const base = two[i] ? sim_shared_base(warp, two[i]) : NULL;
        char name[200];
        if (!base || base->ptx->size == 0 ||
            (offset >= base->offset && offset < base->offset + base->ptx->size))
            continue;
        sim_short_name(base->ptx->name, name, sizeof name);
        snprintf(text, size,
                 "%s %s is by an index of %s, which has %zu elements and ends before this one: an "
                 "index is too large",
                 i ? "the earlier" : "this", i ? earlier : verb, name,
                 base->ptx->size / sim_element_bytes(two[i]));
        return offset >= base->offset;
    }
    return false;
}

static bool say_short_row(const struct warp *warp, const struct instruction *at,
                          const struct clash *clash, char *text, size_t size)
{
    const struct program *const program = warp->worker->launch->program;
    const struct instruction *const earlier =
        sim_find_instruction(program, place_of_tag(clash->tag));
    if (!clash->was_write || clash->tag & TAG_ATOMIC || !clash->lanes || !earlier)
        return false;
    const struct row_writer now = {warp, at, clash->lane};
    const struct row_writer before = {&warp->block->warps[clash->tag & TAG_WARP], earlier,
                                      (unsigned)__builtin_ctz(clash->lanes)};
    return sim_say_short_row(&now, &before, text, size);
}

/* The line in the kernel itself; in an inlined function, the line of its call. */
static int line_of(const struct ptx_instruction *source, const char **file)
{
    *file = source->call_line ? source->call_file : source->file;
    return source->call_line ? source->call_line : source->line;
}

static bool has_barrier(const struct ptx_instruction *from, const struct ptx_instruction *end)
{
    while (from < end && !ptx_does(from, PTX_WAITS))
        from++;
    return from < end;
}

/* Whether a write comes after a read of another iteration of a loop. The code has the write first,
 * and a loop around both. Other warps may write before this warp has read; but not in the same
 * iteration if there is a barrier between the two. */
static bool is_next_turn(const struct warp *warp, const struct ptx_instruction *write,
                         const struct ptx_instruction *read, bool is_same_warp)
{
    const struct ptx_function *const function = warp->function->ptx;
    const struct ptx_instruction *const first = function->instructions;
    const struct ptx_instruction *const end = first + function->instruction_count;
    if (read < first || read >= end || write > read) /* of another function, or an unrolled loop */
        return true;
    for (const struct ptx_instruction *at = read; at < end; at++)
        if (ptx_goes_back(at, (int)(at - first)) && first + at->operands[0].target <= write)
            return is_same_warp || has_barrier(write, read);
    return false;
}

/* Says that the accesses are in two iterations of a loop, if this access is above the earlier
 * access in the source. */
static bool say_next_turn(const struct warp *warp, const struct instruction *at,
                          const struct clash *clash, const char *verb, char *text, size_t size)
{
    const struct program *const program = warp->worker->launch->program;
    const struct ptx_instruction *const other = sim_find_place(program, place_of_tag(clash->tag));
    const char *file, *file_of_other;
    if (!other || clash->was_write || strcmp(verb, "write") != 0)
        return false;
    const int line = line_of(sim_source(warp, at), &file);
    const int last = line_of(other, &file_of_other);
    const bool is_same_warp = (clash->tag & TAG_WARP_FIELD) == warp->index;
    if (!is_next_turn(warp, sim_source(warp, at), other, is_same_warp))
        return false;
    if (!line || line >= last || !file || !file_of_other || strcmp(file, file_of_other) != 0)
        return false;
    snprintf(
        text, size,
        "this write is of the loop's next iteration: a __syncthreads() is missing after the read, "
        "from line %d to the end of the loop, unless it is to go to another buffer",
        last);
    return true;
}

static void report(struct warp *warp, const struct instruction *at, const struct clash *clash,
                   const char *verb)
{
    char what[300], place[560], thread[120], cause[400];
    const uint32_t field = clash->tag & TAG_WARP_FIELD;
    const uint32_t index = clash->was_write ? field & TAG_WARP : field;
    const char *const earlier = !clash->was_write                             ? "read"
                                : field & TAG_ATOMIC                          ? "atomic access"
                                : sim_is_copy(warp, place_of_tag(clash->tag)) ? COPY
                                                                              : "write";
    if (strcmp(verb, "write") == 0 && ptx_does(sim_source(warp, at), PTX_COPIES))
        verb = COPY;
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    name_unit(warp, at, clash->unit, what, sizeof what);
    sim_name_place(warp->worker->launch->program, place_of_tag(clash->tag), place, sizeof place);
    name_thread(warp, index, clash->lanes, thread, sizeof thread);
    sim_fault(warp, at, clash->lane, SIM_RACE,
              SHARED_WINDOW + ((uint64_t)clash->unit << shared_of(warp)->shift),
              "race on %s: this %s and the %s at %s by %s come in any order; %s%s", what, verb,
              earlier, place, thread,
              at->flags & FLAG_VOLATILE ? "volatile orders nothing, and " : "",
              say_overrun(warp, at, clash, verb, earlier, cause, sizeof cause) ||
                      sim_say_unlike_barriers(warp, cause, sizeof cause) ||
                      say_short_row(warp, at, clash, cause, sizeof cause) ||
                      say_next_turn(warp, at, clash, verb, cause, sizeof cause) ||
                      say_lines_apart(warp, at, clash, cause, sizeof cause)
                  ? cause
                  : cause_of(warp, at, clash, verb));
}

static void warn(struct warp *warp, const struct instruction *at, const struct clash *clash)
{
    char what[300], place[560];
    if (!sim_checks_for(SIM_CHECK_RACE) || !sim_warning_is_new(warp, at, place_of_tag(clash->tag)))
        return;
    name_unit(warp, at, clash->unit, what, sizeof what);
    sim_name_place(warp->worker->launch->program, place_of_tag(clash->tag), place, sizeof place);
    sim_warn(warp, at, SIM_RACE,
             "this write and the %s at %s use %s in any order; it writes the value that is there, "
             "so that nothing changes now, but no barrier keeps it so",
             clash->was_write ? "write" : "read", place, what);
}

/* ---- Clashes ---- */

static struct clash write_clash(const struct shared_tags *tags, size_t unit, unsigned lane)
{
    const unsigned by = tags->writer_lane[unit];
    return (struct clash){.tag = tags->writer[unit],
                          .lanes = by < WARP_LANES ? 1u << by : 0,
                          .unit = (uint32_t)unit,
                          .lane = (uint8_t)lane,
                          .was_write = true};
}

static struct clash read_clash(const struct shared_tags *tags, size_t unit, unsigned lane,
                               uint32_t readers)
{
    return (struct clash){
        .tag = tags->reader[unit], .lanes = readers, .unit = (uint32_t)unit, .lane = (uint8_t)lane};
}

static uint32_t value_of(const struct warp *warp, size_t unit)
{
    const unsigned shift = shared_of(warp)->shift;
    uint32_t value = 0;
    memcpy(&value, warp->block->shared + (unit << shift), (size_t)1 << shift);
    return value;
}

static void check_read(struct warp *warp, const struct instruction *at, unsigned lane, size_t unit)
{
    struct shared_tags *const tags = shared_of(warp);
    if (!clashes_with_write(warp, unit, lane))
        return;
    if (is_pending(tags->writer[unit]))
        report_pending(warp, at, lane, unit, "read");
    const struct clash clash = write_clash(tags, unit, lane);
    report(warp, at, &clash, "read");
}

static void check_write(struct warp *warp, const struct instruction *at, unsigned lane, size_t unit)
{
    struct shared_tags *const tags = shared_of(warp);
    const bool was_write = clashes_with_write(warp, unit, lane);
    const uint32_t readers = was_write ? 0 : clashing_readers(warp, unit, lane);
    if (!was_write && !readers)
        return;
    if (was_write && is_pending(tags->writer[unit]))
        report_pending(warp, at, lane, unit, "write");
    struct clash *const clash = &tags->clashes[tags->clash_count++];
    *clash = was_write ? write_clash(tags, unit, lane) : read_clash(tags, unit, lane, readers);
    clash->old = value_of(warp, unit);
}

void sim_shared_read_again(struct warp *warp, const struct instruction *at,
                           const struct places *places, unsigned bytes)
{
    const unsigned shift = shared_of(warp)->shift;
    EACH_ACTIVE(lane, warp->active)
    {
        const size_t first = shared_offset(warp, places, lane, bytes) >> shift;
        for (unsigned i = 0; i < bytes >> shift; i++)
            check_read(warp, at, lane, first + i);
    }
}

void sim_shared_write_again(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    const unsigned shift = shared_of(warp)->shift;
    shared_of(warp)->clash_count = 0;
    EACH_ACTIVE(lane, warp->active)
    {
        const size_t first = shared_offset(warp, places, lane, bytes) >> shift;
        for (unsigned i = 0; i < bytes >> shift; i++)
            check_write(warp, at, lane, first + i);
    }
}

/* A write of the value that is there already is only worth a warning. */
void sim_settle_clashes(struct warp *warp, const struct instruction *at)
{
    struct shared_tags *const tags = shared_of(warp);
    const int count = tags->clash_count;
    tags->clash_count = 0;
    for (int i = 0; i < count; i++)
        if (value_of(warp, tags->clashes[i].unit) != tags->clashes[i].old)
            report(warp, at, &tags->clashes[i], "write");
    if (count > 0)
        warn(warp, at, &tags->clashes[0]);
}

/* ---- Accesses of small units ---- */

void sim_check_fine_read(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes)
{
    struct shared_tags *const tags = shared_of(warp);
    check_read_by(warp, tags, at, places, bytes, tags->shift);
}

void sim_check_fine_write(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes)
{
    struct shared_tags *const tags = shared_of(warp);
    check_write_by(warp, tags, at, places, bytes, tags->shift);
}

static struct unit_run run_of(const struct shared_tags *tags, int lane, uint32_t offset,
                              unsigned bytes)
{
    const unsigned units = bytes >> tags->shift;
    return (struct unit_run){offset >> tags->shift, units, units, 0, 1u << lane};
}

/* Atomic operations do not race with each other. The tag of a plain write in this stretch is kept,
 * because later accesses may clash with that write. */
static void note_atomic(struct warp *warp, const struct instruction *at, unsigned lane, size_t unit)
{
    struct shared_tags *const tags = shared_of(warp);
    const uint32_t old = tags->writer[unit];
    const bool is_current = old >= tag_floor(tags);
    if (is_current && !(old & TAG_ATOMIC))
        return;
    const bool is_other =
        (old & TAG_WARP) != warp->index || tags->writer_lane[unit] == LANE_SEVERAL_WARPS;
    tags->writer_lane[unit] = (uint8_t)(!clashes_with_write(warp, unit, lane) ? lane
                                        : is_other                            ? LANE_SEVERAL_WARPS
                                                                              : LANE_SEVERAL);
    tags->writer[unit] = new_tag(warp, at, tags) | TAG_ATOMIC;
}

void sim_check_shared_atomic(struct warp *warp, const struct instruction *at, int lane,
                             uint32_t offset, unsigned bytes)
{
    struct shared_tags *const tags = shared_of(warp);
    const struct unit_run run = run_of(tags, lane, offset, bytes);
    if (at->flags & (FLAG_UPDATE | FLAG_TEST_SET))
        sim_update_shared_word(warp, at, lane, offset);
    for (size_t unit = run.first; unit < run.first + run.count; unit++) {
        const bool was_write =
            clashes_with_write(warp, unit, (unsigned)lane) &&
            (is_pending(tags->writer[unit]) || !(tags->writer[unit] & TAG_ATOMIC));
        const uint32_t readers = clashing_readers(warp, unit, (unsigned)lane);
        if (was_write && is_pending(tags->writer[unit]))
            report_pending(warp, at, (unsigned)lane, unit, "atomic access");
        const struct clash clash = was_write ? write_clash(tags, unit, (unsigned)lane)
                                             : read_clash(tags, unit, (unsigned)lane, readers);
        if (was_write || readers)
            report(warp, at, &clash, "atomic access");
        if (tags->writer_lane[unit] == LANE_SEVERAL_WARPS && tags->writer[unit] >= tag_floor(tags))
            sim_check_sum_order(warp, at, lane, SHARED_WINDOW + offset);
        note_atomic(warp, at, (unsigned)lane, unit);
    }
}
