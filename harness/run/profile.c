/* Whose counters are taken, and the simulator's beside those of a GPU. They come from a child,
 * since one process has one CUDA runtime. */
#include "run/profile.h"

#include "run/child.h"
#include "run/ncu.h"
#include "options/targets.h"
#include "machine/runtime.h"
#include "base/progress.h"
#include "base/scratch.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_gpu(const struct lab_options *options, bool is_sim)
{
    return options->profile == LAB_PROFILE_GPU || options->profile == LAB_PROFILE_BOTH ||
           (options->profile == LAB_PROFILE_AUTO && !is_sim);
}

/* The simulator beside a GPU, as a child. */
static bool wants_both(const struct lab_options *options, bool is_sim)
{
    return !is_sim && (options->profile == LAB_PROFILE_BOTH || options->profile == LAB_PROFILE_SIM);
}

/* `why` ends in the advice to use the simulator, which then has the counters too. */
static int no_gpu(const struct lab_options *options)
{
    char why[512];
    struct lab_gpu gpu = lab_runtime_probe();
    lab_runtime_explain(&gpu, why, sizeof why);
    return lab_complain(LAB_EXIT_MISSING, "--profile=%s: %s with --profile=sim",
                        options->profile == LAB_PROFILE_BOTH ? "both" : "gpu", why);
}

static int simulator_missing(void)
{
    if (lab_runtime_has_simulator())
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_MISSING, "the simulator is not built; run `make setup sim`");
}

int lab_profile_prepare(struct lab_options *options, bool is_sim, struct lab_counting *counting)
{
    bool gpu = wants_gpu(options, is_sim);
    /* A page's run counts its lines where it counts anyway, or where the user chose its sizes. A
     * study's page has none: it has many runs. */
    const bool shows_lines = options->html && options->command != LAB_COMMAND_SWEEP &&
                             (options->models || lab_options_have_sizes(options));
    *counting = (struct lab_counting){
        .counters = is_sim && (options->counters_to || options->profile || options->models ||
                               options->counts),
        .lines = is_sim && (options->lines || shows_lines),
        .accesses = is_sim && (options->banks || options->traces || shows_lines),
        .block = options->watched_block,
        .warp = options->watched_warp,
        .range = !is_sim && options->under_tool,
    };
    if (options->under_tool)
        return LAB_EXIT_OK;
    if (gpu && is_sim)
        return no_gpu(options);
    int status = gpu ? lab_ncu_check() : LAB_EXIT_OK;
    if (status == LAB_EXIT_OK && wants_both(options, is_sim)) {
        status = simulator_missing();
        if (!options->default_size)
            options->default_size = lab_targets_sim_size(options);
    }
    return status;
}

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
    struct lab_options quick = *options;
    lab_scratch_path(path, "counters-XXXXXX");
    int file = mkstemp(path);
    struct lab_progress_line progress;
    if (file < 0)
        return lab_complain(LAB_EXIT_MISSING, "no room for the counters: %s", path);
    quick.check_only = false; /* given below, once */
    lab_child_add_run(&child, &quick, "sim");
    lab_child_add(&child, "--check-only");
    lab_child_add(&child, "--counters-to=%s", path);
    lab_progress_begin(&progress, false, "counting on the simulator");
    int status = lab_child_run(&child, text, sizeof text);
    lab_progress_end(&progress);
    lab_child_free(&child);
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

int lab_profile_take(const struct lab_options *options, struct lab_result *result)
{
    int status = LAB_EXIT_OK;
    if (!options->profile || lab_result_status(result) != LAB_CHECK_OK)
        return LAB_EXIT_OK; /* a wrong kernel has no figures */
    if (wants_gpu(options, result->is_sim))
        status = lab_ncu_profile(options, result);
    if (status == LAB_EXIT_OK && wants_both(options, result->is_sim))
        status = simulate(options, result);
    return status;
}
