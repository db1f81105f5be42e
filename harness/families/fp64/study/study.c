/* The studies of steps 09 and 10: every version of the course paper's two kernels, at the paper's
 * sizes. The simulator has smaller sizes, since the paper's would take minutes for each row. */
#include "families/fp64/study/coursework.h"
#include "families/fp64/study/table.h"
#include "options/targets.h"
#include "run/study.h"
#include "series/registry.h"

#include <stdio.h>

static const struct fp64_coursework *coursework_of(const struct lab_options *options)
{
    return fp64_coursework_find(lab_registry_target(options->targets[0])->family);
}

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    const struct fp64_coursework *coursework = coursework_of(options);
    one.study = lab_targets_study(options) != NULL; /* not of an exercise, nor of --source */
    return lab_study_take_sizes(&one, sweep->is_sim ? coursework->on_sim : coursework->on_gpu, plan,
                                sweep);
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    const struct fp64_coursework *coursework = coursework_of(options);
    lab_sweep_print_coursework(sweep, stdout);
    if (!sweep->is_sim && !options->with_copies)
        printf("\nthe report's figures are with the copies: --with-copies takes such times\n");
    if (sweep->is_sim && !lab_options_have_sizes(options))
        printf("\non the simulator the size is %d, in place of %d; -n gives another, and "
               "--arch m2070 the report's GPU\n",
               coursework->on_sim[0], coursework->on_gpu[0]);
}

const struct lab_study lab_fp64_study = {"report", take_runs, print, NULL,
                                         lab_sweep_put_coursework};
