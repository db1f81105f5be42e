/* The study of the kernel-summation paper: K in {32, 64, 128, 256} by M in {1024, 131072, 524288}
 * at N = 1024. On the simulator the large M would take hours; there are two smaller ones. */
#include "command/sweep.h"

#include "report/json.h"
#include "report/sweep.h"
#include "report/table.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TARGETS = 1024 };

static const int dimensions[] = {32, 64, 128, 256};
static const int sources_on_gpu[] = {1024, 131072, 524288};
static const int sources_on_sim[] = {1024, 4096};

/* A list of sizes: those of the study, or the one that was asked for. */
struct sizes {
    const int *list;
    int count;
};

static struct sizes sizes_of(const int *asked, const int *list, int count)
{
    return *asked ? (struct sizes){asked, 1} : (struct sizes){list, count};
}

static struct sizes sources_of(const struct lab_options *options, bool is_sim)
{
    return is_sim ? sizes_of(&options->m, sources_on_sim, 2)
                  : sizes_of(&options->m, sources_on_gpu, 3);
}

static int take_run(const struct lab_options *options, const struct lab_counting *counting,
                    lab_take_fn *take, struct lab_sweep *sweep)
{
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rK = %d, M = %d \033[K\n", options->k, options->m);
    sweep->runs[sweep->count++] = result;
    int status = take(options, sweep->device, counting, result);
    if (status == LAB_EXIT_OK && lab_result_status(result) != LAB_CHECK_OK) {
        lab_table_print(result, stderr);
        status = LAB_EXIT_FAILED;
    }
    return status;
}

static int take_runs(const struct lab_options *options, const struct lab_counting *counting,
                     lab_take_fn *take, struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    struct sizes ks = sizes_of(&options->k, dimensions, 4);
    struct sizes ms = sources_of(options, sweep->is_sim);
    int status = LAB_EXIT_OK;
    one.command = LAB_COMMAND_RUN;
    one.n = options->n ? options->n : TARGETS;
    one.energy = !sweep->is_sim;
    for (int k = 0; k < ks.count && status == LAB_EXIT_OK; k++)
        for (int m = 0; m < ms.count && status == LAB_EXIT_OK; m++) {
            one.k = ks.list[k];
            one.m = ms.list[m];
            status = take_run(&one, counting, take, sweep);
        }
    return status;
}

static int report(const struct lab_options *options, const struct lab_sweep *sweep)
{
    if (!options->json || strcmp(options->json, "-") != 0) {
        lab_sweep_print(sweep, stdout);
        if (sweep->is_sim && !options->m)
            puts("on the simulator M is 1024 and 4096, in place of 1024, 131072 and 524288; -m "
                 "gives "
                 "another");
        lab_sweep_plot(sweep, stdout);
    }
    return options->json ? lab_json_write_sweep(sweep, options->json) : LAB_EXIT_OK;
}

int lab_sweep(const struct lab_options *options, const struct lab_device *device,
              const struct lab_counting *counting, lab_take_fn *take)
{
    struct lab_sweep sweep = {
        .target = options->targets[0], .is_sim = device->is_sim, .device = device};
    int status = take_runs(options, counting, take, &sweep);
    if (status == LAB_EXIT_OK)
        status = report(options, &sweep);
    for (int i = 0; i < sweep.count; i++) {
        lab_result_release(sweep.runs[i]);
        free(sweep.runs[i]);
    }
    return status;
}
