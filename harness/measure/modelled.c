/* From rows that the simulator counted to rows with a modelled time. */
#include "measure/modelled.h"

#include "measure/parts.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>

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

/* Each of a row's launches; their sum, with what limits the longest of them. */
static bool model_parts(const struct lab_parts *parts, const struct sim_gpu_profile *gpu,
                        struct lab_model *sum, double launch_ms[])
{
    double longest = 0.0;
    *sum = (struct lab_model){0};
    for (int i = 0; i < parts->count; i++) {
        struct lab_model one;
        if (!model_launches(&parts->list[i].counters, &parts->list[i].kernel, gpu, &one))
            return false;
        sum->milliseconds += launch_ms[i] = one.milliseconds;
        sum->without_caches |= one.without_caches;
        if (one.milliseconds > longest) {
            longest = one.milliseconds;
            sum->limiter = one.limiter;
        }
    }
    return true;
}

/* What a thread has in local memory: registers that ptxas spilled show in machine code alone, so
 * that no counter of the PTX knows of their traffic. */
static size_t local_bytes(const struct lab_row *row)
{
    size_t most = row->kernel.local_bytes;
    for (int i = 0; i < row->parts.count; i++)
        if (row->parts.list[i].kernel.local_bytes > most)
            most = row->parts.list[i].kernel.local_bytes;
    return most;
}

/* As one, where there is one launch, or where more were made than are kept. */
static void model_row(const struct sim_gpu_profile *gpu, struct lab_row *row)
{
    struct lab_model model;
    bool by_parts = row->parts.count > 1 && row->parts.count == row->kernel.launches;
    if (row->check.status != LAB_CHECK_OK || !row->counters.count)
        return;
    if (by_parts ? !model_parts(&row->parts, gpu, &model, row->launch_ms)
                 : !model_launches(&row->counters, &row->kernel, gpu, &model))
        return;
    row->time = (struct lab_times){.local_bytes = local_bytes(row)};
    if (row->time.local_bytes > 0)
        return;
    row->time = (struct lab_times){.median = model.milliseconds,
                                   .min = model.milliseconds,
                                   .max = model.milliseconds,
                                   .modelled = true,
                                   .without_caches = model.without_caches,
                                   .limiter = lab_model_unit_name(model.limiter)};
}

void lab_modelled_rows(struct lab_result *result)
{
    __typeof__(lab_sim_gpu) *gpu = dlsym(RTLD_DEFAULT, "lab_sim_gpu");
    for (int i = 0; gpu && result->is_sim && i < result->row_count; i++)
        model_row(gpu(), &result->rows[i]);
}
