/* The study of the kernel-summation paper: K in {32, 64, 128, 256} by M from 1024 to 524288 at N =
 * 1024; the products alone, and the kernels of the study's own. The simulator has two smaller M,
 * since the large ones would take hours. */
#include "run/study.h"
#include "families/kernel_summation/study/table.h"
#include "options/family.h"
#include "base/status.h"

#include <stdio.h>
#include <unistd.h>

extern const struct lab_family_options lab_kernel_summation_options;

enum { TARGETS = 1024, LAYOUT_SOURCES = 131072 };

static const int dimensions[] = {32, 64, 128, 256, 0};
static const int sources_on_gpu[] = {1024, 8192, 32768, 131072, 524288, 0};
static const int sources_on_sim[] = {1024, 4096, 0};

/* Takes one run of each size, with the rows that the options name, or the study's own kernels. */
static int take_sizes(struct lab_options *one, const int *ks, const int *ms,
                      const struct lab_run_plan *plan, struct lab_sweep *sweep)
{
    int status = LAB_EXIT_OK;
    for (int i = 0; ks[i] && status == LAB_EXIT_OK; i++)
        for (int j = 0; ms[j] && status == LAB_EXIT_OK; j++) {
            one->problem.sizes['k' - 'a'] = ks[i];
            one->problem.sizes['m' - 'a'] = ms[j];
            if (isatty(STDERR_FILENO))
                fprintf(stderr, "\rK = %d, M = %d, %s \033[K\n", ks[i], ms[j],
                        one->study ? "the study's kernels" : one->targets[0]);
            status = lab_study_take(one, plan, sweep);
        }
    return status;
}

/* Takes the products alone, of the library and of step 07 (as in cuda_unfused): figure 7. */
static int take_products(const struct lab_options *options, const int *ks, const int *ms,
                         const struct lab_run_plan *plan, struct lab_sweep *sweep)
{
    struct lab_options product = *options;
    product.targets[0] = lab_kernel_summation_options.study_target;
    product.variant = NULL;
    product.deterministic = product.energy = false;
    struct lab_run_plan without_ncu = *plan;
    if (!sweep->is_sim)
        without_ncu.profile = LAB_PROFILE_NONE;
    return take_sizes(&product, ks, ms, &without_ncu, sweep);
}

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    int *const sizes = one.problem.sizes;
    /* given sizes replace the study's */
    const int given_k[] = {sizes['k' - 'a'], 0}, given_m[] = {sizes['m' - 'a'], 0};
    const int layout_m[] = {sweep->is_sim ? sources_on_sim[0] : LAYOUT_SOURCES, 0};
    const int *ks = *given_k ? given_k : dimensions;
    const int *ms = *given_m ? given_m : sweep->is_sim ? sources_on_sim : sources_on_gpu;
    const bool all = !options->variant && options->source_count == 0;
    char rows[256];
    lab_sweep_rows(rows, sizeof rows);
    if (all)
        one.variant = rows;
    one.energy = !sweep->is_sim;
    sizes['n' - 'a'] = sizes['n' - 'a'] ? sizes['n' - 'a'] : TARGETS;
    int status = take_sizes(&one, ks, ms, plan, sweep);
    if (status != LAB_EXIT_OK || !all)
        return status;
    status = take_products(&one, ks, ms, plan, sweep);
    if (status != LAB_EXIT_OK)
        return status;
    one.study = true;
    one.variant = NULL;
    one.energy = false;
    return take_sizes(&one, ks, *given_m ? given_m : layout_m, plan, sweep);
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_print(sweep, stdout);
    if (sweep->is_sim && !options->problem.sizes['m' - 'a'])
        puts("on the simulator M is 1024 and 4096, in place of 1024 to 524288; -m gives another");
}

const struct lab_study lab_kernel_summation_study = {"microtiles", take_runs, print, lab_sweep_plot,
                                                     lab_sweep_put_paper};
