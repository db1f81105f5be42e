/* The study of step 05: time and counters of many block shapes, at the paper's 8192 and at 2048. On
 * the simulator 8192 would take days; there it is 512, on a slice that is as full. */
#include "families/gemm/study/shape_table.h"
#include "run/study.h"
#include "base/status.h"

#include <stdio.h>
#include <unistd.h>

static const int on_gpu[] = {2048, 8192, 0};
static const int on_sim[] = {512, 0};

/* Sizes that are given stand in place of the study's. */
static bool has_sizes(const struct lab_options *options)
{
    const int *sizes = options->problem.sizes;
    return sizes['m' - 'a'] || sizes['n' - 'a'] || sizes['k' - 'a'];
}

static int take_runs(const struct lab_options *options, const struct lab_counting *counting,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    const int *sizes = sweep->is_sim ? on_sim : on_gpu;
    int status = LAB_EXIT_OK;
    one.command = LAB_COMMAND_RUN;
    one.study = true;
    if (has_sizes(options))
        return lab_study_take(&one, counting, sweep);
    for (int i = 0; sizes[i] && status == LAB_EXIT_OK; i++) {
        one.problem.sizes['n' - 'a'] = sizes[i];
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rm = n = k = %d \033[K\n", sizes[i]);
        status = lab_study_take(&one, counting, sweep);
    }
    return status;
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_shapes_print(sweep, stdout);
    if (sweep->is_sim && !has_sizes(options))
        printf("\non the simulator the size is %d, in place of %d and %d; -n gives another\n",
               on_sim[0], on_gpu[0], on_gpu[1]);
}

const struct lab_study lab_gemm_shapes_study = {take_runs, print, lab_sweep_shapes_plot,
                                                lab_sweep_put_shapes};
