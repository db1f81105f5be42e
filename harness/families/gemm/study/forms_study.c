/* The study of step 12: every form and both types, at sizes that tiles fit and at sizes
 * beside these. An option --trans, --type, --variant or a size replaces what the study
 * has. */
#include "families/gemm/options.h"
#include "families/gemm/study/table.h"
#include "run/study.h"
#include "base/status.h"

#include <stdio.h>

static const int on_gpu[] = {511,  512,  513,  1000, 1023, 1024, 1025, 2047, 2048,
                             2049, 4095, 4096, 4097, 8191, 8192, 8193, 0};
static const int on_sim[] = {127, 128, 129, 256, 0};

/* What is compared in each type: the stages that do all forms, and the study's own kernels. */
static const char *const types[] = {"f32", "f64"};
static const char *const rows[] = {"plus_times,padded,prefetch,tt_turned,any,any_async",
                                   "doubles,doubles_buffered,doubles_async"};
static const char *const forms[] = {"nn", "nt", "tn", "tt"};

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    int status = LAB_EXIT_OK;
    for (int type = 0; type < 2; type++)
        for (int form = 0; form < 4 && status == LAB_EXIT_OK; form++) {
            struct lab_options one = *options;
            if (lab_option_is_other(options, "type", types[type]) ||
                lab_option_is_other(options, "trans", forms[form]))
                continue;
            one.study = true;
            one.variant = options->variant ? options->variant : rows[type];
            lab_give_own_option(&one, &lab_gemm_options, "type", types[type]);
            lab_give_own_option(&one, &lab_gemm_options, "trans", forms[form]);
            status = lab_study_take_sizes(&one, sweep->is_sim ? on_sim : on_gpu, plan, sweep);
        }
    return status;
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    lab_sweep_gemm_print(sweep, stdout);
    if (sweep->is_sim && !lab_options_have_sizes(options))
        puts("\non the simulator the sizes end at 256, in place of 8193; -n gives another");
}

const struct lab_study lab_gemm_forms_study = {"forms", take_runs, print, lab_sweep_gemm_plot,
                                               NULL};
