/* Gives modelled times to rows that the simulator counted. */
#include "measure/model/modelled.h"

#include "base/numbers.h"
#include "base/simulator.h"
#include "measure/counters/per_launch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
