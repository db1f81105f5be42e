/* Shows a run as a table or JSON; for a run under a tool, only the verdict. */
#include "run/run.h"

#include "base/status.h"
#include "report/terminal.h"
#include "run/plan.h"
#include "run/child.h"
#include "series/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Complains of a kernel file that was built without line information, by its first row that is
 * right. */
static int complain_of_lines(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].check.status == LAB_CHECK_OK && result->rows[i].lines.count == 0)
            return lab_complain(LAB_EXIT_USAGE,
                                "--lines: '%s' was built without line information; build it with "
                                "nvcc -lineinfo",
                                result->rows[i].name);
    return LAB_EXIT_OK;
}

/* What the simulator does not support counts as missing, since it is no fault of a kernel. */
int lab_show_verdict(const struct lab_result *result)
{
    switch (lab_result_status(result)) {
    case LAB_CHECK_OK:
    case LAB_CHECK_SKIPPED:
        return LAB_EXIT_OK;
    case LAB_CHECK_UNSUPPORTED:
        return LAB_EXIT_MISSING;
    default:
        return LAB_EXIT_FAILED;
    }
}

static int report(const struct lab_options *options, const struct lab_result *result)
{
    bool to_stdout = options->json && strcmp(options->json, "-") == 0;
    const int verdict = lab_show_verdict(result);
    const bool is_interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!to_stdout) {
        lab_table_print(result, stdout);
        if (options->roofline)
            lab_roofline_print(result, stdout);
        if (options->profile)
            lab_counter_table_print(result, stdout);
        if (options->traces)
            lab_warp_trace_print(result, stdout, is_interactive ? stdin : NULL);
        else if (options->banks)
            lab_bank_view_print(result, options->banks, stdout);
        else if (options->lines)
            lab_line_table_print(result, stdout);
        if (options->lines && !options->banks && options->command == LAB_COMMAND_COMPARE)
            lab_line_difference_print(result, stdout);
    }
    const int status = lab_files_write(options, result);
    if (!to_stdout && verdict == LAB_EXIT_OK && options->source_count > 0)
        puts("\nright at this size; --thorough tries awkward ones, with other factors");
    bool all = verdict == LAB_EXIT_OK && !options->source && !options->variant;
    for (int i = 0; i < result->row_count; i++)
        all = all && result->rows[i].check.status != LAB_CHECK_SKIPPED;
    /* Only its tests and goals pass an exercise, not a run. */
    if (all && options->command == LAB_COMMAND_RUN && !lab_registry_exercise(options->targets[0]))
        lab_list_note_passed(options->targets[0], result->is_sim);
    return status != LAB_EXIT_OK ? status : verdict;
}

/* Under a tool, the parent process reports the run. It gets the verdict, and the counters or JSON
 * that it asked for. */
static int report_to_parent(const struct lab_options *options, const struct lab_result *result)
{
    if (options->counters_to) {
        int status = lab_profile_hand_over(result, options->counters_to);
        if (status != LAB_EXIT_OK)
            return status;
    }
    const int status = lab_files_write(options, result);
    return status == LAB_EXIT_OK ? lab_show_verdict(result) : status;
}

static int show_taken(const struct lab_options *options, int status,
                      const struct lab_result *result)
{
    if (status == LAB_EXIT_OK && options->sanitize)
        return lab_sanitize(options, stdout);
    if (status == LAB_EXIT_OK && options->under_tool)
        return report_to_parent(options, result);
    if (status == LAB_EXIT_OK && options->lines)
        status = complain_of_lines(result);
    /* Prints what was measured before a failure. Files are written only of a whole run. */
    if (status != LAB_EXIT_OK && result->measured &&
        !(options->json && strcmp(options->json, "-") == 0))
        lab_table_print(result, stdout);
    return status == LAB_EXIT_OK ? report(options, result) : status;
}

int lab_run_and_show(const struct lab_options *options, const struct lab_device *device,
                     const struct lab_run_plan *plan)
{
    struct lab_result *result = calloc(1, sizeof *result);
    if (!result)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int status = lab_run_rows(options, device, plan, result);
    status = show_taken(options, status, result);
    lab_result_release(result);
    free(result);
    return status;
}
