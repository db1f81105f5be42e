/* The study of step 05: time and counters of many block shapes, at the paper's 8192 and at 2048.
 * 8192 would take days on the simulator: there the size is 512, on a slice that is as full. */
#include "families/gemm/study/shape_table.h"
#include "run/study.h"

#include <stdio.h>

static const int on_gpu[] = {2048, 8192, 0};
static const int on_sim[] = {512, 0};

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    one.study = true;
    return lab_study_take_sizes(&one, sweep->is_sim ? on_sim : on_gpu, plan, sweep);
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_shapes_print(sweep, stdout);
    if (sweep->is_sim && !lab_options_have_sizes(options))
        printf("\non the simulator the size is %d, in place of %d and %d; -n gives another\n",
               on_sim[0], on_gpu[0], on_gpu[1]);
}

const struct lab_study lab_gemm_shapes_study = {"shapes", take_runs, print, lab_sweep_shapes_plot,
                                                lab_sweep_put_shapes};
