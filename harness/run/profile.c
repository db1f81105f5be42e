/* Takes the counters of a GPU, and the simulator's beside them. A child takes the latter, because a
 * process has only one CUDA runtime. */
#include "run/plan.h"

#include "run/child.h"
#include "base/progress.h"
#include "base/files.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the simulator's counters: from child to parent, a line each: row, counter, value ----------*/

int lab_profile_hand_over(const struct lab_result *result, const char *path)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < result->row_count; i++)
        for (int c = 0; c < result->rows[i].counters.count; c++)
            fprintf(file, "%s\t%s\t%.17g\n", result->rows[i].name,
                    result->rows[i].counters.list[c].name, result->rows[i].counters.list[c].value);
    if (!file || fclose(file) != 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot write %s", path);
    return LAB_EXIT_OK;
}

static void receive(struct lab_result *result, FILE *file)
{
    char name[LAB_NAME_BYTES], counter[LAB_COUNTER_NAME_BYTES];
    double value;
    while (fscanf(file, " %95[^\t] %87[^\t] %lf", name, counter, &value) == 3)
        for (int i = 0; i < result->row_count; i++)
            if (strcmp(result->rows[i].name, name) == 0)
                lab_counters_set(&result->rows[i].simulated, counter, value);
}

static int simulate(const struct lab_options *options, struct lab_result *result)
{
    char path[LAB_PATH_BYTES], text[LAB_CHILD_TEXT];
    struct lab_child child = {.count = 0};
    lab_scratch_path(path, "counters-XXXXXX");
    int file = mkstemp(path);
    struct lab_progress_line progress;
    if (file < 0)
        return lab_complain(LAB_EXIT_MISSING, "no room for the counters: %s", path);
    lab_child_add_run(&child, options, result->default_size, "sim");
    lab_child_add(&child, "--check-only");
    lab_child_add(&child, "--counters-to=%s", path);
    lab_progress_begin(&progress, false, "counting on the simulator");
    int status = lab_child_run(&child, text, sizeof text);
    lab_progress_end(&progress);
    FILE *stream = fdopen(file, "r");
    if (stream) {
        receive(result, stream);
        fclose(stream);
    }
    unlink(path);
    const char *said = strncmp(text, "run: ", 5) == 0 ? text + 5 : text;
    if (status == LAB_EXIT_FAILED)
        return lab_complain(LAB_EXIT_FAILED, "the simulator finds a fault in a kernel; "
                                             "--runtime sim says which");
    if (status != LAB_EXIT_OK)
        return lab_complain(LAB_EXIT_MISSING, "the simulator's run failed: %.*s",
                            (int)strcspn(said, "\n"), said);
    return LAB_EXIT_OK;
}

int lab_profile_take(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_result *result)
{
    int status = LAB_EXIT_OK;
    if (lab_result_status(result) != LAB_CHECK_OK)
        return LAB_EXIT_OK; /* a wrong kernel has no figures */
    if (lab_run_plan_uses_ncu(plan))
        status = lab_ncu_profile(options, result);
    if (status == LAB_EXIT_OK && lab_run_plan_simulates(plan, result->is_sim))
        status = simulate(options, result);
    return status;
}
