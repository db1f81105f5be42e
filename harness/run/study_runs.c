/* A line of a study as options of runs. */
#include "run/study.h"

#include "base/progress.h"
#include "base/status.h"
#include "options/family.h"
#include "options/options.h"
#include "report/terminal.h"
#include "series/registry.h"

#include <stdlib.h>
#include <string.h>

/* A line whose runs are being made. */
struct taking {
    const struct lab_study_line *line;
    const struct lab_options *given;
    const struct lab_family_options *family;
    struct lab_run_plan plan;
    struct lab_sweep *sweep;
};

static bool says(const struct taking *taking, const char *name)
{
    for (int i = 0; i < taking->line->word_count; i++)
        if (strcmp(taking->line->words[i].name, name) == 0)
            return true;
    return false;
}

/* Figures of the host, which the study times itself. */
static void note_host(const struct lab_options *one, struct lab_result *run)
{
    struct lab_progress_line progress;
    lab_progress_begin(&progress, false, "timing the host");
    run->family->note_host(one, &run->conclusion);
    lab_progress_end(&progress);
}

static int take_one(const struct taking *taking, const struct lab_options *options)
{
    struct lab_result *run = calloc(1, sizeof *run);
    struct lab_options one = *options;
    struct lab_sweep *const sweep = taking->sweep;
    if (!run)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    if (sweep->count == LAB_MAX_RUNS) {
        free(run);
        return lab_complain(LAB_EXIT_MISSING, "a study has at most %d runs", LAB_MAX_RUNS);
    }
    one.command = LAB_COMMAND_RUN;
    sweep->runs[sweep->count++] = run;
    int status = lab_run_rows(&one, sweep->device, &taking->plan, run);
    if (status == LAB_EXIT_OK && lab_result_status(run) != LAB_CHECK_OK) {
        lab_table_print(run, stderr);
        status = LAB_EXIT_FAILED;
    }
    if (status == LAB_EXIT_OK && one.without_host && run->family->note_host)
        note_host(&one, run);
    return status;
}

/* --- words -------------------------------------------------------------------------------------*/

static bool is_size(const char *name)
{
    return name[1] == '\0';
}

/* Whether a size is given, or follows from another that is and that the line does not name. */
static bool is_given(const struct taking *taking, char letter)
{
    bool is_given = taking->given->problem.sizes[letter - 'a'] != 0;
    for (char other = 'a'; other <= 'z'; other++)
        is_given = is_given || (taking->given->problem.sizes[other - 'a'] &&
                                !says(taking, (const char[]){other, '\0'}));
    return is_given && !says(taking, "always");
}

/* Whether an option of the problem's own was given with another value. */
static bool is_other(const struct taking *taking, const char *name, const char *value)
{
    return !says(taking, "always") && lab_option_is_other(taking->given, name, "all") &&
           lab_option_is_other(taking->given, name, value);
}

static bool has_rows(const struct lab_options *given)
{
    return given->variant || given->source_count > 0;
}

/* Whether a word is of a line as a whole. */
static bool is_of_line(const char *name)
{
    return strcmp(name, "all") == 0 || strcmp(name, "always") == 0 || strcmp(name, "lot") == 0;
}

static bool is_own_option(const struct taking *taking, const char *name)
{
    const struct lab_option *option = taking->family->table;
    while (option && option->name && strcmp(option->name, name) != 0)
        option++;
    return option && option->name;
}

/* An exit status: the word may be unknown. */
static int set(const struct taking *taking, const char *name, char *value, struct lab_options *one)
{
    if (is_size(name))
        one->problem.sizes[*name - 'a'] = atoi(value);
    else if (strcmp(name, "study") == 0)
        one->study = lab_targets_study(taking->given) != NULL;
    else if (strcmp(name, "reps") == 0)
        one->reps = one->reps ? one->reps : atoi(value);
    else if (strcmp(name, "variant") == 0)
        one->variant = has_rows(taking->given) ? one->variant : value;
    else if (strcmp(name, "energy") == 0)
        one->energy = *value == '1';
    else if (strcmp(name, "host") == 0)
        one->without_host = true;
    else if (strcmp(name, "target") == 0)
        one->targets[0] = value;
    else if (!is_of_line(name) && is_own_option(taking, name)) /* --lot is both */
        lab_give_own_option(one, taking->family, name, value);
    else if (!is_of_line(name))
        return lab_complain(LAB_EXIT_MISSING, "a study of %s has the unknown word '%s'",
                            taking->given->targets[0], name);
    return LAB_EXIT_OK;
}

/* Goes through the values of the i-th word, and for each through those of the words after it. */
static int take_words(const struct taking *taking, int i, const struct lab_options *options)
{
    const struct lab_study_word *word = &taking->line->words[i];
    int status = LAB_EXIT_OK;
    if (i == taking->line->word_count)
        return take_one(taking, options);
    if (is_size(word->name) && is_given(taking, *word->name))
        return take_words(taking, i + 1, options);
    for (int v = 0; v < word->value_count && status == LAB_EXIT_OK; v++) {
        struct lab_options one = *options;
        if (is_other(taking, word->name, word->values[v]))
            continue;
        status = set(taking, word->name, word->values[v], &one);
        if (status == LAB_EXIT_OK)
            status = take_words(taking, i + 1, &one);
    }
    return status;
}

/* --- a line ------------------------------------------------------------------------------------*/

/* Problems with sizes drawn by lot, in place of the line's sizes. */
static int take_lot(const struct taking *taking, const struct lab_options *options)
{
    struct lab_options one = *options;
    int status = LAB_EXIT_OK;
    for (int i = 0; status == LAB_EXIT_OK &&
                    taking->family->draw(options, taking->sweep->is_sim, i, one.problem.sizes);
         i++)
        status = take_one(taking, &one);
    return status;
}

int lab_study_runs_take(const struct lab_study_line *line, const struct lab_options *options,
                        const struct lab_run_plan *plan, struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    const char *const family = lab_registry_target(options->targets[0])->family;
    const struct taking taking = {line, options, lab_family_options_find(family), *plan, sweep};
    struct taking of_another = taking;
    if (says(&taking, "all") && has_rows(options))
        return LAB_EXIT_OK;
    if (says(&taking, "lot") && taking.family->draw(options, sweep->is_sim, 0, one.problem.sizes))
        return take_lot(&taking, options);
    if (!says(&taking, "target"))
        return take_words(&taking, 0, options);
    /* of another target only times matter, and it may not have these options */
    one.variant = NULL;
    one.deterministic = one.energy = false;
    if (!sweep->is_sim)
        of_another.plan.profile = LAB_PROFILE_NONE;
    return take_words(&of_another, 0, &one);
}
