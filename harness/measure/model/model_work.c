/* From counters to work. A GPU and the simulator do not have the same counters: this file says what
 * replaces a missing one. */
#include "measure/model/model.h"

#include <math.h>
#include <string.h>

/* How many loads a warp waits for together, without the simulator's analysis of the kernel: nvcc
 * unrolls an inner loop of unknown length by four, whatever the kernel. */
static const double LOADS_TOGETHER = 4.0;

static const double WARP = 32.0, SECTOR_BYTES = 32.0, LINE_BYTES = 128.0;

/* A warp's longest coalesced access is 16 bytes a lane. With more sectors, the lines lie apart. */
static const double MOST_COALESCED_SECTORS = 16.0;

static double take(const struct lab_counters *counters, const char *name)
{
    double value = 0.0;
    lab_counters_get(counters, name, &value);
    return value;
}

static bool has(const struct lab_counters *counters, const char *name)
{
    double value;
    return lab_counters_get(counters, name, &value);
}

static double share(double part, double whole)
{
    return whole <= 0.0 ? 0.0 : part < whole ? part / whole : 1.0;
}

/* Lines of 128 bytes that global accesses touch, from requests and sectors alone. */
static double likely_lines(double requests, double sectors)
{
    if (requests > 0.0 && sectors / requests > MOST_COALESCED_SECTORS)
        return sectors;
    return fmax(requests, sectors * SECTOR_BYTES / LINE_BYTES);
}

static void read_floating(const struct lab_counters *c, struct lab_model_work *work)
{
    work->fp32 = take(c, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum");
    work->fp64 = take(c, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum");
    work->mufu = WARP * take(c, "smsp__inst_executed_pipe_xu.sum");
    /* The pipe has 32 bits, so an operation of PTX on 64 bits takes two machine instructions. */
    work->integer = has(c, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum")
                        ? take(c, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum")
                        : take(c, "lab__ptx_thread_inst_executed_op_integer.sum") +
                              take(c, "lab__ptx_thread_inst_executed_op_integer_64bit.sum");
}

static void read_tensor(const struct lab_counters *c, struct lab_model_work *work)
{
#define PRODUCTS(op)                                                                               \
    {                                                                                              \
        take(c, "lab__ptx_products_op_" op "_f16.sum"),                                            \
            take(c, "lab__ptx_products_op_" op "_tf32.sum"),                                       \
            take(c, "lab__ptx_products_op_" op "_f64.sum"),                                        \
            take(c, "lab__ptx_products_op_" op "_8bit.sum") +                                      \
                take(c, "lab__ptx_products_op_" op "_below_8bit.sum")                              \
    }
    const double mma[LAB_TENSOR_TYPES] = PRODUCTS("mma"), wgmma[] = PRODUCTS("wgmma");
    memcpy(work->mma, mma, sizeof work->mma);
    memcpy(work->wgmma, wgmma, sizeof work->wgmma);
}

static double global_lines(const struct lab_counters *c, bool loads)
{
    const char *counted =
        loads ? "lab__l1_lines_mem_global_op_ld.sum" : "lab__l1_lines_mem_global_op_st.sum";
    if (has(c, counted))
        return take(c, counted);
    return loads ? likely_lines(take(c, "smsp__inst_executed_op_global_ld.sum"),
                                take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))
                 : likely_lines(take(c, "smsp__inst_executed_op_global_st.sum"),
                                take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
}

/* Each line of a global access takes its own wavefront of the data pipe. A wavefront of an
 * asynchronous copy reads L1 and writes shared memory at once. */
static void read_memory(const struct lab_counters *c, struct lab_model_work *work)
{
    double load_sectors = take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    double l2_reads = take(c, "lts__t_sectors_op_read.sum");
    double dram_reads = take(c, "dram__bytes_read.sum");
    const char *const all_loads = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    work->wavefronts =
        (has(c, all_loads)
             ? take(c, all_loads)
             : take(c, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")) +
        take(c, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum") +
        take(c, "lab__wavefronts_mem_shared_op_atom.sum") +
        take(c, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum") +
        global_lines(c, true) + global_lines(c, false);
    work->l2_bytes = SECTOR_BYTES * (l2_reads + take(c, "lts__t_sectors_op_write.sum"));
    work->dram_bytes = dram_reads + take(c, "dram__bytes_write.sum");
    work->has_caches = has(c, "lts__t_sectors_op_read.sum") && has(c, "dram__bytes_read.sum");
    const double bulk_reads = take(c, "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum");
    const double bulk_writes = take(c, "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum");
    work->bulk_share = share(bulk_reads + bulk_writes, work->l2_bytes);
    work->l1_misses =
        work->has_caches ? share(l2_reads - bulk_reads / SECTOR_BYTES, load_sectors) : 1.0;
    work->l2_misses = work->has_caches ? share(dram_reads, SECTOR_BYTES * l2_reads) : 0.0;
    work->l1_waits = work->l1_misses;
    if (work->has_caches && has(c, "l1tex__t_sector_hit_rate.pct")) {
        /* Hits on a line that is still being loaded wait, too. */
        double there = take(c, "l1tex__t_sector_hit_rate.pct") / 100.0 -
                       share(take(c, "lab__l1_sectors_under_way.sum"), load_sectors);
        work->l1_waits = 1.0 - fmax(0.0, there);
    }
}

static void read_atomics(const struct lab_counters *c, struct lab_model_work *work)
{
    work->atomic_turns = take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum") +
                         take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum");
    work->slice_turns = take(c, "lab__l2_atomic_turns_of_busiest_slice.sum");
    work->float_turns = take(c, "lab__l2_atomic_turns_of_floats_at_busiest_sector.sum");
    work->shared_atomic_loops = take(c, "lab__turns_mem_shared_op_atom_in_loop.sum");
}

static double lines_of_wait(double lines, double waits)
{
    return waits > 0.0 ? fmax(1.0, lines / waits) : 1.0;
}

static void read_waits(const struct lab_counters *c, struct lab_model_work *work)
{
    work->has_waits = has(c, "lab__ptx_waits_global_ld.sum");
    work->barriers = take(c, "lab__ptx_inst_executed_op_barrier.sum");
    work->chain = take(c, "lab__ptx_inst_executed_in_longest_chain.sum");
    work->global_waits = take(c, "lab__ptx_waits_global_ld.sum");
    work->shared_waits = take(c, "lab__ptx_waits_shared_ld.sum");
    work->global_ahead = take(c, "lab__ptx_inst_executed_ahead_of_wait_global_ld.sum");
    work->shared_ahead = take(c, "lab__ptx_inst_executed_ahead_of_wait_shared_ld.sum");
    work->copy_waits = take(c, "lab__ptx_waits_ldgsts.sum");
    work->copy_ahead = take(c, "lab__ptx_inst_executed_ahead_of_wait_ldgsts.sum");
    if (!work->has_waits) {
        work->global_waits = take(c, "smsp__inst_executed_op_global_ld.sum") / LOADS_TOGETHER;
        work->copy_waits = take(c, "smsp__inst_executed_op_ldgsts.sum") / LOADS_TOGETHER;
        work->shared_waits = take(c, "smsp__inst_executed_op_shared_ld.sum") / LOADS_TOGETHER;
    }
    work->lines_per_wait = lines_of_wait(global_lines(c, true), work->global_waits);
    work->lines_per_copy_wait =
        lines_of_wait(take(c, "lab__l1_lines_mem_global_op_ldgsts.sum"), work->copy_waits);
}

bool lab_model_read_work(const struct lab_counters *c, struct lab_model_work *work)
{
    static const char *const needed[] = {
        "smsp__inst_executed_op_global_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "smsp__inst_executed_op_shared_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    };
    *work = (struct lab_model_work){0};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!has(c, needed[i]))
            return false;
    if (!lab_counters_get(c, "smsp__inst_executed.sum", &work->instructions))
        work->instructions =
            take(c, "lab__ptx_inst_executed.sum") - take(c, "lab__ptx_inst_executed_merged.sum");
    read_floating(c, work);
    read_tensor(c, work);
    read_memory(c, work);
    read_atomics(c, work);
    read_waits(c, work);
    return work->instructions > 0.0;
}
