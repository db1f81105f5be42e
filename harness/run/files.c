/* JSON and the page. Only the simulator knows what each line did. If the run did not count lines,
 * because it ran on a GPU or counting would take long, a small run beside it counts them for the
 * page. */
#include "run/run.h"

#include "base/progress.h"
#include "base/files.h"
#include "base/status.h"
#include "families/family.h"
#include "machine/runtime.h"
#include "options/family.h"
#include "report/json.h"
#include "report/page.h"
#include "run/child.h"
#include "run/plan.h"

#include <stdio.h>
#include <unistd.h>

int lab_files_check(const struct lab_options *options)
{
    int status = options->json ? lab_json_check(options->json) : LAB_EXIT_OK;
    if (status == LAB_EXIT_OK && options->forecast)
        status = lab_json_check(options->forecast);
    return status == LAB_EXIT_OK && options->html ? lab_page_check(options->html) : status;
}

/* Runs the same rows on the simulator, at no larger size than its default, and writes JSON to
 * `path`. If that fails, the page is still written. */
static void simulate_lines(const struct lab_options *options, const struct lab_family *of,
                           const char *path)
{
    const struct lab_family_options *const family = of->options;
    struct lab_child child = {.count = 0};
    struct lab_options small = *options;
    struct lab_progress_line progress;
    char unheard[1];
    small.lines = true;
    small.banks = 1; /* shows no line: the JSON has what all lines did */
    const int size = lab_run_plan_sim_size(&small);
    /* A size that is too large becomes `size` if all sizes must be alike; else it gets its
     * default. */
    for (int i = 0; i < LAB_LETTERS; i++)
        if (small.problem.sizes[i] > size)
            small.problem.sizes[i] = family->alike ? size : 0;
    lab_child_add_run(&child, &small, size, "sim");
    lab_child_add(&child, "--check-only");
    lab_child_add(&child, "--banks=%d", small.banks);
    lab_child_add(&child, "--warp=%llu,%u", options->watched_block, options->watched_warp);
    lab_child_add(&child, "--json=%s", path);
    lab_progress_begin(&progress, false, "counting each line on the simulator");
    const int status = lab_child_run(&child, unheard, sizeof unheard);
    lab_progress_end(&progress);
    if (status != LAB_EXIT_OK)
        fprintf(stderr, "run: the page has no lines of the source, or not of all rows: the "
                        "simulator's run failed; --runtime sim says why\n");
}

static bool has_lines(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].lines.count > 0)
            return true;
    return false;
}

static int write_page(const struct lab_options *options, const struct lab_result *result)
{
    char lines[LAB_PATH_BYTES];
    if (has_lines(result) || lab_result_status(result) != LAB_CHECK_OK)
        return lab_page_write(result, NULL, options->html);
    if (!lab_runtime_has_simulator()) {
        fprintf(stderr,
                "run: the page has no lines of the source, which the simulator counts: it is "
                "not built; run `make setup sim`\n");
        return lab_page_write(result, NULL, options->html);
    }
    lab_scratch_path(lines, "lines.json");
    simulate_lines(options, result->family, lines);
    const int status = lab_page_write(result, lines, options->html);
    unlink(lines);
    return status;
}

int lab_files_write(const struct lab_options *options, const struct lab_result *result)
{
    const int status = options->json ? lab_json_write(result, options->json) : LAB_EXIT_OK;
    return status == LAB_EXIT_OK && options->html ? write_page(options, result) : status;
}
