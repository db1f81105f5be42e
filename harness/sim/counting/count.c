/* Counting handlers, which count before the real handler runs, and the patching that puts them into
 * a program and removes them. This happens under the runtime's lock, while nothing runs the
 * program. */
#include "count.h"
#include "executed.h"

#include "sim/access/access.h"
#include "sim/control/control.h"
#include "sim/tensor/tensor.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"
#include "sim/ptx/arena.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COUNTED_WORKERS = 1024, SECTOR_BYTES = 32, LINE_BYTES = 128, BANK_BYTES = 4 };

/* What one worker of a launch counts. */
struct counted_worker {
    uint64_t divergent;
    struct trace_recorder *recorder; /* NULL: caches are not modelled */
    struct atomic_turns *turns;      /* NULL: no atomic on global memory yet */
    struct copies_ahead *copies;     /* NULL: the program has no asynchronous copies */
    uint64_t executed;               /* warp instructions up to the end of the last block */
    struct counted_bulk bulk;
    uint64_t absorbed; /* accesses that are part of another one in the machine code */
    struct access_total totals[][COUNTED_SPACES];
};

/* ---- While a kernel runs ---- */

static struct counted_worker *counted_worker(const struct worker *worker)
{
    const struct program *const program = worker->launch->program;
    struct counting *const counting = program->counting;
    if (worker->index >= MAX_COUNTED_WORKERS) {
        atomic_store(&counting->has_failed, true);
        return NULL;
    }
    struct counted_worker *mine = counting->workers[worker->index];
    if (!mine) {
        mine = calloc(1, sizeof *mine + program->cache_count * sizeof mine->totals[0]);
        if (!mine)
            atomic_store(&counting->has_failed, true);
        else
            mine->recorder = sim_count_recorder(counting);
        if (mine && counting->has_copies && !(mine->copies = sim_copies_create()))
            atomic_store(&counting->has_failed, true);
        counting->workers[worker->index] = mine;
    }
    return mine;
}

static void gather_addresses(const struct warp *warp, const struct instruction *at,
                             const struct access_plan *plan, uint64_t *address)
{
    const void *const slot = sim_slot(warp, at->a);
    for (int lane = 0; lane < WARP_LANES; lane++)
        address[lane] = plan->is_wide
                            ? ((const uint64_t *)slot)[lane] + (uint64_t)at->offset
                            : (uint64_t)(((const uint32_t *)slot)[lane] + (uint32_t)at->offset);
}

static enum counted_space space_of(const struct access_plan *plan, uint64_t address)
{
    if (plan->space == PTX_SHARED || (address & WINDOW_MASK) == SHARED_WINDOW)
        return COUNTED_SHARED;
    return plan->space == PTX_LOCAL || (address & WINDOW_MASK) == LOCAL_WINDOW ? COUNTED_LOCAL
                                                                               : COUNTED_GLOBAL;
}

/* Notes where an access went, for the array's name. */
static void widen(struct access_total *total, uint64_t address)
{
    if (!total->is_placed || address < total->lowest)
        total->lowest = address;
    if (!total->is_placed || address > total->highest)
        total->highest = address;
    total->is_placed = true;
}

/* Whether the rules say of these addresses what they said the last time; else `shape` takes them.
 */
static bool has_shape(struct access_shape *shape, uint64_t boundary, unsigned bytes,
                      const uint64_t *address, uint32_t lanes)
{
    uint64_t relative[WARP_LANES], apart = 0;
    const uint64_t first = address[__builtin_ctz(lanes)];
    for (int lane = 0; lane < WARP_LANES; lane++) {
        relative[lane] = (address[lane] - first) & -(uint64_t)(lanes >> lane & 1);
        apart |= relative[lane];
    }
    /* Lanes whole boundaries apart, each inside one sector, may lie anywhere between boundaries. */
    const bool is_anywhere = !(apart & (boundary - 1)) && !(bytes & (bytes - 1)) &&
                             !(first & (bytes - 1)) && bytes <= SECTOR_BYTES;
    const uint64_t rest = is_anywhere ? 0 : first & (boundary - 1);
    for (int lane = 0; lane < WARP_LANES; lane++)
        relative[lane] += rest;
    if (shape->lanes == lanes && memcmp(shape->relative, relative, sizeof relative) == 0)
        return true;
    memcpy(shape->relative, relative, sizeof relative);
    shape->lanes = lanes;
    memset(shape->patterns, 0, sizeof shape->patterns);
    return false;
}

/* Records a request for the caches. */
static void trace(struct trace_recorder *recorder, struct access_shape *shape, unsigned warp,
                  const struct access_plan *plan, const uint64_t *address, uint32_t lanes)
{
    const uint64_t first = address[__builtin_ctz(lanes)];
    uint32_t *const pattern = &shape->patterns[first / SECTOR_BYTES % 4];
    if (*pattern)
        sim_trace_again(recorder, warp, plan->request, first, *pattern);
    else
        sim_trace_request(recorder, warp, plan->request, address, lanes, plan->merged_bytes,
                          pattern);
}

/* Counts a request of some lanes to global memory, and records it for the caches. */
static void add_sectors(struct counted_worker *counted, struct access_total *total,
                        const struct warp *warp, const struct access_plan *plan,
                        const uint64_t *address, uint32_t lanes)
{
    const bool is_atomic = plan->kind == COUNTED_ATOMIC || plan->kind == COUNTED_REDUCTION;
    const unsigned bytes = plan->merged_bytes;
    struct access_shape *const shape = &total->shape;
    if (!lanes)
        return;
    if (!has_shape(shape, LINE_BYTES, bytes, address, lanes)) {
        shape->sectors = sim_count_sectors(address, lanes, bytes, &shape->used);
        shape->lines = sim_count_cache_lines(address, lanes, bytes);
    }
    if (is_atomic && !counted->turns)
        counted->turns = sim_turns_create();
    total->sectors +=
        is_atomic ? sim_turns_add(counted->turns, address, lanes, plan->is_float) : shape->sectors;
    total->lines += shape->lines;
    total->bytes += shape->used;
    total->needed += (shape->used + SECTOR_BYTES - 1) / SECTOR_BYTES;
    if (counted->recorder)
        trace(counted->recorder, shape, warp->index, plan, address, lanes);
}

/* Counts a request of some lanes to shared memory. @return its wavefronts */
static unsigned add_wavefronts(struct access_total *total, const struct access_plan *plan,
                               const uint64_t *address, uint32_t lanes)
{
    struct access_shape *const shape = &total->shape;
    if (!has_shape(shape, BANK_BYTES, plan->merged_bytes, address, lanes)) {
        sim_count_sectors(address, lanes, plan->merged_bytes, &shape->used);
        shape->wavefronts = plan->is_ldmatrix
                                ? sim_count_matrix_wavefronts(address, lanes, &shape->conflicts)
                                : sim_count_wavefronts(plan->kind, address, lanes,
                                                       plan->merged_bytes, &shape->conflicts);
    }
    total->bytes += shape->used;
    total->lane_bytes += (uint64_t)plan->merged_bytes * (unsigned)__builtin_popcount(lanes);
    total->wavefronts += plan->is_swap ? 2 * shape->wavefronts : shape->wavefronts;
    total->conflicts += shape->conflicts;
    return shape->wavefronts;
}

/* What the data pipe does for an atomic in shared memory. */
static void add_atomic_passes(struct access_total *total, const struct access_plan *plan,
                              const uint64_t *address, uint32_t lanes, unsigned turns)
{
    unsigned ignored;
    if (plan->is_loop)
        total->loop_turns += turns;
    else if (plan->is_increment) /* ATOMS.POPC.INC: lanes share a word as in a store */
        total->atomic_passes +=
            sim_count_wavefronts(COUNTED_STORE, address, lanes, plan->merged_bytes, &ignored);
    else
        total->atomic_passes += plan->is_swap ? 2 * turns : turns;
}

static void watch(const struct warp *warp, const struct access_plan *plan, enum counted_space space,
                  const uint64_t *address, uint32_t lanes, unsigned cost)
{
    if (lanes && sim_watches(warp))
        sim_executed_kept(warp, plan->source,
                          sim_watch_access(warp, plan, space, address, lanes, cost));
}

/* Counts one request of some lanes. */
static void count_request(const struct warp *warp, const struct instruction *at,
                          const struct access_plan *plan, uint64_t *address, uint32_t lanes)
{
    struct counted_worker *const counted = counted_worker(warp->worker);
    const uint64_t first = address[__builtin_ctz(lanes)];
    const enum counted_space space = space_of(plan, first);
    struct access_total *const total = &counted->totals[at->cache][space];
    widen(total, first);
    for (int lane = 0; lane < WARP_LANES; lane++)
        address[lane] += (uint64_t)plan->merged_offset;
    const uint64_t cost_before = total->sectors + total->wavefronts;
    total->requests++;
    if (space == COUNTED_GLOBAL)
        add_sectors(counted, total, warp, plan, address, lanes);
    if (space == COUNTED_SHARED) {
        const unsigned wavefronts = add_wavefronts(total, plan, address, lanes);
        if (plan->kind == COUNTED_ATOMIC || plan->kind == COUNTED_REDUCTION)
            add_atomic_passes(total, plan, address, lanes, wavefronts);
    }
    const unsigned cost = (unsigned)(total->sectors + total->wavefronts - cost_before);
    watch(warp, plan, space, address, lanes, cost);
    sim_executed_access(warp, plan, space, address, lanes, cost);
}

/* Each access of a matrix is a request of its own. */
static void count_matrix(const struct warp *warp, const struct instruction *at,
                         const struct access_plan *plan)
{
    struct access_plan piece = *plan;
    uint64_t address[WARP_LANES];
    uint32_t lanes;
    piece.bytes = piece.merged_bytes = sim_matrix_bytes(warp, at);
    for (int i = 0; (lanes = sim_matrix_access(warp, at, i, address)); i++)
        count_request(warp, at, &piece, address, lanes);
}

static void count_access(const struct warp *warp, const struct instruction *at,
                         const struct access_plan *plan)
{
    struct counted_worker *const counted = counted_worker(warp->worker);
    uint64_t address[WARP_LANES];
    if (counted && plan->is_absorbed)
        counted->absorbed++;
    if (!counted || plan->is_absorbed)
        return;
    if (plan->space == PTX_LOCAL) {
        counted->totals[at->cache][COUNTED_LOCAL].requests++;
        return;
    }
    if (plan->is_matrix) {
        count_matrix(warp, at, plan);
        return;
    }
    gather_addresses(warp, at, plan, address);
    count_request(warp, at, plan, address,
                  plan->is_elected ? warp->active & -warp->active : warp->active);
}

static const struct instruction *run_counted(struct warp *warp, const struct instruction *at)
{
    const struct access_plan *const plan =
        &warp->worker->launch->program->counting->plans[at->cache];
    count_access(warp, at, plan);
    const struct instruction *const next = plan->run(warp, at);
    if (sim_watches(warp))
        sim_watch_values(warp);
    return next;
}

/* The copy engine reads or writes a row in pieces of 16 bytes. What it loads counts as the bytes of
 * the box, those outside the tensor included, as an H200 counts them. */
static void count_row(struct counted_worker *counted, unsigned warp, const struct noted_row *row,
                      bool is_store)
{
    enum { PIECE = 16 };
    const uint64_t first = row->address / PIECE, end = (row->address + row->bytes - 1) / PIECE + 1;
    const uint64_t sectors =
        (row->address + row->bytes - 1) / SECTOR_BYTES + 1 - row->address / SECTOR_BYTES;
    counted->bulk.stored += is_store ? SECTOR_BYTES * sectors : 0;
    for (uint64_t piece = first; piece < end && counted->recorder; piece += WARP_LANES) {
        const uint64_t left = end - piece;
        const uint32_t lanes = left < WARP_LANES ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
        uint64_t address[WARP_LANES];
        uint32_t pattern;
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            address[lane] = (piece + lane) * PIECE;
        sim_trace_request(counted->recorder, warp, is_store ? TRACE_BULK_STORE : TRACE_BULK,
                          address, lanes, PIECE, &pattern);
    }
}

static const struct instruction *run_noted(struct warp *warp, const struct instruction *at)
{
    const struct access_plan *const plan =
        &warp->worker->launch->program->counting->plans[at->cache];
    struct counted_worker *const counted = counted_worker(warp->worker);
    struct noted *const noted = &warp->worker->noted;
    noted->is_wanted = counted != NULL;
    noted->barrier = noted->bytes = 0;
    noted->row_count = 0;
    noted->box.rows = 0;
    const struct instruction *const next = plan->run(warp, at);
    if (!counted)
        return next;
    const bool is_copy = noted->bytes > 0;
    if (noted->box.rows)
        counted->totals[at->cache][COUNTED_SHARED].box = noted->box;
    for (int i = 0; i < noted->row_count; i++)
        count_row(counted, warp->index, &noted->rows[i], plan->kind == COUNTED_STORE);
    counted->bulk.copies += is_copy;
    if (plan->kind == COUNTED_LOAD && (noted->row_count || noted->box.rows))
        counted->bulk.loaded += noted->bytes;
    counted->bulk.waits += noted->barrier && plan->kind == COUNTED_LOAD && !is_copy;
    sim_executed_noted(warp, plan->source, noted, plan->kind == COUNTED_LOAD && !is_copy);
    return next;
}

static struct copies_ahead *copies_of(const struct warp *warp)
{
    struct counted_worker *const counted = counted_worker(warp->worker);
    return counted ? counted->copies : NULL;
}

static void start_copy(const struct warp *warp, const struct instruction *at)
{
    struct copies_ahead *const copies = copies_of(warp);
    uint64_t bytes = 0;
    EACH_ACTIVE(lane, warp->active) bytes += sim_copy_bytes(warp, at, lane);
    if (copies)
        sim_copies_start(copies, warp, at, bytes);
}

static const struct instruction *run_counted_copy(struct warp *warp, const struct instruction *at)
{
    const struct access_plan *const plan =
        &warp->worker->launch->program->counting->plans[at->cache];
    struct counted_worker *const counted = counted_worker(warp->worker);
    uint64_t from[WARP_LANES], to[WARP_LANES];
    if (counted) {
        const uint32_t reading = sim_copy_lanes(warp, at, from, to);
        struct access_total *const total = &counted->totals[at->cache][COUNTED_GLOBAL];
        const uint64_t before = total->sectors;
        if (reading)
            widen(total, from[__builtin_ctz(reading)]);
        total->requests++;
        add_sectors(counted, total, warp, plan, from, reading);
        struct bypass_count bypass = {0};
        unsigned conflicts = 0;
        if (plan->kind == COUNTED_COPY_BYPASS) {
            sim_count_bypass(from, to, reading, &bypass);
            total->sectors = before + bypass.packets;
            uint32_t pattern;
            if (bypass.again && counted->recorder)
                sim_trace_request(counted->recorder, warp->index, TRACE_BULK, from, bypass.again,
                                  plan->bytes, &pattern);
        } else {
            bypass.wavefronts =
                sim_count_copy_wavefronts(from, to, reading, plan->bytes, &conflicts);
        }
        total->filled += bypass.filled;
        total->wavefronts += bypass.wavefronts;
        total->conflicts += conflicts;
        const unsigned cost = (unsigned)(total->sectors - before);
        watch(warp, plan, COUNTED_GLOBAL, from, reading, cost);
        watch(warp, plan, COUNTED_SHARED, to, reading, bypass.wavefronts);
        sim_executed_access(warp, plan, COUNTED_GLOBAL, from, reading, cost);
    }
    start_copy(warp, at);
    const struct instruction *const next = plan->run(warp, at);
    if (sim_watches(warp))
        sim_watch_values(warp);
    return next;
}

static const struct instruction *run_counted_commit(struct warp *warp, const struct instruction *at)
{
    struct copies_ahead *const copies = copies_of(warp);
    if (copies)
        sim_copies_commit(copies, warp);
    sim_executed_mark(warp, at);
    return sim_run_copy_commit(warp, at);
}

static const struct instruction *run_counted_wait(struct warp *warp, const struct instruction *at)
{
    struct copies_ahead *const copies = copies_of(warp);
    if (copies)
        sim_copies_wait(copies, warp, at, (uint32_t)at->value);
    sim_executed_mark(warp, at);
    return sim_run_copy_wait(warp, at);
}

static const struct instruction *run_counted_wait_all(struct warp *warp,
                                                      const struct instruction *at)
{
    struct copies_ahead *const copies = copies_of(warp);
    if (copies)
        sim_copies_wait_all(copies, warp, at);
    sim_executed_mark(warp, at);
    return sim_run_copy_wait_all(warp, at);
}

/* Notes the segment that a warp executes, for asynchronous copies and for the record. */
static void enter_segment(struct warp *warp, const struct instruction *at)
{
    struct copies_ahead *const copies = copies_of(warp);
    sim_executed_segment(warp, at);
    if (copies)
        sim_copies_segment(copies, warp,
                           &warp->worker->launch->program->counting->segments[at->value]);
}

static const struct instruction *run_counted_segment(struct warp *warp,
                                                     const struct instruction *at)
{
    enter_segment(warp, at);
    return sim_run_segment(warp, at);
}

/* The same at a join, once all paths have come there. */
static const struct instruction *run_counted_join(struct warp *warp, const struct instruction *at)
{
    const uint64_t before = warp->worker->counts[at->value].warps;
    const struct instruction *const next = sim_run_join(warp, at);
    if (warp->worker->counts[at->value].warps != before)
        enter_segment(warp, at);
    return next;
}

static const struct instruction *run_counted_branch(struct warp *warp, const struct instruction *at)
{
    const uint32_t taken = sim_guarded_lanes(warp, at);
    struct counted_worker *const counted = counted_worker(warp->worker);
    if (counted && taken && taken != warp->active)
        counted->divergent++;
    return sim_run_branch(warp, at);
}

/* A warp that lets its other lanes go first has not arrived yet. */
static const struct instruction *run_counted_barrier(struct warp *warp,
                                                     const struct instruction *at)
{
    const bool is_meant = sim_guarded_lanes(warp, at) != 0;
    if (is_meant) {
        unsigned warps;
        const unsigned number = sim_barrier_number(warp, at, &warps);
        sim_executed_barrier(warp, at, number, warps);
    }
    const struct instruction *const next = sim_run_barrier(warp, at);
    struct counted_worker *const counted = counted_worker(warp->worker);
    if (is_meant && (!next || next == at + 1) && counted && counted->recorder)
        sim_trace_barrier(counted->recorder, warp->index);
    return next;
}

/* ---- Planning ---- */

/* The classes of opcodes that access memory. */
static const enum ptx_class kinds[] = {PTX_LOADS, PTX_STORES, PTX_UPDATES, PTX_REDUCES};

static enum ptx_space named_space(const struct ptx_instruction *source)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{"global", PTX_GLOBAL},      {"shared", PTX_SHARED},      {"local", PTX_LOCAL},
                  {"const", PTX_CONST},        {"shared::cta", PTX_SHARED}, {"param", PTX_PARAM},
                  {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM}};
    for (int i = 1; i < source->part_count; i++)
        for (size_t k = 0; k < sizeof spaces / sizeof spaces[0]; k++)
            if (strcmp(source->parts[i], spaces[k].name) == 0)
                return spaces[k].space;
    return PTX_GENERIC;
}

static unsigned lane_bytes(const struct ptx_instruction *source)
{
    unsigned count = 1, bits = 0;
    for (int i = 1; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        if (part[0] == 'v' && part[1] >= '2' && part[1] <= '8' && !part[2])
            count = (unsigned)(part[1] - '0');
        else if (strcmp(part, "f16x2") == 0 || strcmp(part, "bf16x2") == 0)
            bits = 32;
        else if (strchr("busf", part[0]) && part[0] && atoi(part + (part[1] == 'f' ? 2 : 1)) >= 8)
            bits = (unsigned)atoi(part + (part[1] == 'f' ? 2 : 1));
    }
    return count * bits / 8;
}

static bool is_wide_address(const struct ptx_function *function, const struct ptx_operand *address)
{
    return address->reg < 0 || function->registers[address->reg].type == PTX_B64 ||
           function->registers[address->reg].type == PTX_U64 ||
           function->registers[address->reg].type == PTX_S64;
}

/* Whether L1 must not serve a load, as stores of other SMs do not reach L1. */
static bool goes_past_l1(const struct ptx_instruction *source)
{
    return ptx_is_strong(source) || ptx_has_part(source, "cg") || ptx_has_part(source, "cv");
}

static enum trace_kind request_of(const struct ptx_instruction *source, enum counted_kind kind)
{
    if (kind == COUNTED_LOAD)
        return goes_past_l1(source) ? TRACE_LOAD_PAST_L1 : TRACE_LOAD;
    return kind == COUNTED_STORE ? TRACE_STORE : TRACE_ATOMIC;
}

static bool is_matrix(const struct ptx_instruction *source)
{
    return source->operation == PTX_OP_ldmatrix || source->operation == PTX_OP_stmatrix ||
           source->operation == PTX_OP_wmma_load || source->operation == PTX_OP_wmma_store;
}

static bool is_copy(const struct access_plan *plan)
{
    return plan->run && (plan->kind == COUNTED_COPY || plan->kind == COUNTED_COPY_BYPASS);
}

/* cp.async.ca|cg...  [to], [from], bytes */
static bool plan_copy(struct access_plan *plan, const struct ptx_instruction *source)
{
    if (!ptx_does(source, PTX_COPIES) || source->operand_count < 3 || ptx_has_part(source, "bulk"))
        return false;
    const bool is_bypass = strcmp(source->parts[2], "cg") == 0;
    const unsigned bytes = (unsigned)source->operands[2].imm;
    *plan = (struct access_plan){.source = source,
                                 .kind = is_bypass ? COUNTED_COPY_BYPASS : COUNTED_COPY,
                                 .space = PTX_GLOBAL,
                                 .bytes = bytes,
                                 .merged_bytes = bytes,
                                 .is_wide = true,
                                 .request = is_bypass ? TRACE_LOAD_PAST_L1 : TRACE_LOAD};
    return true;
}

/* What says itself what it did. Of copies a store is one that global memory receives; of barriers a
 * load is a wait. */
static bool plan_noted(struct access_plan *plan, const struct ptx_instruction *source)
{
    const bool is_bulk = ptx_does(source, PTX_COPIES) && ptx_has_part(source, "bulk");
    const bool is_arrival = ptx_does(source, PTX_COPIES) && ptx_has_part(source, "mbarrier");
    if (source->operation != PTX_OP_mbarrier && !is_bulk && !is_arrival)
        return false;
    const bool is_store =
        is_bulk ? ptx_has_part(source, "bulk_group")
                : !ptx_has_part(source, "test_wait") && !ptx_has_part(source, "try_wait");
    *plan = (struct access_plan){
        .source = source, .kind = is_store ? COUNTED_STORE : COUNTED_LOAD, .is_noted = true};
    return true;
}

/* False if an instruction accesses no memory, or only parameters or constants, which have units of
 * their own. */
static bool plan_access(struct access_plan *plan, const struct ptx_function *function,
                        const struct ptx_instruction *source)
{
    for (int kind = 0; kind < COUNTED_COPY; kind++) {
        const struct ptx_operand *const address = ptx_address(source);
        if (!ptx_does(source, kinds[kind]) || !address)
            continue;
        enum ptx_space space = named_space(source);
        if (space == PTX_GENERIC && address->variable)
            space = address->variable->space;
        *plan = (struct access_plan){.source = source,
                                     .kind = (enum counted_kind)kind,
                                     .space = space,
                                     .bytes = lane_bytes(source),
                                     .request = request_of(source, (enum counted_kind)kind),
                                     .is_wide = is_wide_address(function, address),
                                     .is_matrix = is_matrix(source),
                                     .is_ldmatrix = source->operation == PTX_OP_ldmatrix};
        plan->merged_bytes = plan->bytes;
        sim_count_plan_atomic(plan, function);
        return space != PTX_PARAM && space != PTX_CONST && (plan->bytes > 0 || plan->is_matrix);
    }
    return plan_copy(plan, source) || plan_noted(plan, source);
}

/* A vector of atomics is one PTX instruction but several here; only the first one counts. */
static void plan_function(const struct program *program, const struct function *function,
                          struct access_plan **by_source)
{
    for (int i = 0; i < function->code_count; i++) {
        const struct instruction *const at = &function->code[i];
        if (at->source >= (uint32_t)function->ptx->instruction_count || by_source[at->source])
            continue;
        struct access_plan plan;
        const struct ptx_instruction *const source = &function->ptx->instructions[at->source];
        if (!at->cache || !plan_access(&plan, function->ptx, source))
            continue;
        plan.run = at->body;
        program->counting->plans[at->cache] = plan;
        by_source[at->source] = &program->counting->plans[at->cache];
    }
    sim_count_merge(program, function->ptx, by_source);
}

/* Makes the table of all segments, if the program has asynchronous copies. */
static bool plan_copies(struct program *program)
{
    struct counting *const counting = program->counting;
    for (uint32_t i = 0; i < program->cache_count; i++)
        counting->has_copies = counting->has_copies || is_copy(&counting->plans[i]);
    if (!counting->has_copies)
        return true;
    counting->segments = ptx_arena_allocate(program->arena, ((size_t)program->segment_count + 1) *
                                                                sizeof *counting->segments);
    for (int f = 0; f < program->function_count && counting->segments; f++) {
        const struct function *const function = program->functions[f];
        if (function)
            memcpy(counting->segments + function->first_segment, function->segments,
                   (size_t)function->segment_count * sizeof *counting->segments);
    }
    return counting->segments != NULL;
}

static bool plan_program(struct program *program)
{
    struct counting *const counting = ptx_arena_allocate(program->arena, sizeof *counting);
    if (!counting)
        return false;
    memset(counting, 0, sizeof *counting);
    counting->plans =
        ptx_arena_allocate(program->arena, (program->cache_count + 1) * sizeof *counting->plans);
    counting->workers =
        ptx_arena_allocate(program->arena, MAX_COUNTED_WORKERS * sizeof *counting->workers);
    if (!counting->plans || !counting->workers)
        return false;
    memset(counting->plans, 0, (program->cache_count + 1) * sizeof *counting->plans);
    memset((void *)counting->workers, 0, MAX_COUNTED_WORKERS * sizeof *counting->workers);
    program->counting = counting;
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        if (!function)
            continue;
        struct access_plan **const by_source =
            calloc((size_t)function->ptx->instruction_count + 1, sizeof *by_source);
        if (!by_source)
            return false;
        plan_function(program, function, by_source);
        free(by_source);
    }
    return plan_copies(program);
}

/* ---- Patching ---- */

static void replace(struct instruction *at, exec_handler *from, exec_handler *to)
{
    if (at->run == from)
        at->run = to;
    at->body = to;
}

static exec_handler *counted_handler(const struct access_plan *plan)
{
    return plan->is_noted ? run_noted : is_copy(plan) ? run_counted_copy : run_counted;
}

/* Handlers that access no memory, and their counting handlers. Those `of_copies` are replaced only
 * in a program that has asynchronous copies or is recorded. */
static const struct {
    exec_handler *plain, *counted;
    bool of_copies;
} pairs[] = {
    {sim_run_branch, run_counted_branch, false},
    {sim_run_barrier, run_counted_barrier, false},
    {sim_run_segment, run_counted_segment, true},
    {sim_run_join, run_counted_join, true},
    {sim_run_copy_commit, run_counted_commit, true},
    {sim_run_copy_wait, run_counted_wait, true},
    {sim_run_copy_wait_all, run_counted_wait_all, true},
};

static bool patch_pair(struct instruction *at, bool has_segments, bool on)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        exec_handler *const from = on ? pairs[i].plain : pairs[i].counted;
        if (at->body != from || (pairs[i].of_copies && !has_segments))
            continue;
        replace(at, from, on ? pairs[i].counted : pairs[i].plain);
        return true;
    }
    return false;
}

static void patch(struct program *program, bool on)
{
    const bool has_segments = program->counting->has_copies || program->counting->has_record;
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int i = 0; function && i < function->code_count; i++) {
            struct instruction *const at = (struct instruction *)&function->code[i];
            const struct access_plan *const plan = &program->counting->plans[at->cache];
            if (!patch_pair(at, has_segments, on) && at->cache && plan->run)
                replace(at, at->body, on ? counted_handler(plan) : plan->run);
        }
    }
    program->counting->is_patched = on;
}

void sim_count_prepare(struct program *program)
{
    const bool on = sim_count_is_on();
    const bool records = on && sim_executed_wanted();
    const bool is_patched = program->counting && program->counting->is_patched;
    if (on == is_patched && (!on || records == program->counting->has_record))
        return;
    if (!program->counting && !plan_program(program)) {
        program->counting = NULL;
        return;
    }
    if (is_patched)
        patch(program, false);
    program->counting->has_record = records;
    if (on)
        patch(program, true);
}

/* ---- Adding up ---- */

/* The busiest place is known only after all workers are added up. */
static void finish_turns(const struct counting *counting)
{
    struct atomic_turns *sum = NULL;
    uint64_t slice, floats;
    for (int i = 0; i < MAX_COUNTED_WORKERS; i++) {
        const struct counted_worker *const counted = counting->workers[i];
        if (!counted || !counted->turns)
            continue;
        if (!sum)
            sum = sim_turns_create();
        if (sum)
            sim_turns_merge(sum, counted->turns);
    }
    if (!sum)
        return;
    sim_turns_busiest(sum, &slice, &floats);
    sim_count_add_turns(slice, floats);
    free(sum);
}

static void finish_worker(const struct program *program, const struct counted_worker *counted)
{
    const struct access_plan *const plans = program->counting->plans;
    sim_count_add_divergent(counted->divergent);
    sim_count_add_absorbed(counted->absorbed);
    sim_count_add_bulk(&counted->bulk);
    if (counted->copies)
        sim_count_add_copies(sim_copies_sum(counted->copies));
    for (uint32_t i = 0; i < program->cache_count; i++) {
        if (counted->totals[i][COUNTED_SHARED].box.rows)
            sim_count_add_box(&plans[i], &counted->totals[i][COUNTED_SHARED].box);
        for (int space = 0; space < COUNTED_SPACES; space++)
            if (counted->totals[i][space].requests) {
                const struct access_total *const total = &counted->totals[i][space];
                sim_count_add_access(&plans[i], (enum counted_space)space, total);
                sim_count_add_operand(program, &plans[i], (enum counted_space)space, total);
            }
    }
}

/* Finds how often warps waited, from how many warps executed each instruction. */
static void finish_waits(const struct launch *launch, const struct function *function)
{
    struct counted_waits waits = {0};
    uint64_t *const warps = calloc((size_t)function->ptx->instruction_count + 1, sizeof *warps);
    for (int s = 0; warps && s < function->segment_count; s++)
        for (int i = 0; i < function->segments[s].count; i++)
            warps[function->segments[s].first + i] =
                launch->counts[function->first_segment + s].warps;
    if (warps)
        sim_count_waits(function->ptx, warps, launch->request->registers, &waits);
    sim_count_add_waits(&waits);
    free(warps);
}

static void finish_segments(const struct launch *launch)
{
    const struct program *const program = launch->program;
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int s = 0; function && s < function->segment_count; s++) {
            const struct segment_count *const count = &launch->counts[function->first_segment + s];
            const struct segment *const segment = &function->segments[s];
            for (int i = 0; i < segment->count && count->warps; i++)
                sim_count_add_instruction(&function->ptx->instructions[segment->first + i],
                                          count->warps, count->threads);
        }
        if (function)
            finish_waits(launch, function);
    }
}

void sim_count_block(const struct worker *worker)
{
    const struct counting *const counting = worker->launch->program->counting;
    if (!counting || !counting->is_patched || !(counting->caches || counting->has_copies))
        return;
    struct counted_worker *const counted = counted_worker(worker);
    uint64_t ignored = 0;
    if (counted && counted->copies)
        sim_copies_end_block(counted->copies);
    if (!counting->caches)
        return;
    sim_count_caches_block(worker, counted ? counted->recorder : NULL,
                           counted ? &counted->executed : &ignored);
}

void sim_count_finish(struct launch *launch)
{
    struct counting *const counting = launch->program->counting;
    if (!counting || !counting->is_patched)
        return;
    finish_turns(counting);
    for (int i = 0; i < MAX_COUNTED_WORKERS; i++) {
        struct counted_worker *const counted = counting->workers[i];
        if (!counted)
            continue;
        finish_worker(launch->program, counted);
        counting->workers[i] = NULL;
        sim_trace_recorder_free(counted->recorder);
        free(counted->turns);
        free(counted->copies);
        free(counted);
    }
    finish_segments(launch);
    sim_count_caches_finish(launch);
    sim_executed_finish(launch);
}
