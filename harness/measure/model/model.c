/* The model of times, and the rows whose times it gives. */
#include "measure/model/model.h"

#include "base/numbers.h"
#include "base/simulator.h"
#include "measure/counters/counters.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- the model ---------------------------------------------------------------------------------*/

/* The timing model: a round of a warp through the units of a multiprocessor, and the waits that it
 * meets on its way. Mean-value analysis of that closed network gives the time of one generation of
 * blocks; as many generations follow each other as the grid needs. */

static const double WARP = 32.0, LINE_BYTES = 128.0;

/* What one warp needs of each unit, in cycles of one SM's share of the unit, and how long the warp
 * waits. */
struct demand {
    double cycles[LAB_UNITS]; /* for LATENCY: all waits of a warp that is alone on the SM */
    double instructions;
    double in_order;   /* cycles that a lone warp cannot issue between its instructions */
    double stops;      /* times that the warp stops for global loads */
    double copy_stops; /* times that it stops for asynchronous copies */
    double latency, copy_latency; /* of such a stop, with idle caches */
    double ahead;                 /* instructions between load and stop */
    double copy_ahead;            /* instructions between copy and stop */
    double other;                 /* cycles at barriers and for shared loads */
    double bulk_share;            /* of the bytes of L2 and DRAM: by bulk copies */
};

/* Loads that a warp waits for together arrive with the last of their lines. */
static double global_latency(const struct lab_model_work *work, double lines,
                             const struct sim_gpu_profile *gpu)
{
    double some_l1_miss = 1.0 - pow(1.0 - work->l1_waits, lines);
    double some_l2_miss = 1.0 - pow(1.0 - work->l1_waits * work->l2_misses, lines);
    return gpu->l1_latency + some_l1_miss * (gpu->l2_latency - gpu->l1_latency) +
           some_l2_miss * (gpu->dram_latency - gpu->l2_latency);
}

/* A warp issues in order: an instruction holds it while the pipe takes the 32 lanes, and if the
 * next instruction needs its result, for the latency of arithmetic. */
static double in_order_wait(const struct lab_model_work *work, const struct sim_gpu_profile *gpu)
{
    double fp32 = work->fp32 / WARP, fp64 = work->fp64 / WARP, mufu = work->mufu / WARP;
    double others = fmax(0.0, work->instructions - fp32 - fp64 - mufu);
    double lanes = WARP * gpu->schedulers;
    return work->chain * fmax(0.0, gpu->arithmetic_latency - 1.0) +
           fp32 * fmax(0.0, lanes / gpu->fp32_lanes - 1.0) +
           fp64 * fmax(0.0, lanes / gpu->fp64_lanes - 1.0) +
           mufu * fmax(0.0, lanes / gpu->mufu_lanes - 1.0) +
           others * fmax(0.0, lanes / gpu->integer_lanes - 1.0);
}

static double mean_of(double sum, double count)
{
    return count > 0.0 ? sum / count : 0.0;
}

/* Cycles that a warp waits for what it loads and copies: a stop takes a latency and the time in
 * queues, less what the warp executed since, at its pace. */
static double stopped(const struct demand *d, double queued, double pace)
{
    return d->stops * fmax(0.0, d->latency + queued - d->ahead * pace) +
           d->copy_stops * fmax(0.0, d->copy_latency + queued - d->copy_ahead * pace);
}

static void set_waits(const struct lab_model_work *work, double warps,
                      const struct sim_gpu_profile *gpu, struct demand *d)
{
    double shared_ahead = mean_of(work->shared_ahead, work->shared_waits);
    d->instructions = work->instructions / warps;
    d->in_order = work->has_waits ? in_order_wait(work, gpu) / warps : 0.0;
    d->stops = work->global_waits / warps;
    d->copy_stops = work->copy_waits / warps;
    d->latency = global_latency(work, work->lines_per_wait, gpu);
    d->copy_latency = global_latency(work, work->lines_per_copy_wait, gpu);
    d->ahead = mean_of(work->global_ahead, work->global_waits);
    d->copy_ahead = mean_of(work->copy_ahead, work->copy_waits);
    d->other = work->shared_waits / warps * fmax(0.0, gpu->shared_latency - shared_ahead) +
               work->barriers / warps * gpu->barrier_latency;
    d->cycles[LAB_UNIT_LATENCY] = d->in_order + d->other + stopped(d, 0.0, 1.0);
}

/* Cycles until L2 has done all atomics. Atomics at one place are served one after another. */
static double atomic_cycles(const struct lab_model_work *work, const struct sim_gpu_profile *gpu)
{
    if (work->atomic_turns <= 0.0)
        return 0.0;
    return fmax(
        work->atomic_turns / gpu->atomics_per_cycle,
        fmax(work->slice_turns * gpu->atomic_cycles, work->float_turns * gpu->float_atomic_cycles));
}

/* Cycles of an SM's tensor cores. Only wgmma reaches their full rate. */
static double tensor_cycles(const struct lab_model_work *work, const struct sim_gpu_profile *gpu)
{
    const double rates[LAB_TENSOR_TYPES] = {gpu->tensor_f16, gpu->tensor_tf32, gpu->tensor_f64,
                                            gpu->tensor_8bit};
    double cycles = 0.0;
    for (int i = 0; i < LAB_TENSOR_TYPES; i++) {
        const double share = i == LAB_TENSOR_F64 ? 1.0 : gpu->tensor_mma_share;
        if (rates[i] > 0.0 && share > 0.0)
            cycles += work->mma[i] / (rates[i] * share) + work->wgmma[i] / rates[i];
    }
    return cycles;
}

/* Cycles that one SM needs for the work of one warp, unit by unit. */
static struct demand demand_of_warp(const struct lab_model_work *work, double warps,
                                    const struct sim_gpu_profile *gpu)
{
    double cycles_per_s = gpu->clock_khz * 1e3, sms = gpu->sm_count;
    struct demand d = {.cycles = {0}};
    d.cycles[LAB_UNIT_ISSUE] = work->instructions / warps / gpu->issue_per_cycle;
    d.cycles[LAB_UNIT_FMA] = work->fp32 / warps / gpu->fp32_lanes;
    d.cycles[LAB_UNIT_FP64] = work->fp64 / warps / gpu->fp64_lanes;
    d.cycles[LAB_UNIT_MUFU] = work->mufu / warps / gpu->mufu_lanes;
    d.cycles[LAB_UNIT_INTEGER] = work->integer / warps / gpu->integer_lanes;
    d.cycles[LAB_UNIT_TENSOR] = tensor_cycles(work, gpu) / warps;
    d.cycles[LAB_UNIT_LSU] = work->wavefronts / warps * LINE_BYTES / gpu->shared_bytes_per_cycle +
                             work->shared_atomic_loops / warps * gpu->shared_atomic_cycles;
    d.cycles[LAB_UNIT_ATOMICS] = atomic_cycles(work, gpu) / warps * sms;
    d.bulk_share = work->bulk_share;
    d.cycles[LAB_UNIT_L2] = work->l2_bytes / warps * cycles_per_s * sms / (gpu->l2_gb_per_s * 1e9);
    d.cycles[LAB_UNIT_DRAM] =
        work->dram_bytes / warps * cycles_per_s * sms / (gpu->dram_gb_per_s * 1e9);
    set_waits(work, warps, gpu, &d);
    return d;
}

/* The arithmetic pipes take what the schedulers issue, at the same pace or slower. So only the
 * slowest of these units makes warps queue. */
static double slowest_of_issue(const struct demand *d)
{
    double slowest = 0.0;
    for (int i = LAB_UNIT_ISSUE; i <= LAB_UNIT_TENSOR; i++)
        slowest = fmax(slowest, d->cycles[i]);
    return slowest;
}

enum station { ARITHMETIC, DATA_PIPE, L2, DRAM, STATIONS };

/* The mean of the longer of two times, both exponential: loads go on while the warp computes. */
static double beside_each_other(double a, double b)
{
    return a + b > 0.0 ? a + b - a * b / (a + b) : 0.0;
}

/* Cycles of a warp's round, queues and waits included. The wait for loads from L2 and DRAM is
 * shorter by the time that the warp takes, at its pace, from load to use. Bulk copies run stages
 * ahead: they bound what the units can do, and no warp waits for one of them. */
static double round_trip(const struct demand *d, const double stay[STATIONS])
{
    double own = beside_each_other(stay[ARITHMETIC], stay[DATA_PIPE]) + d->in_order;
    double pace = d->instructions > 0.0 ? fmax(1.0, own / d->instructions) : 1.0;
    double memory = (stay[L2] + stay[DRAM]) * (1.0 - d->bulk_share),
           stops = d->stops + d->copy_stops;
    if (stops <= 0.0)
        return own + d->other + memory;
    return own + d->other + stopped(d, memory / stops, pace);
}

/* Cycles until `warps` resident warps of one SM have done their work. Each scheduler has its own
 * warps, so the network has only one scheduler's warps, and units that schedulers share are slower
 * by the number of schedulers. The result is no shorter than any unit needs. */
static double generation(const struct demand *d, double warps, const struct sim_gpu_profile *gpu)
{
    double sharing = fmin(gpu->schedulers, warps), round = 0.0, fullest = 0.0;
    int customers = (int)fmax(1.0, floor(warps / gpu->schedulers + 0.5));
    double service[STATIONS] = {slowest_of_issue(d) * gpu->schedulers,
                                d->cycles[LAB_UNIT_LSU] * sharing, d->cycles[LAB_UNIT_L2] * sharing,
                                d->cycles[LAB_UNIT_DRAM] * sharing};
    double queue[STATIONS] = {0};
    for (int n = 1; n <= customers; n++) {
        double stay[STATIONS];
        for (int i = 0; i < STATIONS; i++)
            stay[i] = service[i] * (1.0 + queue[i]);
        round = round_trip(d, stay);
        for (int i = 0; i < STATIONS; i++)
            queue[i] = n / round * stay[i];
    }
    for (int i = 0; i < STATIONS; i++)
        fullest = fmax(fullest, customers * service[i]);
    return fmax(round, fullest);
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
    struct lab_model_work work;
    double warps = kernel->blocks * kernel->warps_per_block;
    if (kernel->blocks_per_sm < 1.0 || warps < 1.0 || !lab_model_read_work(counters, &work))
        return false;
    struct demand demand = demand_of_warp(&work, warps, gpu);
    double at_once = kernel->blocks_per_sm * gpu->sm_count;
    double full = floor(kernel->blocks / at_once), rest = kernel->blocks - full * at_once;
    double last = ceil(rest / gpu->sm_count); /* blocks on the fullest SM */
    double cycles =
        full * generation(&demand, kernel->blocks_per_sm * kernel->warps_per_block, gpu);
    if (last > 0.0)
        cycles += generation(&demand, last * kernel->warps_per_block, gpu);
    /* No warp waits for an atomic without a result, but the launch ends when the last one is
     * done. */
    cycles = fmax(cycles, atomic_cycles(&work, gpu));
    *model = (struct lab_model){.without_caches = !work.has_caches};
    model->milliseconds = cycles / gpu->clock_khz + kernel->launches * gpu->launch_us * 1e-3;
    double resident = fmin(kernel->blocks_per_sm, ceil(kernel->blocks / gpu->sm_count));
    set_bounds(&demand, warps, resident * kernel->warps_per_block, gpu, model);
    return true;
}

const char *lab_model_unit_name(enum lab_model_unit unit)
{
    static const char *const names[LAB_UNITS] = {
        [LAB_UNIT_ISSUE] = "issue",
        [LAB_UNIT_FMA] = "FMA",
        [LAB_UNIT_FP64] = "FP64",
        [LAB_UNIT_MUFU] = "MUFU",
        [LAB_UNIT_LSU] = "LSU",
        [LAB_UNIT_L2] = "L2",
        [LAB_UNIT_INTEGER] = "integer",
        [LAB_UNIT_DRAM] = "DRAM",
        [LAB_UNIT_LATENCY] = "latency",
        [LAB_UNIT_ATOMICS] = "atomics",
        [LAB_UNIT_TENSOR] = "tensor cores",
    };
    return names[unit];
}

/* --- rows --------------------------------------------------------------------------------------*/

/* Gives modelled times to rows that the simulator counted. */

struct lab_model_kernel lab_modelled_kernel(const struct lab_kernel_facts *facts,
                                            const struct sim_gpu_profile *gpu)
{
    double threads = (double)facts->block[0] * facts->block[1] * facts->block[2];
    double warps = ceil(threads / 32.0);
    double resident_warps = facts->occupancy * gpu->threads_per_sm / 32.0;
    return (struct lab_model_kernel){
        .blocks = (double)facts->grid[0] * facts->grid[1] * facts->grid[2],
        .warps_per_block = warps,
        .blocks_per_sm = warps > 0.0 ? round(resident_warps / warps) : 0.0,
        .launches = facts->launches > 0 ? facts->launches : 1,
    };
}

static bool model_launches(const struct lab_counters *counters,
                           const struct lab_kernel_facts *facts, const struct sim_gpu_profile *gpu,
                           struct lab_model *model)
{
    struct lab_model_kernel kernel = lab_modelled_kernel(facts, gpu);
    return facts->known && lab_model_run(counters, &kernel, gpu, model);
}

/* When the last launch ends. Each launch begins after all that its stream and events make it wait
 * for. It then takes whole multiprocessors as they become free, as many as it has blocks. */
static double end_of_all(const struct lab_per_launch *launches, const struct sim_gpu_profile *gpu,
                         const double launch_ms[])
{
    const double launch = gpu->launch_us * 1e-3;
    double free_at[gpu->sm_count], end[launches->count], latest = 0.0;
    memset(free_at, 0, sizeof free_at);
    for (int i = 0; i < launches->count; i++) {
        const unsigned *const grid = launches->list[i].kernel.grid;
        const double blocks = (double)grid[0] * grid[1] * grid[2];
        double ready = 0.0;
        for (int j = 0; j < i; j++)
            if (lab_launch_follows(&launches->list[i], &launches->list[j]))
                ready = fmax(ready, end[j]);
        lab_sort(free_at, gpu->sm_count);
        for (int sm = 0; sm < gpu->sm_count && sm < blocks; sm++)
            end[i] = free_at[sm] = fmax(free_at[sm], ready + launch) + launch_ms[i] - launch;
        latest = fmax(latest, end[i]);
    }
    return latest;
}

/* Models each launch of a row, and all together; the limiter is that of the longest launch. */
static bool model_each_launch(const struct lab_per_launch *launches,
                              const struct sim_gpu_profile *gpu, struct lab_model *all,
                              double launch_ms[])
{
    double longest = 0.0;
    *all = (struct lab_model){0};
    for (int i = 0; i < launches->count; i++) {
        struct lab_model one;
        if (!model_launches(&launches->list[i].counters, &launches->list[i].kernel, gpu, &one))
            return false;
        launch_ms[i] = one.milliseconds;
        all->without_caches |= one.without_caches;
        if (one.milliseconds > longest) {
            longest = one.milliseconds;
            all->limiter = one.limiter;
        }
    }
    all->milliseconds = end_of_all(launches, gpu, launch_ms);
    return true;
}

/* The bytes of a kernel's thread in local memory, but for what the PTX declares and never loads:
 * printf takes its values from such a buffer, and costs what its instructions cost. */
static size_t local_bytes_of(const struct lab_kernel_facts *facts, bool loads)
{
    return loads || facts->local_bytes > facts->declared_local ? facts->local_bytes : 0;
}

/* The bytes of a thread in local memory. Registers that ptxas spilled show only in machine code, so
 * no counter of the PTX has their traffic. */
static size_t local_bytes(const struct lab_row *row)
{
    double loads;
    const bool any =
        !lab_counters_get(&row->counters, "smsp__inst_executed_op_local_ld.sum", &loads) ||
        loads > 0.0;
    size_t most = local_bytes_of(&row->kernel, any);
    for (int i = 0; i < row->per_launch.count; i++) {
        const size_t bytes = local_bytes_of(&row->per_launch.list[i].kernel, any);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Models a row launch by launch; as one if there is one launch, or if not all launches are kept. */
static void model_row(const struct sim_gpu_profile *gpu, struct lab_row *row)
{
    struct lab_model model;
    bool by_launch = row->per_launch.count > 1 && row->per_launch.count == row->kernel.launches;
    if (row->check.status != LAB_CHECK_OK || !row->counters.count)
        return;
    if (by_launch ? !model_each_launch(&row->per_launch, gpu, &model, row->launch_ms)
                  : !model_launches(&row->counters, &row->kernel, gpu, &model))
        return;
    row->time =
        (struct lab_times){.local_bytes = local_bytes(row), .modelled_ms = model.milliseconds};
    if (row->time.local_bytes > 0)
        return;
    row->time = (struct lab_times){.median = model.milliseconds,
                                   .min = model.milliseconds,
                                   .max = model.milliseconds,
                                   .modelled_ms = model.milliseconds,
                                   .modelled = true,
                                   .without_caches = model.without_caches,
                                   .limiter = lab_model_unit_name(model.limiter)};
}

void lab_modelled_rows(struct lab_result *result)
{
    for (int i = 0; result->is_sim && i < result->row_count; i++)
        model_row(lab_simulator()->gpu(), &result->rows[i]);
}
