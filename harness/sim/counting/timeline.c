/* One block over time, alone on an SM. Each of n schedulers has every n-th warp and issues one
 * instruction in a cycle, of the first warp that can issue. A warp issues in order, each
 * instruction when the values that it reads are there. A PTX instruction counts as one of the
 * machine code. */
#include "executed.h"

#include <math.h>
#include <stdlib.h>

/* The most spans that a page can hold. The first FINE_CYCLES are kept finer than the rest. */
enum {
    MOST_FINE = 2500,
    MOST_COARSE = 1500,
    MOST_COPIES = 1000,
    FINE_CYCLES = 4000,
    NUMBERS = 16,
    GROUPS = 64
};

/* The progress of a warp. */
struct lane {
    const struct executed_warp *executed;
    struct producers producers;
    int *order;
    int next;                    /* place of the next instruction in the order */
    uint64_t *done;              /* of each instruction: when its value is there */
    uint64_t ready;              /* when the next instruction can issue */
    enum lab_sim_span_kind kind; /* what the warp waits for until then */
    int barrier;                 /* number of the barrier that it waits at; -1: none */
    /* Asynchronous copies: copies that are not committed, and the last committed groups. */
    uint64_t open_end, open_begin, group_end[GROUPS];
    const struct ptx_instruction *opened_by;
    int groups;
};

struct span_list {
    struct lab_sim_span *list;
    int count, capacity;
    bool has_failed;
};

struct clock {
    const struct sim_gpu_profile *gpu;
    struct lane lanes[MAX_BLOCK_WARPS];
    int warps, schedulers;
    uint64_t now, pipe_free;
    uint64_t *arrival;         /* of what each access is the first to fetch; 0: not requested yet */
    unsigned arrived[NUMBERS]; /* warps at each barrier */
    uint64_t arithmetic, shared, l1, l2, dram, barrier;
    struct span_list spans, copies;
    bool is_cut;
};

/* ---- Spans ---- */

static struct lab_sim_span *add_span(struct span_list *spans, struct lab_sim_span span)
{
    if (spans->count == spans->capacity) {
        const int larger = 2 * spans->capacity + 1024;
        struct lab_sim_span *const moved = realloc(spans->list, (size_t)larger * sizeof *moved);
        spans->has_failed |= moved == NULL;
        if (!moved)
            return NULL;
        spans->list = moved;
        spans->capacity = larger;
    }
    spans->list[spans->count] = span;
    return &spans->list[spans->count++];
}

/* Appends a span, or lengthens the last one if it is of the same kind and ends there. */
static void join_span(struct span_list *spans, struct lab_sim_span span)
{
    struct lab_sim_span *const last = spans->count ? &spans->list[spans->count - 1] : NULL;
    if (last && last->warp == span.warp && last->kind == span.kind &&
        last->begin + last->length == span.begin)
        last->length += span.length;
    else
        add_span(spans, span);
}

static struct lab_sim_span span_of(unsigned warp, enum lab_sim_span_kind kind, uint64_t begin,
                                   uint64_t end, const struct ptx_instruction *source)
{
    return (struct lab_sim_span){.begin = (uint32_t)begin,
                                 .length = (uint32_t)(end - begin),
                                 .warp = warp,
                                 .kind = kind,
                                 .file = source->file,
                                 .line = source->file ? source->line : 0};
}

/* ---- What an instruction is ---- */

static const struct executed *current(const struct lane *lane)
{
    return &lane->executed->list[lane->order[lane->next]];
}

static bool has_ended(const struct lane *lane)
{
    return lane->next == lane->executed->count;
}

static bool is_barrier(const struct executed *executed)
{
    const struct ptx_instruction *const source = executed->source;
    return executed->is_done && ptx_does(source, PTX_WAITS) && !ptx_has_part(source, "warp");
}

static bool is_copy_part(const struct executed *executed, const char *part)
{
    return executed->is_done && ptx_does(executed->source, PTX_COPIES) &&
           ptx_has_part(executed->source, part) && !ptx_has_part(executed->source, "bulk");
}

static bool is_copy(const struct executed *executed)
{
    return executed->is_done && ptx_does(executed->source, PTX_COPIES) &&
           executed->source->operand_count >= 3 && !ptx_has_part(executed->source, "bulk");
}

static enum lab_sim_span_kind kind_of(const struct executed *executed)
{
    if (!executed->is_done || !executed->is_load)
        return LAB_SIM_WAITS_FOR_ARITHMETIC;
    return executed->space == COUNTED_SHARED ? LAB_SIM_WAITS_FOR_SHARED : LAB_SIM_WAITS_FOR_GLOBAL;
}

static int barrier_number(const struct ptx_instruction *source)
{
    const bool is_given =
        source->operand_count && source->operands[0].kind == PTX_OPERAND_IMMEDIATE;
    return is_given ? (int)(source->operands[0].imm % NUMBERS) : 0;
}

/* ---- Waiting ---- */

/* When the groups that a wait is for have arrived: all groups except the latest ones. */
static uint64_t copies_end(const struct lane *lane, const struct executed *executed)
{
    uint64_t end = 0;
    int latest = 0;
    if (is_copy_part(executed, "wait_group"))
        latest = (int)executed->source->operands[0].imm;
    else
        end = lane->open_end;
    for (int i = lane->groups - latest - 1; i >= 0 && i >= lane->groups - GROUPS; i--)
        if (lane->group_end[i % GROUPS] > end)
            end = lane->group_end[i % GROUPS];
    return end;
}

/* Finds what the next instruction waits for longest. */
static void look_ahead(const struct clock *clock, struct lane *lane)
{
    lane->ready = clock->now + 1;
    lane->kind = LAB_SIM_WAITS_FOR_ARITHMETIC;
    if (has_ended(lane))
        return;
    const int at = lane->order[lane->next];
    const struct producers *const producers = &lane->producers;
    for (int i = producers->start[at]; i < producers->start[at + 1]; i++) {
        const int producer = producers->list[i];
        if (lane->done[producer] <= lane->ready)
            continue;
        lane->ready = lane->done[producer];
        lane->kind = kind_of(&lane->executed->list[producer]);
    }
    const struct executed *const executed = current(lane);
    const bool waits_for_copies =
        is_copy_part(executed, "wait_group") || is_copy_part(executed, "wait_all");
    const uint64_t end = waits_for_copies ? copies_end(lane, executed) : 0;
    if (end > lane->ready) {
        lane->ready = end;
        lane->kind = LAB_SIM_WAITS_FOR_COPY;
    }
}

/* ---- Issuing ---- */

/* When the data of a load or copy from global memory is there. The block's first access to a sector
 * fetches it; later accesses find it in a cache, or on its way. */
static uint64_t global_end(struct clock *clock, const struct executed *executed)
{
    const uint64_t end = clock->now + (executed->is_past_l1 ? clock->l2 : clock->l1);
    uint64_t *const arrival = &clock->arrival[executed->fetch];
    if (executed->space == COUNTED_LOCAL)
        return clock->now + clock->l1;
    if (executed->fetch && !*arrival)
        *arrival = clock->now + clock->dram;
    return end > *arrival ? end : *arrival;
}

/* An access to shared memory takes a cycle of the pipe for each wavefront. */
static uint64_t shared_end(struct clock *clock, const struct executed *executed)
{
    const uint64_t begin = clock->now > clock->pipe_free ? clock->now : clock->pipe_free;
    clock->pipe_free = begin + executed->wavefronts;
    return begin + clock->shared + (executed->wavefronts ? executed->wavefronts - 1 : 0);
}

static void commit_copies(struct clock *clock, struct lane *lane)
{
    lane->group_end[lane->groups++ % GROUPS] = lane->open_end;
    if (lane->open_end > lane->open_begin && clock->copies.count < MOST_COPIES)
        add_span(&clock->copies, span_of((unsigned)(lane - clock->lanes), LAB_SIM_COPY_IS_UNDER_WAY,
                                         lane->open_begin, lane->open_end, lane->opened_by));
    lane->open_begin = lane->open_end = 0;
}

static void start_copy(struct clock *clock, struct lane *lane, const struct executed *executed)
{
    const uint64_t end = global_end(clock, executed);
    if (!lane->open_end) {
        lane->open_begin = clock->now;
        lane->opened_by = executed->source;
    }
    lane->open_end = end > lane->open_end ? end : lane->open_end;
}

/* Lets the warps at a barrier go on. */
static void open_barrier(struct clock *clock, int number)
{
    clock->arrived[number] = 0;
    for (int w = 0; w < clock->warps; w++) {
        struct lane *const lane = &clock->lanes[w];
        if (lane->barrier != number)
            continue;
        lane->barrier = -1;
        look_ahead(clock, lane);
        if (lane->ready < clock->now + clock->barrier) {
            lane->ready = clock->now + clock->barrier;
            lane->kind = LAB_SIM_WAITS_AT_BARRIER;
        }
    }
}

/* Warps that a barrier waits for: the number that it gives, or all that have not ended. */
static unsigned expected(const struct clock *clock, const struct ptx_instruction *source)
{
    unsigned count = 0;
    if (source->operand_count > 1 && source->operands[1].kind == PTX_OPERAND_IMMEDIATE &&
        !ptx_has_part(source, "red"))
        return (unsigned)(source->operands[1].imm / WARP_LANES);
    for (int w = 0; w < clock->warps; w++)
        count += !has_ended(&clock->lanes[w]) || clock->lanes[w].barrier >= 0;
    return count;
}

static void arrive(struct clock *clock, struct lane *lane, const struct ptx_instruction *source)
{
    const int number = barrier_number(source);
    clock->arrived[number]++;
    if (!ptx_has_part(source, "arrive"))
        lane->barrier = number;
    if (clock->arrived[number] >= expected(clock, source))
        open_barrier(clock, number);
}

static void issue(struct clock *clock, struct lane *lane)
{
    const int at = lane->order[lane->next++];
    const struct executed *const executed = &lane->executed->list[at];
    const bool is_memory = executed->is_done && executed->space == COUNTED_SHARED;
    uint64_t end = clock->now + clock->arithmetic;
    if (is_copy(executed))
        start_copy(clock, lane, executed);
    else if (is_memory && executed->wavefronts)
        end = shared_end(clock, executed);
    else if (kind_of(executed) == LAB_SIM_WAITS_FOR_SHARED)
        end = shared_end(clock, executed);
    else if (kind_of(executed) == LAB_SIM_WAITS_FOR_GLOBAL)
        end = global_end(clock, executed);
    lane->done[at] = end;
    if (is_copy_part(executed, "commit_group") || is_copy_part(executed, "wait_all"))
        commit_copies(clock, lane);
    if (is_barrier(executed))
        arrive(clock, lane, executed->source);
    else
        look_ahead(clock, lane);
}

/* ---- Cycle by cycle ---- */

static bool can_issue(const struct clock *clock, const struct lane *lane)
{
    return !has_ended(lane) && lane->barrier < 0 && lane->ready <= clock->now;
}

/* Notes what each warp does in the next `cycles`; `issuing` has a bit for each warp that issues. */
static void note(struct clock *clock, struct span_list *spans, uint32_t issuing, uint64_t cycles)
{
    for (int w = 0; w < clock->warps; w++) {
        const struct lane *const lane = &clock->lanes[w];
        enum lab_sim_span_kind kind = LAB_SIM_ISSUES;
        if (has_ended(lane) && lane->barrier < 0)
            continue;
        if (!(issuing >> w & 1))
            kind = lane->barrier >= 0         ? LAB_SIM_WAITS_AT_BARRIER
                   : lane->ready > clock->now ? lane->kind
                                              : LAB_SIM_WAITS_FOR_TURN;
        const int at = kind == LAB_SIM_WAITS_AT_BARRIER ? lane->next - 1 : lane->next;
        join_span(&spans[w], span_of((unsigned)w, kind, clock->now, clock->now + cycles,
                                     lane->executed->list[lane->order[at]].source));
    }
}

/* Cycles until a warp can issue; 0: one can now, or none ever can. */
static uint64_t idle_cycles(const struct clock *clock)
{
    uint64_t next = UINT64_MAX;
    for (int w = 0; w < clock->warps; w++) {
        const struct lane *const lane = &clock->lanes[w];
        if (!has_ended(lane) && lane->barrier < 0 && lane->ready < next)
            next = lane->ready;
    }
    return next == UINT64_MAX || next <= clock->now ? 0 : next - clock->now;
}

/* The warps that issue now: of each scheduler, the first warp that can. */
static uint32_t choose(const struct clock *clock)
{
    uint32_t chosen = 0;
    for (int s = 0; s < clock->schedulers; s++)
        for (int w = s; w < clock->warps; w += clock->schedulers)
            if (can_issue(clock, &clock->lanes[w])) {
                chosen |= 1u << w;
                break;
            }
    return chosen;
}

/* Whether any warp goes on. The timeline ends where the record of one warp is cut. */
static bool goes_on(struct clock *clock)
{
    bool any = false;
    for (int w = 0; w < clock->warps; w++) {
        const struct lane *const lane = &clock->lanes[w];
        clock->is_cut = clock->is_cut || (has_ended(lane) && lane->executed->is_cut);
        any = any || !has_ended(lane) || lane->barrier >= 0;
    }
    return any && !clock->is_cut && clock->now < UINT32_MAX / 2;
}

static void run(struct clock *clock, struct span_list *spans)
{
    while (goes_on(clock)) {
        const uint32_t issuing = choose(clock);
        const uint64_t idle = issuing ? 0 : idle_cycles(clock);
        if (!issuing && !idle) { /* warps that have ended do not come to a barrier any more */
            for (int number = 0; number < NUMBERS; number++)
                open_barrier(clock, number);
            continue;
        }
        note(clock, spans, issuing, issuing ? 1 : idle);
        for (int w = 0; w < clock->warps; w++)
            if (issuing >> w & 1)
                issue(clock, &clock->lanes[w]);
        clock->now += issuing ? 1 : idle;
    }
}

/* ---- Fewer spans, for a page ---- */

/* Adds a span for each cell of a range of cycles: the kind that fills most of the cell. */
static void add_cells(struct span_list *to, const struct span_list *from, uint64_t begin,
                      uint64_t end, uint64_t width)
{
    int at = 0;
    for (uint64_t cell = begin; cell < end && at < from->count; cell += width) {
        const uint64_t cell_end = cell + width < end ? cell + width : end;
        uint64_t sums[LAB_SIM_SPAN_KINDS] = {0};
        const struct lab_sim_span *first[LAB_SIM_SPAN_KINDS] = {NULL};
        int most = -1;
        uint64_t last = cell;
        while (at < from->count && from->list[at].begin + from->list[at].length <= cell)
            at++;
        for (int i = at; i < from->count && from->list[i].begin < cell_end; i++) {
            const struct lab_sim_span *const span = &from->list[i];
            const uint64_t span_end = span->begin + span->length;
            last = span_end < cell_end ? span_end : cell_end;
            sums[span->kind] += last - (span->begin > cell ? span->begin : cell);
            first[span->kind] = first[span->kind] ? first[span->kind] : span;
            if (most < 0 || sums[span->kind] > sums[most])
                most = (int)span->kind;
        }
        if (most < 0)
            continue;
        struct lab_sim_span span = *first[most];
        span.begin = (uint32_t)cell;
        span.length = (uint32_t)(last - cell);
        join_span(to, span);
    }
}

/* Whether cells of that width give more than `most` spans, for the cycles from `begin` to `end` of
 * all warps together. */
static bool are_more(const struct span_list *spans, int warps, uint64_t begin, uint64_t end,
                     uint64_t width, int most)
{
    struct span_list tried = {0};
    for (int w = 0; w < warps && tried.count <= most; w++)
        add_cells(&tried, &spans[w], begin, end, width);
    free(tried.list);
    return !tried.has_failed && tried.count > most;
}

static uint64_t width_for(const struct span_list *spans, int warps, uint64_t begin, uint64_t end,
                          int most)
{
    uint64_t width = 1;
    while (begin < end && are_more(spans, warps, begin, end, width, most))
        width *= 2;
    return width;
}

static void shorten(const struct clock *clock, const struct span_list *spans, struct span_list *to)
{
    const uint64_t middle = clock->now < FINE_CYCLES ? clock->now : FINE_CYCLES;
    const uint64_t fine = width_for(spans, clock->warps, 0, middle, MOST_FINE);
    const uint64_t coarse = width_for(spans, clock->warps, middle, clock->now, MOST_COARSE);
    for (int w = 0; w < clock->warps; w++) {
        add_cells(to, &spans[w], 0, middle, fine);
        add_cells(to, &spans[w], middle, clock->now, coarse);
        for (int i = 0; i < clock->copies.count; i++)
            if (clock->copies.list[i].warp == (unsigned)w)
                add_span(to, clock->copies.list[i]);
    }
    for (int i = 0; i < to->count; i++) /* the program may be unloaded before they are read */
        to->list[i].file = to->list[i].file ? sim_count_intern(to->list[i].file) : NULL;
}

/* ---- All of it ---- */

static bool prepare(struct clock *clock, const struct executed_block *block)
{
    const struct sim_gpu_profile *const gpu = clock->gpu;
    clock->warps = block->warp_count;
    clock->schedulers = gpu->schedulers > 0 ? gpu->schedulers : 1;
    clock->arithmetic = (uint64_t)lround(gpu->arithmetic_latency);
    clock->shared = (uint64_t)lround(gpu->shared_latency);
    clock->l1 = (uint64_t)lround(gpu->l1_latency);
    clock->l2 = (uint64_t)lround(gpu->l2_latency);
    clock->dram = (uint64_t)lround(gpu->dram_latency);
    clock->barrier = (uint64_t)lround(gpu->barrier_latency);
    clock->arrival = calloc((size_t)block->fetches + 1, sizeof *clock->arrival);
    bool is_well = clock->arrival != NULL;
    for (int w = 0; w < clock->warps; w++) {
        struct lane *const lane = &clock->lanes[w];
        const size_t count = (size_t)block->warps[w].count + 1;
        lane->executed = &block->warps[w];
        lane->barrier = -1;
        lane->order = calloc(count, sizeof *lane->order);
        lane->done = calloc(count, sizeof *lane->done);
        is_well = is_well && lane->order && lane->done &&
                  sim_issue_order(lane->executed, lane->order, &lane->producers);
    }
    return is_well;
}

bool sim_timeline_make(const struct executed_block *block, const struct sim_gpu_profile *gpu,
                       struct lab_sim_timeline *timeline)
{
    struct clock clock = {.gpu = gpu};
    struct span_list spans[MAX_BLOCK_WARPS] = {{0}}, kept = {0};
    bool is_well = prepare(&clock, block);
    if (is_well) {
        run(&clock, spans);
        shorten(&clock, spans, &kept);
    }
    *timeline = (struct lab_sim_timeline){.cycles = clock.now,
                                          .warps = (unsigned)clock.warps,
                                          .is_cut = clock.is_cut,
                                          .spans = kept.list,
                                          .span_count = kept.count};
    is_well = is_well && !kept.has_failed && !clock.copies.has_failed;
    for (int w = 0; w < clock.warps; w++) {
        for (int i = 0; i < spans[w].count; i++)
            timeline->sums[spans[w].list[i].kind] += spans[w].list[i].length;
        is_well = is_well && !spans[w].has_failed;
        free(spans[w].list);
        free(clock.lanes[w].order);
        free(clock.lanes[w].done);
        free(clock.lanes[w].producers.start);
        free(clock.lanes[w].producers.list);
    }
    free(clock.copies.list);
    free(clock.arrival);
    if (!is_well)
        free(kept.list);
    return is_well;
}
