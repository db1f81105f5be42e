/* Lists of counters, and the catalogue. The older names are nvprof's, by the table "nvprof metric
 * comparison" of the Nsight Compute documentation; global_load and shared_load are nvprof events.
 */
#include "measure/counters/counters.h"

#include <string.h>

#define LOADS               "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define STORES              "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
#define WAVES_LD            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
#define WAVES_ST            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
#define CONFLICTS_LD        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
#define CONFLICTS_ST        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
#define DRAM_READ           "dram__bytes_read.sum"
#define INSTRUCTIONS        "smsp__inst_executed.sum"
#define PTX_INSTRUCTIONS    "lab__ptx_inst_executed.sum"
#define TENSOR              "sm__inst_executed_pipe_tensor"
#define TENSOR_HFMA2        TENSOR "_op_hmma_type_hfma2.sum"
#define PRODUCTS_OF_PTX     "lab__ptx_products_op_"
#define COPIED(what, level) "sm__sass_l1tex_t_" what "_pipe_lsu_mem_global_op_ldgsts_" level ".sum"
#define STALL(reason)       "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"

#define PLAIN        LAB_COUNTER_PLAIN, "", false, false, true
#define PERCENT      LAB_COUNTER_PLAIN, "", true, false, true
#define OPTIONAL     LAB_COUNTER_PLAIN, "", false, true, false
#define RARE         LAB_COUNTER_PLAIN, "", false, true, true
#define PER(counter) LAB_COUNTER_RATIO, counter, false, false, false

/* A line for each width of a kind of access. */
#define BY_WIDTH(group, label, op)                                                                 \
    {group, label " of 8 bits", "lab__inst_executed_op_" op "_8bit.sum", "", OPTIONAL},            \
        {group, label " of 16 bits", "lab__inst_executed_op_" op "_16bit.sum", "", OPTIONAL},      \
        {group, label " of 32 bits", "lab__inst_executed_op_" op "_32bit.sum", "", OPTIONAL},      \
        {group, label " of 64 bits", "lab__inst_executed_op_" op "_64bit.sum", "", OPTIONAL},      \
    {                                                                                              \
        group, label " of 128 bits", "lab__inst_executed_op_" op "_128bit.sum", "", OPTIONAL       \
    }

/* A line for each width of what tensor cores multiply. */
#define PRODUCTS(label, op)                                                                        \
    {LAB_COUNTERS_INSTRUCTIONS, "products by " label ", 16 bits", PRODUCTS_OF_PTX op "_f16.sum",   \
     "", OPTIONAL},                                                                                \
        {LAB_COUNTERS_INSTRUCTIONS, "products by " label ", TF32", PRODUCTS_OF_PTX op "_tf32.sum", \
         "", OPTIONAL},                                                                            \
        {LAB_COUNTERS_INSTRUCTIONS, "products by " label ", FP64", PRODUCTS_OF_PTX op "_f64.sum",  \
         "", OPTIONAL},                                                                            \
        {LAB_COUNTERS_INSTRUCTIONS, "products by " label ", 8 bits",                               \
         PRODUCTS_OF_PTX op "_8bit.sum", "", OPTIONAL},                                            \
    {                                                                                              \
        LAB_COUNTERS_INSTRUCTIONS, "products by " label ", below 8 bits",                          \
            PRODUCTS_OF_PTX op "_below_8bit.sum", "", OPTIONAL                                     \
    }

static const struct lab_counter_kind kinds[] = {
    /* instructions */
    {LAB_COUNTERS_INSTRUCTIONS, "warp instructions", INSTRUCTIONS, "inst_executed", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "FFMA, per thread",
     "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "flop_count_sp_fma", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "FADD, per thread",
     "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "flop_count_sp_add", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "FMUL, per thread",
     "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "flop_count_sp_mul", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "integer, per thread",
     "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "inst_integer", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "control, per thread",
     "smsp__sass_thread_inst_executed_op_control_pred_on.sum", "inst_control", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "branches", "smsp__inst_executed_op_branch.sum", "branch", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "divergent branches",
     "smsp__sass_branch_targets_threads_divergent.sum", "divergent_branch", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "active lanes, of 32",
     "smsp__thread_inst_executed_per_inst_executed.ratio", "warp_execution_efficiency", PLAIN},
    {LAB_COUNTERS_INSTRUCTIONS, "DFMA, per thread",
     "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "flop_count_dp_fma", RARE},
    {LAB_COUNTERS_INSTRUCTIONS, "DADD, per thread",
     "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "flop_count_dp_add", RARE},
    {LAB_COUNTERS_INSTRUCTIONS, "DMUL, per thread",
     "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "flop_count_dp_mul", RARE},
    {LAB_COUNTERS_INSTRUCTIONS, "generic loads", "smsp__inst_executed_op_generic_ld.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "generic stores", "smsp__inst_executed_op_generic_st.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "local loads", "smsp__inst_executed_op_local_ld.sum",
     "inst_executed_local_loads", RARE},
    {LAB_COUNTERS_INSTRUCTIONS, "local stores", "smsp__inst_executed_op_local_st.sum",
     "inst_executed_local_stores", RARE},
    BY_WIDTH(LAB_COUNTERS_INSTRUCTIONS, "local loads", "local_ld"),
    BY_WIDTH(LAB_COUNTERS_INSTRUCTIONS, "local stores", "local_st"),
    {LAB_COUNTERS_INSTRUCTIONS, "tensor instructions", TENSOR ".sum", "", RARE},
    {LAB_COUNTERS_INSTRUCTIONS, "of these wgmma", TENSOR "_op_gmma.sum", "", RARE},
    {LAB_COUNTERS_INSTRUCTIONS, "of these HFMA2", TENSOR_HFMA2, "", RARE},
    PRODUCTS("mma", "mma"),
    PRODUCTS("wgmma", "wgmma"),
    {LAB_COUNTERS_INSTRUCTIONS, "warp instructions of the PTX", PTX_INSTRUCTIONS, "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "all lanes of these", "lab__ptx_thread_inst_executed.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "integer in PTX, per thread",
     "lab__ptx_thread_inst_executed_op_integer.sum", "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "of these on 64 bits",
     "lab__ptx_thread_inst_executed_op_integer_64bit.sum", "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "branches in PTX", "lab__ptx_inst_executed_op_branch.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "barriers in PTX", "lab__ptx_inst_executed_op_barrier.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "bytes that lanes get by shuffles",
     "lab__lane_bytes_op_shuffle.sum", "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "kernels", LAB_COUNTER_LAUNCHES, "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "blocks", LAB_COUNTER_BLOCKS, "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "accesses that ptxas merges", "lab__ptx_inst_executed_merged.sum",
     "", OPTIONAL},
    {LAB_COUNTERS_INSTRUCTIONS, "in longest dependent chains",
     "lab__ptx_inst_executed_in_longest_chain.sum", "", OPTIONAL},
    /* global memory */
    {LAB_COUNTERS_GLOBAL, "load requests", "smsp__inst_executed_op_global_ld.sum", "global_load",
     PLAIN},
    BY_WIDTH(LAB_COUNTERS_GLOBAL, "loads", "global_ld"),
    {LAB_COUNTERS_GLOBAL, "sectors loaded", LOADS, "gld_transactions", PLAIN},
    {LAB_COUNTERS_GLOBAL, "sectors per load", LOADS, "gld_transactions_per_request",
     PER("smsp__inst_executed_op_global_ld.sum")},
    {LAB_COUNTERS_GLOBAL, "store requests", "smsp__inst_executed_op_global_st.sum", "global_store",
     PLAIN},
    BY_WIDTH(LAB_COUNTERS_GLOBAL, "stores", "global_st"),
    {LAB_COUNTERS_GLOBAL, "sectors stored", STORES, "gst_transactions", PLAIN},
    {LAB_COUNTERS_GLOBAL, "sectors per store", STORES, "gst_transactions_per_request",
     PER("smsp__inst_executed_op_global_st.sum")},
    {LAB_COUNTERS_GLOBAL, "bytes used of sectors loaded",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "gld_efficiency", PERCENT},
    {LAB_COUNTERS_GLOBAL, "bytes used of sectors stored",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "gst_efficiency", PERCENT},
    {LAB_COUNTERS_GLOBAL, "lines of 128 bytes, loads", "lab__l1_lines_mem_global_op_ld.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "lines of 128 bytes, stores", "lab__l1_lines_mem_global_op_st.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "waits for loads", "lab__ptx_waits_global_ld.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "instructions ahead of these",
     "lab__ptx_inst_executed_ahead_of_wait_global_ld.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "load requests at L1", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "store requests at L1", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "atomics with a result", "smsp__sass_inst_executed_op_global_atom.sum",
     "inst_executed_global_atomics", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "atomics without", "smsp__inst_executed_op_global_red.sum",
     "inst_executed_global_reductions", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "their requests at L1",
     "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "and without a result",
     "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "their sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
     "atomic_transactions", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "and without a result", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
     "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "turns at L2's busiest slice",
     "lab__l2_atomic_turns_of_busiest_slice.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "of floats, at one sector",
     "lab__l2_atomic_turns_of_floats_at_busiest_sector.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "asynchronous copies", "smsp__inst_executed_op_ldgsts.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "their requests at L1", COPIED("requests", "cache_access"), "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "and past L1", COPIED("requests", "cache_bypass"), "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "their sectors at L1", COPIED("sectors", "cache_access"), "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "and past L1", COPIED("sectors", "cache_bypass"), "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "lines of 128 bytes, copies", "lab__l1_lines_mem_global_op_ldgsts.sum",
     "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "bytes that copies bring, of those read",
     "lab__data_bytes_mem_global_op_ldgsts.pct", "", LAB_COUNTER_PLAIN, "", true, true, false},
    {LAB_COUNTERS_GLOBAL, "bytes that come 16 a lane, of those read",
     "lab__data_bytes_mem_global_op_ld_128bit.pct", "", LAB_COUNTER_PLAIN, "", true, true, false},
    {LAB_COUNTERS_GLOBAL, "waits for copies", "lab__ptx_waits_ldgsts.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "instructions ahead of these",
     "lab__ptx_inst_executed_ahead_of_wait_ldgsts.sum", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "loop iterations from copy to wait",
     "lab__ptx_turns_ahead_of_wait_ldgsts.ratio", "", OPTIONAL},
    {LAB_COUNTERS_GLOBAL, "bulk copies", "sm__sass_inst_executed_op_tma.sum", "", RARE},
    {LAB_COUNTERS_GLOBAL, "bytes that they load",
     "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", "", RARE},
    {LAB_COUNTERS_GLOBAL, "bytes that they store",
     "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum", "", RARE},
    {LAB_COUNTERS_GLOBAL, "waits at mbarriers", "lab__ptx_waits_mbarrier.sum", "", OPTIONAL},
    /* shared memory */
    {LAB_COUNTERS_SHARED, "load requests", "smsp__inst_executed_op_shared_ld.sum", "shared_load",
     PLAIN},
    BY_WIDTH(LAB_COUNTERS_SHARED, "loads", "shared_ld"),
    {LAB_COUNTERS_SHARED, "wavefronts, loads", WAVES_LD, "shared_load_transactions", PLAIN},
    {LAB_COUNTERS_SHARED, "wavefronts per load", WAVES_LD, "shared_load_transactions_per_request",
     PER("smsp__inst_executed_op_shared_ld.sum")},
    {LAB_COUNTERS_SHARED, "bank conflicts, loads", CONFLICTS_LD, "shared_ld_bank_conflict", PLAIN},
    {LAB_COUNTERS_SHARED, "ldmatrix", "smsp__inst_executed_op_ldsm.sum", "", RARE},
    {LAB_COUNTERS_SHARED, "wavefronts, loads and ldmatrix",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "", RARE},
    {LAB_COUNTERS_SHARED, "store requests", "smsp__inst_executed_op_shared_st.sum", "shared_store",
     PLAIN},
    BY_WIDTH(LAB_COUNTERS_SHARED, "stores", "shared_st"),
    {LAB_COUNTERS_SHARED, "wavefronts, stores", WAVES_ST, "shared_store_transactions", PLAIN},
    {LAB_COUNTERS_SHARED, "wavefronts per store", WAVES_ST, "shared_store_transactions_per_request",
     PER("smsp__inst_executed_op_shared_st.sum")},
    {LAB_COUNTERS_SHARED, "bank conflicts, stores", CONFLICTS_ST, "shared_st_bank_conflict", PLAIN},
    {LAB_COUNTERS_SHARED, "wavefronts without conflicts", WAVES_LD, "", LAB_COUNTER_SHARED, "",
     true, false, false},
    {LAB_COUNTERS_SHARED, "bytes used of wavefronts",
     "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", "shared_efficiency", PERCENT},
    {LAB_COUNTERS_SHARED, "waits for loads", "lab__ptx_waits_shared_ld.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "instructions ahead of these",
     "lab__ptx_inst_executed_ahead_of_wait_shared_ld.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "atomics", "smsp__inst_executed_op_shared_atom.sum",
     "inst_executed_shared_atomics", OPTIONAL},
    {LAB_COUNTERS_SHARED, "wavefronts, atomics",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "bank conflicts, atomics",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "passes of these", "lab__wavefronts_mem_shared_op_atom.sum", "",
     OPTIONAL},
    {LAB_COUNTERS_SHARED, "iterations of those that are loops",
     "lab__turns_mem_shared_op_atom_in_loop.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "wavefronts, asynchronous copies",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "bank conflicts, asynchronous copies",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "bytes that lanes get by loads", "lab__lane_bytes_mem_shared_op_ld.sum",
     "", OPTIONAL},
    {LAB_COUNTERS_SHARED, "bytes of a block", LAB_COUNTER_SHARED_BYTES, "", OPTIONAL},
    /* caches and DRAM */
    {LAB_COUNTERS_CACHES, "L1 sectors hit", "l1tex__t_sector_hit_rate.pct", "global_hit_rate",
     PERCENT},
    {LAB_COUNTERS_CACHES, "of these on their way", "lab__l1_sectors_under_way.sum", "", OPTIONAL},
    {LAB_COUNTERS_CACHES, "L2 sectors read", "lts__t_sectors_op_read.sum", "l2_read_transactions",
     PLAIN},
    {LAB_COUNTERS_CACHES, "L2 sectors written", "lts__t_sectors_op_write.sum",
     "l2_write_transactions", PLAIN},
    {LAB_COUNTERS_CACHES, "L2 sectors hit", "lts__t_sector_hit_rate.pct", "", PERCENT},
    {LAB_COUNTERS_CACHES, "DRAM bytes read", DRAM_READ, "dram_read_bytes", PLAIN},
    {LAB_COUNTERS_CACHES, "DRAM bytes written", "dram__bytes_write.sum", "dram_write_bytes", PLAIN},
    {LAB_COUNTERS_CACHES, "L2 misses in 1000 instructions", LAB_COUNTER_MISSES_NAME, "",
     LAB_COUNTER_MISSES, "", false, false, false},
    /* occupancy, issue, and what warps wait for: warps waiting for each instruction issued */
    {LAB_COUNTERS_OCCUPANCY, "time, ns (under the profiler)", "gpu__time_duration.sum", "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "warps active", "sm__warps_active.avg.pct_of_peak_sustained_active",
     "achieved_occupancy", PERCENT},
    {LAB_COUNTERS_OCCUPANCY, "issue slots used",
     "smsp__issue_active.avg.pct_of_peak_sustained_active", "issue_slot_utilization", PERCENT},
    {LAB_COUNTERS_OCCUPANCY, "LSU data pipe busy",
     "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "", PERCENT},
    {LAB_COUNTERS_OCCUPANCY, "tensor pipe busy",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "", LAB_COUNTER_PLAIN, "",
     true, true, true},
    {LAB_COUNTERS_OCCUPANCY, "waits: global memory, of warps",
     "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "stall_memory_dependency",
     PERCENT},
    {LAB_COUNTERS_OCCUPANCY, "waits: long scoreboard", STALL("long_scoreboard"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: short scoreboard", STALL("short_scoreboard"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: MIO throttle", STALL("mio_throttle"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: LG throttle", STALL("lg_throttle"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: barrier", STALL("barrier"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: dispatch", STALL("dispatch_stall"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: fixed latency", STALL("wait"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: math pipe", STALL("math_pipe_throttle"), "", PLAIN},
    {LAB_COUNTERS_OCCUPANCY, "waits: not selected", STALL("not_selected"), "", PLAIN},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static struct lab_counter *find(const struct lab_counters *counters, const char *name)
{
    for (int i = 0; i < counters->count; i++)
        if (strcmp(counters->list[i].name, name) == 0)
            return (struct lab_counter *)&counters->list[i];
    return NULL;
}

bool lab_counters_set(struct lab_counters *counters, const char *name, double value)
{
    struct lab_counter *counter = find(counters, name);
    if (!counter) {
        if (counters->count == LAB_MAX_COUNTERS || strlen(name) >= LAB_COUNTER_NAME_BYTES)
            return false;
        counter = &counters->list[counters->count++];
        strcpy(counter->name, name);
    }
    counter->value = value;
    return true;
}

bool lab_counters_get(const struct lab_counters *counters, const char *name, double *value)
{
    const struct lab_counter *counter = find(counters, name);
    if (counter)
        *value = counter->value;
    return counter != NULL;
}

/* ptxas sets registers to constants by HFMA2.MMA, which the same pipe executes. */
bool lab_counters_use_tensor_cores(const struct lab_counters *counters)
{
    double all = 0.0, constants = 0.0;
    lab_counters_get(counters, TENSOR ".sum", &all);
    lab_counters_get(counters, TENSOR_HFMA2, &constants);
    for (int i = 0; i < counters->count; i++)
        if (strncmp(counters->list[i].name, PRODUCTS_OF_PTX, strlen(PRODUCTS_OF_PTX)) == 0)
            all += counters->list[i].value;
    return all > constants;
}

static bool is_sum(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".sum") == 0;
}

void lab_counters_add(struct lab_counters *counters, const struct lab_counters *more)
{
    for (int i = 0; i < more->count; i++) {
        struct lab_counter *there = find(counters, more->list[i].name);
        if (!there)
            lab_counters_set(counters, more->list[i].name, more->list[i].value);
        else if (is_sum(there->name))
            there->value += more->list[i].value;
    }
}

const struct lab_counter_kind *lab_counter_kinds(int *count)
{
    *count = KIND_COUNT;
    return kinds;
}

const char *lab_counter_group_name(enum lab_counter_group group)
{
    static const char *const names[LAB_COUNTERS_GROUPS] = {
        [LAB_COUNTERS_INSTRUCTIONS] = "instructions",
        [LAB_COUNTERS_GLOBAL] = "global memory",
        [LAB_COUNTERS_SHARED] = "shared memory",
        [LAB_COUNTERS_CACHES] = "caches and DRAM",
        [LAB_COUNTERS_OCCUPANCY] = "occupancy and what warps wait for",
    };
    return names[group];
}

static bool without_conflicts(const struct lab_counters *counters, double *value)
{
    double loads, stores, load_conflicts, store_conflicts;
    if (!lab_counters_get(counters, WAVES_LD, &loads) ||
        !lab_counters_get(counters, WAVES_ST, &stores) ||
        !lab_counters_get(counters, CONFLICTS_LD, &load_conflicts) ||
        !lab_counters_get(counters, CONFLICTS_ST, &store_conflicts) || loads + stores <= 0.0)
        return false;
    *value = 100.0 * (1.0 - (load_conflicts + store_conflicts) / (loads + stores));
    return true;
}

/* Figure 2 of the kernel-summation paper. */
bool lab_counters_misses(const struct lab_counters *counters, double *value)
{
    double bytes, instructions;
    if (!lab_counters_get(counters, DRAM_READ, &bytes) ||
        (!lab_counters_get(counters, INSTRUCTIONS, &instructions) &&
         !lab_counters_get(counters, PTX_INSTRUCTIONS, &instructions)) ||
        instructions <= 0.0)
        return false;
    *value = bytes / 32.0 / (instructions / 1000.0);
    return true;
}

bool lab_counter_figure(const struct lab_counter_kind *kind, const struct lab_counters *counters,
                        double *value)
{
    double by;
    switch (kind->rule) {
    case LAB_COUNTER_SHARED:
        return without_conflicts(counters, value);
    case LAB_COUNTER_MISSES:
        return lab_counters_misses(counters, value);
    case LAB_COUNTER_RATIO:
        if (!lab_counters_get(counters, kind->name, value) ||
            !lab_counters_get(counters, kind->by, &by) || by <= 0.0)
            return false;
        *value /= by;
        return true;
    default:
        return lab_counters_get(counters, kind->name, value);
    }
}

bool lab_counter_known(const char *name)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (kinds[i].rule == LAB_COUNTER_PLAIN && strcmp(kinds[i].name, name) == 0)
            return true;
    return false;
}
