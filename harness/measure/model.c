/* The timing model: warps go round between units that serve one after the other, and waits that
 * pass side by side. Mean-value analysis of that closed network gives the time of one generation of
 * blocks; as many generations follow each other as the grid needs. */
#include "measure/model.h"

#include <math.h>
#include <string.h>

/* Loads of a warp that wait together. nvcc unrolls an inner loop of unknown length by four: a fact
 * of the compiler, not of a kernel. */
static const double LOADS_TOGETHER = 4.0;

static const double WARP = 32.0, SECTOR_BYTES = 32.0, LINE_BYTES = 128.0;

/* The longest coalesced access of a warp is 16 bytes a lane: more sectors lie in lines apart. */
static const double MOST_COALESCED_SECTORS = 16.0;

/* Work of a whole row, in the counters' units. */
struct work {
    double instructions, fp32, fp64, mufu, integer; /* warp instructions; the others thread ones */
    double global_loads, shared_loads;              /* requests */
    double wavefronts;
    double l2_bytes, dram_bytes;
    double l1_misses, l2_misses; /* share of the sectors asked for */
    bool has_caches;             /* else no L2 and DRAM traffic is known: all loads wait for L2 */
};

/* What one warp asks of each unit, in cycles of that unit's share of one SM, and what it waits. */
struct demand {
    double cycles[LAB_UNITS];
};

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

/* Wavefronts of global accesses in the data pipe: one per line of 128 bytes that is full, one per
 * sector where lanes are too far apart for that. */
static double global_wavefronts(double requests, double sectors)
{
    if (requests > 0.0 && sectors / requests > MOST_COALESCED_SECTORS)
        return sectors;
    return fmax(requests, sectors * SECTOR_BYTES / LINE_BYTES);
}

static void read_floating(const struct lab_counters *c, struct work *work)
{
    work->fp32 = take(c, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum");
    work->fp64 = take(c, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum") +
                 take(c, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum");
    work->mufu = WARP * take(c, "smsp__inst_executed_pipe_xu.sum");
    work->integer = take(c, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum");
}

static void read_memory(const struct lab_counters *c, struct work *work)
{
    double loads = take(c, "smsp__inst_executed_op_global_ld.sum");
    double stores = take(c, "smsp__inst_executed_op_global_st.sum");
    double load_sectors = take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    double store_sectors = take(c, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
    double l2_reads = take(c, "lts__t_sectors_op_read.sum");
    double dram_reads = take(c, "dram__bytes_read.sum");
    work->global_loads = loads;
    work->shared_loads = take(c, "smsp__inst_executed_op_shared_ld.sum");
    work->wavefronts = take(c, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") +
                       take(c, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum") +
                       global_wavefronts(loads, load_sectors) +
                       global_wavefronts(stores, store_sectors);
    work->l2_bytes = SECTOR_BYTES * (l2_reads + take(c, "lts__t_sectors_op_write.sum"));
    work->dram_bytes = dram_reads + take(c, "dram__bytes_write.sum");
    work->has_caches = has(c, "lts__t_sectors_op_read.sum") && has(c, "dram__bytes_read.sum");
    work->l1_misses = work->has_caches ? share(l2_reads, load_sectors) : 1.0;
    work->l2_misses = work->has_caches ? share(dram_reads, SECTOR_BYTES * l2_reads) : 0.0;
}

/* Without these no figure says anything. */
static bool read_work(const struct lab_counters *c, struct work *work)
{
    static const char *const needed[] = {
        "smsp__inst_executed_op_global_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "smsp__inst_executed_op_shared_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    };
    double value;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!lab_counters_get(c, needed[i], &value))
            return false;
    if (!lab_counters_get(c, "smsp__inst_executed.sum", &work->instructions))
        work->instructions = take(c, "lab__ptx_inst_executed.sum");
    read_floating(c, work);
    read_memory(c, work);
    return work->instructions > 0.0;
}

/* Loads that wait together wait for the slowest of them. */
static double global_wait(const struct work *work, const struct sim_gpu_profile *gpu)
{
    double some_l1_miss = 1.0 - pow(1.0 - work->l1_misses, LOADS_TOGETHER);
    double some_l2_miss = 1.0 - pow(1.0 - work->l1_misses * work->l2_misses, LOADS_TOGETHER);
    return gpu->l1_latency + some_l1_miss * (gpu->l2_latency - gpu->l1_latency) +
           some_l2_miss * (gpu->dram_latency - gpu->l2_latency);
}

/* Cycles that one SM needs for the work of one warp, unit by unit; LATENCY: what a warp waits. */
static struct demand demand_of_warp(const struct work *work, double warps,
                                    const struct sim_gpu_profile *gpu)
{
    double cycles_per_s = gpu->clock_khz * 1e3, sms = gpu->sm_count;
    struct demand d = {{0}};
    d.cycles[LAB_UNIT_ISSUE] = work->instructions / warps / gpu->issue_per_cycle;
    d.cycles[LAB_UNIT_FMA] = work->fp32 / warps / gpu->fp32_lanes;
    d.cycles[LAB_UNIT_FP64] = work->fp64 / warps / gpu->fp64_lanes;
    d.cycles[LAB_UNIT_MUFU] = work->mufu / warps / gpu->mufu_lanes;
    d.cycles[LAB_UNIT_INTEGER] = work->integer / warps / gpu->integer_lanes;
    d.cycles[LAB_UNIT_LSU] = work->wavefronts / warps * LINE_BYTES / gpu->shared_bytes_per_cycle;
    d.cycles[LAB_UNIT_L2] = work->l2_bytes / warps * cycles_per_s * sms / (gpu->l2_gb_per_s * 1e9);
    d.cycles[LAB_UNIT_DRAM] =
        work->dram_bytes / warps * cycles_per_s * sms / (gpu->dram_gb_per_s * 1e9);
    d.cycles[LAB_UNIT_LATENCY] = work->global_loads / warps * global_wait(work, gpu) +
                                 work->shared_loads / warps * gpu->shared_latency;
    d.cycles[LAB_UNIT_LATENCY] /= LOADS_TOGETHER;
    return d;
}

/* The pipes of arithmetic take what the schedulers issue, at the same pace or slower: of issue and
 * these only the slowest makes warps queue. */
static double slowest_of_issue(const struct demand *d)
{
    double slowest = 0.0;
    for (int i = LAB_UNIT_ISSUE; i <= LAB_UNIT_INTEGER; i++)
        slowest = fmax(slowest, d->cycles[i]);
    return slowest;
}

/* Cycles until `warps` resident warps of one SM have done their work. Each scheduler has its own
 * warps, so the network has a scheduler's share of them; the units that all share are as much
 * slower for each. */
static double generation(const struct demand *d, double warps, const struct sim_gpu_profile *gpu)
{
    enum { UNITS = 4 };
    double sharing = fmin(gpu->schedulers, warps), throughput = 0.0;
    int customers = (int)fmax(1.0, round(warps / gpu->schedulers));
    double service[UNITS] = {slowest_of_issue(d) * gpu->schedulers,
                             d->cycles[LAB_UNIT_LSU] * sharing, d->cycles[LAB_UNIT_L2] * sharing,
                             d->cycles[LAB_UNIT_DRAM] * sharing};
    double queue[UNITS] = {0};
    for (int n = 1; n <= customers; n++) {
        double stay[UNITS], round_trip = d->cycles[LAB_UNIT_LATENCY];
        for (int i = 0; i < UNITS; i++)
            round_trip += stay[i] = service[i] * (1.0 + queue[i]);
        throughput = n / round_trip;
        for (int i = 0; i < UNITS; i++)
            queue[i] = throughput * stay[i];
    }
    return customers / throughput;
}

static void set_bounds(const struct demand *d, double warps, double resident,
                       const struct sim_gpu_profile *gpu, struct lab_model *model)
{
    double to_ms = 1.0 / gpu->clock_khz;
    model->limiter = LAB_UNIT_ISSUE;
    for (int i = 0; i < LAB_UNITS; i++) {
        double together = i == LAB_UNIT_LATENCY ? resident : 1.0;
        model->bound_ms[i] = d->cycles[i] * warps / gpu->sm_count / together * to_ms;
        if (model->bound_ms[i] > model->bound_ms[model->limiter])
            model->limiter = (enum lab_model_unit)i;
    }
}

bool lab_model_run(const struct lab_counters *counters, const struct lab_model_kernel *kernel,
                   const struct sim_gpu_profile *gpu, struct lab_model *model)
{
    struct work work = {0};
    double warps = kernel->blocks * kernel->warps_per_block;
    if (kernel->blocks_per_sm < 1.0 || warps < 1.0 || !read_work(counters, &work))
        return false;
    struct demand demand = demand_of_warp(&work, warps, gpu);
    double at_once = kernel->blocks_per_sm * gpu->sm_count;
    double full = floor(kernel->blocks / at_once), rest = kernel->blocks - full * at_once;
    double last = ceil(rest / gpu->sm_count); /* blocks on the fullest SM */
    double cycles =
        full * generation(&demand, kernel->blocks_per_sm * kernel->warps_per_block, gpu);
    if (last > 0.0)
        cycles += generation(&demand, last * kernel->warps_per_block, gpu);
    *model =
        (struct lab_model){.waves = kernel->blocks / at_once, .without_caches = !work.has_caches};
    model->milliseconds = cycles / gpu->clock_khz + kernel->launches * gpu->launch_us * 1e-3;
    double resident = fmin(kernel->blocks_per_sm, ceil(kernel->blocks / gpu->sm_count));
    set_bounds(&demand, warps, resident * kernel->warps_per_block, gpu, model);
    return true;
}

const char *lab_model_unit_name(enum lab_model_unit unit)
{
    static const char *const names[LAB_UNITS] = {
        [LAB_UNIT_ISSUE] = "issue",     [LAB_UNIT_FMA] = "FMA",   [LAB_UNIT_FP64] = "FP64",
        [LAB_UNIT_MUFU] = "MUFU",       [LAB_UNIT_LSU] = "LSU",   [LAB_UNIT_L2] = "L2",
        [LAB_UNIT_INTEGER] = "integer", [LAB_UNIT_DRAM] = "DRAM", [LAB_UNIT_LATENCY] = "latency",
    };
    return names[unit];
}
