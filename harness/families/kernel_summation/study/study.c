/* The study of the kernel-summation paper: K in {32, 64, 128, 256} by M in {1024, 131072, 524288}
 * at N = 1024. On the simulator the large M would take hours; there are two smaller ones. */
#include "run/study.h"
#include "families/kernel_summation/study/table.h"
#include "options/family.h"
#include "base/status.h"

#include <stdio.h>
#include <unistd.h>

enum { TARGETS = 1024 };

static const int dimensions[] = {32, 64, 128, 256};
static const int sources_on_gpu[] = {1024, 131072, 524288};
static const int sources_on_sim[] = {1024, 4096};

static int take_runs(const struct lab_options *options, const struct lab_counting *counting,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    int *m = &one.problem.sizes['m' - 'a'], *n = &one.problem.sizes['n' - 'a'],
        *k = &one.problem.sizes['k' - 'a'];
    /* sizes that are given stand in place of the study's */
    const int given_m = *m, given_k = *k, ks = given_k ? 1 : 4;
    const int ms = given_m ? 1 : sweep->is_sim ? 2 : 3;
    int status = LAB_EXIT_OK;
    one.command = LAB_COMMAND_RUN;
    char rows[256];
    lab_sweep_rows(rows, sizeof rows);
    if (!one.variant && one.source_count == 0)
        one.variant = rows;
    one.energy = !sweep->is_sim;
    *n = *n ? *n : TARGETS;
    for (int i = 0; i < ks && status == LAB_EXIT_OK; i++)
        for (int j = 0; j < ms && status == LAB_EXIT_OK; j++) {
            *k = given_k ? given_k : dimensions[i];
            *m = given_m ? given_m : sweep->is_sim ? sources_on_sim[j] : sources_on_gpu[j];
            if (isatty(STDERR_FILENO))
                fprintf(stderr, "\rK = %d, M = %d \033[K\n", *k, *m);
            status = lab_study_take(&one, counting, sweep);
        }
    return status;
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_print(sweep, stdout);
    if (sweep->is_sim && !options->problem.sizes['m' - 'a'])
        puts("on the simulator M is 1024 and 4096, in place of 1024, 131072 and 524288; -m gives "
             "another");
}

const struct lab_study lab_kernel_summation_study = {take_runs, print, lab_sweep_plot,
                                                     lab_sweep_put_paper};
