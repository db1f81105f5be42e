/* What has been counted since counting was switched on: counters with the names of Nsight Compute,
 * and sums by source line. There is one count for the process, as there is one runtime. */
#include "count.h"
#include "executed.h"

#include "sim/tensor/tensor.h"

#include <stdlib.h>
#include <string.h>

#define COPIED(what, level) "sm__sass_l1tex_t_" what "_pipe_lsu_mem_global_op_ldgsts_" level ".sum"

/* Loads or stores by the space that they went to, and the bits of a lane in the machine code. */
#define BY_WIDTH(X, number, op)                                                                    \
    X(number##_8, "lab__inst_executed_op_" op "_8bit.sum")                                         \
    X(number##_16, "lab__inst_executed_op_" op "_16bit.sum")                                       \
    X(number##_32, "lab__inst_executed_op_" op "_32bit.sum")                                       \
    X(number##_64, "lab__inst_executed_op_" op "_64bit.sum")                                       \
    X(number##_128, "lab__inst_executed_op_" op "_128bit.sum")

/* X(enumerator, name) */
#define SUMS(X)                                                                                    \
    X(GLOBAL_LD, "smsp__inst_executed_op_global_ld.sum")                                           \
    X(GLOBAL_ST, "smsp__inst_executed_op_global_st.sum")                                           \
    X(GLOBAL_ATOM, "smsp__sass_inst_executed_op_global_atom.sum")                                  \
    X(GLOBAL_RED, "smsp__inst_executed_op_global_red.sum")                                         \
    X(SHARED_LD, "smsp__inst_executed_op_shared_ld.sum")                                           \
    X(SHARED_ST, "smsp__inst_executed_op_shared_st.sum")                                           \
    X(SHARED_ATOM, "smsp__inst_executed_op_shared_atom.sum")                                       \
    X(GENERIC_LD, "smsp__inst_executed_op_generic_ld.sum")                                         \
    X(GENERIC_ST, "smsp__inst_executed_op_generic_st.sum")                                         \
    X(LOCAL_LD, "smsp__inst_executed_op_local_ld.sum")                                             \
    X(LOCAL_ST, "smsp__inst_executed_op_local_st.sum")                                             \
    BY_WIDTH(X, GLOBAL_LD, "global_ld")                                                            \
    BY_WIDTH(X, GLOBAL_ST, "global_st")                                                            \
    BY_WIDTH(X, SHARED_LD, "shared_ld")                                                            \
    BY_WIDTH(X, SHARED_ST, "shared_st")                                                            \
    BY_WIDTH(X, LOCAL_LD, "local_ld")                                                              \
    BY_WIDTH(X, LOCAL_ST, "local_st")                                                              \
    X(REQUESTS_LD, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")                              \
    X(REQUESTS_ST, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")                              \
    X(REQUESTS_ATOM, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")                          \
    X(REQUESTS_RED, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")                            \
    X(SECTORS_LD, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")                                \
    X(SECTORS_ST, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")                                \
    X(SECTORS_ATOM, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")                            \
    X(SECTORS_RED, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")                              \
    X(WAVES_LD, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                  \
    X(WAVES_ST, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum")                  \
    X(CONFLICTS_LD, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")                    \
    X(CONFLICTS_ST, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")                    \
    X(WAVES_ATOM, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")                        \
    X(CONFLICTS_ATOM, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum")                \
    X(LANE_BYTES, "lab__lane_bytes_mem_shared_op_ld.sum")                                          \
    X(SHUFFLED_BYTES, "lab__lane_bytes_op_shuffle.sum")                                            \
    X(ATOM_SLICE, "lab__l2_atomic_turns_of_busiest_slice.sum")                                     \
    X(ATOM_FLOATS, "lab__l2_atomic_turns_of_floats_at_busiest_sector.sum")                         \
    X(ATOM_PASSES, "lab__wavefronts_mem_shared_op_atom.sum")                                       \
    X(ATOM_LOOPS, "lab__turns_mem_shared_op_atom_in_loop.sum")                                     \
    X(COPIES, "smsp__inst_executed_op_ldgsts.sum")                                                 \
    X(REQUESTS_COPY, COPIED("requests", "cache_access"))                                           \
    X(REQUESTS_BYPASS, COPIED("requests", "cache_bypass"))                                         \
    X(SECTORS_COPY, COPIED("sectors", "cache_access"))                                             \
    X(SECTORS_BYPASS, COPIED("sectors", "cache_bypass"))                                           \
    X(WAVES_COPY, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum")            \
    X(CONFLICTS_COPY, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum")              \
    X(FFMA, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum")                                 \
    X(FADD, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum")                                 \
    X(FMUL, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum")                                 \
    X(DFMA, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum")                                 \
    X(DADD, "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum")                                 \
    X(DMUL, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum")                                 \
    X(BARRIERS, "lab__ptx_inst_executed_op_barrier.sum")                                           \
    X(BRANCHES, "lab__ptx_inst_executed_op_branch.sum")                                            \
    X(INTEGER, "lab__ptx_thread_inst_executed_op_integer.sum")                                     \
    X(INTEGER64, "lab__ptx_thread_inst_executed_op_integer_64bit.sum")                             \
    X(DIVERGENT, "smsp__sass_branch_targets_threads_divergent.sum")                                \
    X(LINES_LD, "lab__l1_lines_mem_global_op_ld.sum")                                              \
    X(LINES_ST, "lab__l1_lines_mem_global_op_st.sum")                                              \
    X(LINES_COPY, "lab__l1_lines_mem_global_op_ldgsts.sum")                                        \
    X(WAITS_GLOBAL, "lab__ptx_waits_global_ld.sum")                                                \
    X(WAITS_SHARED, "lab__ptx_waits_shared_ld.sum")                                                \
    X(AHEAD_GLOBAL, "lab__ptx_inst_executed_ahead_of_wait_global_ld.sum")                          \
    X(AHEAD_SHARED, "lab__ptx_inst_executed_ahead_of_wait_shared_ld.sum")                          \
    X(WAITS_COPY, "lab__ptx_waits_ldgsts.sum")                                                     \
    X(AHEAD_COPY, "lab__ptx_inst_executed_ahead_of_wait_ldgsts.sum")                               \
    X(CHAIN, "lab__ptx_inst_executed_in_longest_chain.sum")                                        \
    X(ABSORBED, "lab__ptx_inst_executed_merged.sum")                                               \
    X(INSTRUCTIONS, "lab__ptx_inst_executed.sum")                                                  \
    X(THREADS, "lab__ptx_thread_inst_executed.sum")

/* X(enumerator, name) */
#define RATIOS(X)                                                                                  \
    X(ACTIVE_LANES, "smsp__thread_inst_executed_per_inst_executed.ratio")                          \
    X(EFFICIENCY_LD, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct")              \
    X(EFFICIENCY_ST, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct")              \
    X(EFFICIENCY_SHARED, "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct")             \
    X(WIDE_SHARE, "lab__data_bytes_mem_global_op_ld_128bit.pct")                                   \
    X(COPIED_SHARE, "lab__data_bytes_mem_global_op_ldgsts.pct")                                    \
    X(TURNS_AHEAD, "lab__ptx_turns_ahead_of_wait_ldgsts.ratio")

/* X(enumerator, name): only where the caches were modelled */
#define CACHE_SUMS(X)                                                                              \
    X(L2_READS, "lts__t_sectors_op_read.sum")                                                      \
    X(L2_WRITES, "lts__t_sectors_op_write.sum")                                                    \
    X(DRAM_READ, "dram__bytes_read.sum")                                                           \
    X(DRAM_WRITTEN, "dram__bytes_write.sum")                                                       \
    X(L1_RATE, "l1tex__t_sector_hit_rate.pct")                                                     \
    X(L1_UNDER_WAY, "lab__l1_sectors_under_way.sum")                                               \
    X(L2_RATE, "lts__t_sector_hit_rate.pct")

/* Products (multiply-adds) of PTX instructions on tensor cores, by the type of A. */
#define PRODUCTS(X, number, op)                                                                    \
    X(number##_F16, "lab__ptx_products_op_" op "_f16.sum")                                         \
    X(number##_TF32, "lab__ptx_products_op_" op "_tf32.sum")                                       \
    X(number##_F64, "lab__ptx_products_op_" op "_f64.sum")                                         \
    X(number##_8, "lab__ptx_products_op_" op "_8bit.sum")                                          \
    X(number##_BELOW_8, "lab__ptx_products_op_" op "_below_8bit.sum")

/* X(enumerator, name): only where they are not 0. ALL_WAVES_LD has the wavefronts of ldmatrix, too.
 */
#define TENSOR_SUMS(X)                                                                             \
    X(LDMATRIX, "smsp__inst_executed_op_ldsm.sum")                                                 \
    X(ALL_WAVES_LD, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                        \
    X(BULK_COPIES, "sm__sass_inst_executed_op_tma.sum")                                            \
    X(BULK_LOADED, "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum")                      \
    X(BULK_STORED, "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum")                     \
    X(WAITS_MBARRIER, "lab__ptx_waits_mbarrier.sum")                                               \
    PRODUCTS(X, MMA, "mma")                                                                        \
    PRODUCTS(X, WGMMA, "wgmma")

#define NUMBER(name, text) name,
#define NAME(name, text)   text,
enum sum { SUMS(NUMBER) SUM_COUNT };
enum ratio { RATIOS(NUMBER) RATIO_COUNT };
enum cache_sum { CACHE_SUMS(NUMBER) CACHE_SUM_COUNT };
enum tensor_counter { TENSOR_SUMS(NUMBER) TENSOR_COUNT };
static const char *const sum_names[] = {SUMS(NAME)};
static const char *const ratio_names[] = {RATIOS(NAME)};
static const char *const cache_names[] = {CACHE_SUMS(NAME)};
static const char *const tensor_names[] = {TENSOR_SUMS(NAME)};
enum { SECTOR_BYTES = 32, WAVEFRONT_BYTES = 128, WIDEST = 16, SHUFFLE_BYTES = 4 };

static struct {
    bool is_on;
    uint64_t sums[SUM_COUNT], tensor[TENSOR_COUNT];
    uint64_t bytes[COUNTED_KINDS];   /* that lanes access in global memory */
    uint64_t sectors[COUNTED_KINDS]; /* that these bytes lie in */
    uint64_t wide_bytes;             /* of those that are read: by 16 a lane */
    uint64_t shared_bytes;           /* that loads and stores access in shared memory */
    struct counted_copies copies;
    struct cache_counts caches;
    bool has_caches, lacks_caches; /* some launch was modelled; some was not */
    struct lab_sim_counter counters[SUM_COUNT + RATIO_COUNT + CACHE_SUM_COUNT + TENSOR_COUNT];
    struct lab_sim_line *lines;
    int line_count, line_capacity;
} state;

void sim_count_set(bool on)
{
    state.is_on = on;
    if (!on)
        return;
    memset(state.sums, 0, sizeof state.sums);
    memset(state.tensor, 0, sizeof state.tensor);
    memset(state.bytes, 0, sizeof state.bytes);
    memset(state.sectors, 0, sizeof state.sectors);
    state.shared_bytes = state.wide_bytes = 0;
    state.copies = (struct counted_copies){0};
    state.caches = (struct cache_counts){0};
    state.has_caches = state.lacks_caches = false;
    state.line_count = 0;
    sim_count_forget_operands();
    sim_count_forget_opcodes();
    sim_watch_forget();
    sim_executed_forget();
}

bool sim_count_is_on(void)
{
    return state.is_on;
}

/* ---- Lines ---- */

static struct lab_sim_line *line_of(const struct ptx_instruction *source)
{
    static struct lab_sim_line ignored;
    const char *const file = source->file && source->line ? sim_count_intern(source->file) : NULL;
    if (!file)
        return &ignored;
    for (int i = state.line_count; i-- > 0;)
        if (state.lines[i].line == source->line && state.lines[i].file == file)
            return &state.lines[i];
    if (state.line_count == state.line_capacity) {
        const int larger = state.line_capacity ? 2 * state.line_capacity : 64;
        struct lab_sim_line *const moved = realloc(state.lines, (size_t)larger * sizeof *moved);
        if (!moved)
            return &ignored;
        state.lines = moved;
        state.line_capacity = larger;
    }
    struct lab_sim_line *const line = &state.lines[state.line_count++];
    *line = (struct lab_sim_line){.file = file, .line = source->line};
    return line;
}

static int compare_lines(const void *a, const void *b)
{
    const struct lab_sim_line *const first = a, *const second = b;
    const int files = strcmp(first->file, second->file);
    return files ? files : first->line - second->line;
}

/* ---- Adding ---- */

static bool is_copy(const struct access_plan *plan)
{
    return plan->kind == COUNTED_COPY || plan->kind == COUNTED_COPY_BYPASS;
}

/* A load or a store. */
static bool is_plain(const struct access_plan *plan)
{
    return plan->kind == COUNTED_LOAD || plan->kind == COUNTED_STORE;
}

/* Generic loads and stores, whose space is known only when they run, have counters of their own. */
static void add_instructions(const struct access_plan *plan, enum sum named, uint64_t requests)
{
    const bool is_generic = plan->space == PTX_GENERIC;
    if (is_generic && plan->kind == COUNTED_LOAD)
        state.sums[GENERIC_LD] += requests;
    else if (is_generic && plan->kind == COUNTED_STORE)
        state.sums[GENERIC_ST] += requests;
    else
        state.sums[named] += requests;
}

static void add_global(const struct access_plan *plan, const struct access_total *total)
{
    /* By kind. Copies through L1 and past it are the same instruction. */
    static const enum sum instructions[] = {GLOBAL_LD,  GLOBAL_ST, GLOBAL_ATOM,
                                            GLOBAL_RED, COPIES,    COPIES};
    static const enum sum requests[] = {REQUESTS_LD,  REQUESTS_ST,   REQUESTS_ATOM,
                                        REQUESTS_RED, REQUESTS_COPY, REQUESTS_BYPASS};
    static const enum sum sectors[] = {SECTORS_LD,  SECTORS_ST,   SECTORS_ATOM,
                                       SECTORS_RED, SECTORS_COPY, SECTORS_BYPASS};
    add_instructions(plan, instructions[plan->kind], total->requests);
    state.sums[requests[plan->kind]] += total->requests;
    state.sums[sectors[plan->kind]] += total->sectors;
    if (is_plain(plan))
        state.sums[plan->kind == COUNTED_LOAD ? LINES_LD : LINES_ST] += total->lines;
    if (is_copy(plan)) { /* L1 counts them as loads, too */
        state.sums[REQUESTS_LD] += total->requests;
        state.sums[SECTORS_LD] +=
            plan->kind == COUNTED_COPY_BYPASS ? total->filled : total->sectors;
        state.sums[LINES_COPY] += total->lines;
    }
    state.bytes[plan->kind] += total->bytes;
    if ((plan->kind == COUNTED_LOAD || is_copy(plan)) && plan->merged_bytes == WIDEST)
        state.wide_bytes += total->bytes;
    state.sectors[plan->kind] += total->sectors;
    struct lab_sim_line *const line = line_of(plan->source);
    line->global_requests += (double)total->requests;
    line->global_sectors += (double)total->sectors;
    line->global_needed += (double)total->needed;
}

/* Wavefronts by kind. In shared memory a reduction counts as an atomic, as in machine code. */
static void add_wavefronts(const struct access_plan *plan, const struct access_total *total)
{
    static const enum sum wavefronts[] = {WAVES_LD,   WAVES_ST,   WAVES_ATOM,
                                          WAVES_ATOM, WAVES_COPY, WAVES_COPY};
    static const enum sum conflicts[] = {CONFLICTS_LD,   CONFLICTS_ST,   CONFLICTS_ATOM,
                                         CONFLICTS_ATOM, CONFLICTS_COPY, CONFLICTS_COPY};
    if (plan->is_ldmatrix)
        state.tensor[ALL_WAVES_LD] += total->wavefronts;
    else
        state.sums[wavefronts[plan->kind]] += total->wavefronts;
    state.sums[conflicts[plan->kind]] += total->conflicts;
    if (plan->kind == COUNTED_ATOMIC || plan->kind == COUNTED_REDUCTION) {
        state.sums[ATOM_PASSES] += total->atomic_passes;
        state.sums[ATOM_LOOPS] += total->loop_turns;
    }
    struct lab_sim_line *const line = line_of(plan->source);
    line->shared_requests += (double)total->requests;
    line->shared_wavefronts += (double)total->wavefronts;
    line->shared_conflicts += (double)total->conflicts;
}

static void add_shared(const struct access_plan *plan, const struct access_total *total)
{
    static const enum sum instructions[] = {SHARED_LD, SHARED_ST, SHARED_ATOM, SHARED_ATOM};
    if (plan->is_ldmatrix)
        state.tensor[LDMATRIX] += total->requests;
    else
        add_instructions(plan, instructions[plan->kind], total->requests);
    add_wavefronts(plan, total);
    if (is_plain(plan) && !plan->is_ldmatrix)
        state.shared_bytes += total->bytes;
    if (plan->kind == COUNTED_LOAD)
        state.sums[LANE_BYTES] += total->lane_bytes;
}

static void add_width(const struct access_plan *plan, enum counted_space space, uint64_t requests)
{
    static const enum sum narrowest[COUNTED_SPACES][2] = {
        [COUNTED_GLOBAL] = {GLOBAL_LD_8, GLOBAL_ST_8},
        [COUNTED_SHARED] = {SHARED_LD_8, SHARED_ST_8},
        [COUNTED_LOCAL] = {LOCAL_LD_8, LOCAL_ST_8}};
    if (is_plain(plan) && !plan->is_ldmatrix && plan->merged_bytes <= WIDEST)
        state.sums[narrowest[space][plan->kind] + __builtin_ctz(plan->merged_bytes)] += requests;
}

void sim_count_add_access(const struct access_plan *plan, enum counted_space space,
                          const struct access_total *total)
{
    if (space == COUNTED_GLOBAL)
        add_global(plan, total);
    if (space == COUNTED_SHARED)
        add_shared(plan, total);
    if (is_copy(plan))
        add_wavefronts(plan, total);
    add_width(plan, space, total->requests);
    if (space == COUNTED_LOCAL && is_plain(plan))
        state.sums[plan->kind == COUNTED_LOAD ? LOCAL_LD : LOCAL_ST] += total->requests;
}

/* The sum that an arithmetic opcode belongs to; SUM_COUNT: none. */
static enum sum arithmetic(const struct ptx_instruction *source)
{
    static const struct {
        enum ptx_opcode opcode;
        enum sum single, twice, integer;
    } opcodes[] = {
        {PTX_OP_fma, FFMA, DFMA, SUM_COUNT},         {PTX_OP_add, FADD, DADD, INTEGER},
        {PTX_OP_sub, FADD, DADD, INTEGER},           {PTX_OP_mul, FMUL, DMUL, INTEGER},
        {PTX_OP_mad, FFMA, DFMA, INTEGER},           {PTX_OP_shl, SUM_COUNT, SUM_COUNT, INTEGER},
        {PTX_OP_shr, SUM_COUNT, SUM_COUNT, INTEGER}, {PTX_OP_and, SUM_COUNT, SUM_COUNT, INTEGER},
        {PTX_OP_or, SUM_COUNT, SUM_COUNT, INTEGER},  {PTX_OP_xor, SUM_COUNT, SUM_COUNT, INTEGER},
        {PTX_OP_min, SUM_COUNT, SUM_COUNT, INTEGER}, {PTX_OP_max, SUM_COUNT, SUM_COUNT, INTEGER}};
    const char *const type = source->parts[source->part_count - 1];
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        if (source->operation != opcodes[i].opcode)
            continue;
        if (strcmp(type, "f32") == 0)
            return opcodes[i].single;
        if (strcmp(type, "f64") == 0)
            return opcodes[i].twice;
        return strchr("usb", type[0]) && type[1] != 'f' ? opcodes[i].integer : SUM_COUNT;
    }
    return SUM_COUNT;
}

/* How many bits an element of A has, of the types that do not have 16. */
static enum tensor_counter width_of(const struct ptx_instruction *source)
{
    static const struct {
        const char *type;
        enum tensor_counter sum;
    } types[] = {{"tf32", MMA_TF32},  {"f64", MMA_F64},    {"e4m3", MMA_8},
                 {"e5m2", MMA_8},     {"s8", MMA_8},       {"u8", MMA_8},
                 {"s4", MMA_BELOW_8}, {"u4", MMA_BELOW_8}, {"b1", MMA_BELOW_8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ptx_has_part(source, types[i].type))
            return types[i].sum;
    return MMA_F16;
}

/* The four warps of a warpgroup execute a wgmma together. */
static void add_products(const struct ptx_instruction *source, uint64_t warps)
{
    const bool is_wgmma = source->operation == PTX_OP_wgmma;
    int m, n, k;
    if (!is_wgmma && source->operation != PTX_OP_mma && source->operation != PTX_OP_wmma_mma)
        return;
    for (int i = 1; i < source->part_count; i++)
        if (sim_find_tensor_shape(source->parts[i], &m, &n, &k))
            state.tensor[width_of(source) + (is_wgmma ? WGMMA_F16 - MMA_F16 : 0)] +=
                warps * (uint64_t)m * (uint64_t)n * (uint64_t)k / (is_wgmma ? GROUP_WARPS : 1);
}

void sim_count_add_instruction(const struct ptx_instruction *source, uint64_t warps,
                               uint64_t threads)
{
    const enum sum sum = arithmetic(source);
    if (sum != SUM_COUNT)
        state.sums[sum] += threads;
    if (sum == INTEGER && strcmp(source->parts[source->part_count - 1] + 1, "64") == 0)
        state.sums[INTEGER64] += threads;
    if (ptx_does(source, PTX_BRANCHES))
        state.sums[BRANCHES] += warps;
    if (ptx_does(source, PTX_WAITS))
        state.sums[BARRIERS] += warps;
    if (source->operation == PTX_OP_shfl)
        state.sums[SHUFFLED_BYTES] += SHUFFLE_BYTES * threads;
    add_products(source, warps);
    state.sums[INSTRUCTIONS] += warps;
    state.sums[THREADS] += threads;
    line_of(source)->warp_instructions += (double)warps;
    sim_count_add_opcode(source, warps);
}

void sim_count_add_divergent(uint64_t branches)
{
    state.sums[DIVERGENT] += branches;
}

void sim_count_add_caches(const struct cache_counts *counts)
{
    struct cache_counts *const sums = &state.caches;
    state.has_caches = true;
    if (!counts) {
        state.lacks_caches = true;
        return;
    }
    sums->l1_sectors += counts->l1_sectors;
    sums->l1_hits += counts->l1_hits;
    sums->l1_under_way += counts->l1_under_way;
    sums->l2_reads += counts->l2_reads;
    sums->l2_writes += counts->l2_writes;
    sums->l2_others += counts->l2_others;
    sums->l2_hits += counts->l2_hits;
    sums->dram_read += counts->dram_read;
    sums->dram_written += counts->dram_written;
}

void sim_count_add_absorbed(uint64_t accesses)
{
    state.sums[ABSORBED] += accesses;
}

void sim_count_add_bulk(const struct counted_bulk *bulk)
{
    state.tensor[BULK_COPIES] += bulk->copies;
    state.tensor[BULK_LOADED] += bulk->loaded;
    state.tensor[BULK_STORED] += bulk->stored;
    state.tensor[WAITS_MBARRIER] += bulk->waits;
}

void sim_count_add_box(const struct access_plan *plan, const struct noted_box *box)
{
    struct lab_sim_line *const line = line_of(plan->source);
    line->box_rows = (int)box->rows;
    line->box_row_bytes = (int)box->row_bytes;
    line->box_swizzle = (int)box->swizzle;
}

void sim_count_add_turns(uint64_t slice, uint64_t floats)
{
    state.sums[ATOM_SLICE] += slice;
    state.sums[ATOM_FLOATS] += floats;
}

void sim_count_add_waits(const struct counted_waits *waits)
{
    state.sums[WAITS_GLOBAL] += waits->global;
    state.sums[WAITS_SHARED] += waits->shared;
    state.sums[AHEAD_GLOBAL] += waits->ahead_of_global;
    state.sums[AHEAD_SHARED] += waits->ahead_of_shared;
    state.sums[CHAIN] += waits->chain;
}

void sim_count_add_copies(const struct counted_copies *copies)
{
    state.sums[WAITS_COPY] += copies->waits;
    state.sums[AHEAD_COPY] += copies->ahead;
    state.copies.bytes += copies->bytes;
    state.copies.bytes_ahead += copies->bytes_ahead;
}

/* ---- Reading ---- */

static double quotient(uint64_t value, uint64_t by)
{
    return (double)value / (double)by;
}

/* Leaves a ratio out if its divisor is 0. */
static int add_ratio(int count, enum ratio ratio, double factor, uint64_t value, uint64_t by)
{
    if (by == 0)
        return count;
    state.counters[count] =
        (struct lab_sim_counter){ratio_names[ratio], factor * quotient(value, by)};
    return count + 1;
}

static int add_caches(int count)
{
    const struct cache_counts *const sums = &state.caches;
    const uint64_t lookups = sums->l2_reads + sums->l2_writes + sums->l2_others;
    const double values[CACHE_SUM_COUNT] = {
        [L2_READS] = (double)sums->l2_reads,
        [L2_WRITES] = (double)sums->l2_writes,
        [DRAM_READ] = (double)sums->dram_read,
        [DRAM_WRITTEN] = (double)sums->dram_written,
        [L1_UNDER_WAY] = (double)sums->l1_under_way,
        [L1_RATE] = sums->l1_sectors ? 100.0 * quotient(sums->l1_hits, sums->l1_sectors) : 0.0,
        [L2_RATE] = lookups ? 100.0 * quotient(sums->l2_hits, lookups) : 0.0,
    };
    for (int i = 0; i < CACHE_SUM_COUNT && state.has_caches && !state.lacks_caches; i++)
        state.counters[count++] = (struct lab_sim_counter){cache_names[i], values[i]};
    return count;
}

/* Left out with atomics or copies: how Nsight Compute counts them in this figure is not known. */
static int add_shared_efficiency(int count)
{
    const uint64_t *const sums = state.sums;
    if (sums[WAVES_ATOM] || sums[WAVES_COPY])
        return count;
    return add_ratio(count, EFFICIENCY_SHARED, 100.0 / WAVEFRONT_BYTES, state.shared_bytes,
                     sums[WAVES_LD] + sums[WAVES_ST]);
}

/* Figures of asynchronous copies. One is how far they run ahead, in turns: what a warp executes
 * from one barrier to the next is a turn, or from one wait for copies to the next, if these are
 * fewer. The other is the share of copies in the bytes that are read from global memory; a third is
 * the share of what lanes read 16 bytes at a time. The goals of exercises need them also where they
 * are 0. */
static int add_copies(int count)
{
    const uint64_t *const sums = state.sums;
    const uint64_t copied = state.bytes[COUNTED_COPY] + state.bytes[COUNTED_COPY_BYPASS];
    const uint64_t read = state.bytes[COUNTED_LOAD] + copied;
    double turns = 0.0;
    if (state.copies.bytes > 0 && sums[INSTRUCTIONS] > 0)
        turns = quotient(state.copies.bytes_ahead, state.copies.bytes) *
                quotient(sums[BARRIERS] < sums[WAITS_COPY] ? sums[BARRIERS] : sums[WAITS_COPY],
                         sums[INSTRUCTIONS]);
    state.counters[count++] = (struct lab_sim_counter){
        ratio_names[WIDE_SHARE], read > 0 ? 100.0 * quotient(state.wide_bytes, read) : 0.0};
    state.counters[count++] = (struct lab_sim_counter){
        ratio_names[COPIED_SHARE], read > 0 ? 100.0 * quotient(copied, read) : 0.0};
    state.counters[count++] = (struct lab_sim_counter){ratio_names[TURNS_AHEAD], turns};
    return count;
}

static int add_tensor(int count)
{
    uint64_t *const sums = state.tensor;
    const uint64_t rows = sums[ALL_WAVES_LD];
    sums[ALL_WAVES_LD] += rows ? state.sums[WAVES_LD] : 0;
    for (int i = 0; i < TENSOR_COUNT; i++)
        if (sums[i])
            state.counters[count++] = (struct lab_sim_counter){tensor_names[i], (double)sums[i]};
    sums[ALL_WAVES_LD] = rows;
    return count;
}

int sim_count_counters(const struct lab_sim_counter **list)
{
    const uint64_t *const sums = state.sums;
    int count = 0;
    for (; count < SUM_COUNT; count++)
        state.counters[count] = (struct lab_sim_counter){sum_names[count], (double)sums[count]};
    count = add_ratio(count, ACTIVE_LANES, 1, sums[THREADS], sums[INSTRUCTIONS]);
    count = add_ratio(count, EFFICIENCY_LD, 100.0 / SECTOR_BYTES, state.bytes[COUNTED_LOAD],
                      state.sectors[COUNTED_LOAD]);
    count = add_ratio(count, EFFICIENCY_ST, 100.0 / SECTOR_BYTES, state.bytes[COUNTED_STORE],
                      state.sectors[COUNTED_STORE]);
    count = add_shared_efficiency(count);
    count = add_copies(count);
    count = add_tensor(count);
    count = add_caches(count);
    *list = state.counters;
    return count;
}

int sim_count_lines(const struct lab_sim_line **list)
{
    if (state.line_count)
        qsort(state.lines, (size_t)state.line_count, sizeof *state.lines, compare_lines);
    *list = state.lines;
    return state.line_count;
}
