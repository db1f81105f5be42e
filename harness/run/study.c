/* The frame of a study: take its runs, print, plot, write JSON, free. */
#include "run/study.h"

#include "report/json.h"
#include "report/page.h"
#include "report/table.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lab_study_take(const struct lab_options *options, const struct lab_run_plan *plan,
                   struct lab_sweep *sweep)
{
    struct lab_result *run = calloc(1, sizeof *run);
    struct lab_options one = *options;
    if (!run)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    one.command = LAB_COMMAND_RUN;
    sweep->runs[sweep->count++] = run;
    int status = lab_run_rows(&one, sweep->device, plan, run);
    if (status == LAB_EXIT_OK && lab_result_status(run) != LAB_CHECK_OK) {
        lab_table_print(run, stderr);
        status = LAB_EXIT_FAILED;
    }
    return status;
}

int lab_study_take_sizes(struct lab_options *options, const int *sizes,
                         const struct lab_run_plan *plan, struct lab_sweep *sweep)
{
    int status = LAB_EXIT_OK;
    if (lab_options_have_sizes(options))
        return lab_study_take(options, plan, sweep);
    for (int i = 0; sizes[i] && status == LAB_EXIT_OK; i++) {
        options->problem.sizes['n' - 'a'] = sizes[i];
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rn = %d \033[K\n", sizes[i]);
        status = lab_study_take(options, plan, sweep);
    }
    return status;
}

int lab_study_run(const struct lab_study *study, const struct lab_options *options,
                  const struct lab_device *device, const struct lab_run_plan *plan)
{
    struct lab_sweep sweep = {.target = options->targets[0],
                              .is_sim = device->is_sim,
                              .draws = options->plots_text || isatty(STDOUT_FILENO),
                              .device = device};
    if (options->plots_text && !study->plot)
        return lab_complain(LAB_EXIT_USAGE, "--plot: the study of %s has tables and no plot",
                            options->targets[0]);
    int status = study->take_runs(options, plan, &sweep);
    if (status == LAB_EXIT_OK && !(options->json && strcmp(options->json, "-") == 0)) {
        study->print(options, &sweep);
        if (study->plot)
            study->plot(&sweep, stdout);
    }
    if (status == LAB_EXIT_OK && options->json)
        status = lab_json_write_sweep(&sweep, study->put_more, options->json);
    if (status == LAB_EXIT_OK && options->html)
        status = lab_page_write_sweep(&sweep, study->put_more, options->html);
    lab_sweep_release(&sweep);
    return status;
}
