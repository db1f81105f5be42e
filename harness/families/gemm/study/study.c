/* The study of the matrix product: cubes from 64 to 8192, at sizes that tiles fit and sizes beside
 * these. It stops earlier on the simulator, where large sizes would take hours. */
#include "families/gemm/options.h"
#include "families/gemm/study/table.h"
#include "run/study.h"
#include "options/family.h"

#include <stdio.h>

static const int on_gpu[] = {256,  511,  512,  513,  1000, 1023, 1024, 1025, 2047,
                             2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 0};
static const int on_sim[] = {64, 128, 256, 257, 384, 512, 513, 768, 0};

/* Sizes from 256 to 6000, on the simulator from 16 to 375: the same
 * for the same seed. A linear congruential generator (Knuth's MMIX). */
static int take_lot(struct lab_options *one, int lot, const struct lab_run_plan *plan,
                    struct lab_sweep *sweep)
{
    unsigned long long state = one->problem.seed;
    int status = LAB_EXIT_OK;
    for (int i = 0; i < lot && status == LAB_EXIT_OK; i++) {
        for (const char *letter = "mnk"; *letter; letter++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const int drawn = 256 + (int)((state >> 33) % 5745);
            one->problem.sizes[*letter - 'a'] = sweep->is_sim ? drawn / 16 : drawn;
        }
        status = lab_study_take(one, plan, sweep);
    }
    return status;
}

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    const struct gemm_options *gemm = lab_own_options(options, &lab_gemm_options);
    if (gemm->lot)
        return take_lot(&one, gemm->lot, plan, sweep);
    return lab_study_take_sizes(&one, sweep->is_sim ? on_sim : on_gpu, plan, sweep);
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
    const struct gemm_options *gemm = lab_own_options(options, &lab_gemm_options);
    if (!sweep->is_sim || lab_options_have_sizes(options) || gemm->lot)
        return;
    printf("\non the simulator the sizes end at %d, in place of %d; -n gives another\n",
           last_of(on_sim), last_of(on_gpu));
    if (!options->sms && sweep->device->properties.multiProcessorCount > LAB_SLICE_SMS)
        printf("small sizes fill a part of all %d SMs: --sms %d takes a slice that they fill\n",
               sweep->device->properties.multiProcessorCount, LAB_SLICE_SMS);
}

const struct lab_study lab_gemm_study = {NULL, take_runs, print, lab_sweep_gemm_plot, NULL};
