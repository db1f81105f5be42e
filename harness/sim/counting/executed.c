/* Records the instructions that the warps of the watched block execute, in order, with what the
 * model of time needs to know of accesses. As in watched.c, one worker has the block, so that no
 * lock is needed. Before and after a launch the runtime's lock is held. */
#include "executed.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTRUCTIONS = 20000,
    MOST_LAUNCHES = 8,
    LEAST_ROOM = 1 << 10, /* of the table of sectors, as is the next */
    MOST_ROOM = 1 << 21,
    SECTOR_BYTES = 32
};

/* Marks of an instruction, in the bits that sim_count_mark_ifs() leaves free. */
enum { MARK_IS_LOAD = 0x40, MARK_NAMES_SHARED = 0x80, MARKS_OF_IFS = 0x3f };

/* A table by sector: which access of the block touched it first. */
struct sectors {
    uint64_t *number; /* a sector, plus 1; 0: free */
    uint32_t *fetch;
    uint32_t count, room;
};

static struct {
    struct executed_block block;
    struct sectors sectors;
    struct phase {
        uint32_t barrier;
        uint64_t phase;
    } * phases;                        /* of barriers in shared memory, by number less 1 */
    const struct ptx_function *marked; /* the function that `marks` is of */
    unsigned char *marks;
    int launches;                     /* recorded so far */
    struct lab_sim_timeline timeline; /* of the longest of these launches */
    struct lab_sim_step *steps;       /* of the first launch */
    int step_count;
} state;

bool sim_executed_wanted(void)
{
    return sim_watch_is_on() && state.launches < MOST_LAUNCHES;
}

static bool is_recorded(const struct warp *warp)
{
    return state.launches < MOST_LAUNCHES && sim_watches_block(warp);
}

static void free_block(void)
{
    for (int w = 0; w < MAX_BLOCK_WARPS; w++)
        free(state.block.warps[w].list);
    free(state.sectors.number);
    free(state.sectors.fetch);
    free(state.phases);
    free(state.marks);
    state.phases = NULL;
    state.marks = NULL;
    state.marked = NULL;
    state.block = (struct executed_block){0};
    state.sectors = (struct sectors){0};
}

void sim_executed_forget(void)
{
    free_block();
    free(state.timeline.spans);
    free(state.steps);
    state.steps = NULL;
    state.step_count = 0;
    state.timeline = (struct lab_sim_timeline){0};
    state.launches = 0;
}

static bool has_room(struct executed_warp *warp, int more)
{
    warp->is_cut = warp->is_cut || warp->count + more > MOST_INSTRUCTIONS;
    if (warp->is_cut || warp->count + more <= warp->capacity)
        return !warp->is_cut;
    const int larger = 2 * (warp->count + more);
    struct executed *const moved = realloc(warp->list, (size_t)larger * sizeof *moved);
    warp->is_cut = moved == NULL;
    if (!moved)
        return false;
    warp->list = moved;
    warp->capacity = larger;
    return true;
}

/* Marks what ptxas makes of the ifs of a function, and its loads. NULL: out of memory. */
static const unsigned char *marks_of(const struct ptx_function *function)
{
    if (state.marked == function)
        return state.marks;
    free(state.marks);
    state.marked = function;
    state.marks = calloc((size_t)function->instruction_count + 1, 1);
    if (state.marks)
        sim_count_mark_ifs(function, state.marks);
    for (int i = 0; i < function->instruction_count && state.marks; i++) {
        const struct ptx_instruction *const source = &function->instructions[i];
        state.marks[i] |= sim_count_is_load(source) ? MARK_IS_LOAD : 0;
        state.marks[i] |= sim_count_is_shared(source) ? MARK_NAMES_SHARED : 0;
    }
    return state.marks;
}

void sim_executed_segment(const struct warp *warp, const struct instruction *at)
{
    if (!is_recorded(warp))
        return;
    const struct function *const function = warp->function;
    const struct segment *const segment =
        &function->segments[at->value - (uint64_t)function->first_segment];
    struct executed_warp *const mine = &state.block.warps[warp->index];
    const unsigned char *const marks = marks_of(function->ptx);
    state.block.warp_count = (int)warp->block->warp_count;
    if (!marks || !has_room(mine, segment->count))
        return;
    for (int i = segment->first; i < segment->first + segment->count; i++)
        mine->list[mine->count++] =
            (struct executed){.source = &function->ptx->instructions[i],
                              .is_first = i == segment->first && !(marks[i] & MARKS_OF_IFS),
                              .is_no_branch = (marks[i + 1] & MARKS_OF_IFS) != 0,
                              .is_load = (marks[i] & MARK_IS_LOAD) != 0,
                              .names_shared = (marks[i] & MARK_NAMES_SHARED) != 0};
}

/* The latest execution of an instruction; NULL where none is recorded. */
static struct executed *latest(const struct warp *warp, const struct ptx_instruction *source)
{
    struct executed_warp *const mine = &state.block.warps[warp->index];
    if (!is_recorded(warp) || mine->is_cut)
        return NULL;
    for (int i = mine->count; i-- > 0;)
        if (mine->list[i].source == source)
            return &mine->list[i];
    return NULL;
}

/* The entry of a sector in a table, or the free entry for it. */
static uint32_t place_of(const struct sectors *all, uint64_t sector)
{
    uint32_t place = (uint32_t)(sector * UINT64_C(0x9e3779b97f4a7c15) >> 43) % all->room;
    while (all->number[place] && all->number[place] != sector + 1)
        place = (place + 1) % all->room;
    return place;
}

/* Most launches touch few sectors, so the table starts small and doubles when it is half full. */
static bool has_sector_room(struct sectors *all)
{
    if (2 * all->count < all->room)
        return true;
    struct sectors larger = {.count = all->count, .room = all->room ? 2 * all->room : LEAST_ROOM};
    if (larger.room > MOST_ROOM)
        return false;
    larger.number = calloc(larger.room, sizeof *larger.number);
    larger.fetch = calloc(larger.room, sizeof *larger.fetch);
    if (!larger.number || !larger.fetch) {
        free(larger.number);
        free(larger.fetch);
        return false;
    }
    for (uint32_t i = 0; i < all->room; i++)
        if (all->number[i]) {
            const uint32_t place = place_of(&larger, all->number[i] - 1);
            larger.number[place] = all->number[i];
            larger.fetch[place] = all->fetch[i];
        }
    free(all->number);
    free(all->fetch);
    *all = larger;
    return true;
}

/* For each sector of an access, some access touched it first. Returns the latest of these. */
static uint32_t fetch_of(const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    const uint32_t next = state.block.fetches + 1;
    uint32_t last = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t end = (address[lane] + bytes - 1) / SECTOR_BYTES;
        for (uint64_t sector = address[lane] / SECTOR_BYTES; lanes >> lane & 1 && sector <= end;
             sector++) {
            if (!has_sector_room(&state.sectors))
                return last;
            const uint32_t place = place_of(&state.sectors, sector);
            if (!state.sectors.number[place]) {
                state.sectors.number[place] = sector + 1;
                state.sectors.fetch[place] = state.block.fetches = next;
                state.sectors.count++;
            }
            last = state.sectors.fetch[place] > last ? state.sectors.fetch[place] : last;
        }
    }
    return last;
}

void sim_executed_access(const struct warp *warp, const struct access_plan *plan,
                         enum counted_space space, const uint64_t *address, uint32_t lanes,
                         unsigned cost)
{
    struct executed *const executed = latest(warp, plan->source);
    if (!executed)
        return;
    executed->is_done = lanes != 0;
    executed->space = space;
    executed->is_past_l1 = plan->request != TRACE_LOAD;
    if (space == COUNTED_SHARED)
        executed->wavefronts += cost;
    if (space == COUNTED_GLOBAL)
        executed->fetch = fetch_of(address, lanes, plan->merged_bytes);
}

void sim_executed_mark(const struct warp *warp, const struct instruction *at)
{
    struct executed *const executed =
        at->source < (uint32_t)warp->function->ptx->instruction_count
            ? latest(warp, &warp->function->ptx->instructions[at->source])
            : NULL;
    if (executed)
        executed->is_done = true;
}

void sim_executed_barrier(const struct warp *warp, const struct instruction *at, unsigned number,
                          unsigned warps)
{
    struct executed *const executed = latest(warp, &warp->function->ptx->instructions[at->source]);
    if (!executed)
        return;
    executed->is_done = true;
    executed->barrier = (int)number;
    executed->expects = (int)warps;
}

/* The number of a phase, from 1 on; the latest ones are asked for most. 0: out of memory. */
static uint32_t number_phase(uint32_t barrier, uint64_t phase)
{
    enum { MORE = 64 };
    const uint32_t count = state.block.phases;
    for (uint32_t i = count; i-- > 0;)
        if (state.phases[i].barrier == barrier && state.phases[i].phase == phase)
            return i + 1;
    if (count % MORE == 0) {
        struct phase *const moved =
            realloc(state.phases, ((size_t)count + MORE) * sizeof *state.phases);
        if (!moved)
            return 0;
        state.phases = moved;
    }
    state.phases[count] = (struct phase){barrier, phase};
    return state.block.phases = count + 1;
}

/* Waits in vain, with what led back to the wait, are left out: how often a warp asks depends on the
 * order in which the simulator runs warps. */
static struct executed *without_polls(struct executed_warp *mine, struct executed *executed)
{
    struct executed *before = executed;
    while (before > mine->list && (--before)->source != executed->source)
        continue;
    if (before == executed || before->source != executed->source || !before->awaits ||
        before->phase)
        return executed;
    memmove(before, executed, (size_t)(mine->list + mine->count - executed) * sizeof *executed);
    mine->count -= (int)(executed - before);
    return before;
}

void sim_executed_noted(const struct warp *warp, const struct ptx_instruction *source,
                        const struct noted *noted, bool is_wait)
{
    struct executed *executed = latest(warp, source);
    if (!executed)
        return;
    if (is_wait)
        executed = without_polls(&state.block.warps[warp->index], executed);
    executed->is_done = true;
    executed->copied = noted->bytes;
    executed->awaits = is_wait;
    executed->phase = noted->barrier ? number_phase(noted->barrier, noted->phase) : 0;
}

void sim_executed_kept(const struct warp *warp, const struct ptx_instruction *source, int place)
{
    struct executed *const executed = latest(warp, source);
    if (!executed)
        return;
    executed->more_accesses += place < 0;
    if (place < 0)
        return;
    executed->first_access = executed->access_count ? executed->first_access : place;
    executed->access_count++;
}

/* Adds an instruction to the last step, or begins a step if it is of another line. */
static void add_step(const struct executed *executed)
{
    const struct ptx_instruction *const source = executed->source;
    struct lab_sim_step *last = state.step_count ? &state.steps[state.step_count - 1] : NULL;
    if (!source->file || !source->line)
        return;
    if (!last || last->line != source->line || strcmp(last->file, source->file) != 0) {
        const char *const file = sim_count_intern(source->file);
        last = &state.steps[state.step_count];
        state.step_count += file != NULL;
        *last = (struct lab_sim_step){.file = file, .line = source->line};
    }
    if (!last->access_count)
        last->first_access = executed->first_access;
    last->access_count += executed->access_count;
    last->more_accesses += executed->more_accesses;
}

static void make_steps(const struct executed_warp *warp)
{
    state.steps = calloc((size_t)warp->count + 1, sizeof *state.steps);
    for (int i = 0; i < warp->count && state.steps; i++)
        add_step(&warp->list[i]);
}

void sim_executed_finish(const struct launch *launch)
{
    const struct sim_gpu_profile *const gpu = launch->request->gpu;
    struct lab_sim_timeline timeline;
    if (!state.block.warp_count)
        return;
    if (state.launches++ == 0)
        make_steps(&state.block.warps[sim_watched_warp()]);
    if (gpu && sim_timeline_make(&state.block, gpu, &timeline)) {
        struct lab_sim_timeline shorter = timeline;
        if (timeline.cycles > state.timeline.cycles) {
            shorter = state.timeline;
            state.timeline = timeline;
        }
        free(shorter.spans);
    }
    free_block();
}

const struct lab_sim_timeline *sim_executed_timeline(void)
{
    return state.timeline.span_count ? &state.timeline : NULL;
}

int sim_executed_steps(const struct lab_sim_step **list)
{
    *list = state.steps;
    return state.step_count;
}
