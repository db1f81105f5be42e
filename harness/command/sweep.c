/* The study of the kernel-summation paper: K in {32, 64, 128, 256} by M in {1024, 131072, 524288}
 * at N = 1024. On the simulator the large M would take hours; there are two smaller ones. */
#include "command/sweep.h"

#include "report/sweep.h"
#include "status.h"

#include <stdio.h>
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
            if (isatty(STDERR_FILENO))
                fprintf(stderr, "\rK = %d, M = %d \033[K\n", one.k, one.m);
            status = lab_study_take(&one, counting, take, sweep);
        }
    return status;
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_print(sweep, stdout);
    if (sweep->is_sim && !options->m)
        puts("on the simulator M is 1024 and 4096, in place of 1024, 131072 and 524288; -m gives "
             "another");
}

int lab_sweep(const struct lab_options *options, const struct lab_device *device,
              const struct lab_counting *counting, lab_take_fn *take)
{
    static const struct lab_study study = {take_runs, print, lab_sweep_plot};
    return lab_study_run(&study, options, device, counting, take);
}
