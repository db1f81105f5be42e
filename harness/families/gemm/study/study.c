/* The study of the matrix product: cubes from 64 to 8192, the sizes that tiles fit and those beside
 * them. On the simulator the large ones would take hours; it stops earlier. */
#include "families/gemm/study/table.h"
#include "run/study.h"
#include "options/family.h"
#include "base/status.h"

#include <stdio.h>
#include <unistd.h>

static const int on_gpu[] = {256,  511,  512,  513,  1000, 1023, 1024, 1025, 2047,
                             2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 0};
static const int on_sim[] = {64, 128, 256, 257, 384, 512, 513, 768, 0};

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

static int last_of(const int *sizes)
{
    int i = 0;
    while (sizes[i + 1])
        i++;
    return sizes[i];
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_gemm_print(sweep, stdout);
    if (!sweep->is_sim || has_sizes(options))
        return;
    printf("\non the simulator the sizes end at %d, in place of %d; -n gives another\n",
           last_of(on_sim), last_of(on_gpu));
    if (!options->sms)
        printf("small sizes fill a part of all %d SMs: --sms %d takes a slice that they fill\n",
               sweep->device->properties.multiProcessorCount, LAB_SLICE_SMS);
}

const struct lab_study lab_gemm_study = {take_runs, print, lab_sweep_gemm_plot, NULL};
