/* One block over time, alone on an SM. Each of n schedulers has every n-th warp and issues one
 * instruction in a cycle, of the first warp that can issue. A warp issues in order, each
 * instruction when the values that it reads are there. A PTX instruction counts as one of the
 * machine code. Each scheduler has a tensor core. The SM has one copy engine, which moves the SM's
 * share of what L2 can read. */
#include "executed.h"

#include "sim/tensor/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most spans that a page can hold. The first FINE_CYCLES are kept finer than the rest. */
enum {
    MOST_FINE = 2500,
    MOST_COARSE = 1500,
    MOST_UNDER_WAY = 1500,
    FINE_CYCLES = 4000,
    NUMBERS = 16,
    GROUPS = 64,
    MOST_SCHEDULERS = 8
};

/* What goes on while a warp does: work that is not committed, and the last committed groups. */
struct groups {
    uint64_t open_end, open_begin, end[GROUPS];
    const struct ptx_instruction *opened_by;
    int count;
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
    uint32_t phase;              /* of an mbarrier that it waits for; 0: none */
    struct groups copies, bulk_copies, products;
    uint32_t copied_phase; /* of its latest bulk copies, and their place in the list of spans */
    int copied_at;
};

/* A phase of an mbarrier: it ends when all have come that the record says come. */
struct phase {
    unsigned expected, arrived;
    uint64_t end;
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
    struct phase *phases;      /* by number */
    double copy_rate;          /* bytes in a cycle; 0: no limit */
    double copies_free, tensor_free[MOST_SCHEDULERS];
    uint64_t arithmetic, shared, l1, l2, dram, barrier, tensor;
    struct span_list under_way;
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

/* Which groups an instruction commits or waits for; NULL: none. */
static struct groups *groups_of(struct lane *lane, const struct executed *executed)
{
    const struct ptx_instruction *const source = executed->source;
    if (source->operation == PTX_OP_wgmma)
        return &lane->products;
    if (!ptx_does(source, PTX_COPIES))
        return NULL;
    if (ptx_has_part(source, "bulk"))
        return &lane->bulk_copies;
    return executed->is_done ? &lane->copies : NULL;
}

static bool is_copy(const struct executed *executed)
{
    return executed->is_done && ptx_does(executed->source, PTX_COPIES) &&
           executed->source->operand_count >= 3 && !ptx_has_part(executed->source, "bulk");
}

static bool is_mma(const struct ptx_instruction *source)
{
    return source->operation == PTX_OP_mma || source->operation == PTX_OP_wmma_mma;
}

static bool is_wgmma(const struct ptx_instruction *source)
{
    return source->operation == PTX_OP_wgmma && ptx_has_part(source, "mma_async");
}

static enum lab_sim_span_kind kind_of(const struct executed *executed)
{
    if (is_mma(executed->source))
        return LAB_SIM_WAITS_FOR_TENSOR_CORES;
    if (!executed->is_done || !executed->is_load)
        return LAB_SIM_WAITS_FOR_ARITHMETIC;
    return executed->space == COUNTED_SHARED ? LAB_SIM_WAITS_FOR_SHARED : LAB_SIM_WAITS_FOR_GLOBAL;
}

/* ---- Waiting ---- */

/* When the groups that a wait is for have ended: all groups except the latest ones. */
static uint64_t groups_end(const struct groups *groups, const struct executed *executed)
{
    const bool is_of_groups = ptx_has_part(executed->source, "wait_group");
    const int latest = is_of_groups ? (int)executed->source->operands[0].imm : 0;
    uint64_t end = is_of_groups ? 0 : groups->open_end;
    for (int i = groups->count - latest - 1; i >= 0 && i >= groups->count - GROUPS; i--)
        if (groups->end[i % GROUPS] > end)
            end = groups->end[i % GROUPS];
    return end;
}

/* A warp that waits for a phase goes on when the last arrival of the phase has come. */
static void look_at_phase(const struct clock *clock, struct lane *lane, uint32_t number)
{
    const struct phase *const phase = &clock->phases[number];
    lane->phase = phase->arrived < phase->expected ? number : 0;
    if (lane->phase || phase->end <= lane->ready)
        return;
    lane->ready = phase->end;
    lane->kind = LAB_SIM_WAITS_AT_MBARRIER;
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
    const struct groups *const groups = groups_of(lane, executed);
    const bool waits = groups && (ptx_has_part(executed->source, "wait_group") ||
                                  ptx_has_part(executed->source, "wait_all"));
    const uint64_t end = waits ? groups_end(groups, executed) : 0;
    if (end > lane->ready) {
        lane->ready = end;
        lane->kind =
            groups == &lane->products ? LAB_SIM_WAITS_FOR_TENSOR_CORES : LAB_SIM_WAITS_FOR_COPY;
    }
    if (executed->awaits && executed->phase)
        look_at_phase(clock, lane, executed->phase);
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

static void commit(struct clock *clock, struct lane *lane, struct groups *groups)
{
    groups->end[groups->count++ % GROUPS] = groups->open_end;
    if (groups->open_end > groups->open_begin && clock->under_way.count < MOST_UNDER_WAY)
        add_span(&clock->under_way,
                 span_of((unsigned)(lane - clock->lanes),
                         groups == &lane->products ? LAB_SIM_PRODUCTS_ARE_UNDER_WAY
                                                   : LAB_SIM_COPY_IS_UNDER_WAY,
                         groups->open_begin, groups->open_end, groups->opened_by));
    groups->open_begin = groups->open_end = 0;
}

static void start(struct groups *groups, uint64_t begin, uint64_t end,
                  const struct executed *executed)
{
    if (!groups->open_end) {
        groups->open_begin = begin;
        groups->opened_by = executed->source;
    }
    groups->open_end = end > groups->open_end ? end : groups->open_end;
}

/* ---- Tensor cores: the warps of a scheduler share one ---- */

/* Products in a cycle of all tensor cores of an SM, for the type of A; 0: not known. */
static double tensor_rate(const struct sim_gpu_profile *gpu, const struct ptx_instruction *source)
{
    static const char *const bytes[] = {"e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1"};
    const double share = gpu->tensor_mma_share > 0.0 ? gpu->tensor_mma_share : 1.0;
    double rate = gpu->tensor_f16;
    if (ptx_has_part(source, "f64"))
        return gpu->tensor_f64;
    if (ptx_has_part(source, "tf32"))
        rate = gpu->tensor_tf32;
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        rate = ptx_has_part(source, bytes[i]) ? gpu->tensor_8bit : rate;
    return rate * (is_mma(source) ? share : 1.0);
}

/* A warp's part of a product, when the tensor core is free. @return when it ends */
static double multiply(struct clock *clock, struct lane *lane, const struct ptx_instruction *source)
{
    double *const free_at = &clock->tensor_free[(lane - clock->lanes) % clock->schedulers];
    const double rate = tensor_rate(clock->gpu, source) / clock->schedulers;
    double products = 0.0;
    int m, n, k;
    for (int i = 1; i < source->part_count; i++)
        if (sim_find_tensor_shape(source->parts[i], &m, &n, &k))
            products = (double)m * n * k / (is_wgmma(source) ? GROUP_WARPS : 1);
    const double begin = *free_at > (double)clock->now ? *free_at : (double)clock->now;
    return *free_at = begin + (rate > 0.0 ? products / rate : 0.0);
}

/* ---- Barriers in shared memory, and the copy engine ---- */

/* What comes to a phase at `end` is the last that it waits for, or not. */
static void arrive_in_phase(struct clock *clock, uint32_t number, uint64_t end)
{
    struct phase *const phase = &clock->phases[number];
    phase->end = end > phase->end ? end : phase->end;
    if (++phase->arrived < phase->expected)
        return;
    for (int w = 0; w < clock->warps; w++) {
        struct lane *const lane = &clock->lanes[w];
        if (lane->phase != number)
            continue;
        lane->phase = 0;
        lane->ready = phase->end > clock->now ? phase->end : clock->now + 1;
        lane->kind = LAB_SIM_WAITS_AT_MBARRIER;
    }
}

/* Copies of a warp for the same phase are shown as one. */
static void show_copy(struct clock *clock, struct lane *lane, const struct executed *executed,
                      uint64_t end)
{
    if (lane->copied_phase == executed->phase) {
        struct lab_sim_span *const span = &clock->under_way.list[lane->copied_at];
        span->length = (uint32_t)(end - span->begin);
        return;
    }
    if (clock->under_way.count >= MOST_UNDER_WAY ||
        !add_span(&clock->under_way,
                  span_of((unsigned)(lane - clock->lanes), LAB_SIM_COPY_IS_UNDER_WAY, clock->now,
                          end, executed->source)))
        return;
    lane->copied_phase = executed->phase;
    lane->copied_at = clock->under_way.count - 1;
}

static void start_bulk_copy(struct clock *clock, struct lane *lane, const struct executed *executed)
{
    const double now = (double)clock->now;
    const double begin = clock->copies_free > now ? clock->copies_free : now;
    clock->copies_free =
        begin + (clock->copy_rate > 0.0 ? executed->copied / clock->copy_rate : 0.0);
    const uint64_t end =
        (uint64_t)ceil(clock->copies_free) + (executed->phase ? clock->dram : clock->l2);
    if (executed->phase) {
        show_copy(clock, lane, executed, end);
        arrive_in_phase(clock, executed->phase, end);
    } else {
        start(&lane->bulk_copies, clock->now, end, executed);
    }
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
static unsigned expected(const struct clock *clock, const struct executed *executed)
{
    unsigned count = 0;
    if (executed->expects)
        return (unsigned)executed->expects;
    for (int w = 0; w < clock->warps; w++)
        count += !has_ended(&clock->lanes[w]) || clock->lanes[w].barrier >= 0;
    return count;
}

static void arrive(struct clock *clock, struct lane *lane, const struct executed *executed)
{
    const int number = executed->barrier % NUMBERS;
    clock->arrived[number]++;
    if (ptx_has_part(executed->source, "arrive"))
        look_ahead(clock, lane);
    else
        lane->barrier = number;
    if (clock->arrived[number] >= expected(clock, executed))
        open_barrier(clock, number);
}

static void issue(struct clock *clock, struct lane *lane)
{
    const int at = lane->order[lane->next++];
    const struct executed *const executed = &lane->executed->list[at];
    const struct ptx_instruction *const source = executed->source;
    const bool is_memory = executed->is_done && executed->space == COUNTED_SHARED;
    uint64_t end = clock->now + clock->arithmetic;
    if (is_copy(executed))
        start(&lane->copies, clock->now, global_end(clock, executed), executed);
    else if (executed->copied)
        start_bulk_copy(clock, lane, executed);
    else if (executed->phase && !executed->awaits)
        arrive_in_phase(clock, executed->phase, clock->now + clock->shared);
    else if (is_wgmma(source))
        start(&lane->products, clock->now, (uint64_t)ceil(multiply(clock, lane, source)), executed);
    else if (is_mma(source)) {
        const uint64_t least = clock->now + clock->tensor;
        end = (uint64_t)ceil(multiply(clock, lane, source));
        end = end > least ? end : least;
    } else if (is_memory && executed->wavefronts)
        end = shared_end(clock, executed);
    else if (kind_of(executed) == LAB_SIM_WAITS_FOR_SHARED)
        end = shared_end(clock, executed);
    else if (kind_of(executed) == LAB_SIM_WAITS_FOR_GLOBAL)
        end = global_end(clock, executed);
    lane->done[at] = end;
    struct groups *const groups = groups_of(lane, executed);
    if (groups && (ptx_has_part(source, "commit_group") || ptx_has_part(source, "wait_all")))
        commit(clock, lane, groups);
    if (is_barrier(executed))
        arrive(clock, lane, executed);
    else
        look_ahead(clock, lane);
}

/* ---- Cycle by cycle ---- */

static bool can_issue(const struct clock *clock, const struct lane *lane)
{
    return !has_ended(lane) && lane->barrier < 0 && !lane->phase && lane->ready <= clock->now;
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
                   : lane->phase              ? LAB_SIM_WAITS_AT_MBARRIER
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
        if (!has_ended(lane) && lane->barrier < 0 && !lane->phase && lane->ready < next)
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
            for (int w = 0; w < clock->warps; w++)
                clock->lanes[w].phase = 0;
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
        for (int i = 0; i < clock->under_way.count; i++)
            if (clock->under_way.list[i].warp == (unsigned)w)
                add_span(to, clock->under_way.list[i]);
    }
    for (int i = 0; i < to->count; i++) /* the program may be unloaded before they are read */
        to->list[i].file = to->list[i].file ? sim_count_intern(to->list[i].file) : NULL;
}

/* ---- All of it ---- */

static bool prepare(struct clock *clock, const struct executed_block *block)
{
    const struct sim_gpu_profile *const gpu = clock->gpu;
    clock->warps = block->warp_count;
    clock->schedulers = gpu->schedulers < 1                 ? 1
                        : gpu->schedulers > MOST_SCHEDULERS ? MOST_SCHEDULERS
                                                            : gpu->schedulers;
    clock->arithmetic = (uint64_t)lround(gpu->arithmetic_latency);
    clock->shared = (uint64_t)lround(gpu->shared_latency);
    clock->l1 = (uint64_t)lround(gpu->l1_latency);
    clock->l2 = (uint64_t)lround(gpu->l2_latency);
    clock->dram = (uint64_t)lround(gpu->dram_latency);
    clock->barrier = (uint64_t)lround(gpu->barrier_latency);
    clock->tensor = (uint64_t)lround(gpu->tensor_latency);
    clock->copy_rate = gpu->sm_count > 0 && gpu->clock_khz > 0
                           ? gpu->l2_gb_per_s * 1e6 / gpu->clock_khz / gpu->sm_count
                           : 0.0;
    clock->phases = calloc((size_t)block->phases + 1, sizeof *clock->phases);
    clock->arrival = calloc((size_t)block->fetches + 1, sizeof *clock->arrival);
    bool is_well = clock->arrival != NULL && clock->phases != NULL;
    for (int w = 0; w < clock->warps; w++) {
        struct lane *const lane = &clock->lanes[w];
        const size_t count = (size_t)block->warps[w].count + 1;
        lane->executed = &block->warps[w];
        lane->barrier = -1;
        lane->order = calloc(count, sizeof *lane->order);
        lane->done = calloc(count, sizeof *lane->done);
        for (int i = 0; i < block->warps[w].count && is_well; i++)
            if (!lane->executed->list[i].awaits)
                clock->phases[lane->executed->list[i].phase].expected++;
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
    is_well = is_well && !kept.has_failed && !clock.under_way.has_failed;
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
    free(clock.under_way.list);
    free(clock.phases);
    free(clock.arrival);
    if (!is_well)
        free(kept.list);
    return is_well;
}
