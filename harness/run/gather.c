/* From targets and kernel files to the rows of a run. */
#include "run/rows.h"

#include "base/status.h"
#include "options/family.h"
#include "options/options.h"
#include "run/run.h"
#include "run/step_file.h"
#include "series/registry.h"

#include <stdio.h>
#include <string.h>

/* Whether the run has the reference, which is only timed and profiled, and so has no place on the
 * simulator. */
static bool wants_reference(const struct lab_options *options, const struct lab_run_plan *plan,
                            const struct lab_result *result)
{
    return !result->is_sim && (!options->check_only || plan->profile);
}

/* A step's stages and the files in their place: more files than a table has room for. */
enum { MOST_FILES = LAB_MAX_TARGETS };

struct loaded {
    struct lab_loaded files[MOST_FILES];
    const char *prefixes[MOST_FILES];
    int count;
};

/* Checks that each name in `variants` is the name of a variant; LAB_EXIT_USAGE after complaining.
 */
static int check_variants(const struct loaded *loaded, const char *variants)
{
    char asked[512], names[1024];
    snprintf(asked, sizeof asked, "%s", variants ? variants : "");
    for (char *rest = asked, *name; variants && (name = strsep(&rest, ","));) {
        bool is_there = false;
        names[0] = '\0';
        for (int f = 0; f < loaded->count; f++)
            for (int i = 0; i < loaded->files[f].step->variant_count; i++) {
                const char *there = loaded->files[f].step->variants[i].name;
                is_there = is_there || strcmp(there, name) == 0;
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                         names[0] ? ", " : "", there);
            }
        if (!is_there)
            return lab_complain(LAB_EXIT_USAGE, "no variant '%s'; this step has: %s", name, names);
    }
    return LAB_EXIT_OK;
}

/* Loads the stages that a target names. */
static int load_target(const char *target, const char *prefix, struct loaded *loaded)
{
    int count;
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    for (int i = 0; i < count && loaded->count < MOST_FILES; i++) {
        char why[1024];
        const struct lab_step *step = lab_step_file_load(target, &stages[i], why, sizeof why);
        if (!step)
            return lab_complain(LAB_EXIT_MISSING, "%s %s", target, why);
        loaded->prefixes[loaded->count] = prefix;
        loaded->files[loaded->count++] = (struct lab_loaded){step, target, &stages[i], NULL};
    }
    return LAB_EXIT_OK;
}

/* Loads the kernels of a step's study from all of its files, which `run` has built before. */
static int load_study(const char *target, const struct lab_stage *study, struct loaded *loaded)
{
    char why[1024];
    for (; study && loaded->count < MOST_FILES; study = lab_registry_study_next(study)) {
        const struct lab_step *step = lab_step_file_load(target, study, why, sizeof why);
        if (!step)
            return lab_complain(LAB_EXIT_MISSING, "the study of %s %s", target, why);
        loaded->files[loaded->count++] = (struct lab_loaded){step, target, study, NULL};
    }
    return LAB_EXIT_OK;
}

/* A kernel file that does not build is a result, too: one row that has only a status. */
static int report_build_error(const struct lab_options *options, struct lab_result *result,
                              const struct lab_check *check)
{
    result->family = lab_family_find("gemm");
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){.target = options->targets[0], .check = *check};
    snprintf(row->name, sizeof row->name, "%s", options->targets[0]);
    return lab_files_write(options, result);
}

/* True when the reference is among the rows that the files themselves will add. */
static bool has_reference(const struct lab_options *options, const struct loaded *loaded)
{
    for (int f = 0; f < loaded->count; f++) {
        const struct lab_step *step = loaded->files[f].step;
        const struct lab_family *family = lab_family_find(step->family);
        for (int i = 0; family->reference_in_step && i < step->variant_count; i++)
            if (strcmp(step->variants[i].name, family->reference) == 0 &&
                lab_variant_named(options->variant, step->variants[i].name))
                return true;
    }
    return false;
}

/* A file may replace a step's own only if it solves the same problem. Exercises check that
 * themselves. */
static int check_source_family(const struct lab_options *options, const char *source,
                               const struct lab_step *step)
{
    const char *wanted = lab_registry_target(options->targets[0])->family, *found = step->family;
    if (lab_registry_exercise(options->targets[0]) || strcmp(wanted, found) == 0)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE, "%s solves another problem, %s, than %s, %s", source,
                        lab_family_find(found)->options->title, options->targets[0],
                        lab_family_find(wanted)->options->title);
}

/* Adds the forms without atomic additions of the rows from `first` on. */
static int add_deterministic(const struct lab_options *options, struct lab_result *result,
                             int first)
{
    return lab_rows_add_deterministic(result, first) || options->thorough
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_USAGE, "--deterministic: no variant of %s adds atomically",
                              result->target);
}

/* The last part of a path. */
static const char *last_part(const char *path)
{
    const char *name = strrchr(path, '/');
    return name ? name + 1 : path;
}

/* The name of a kernel file; its folder's name stands before it if another file has the same
 * name. */
static const char *name_of_source(const struct lab_options *options, int i)
{
    const char *path = options->sources[i], *name = last_part(path);
    bool alone = true;
    for (int other = 0; other < options->source_count; other++)
        alone = alone && (other == i || strcmp(last_part(options->sources[other]), name) != 0);
    for (const char *c = name - 1; !alone && c > path; c--)
        if (c[-1] == '/' || c - 1 == path)
            return c[-1] == '/' ? c : path;
    return name;
}

/* Loads kernel files in place of the stages that a target names. If there are several, their names
 * stand before the names of their rows. */
static int load_sources(const struct lab_options *options, struct loaded *loaded,
                        struct lab_check *check)
{
    const char *target = options->targets[0];
    int count, status = LAB_EXIT_OK;
    const struct lab_stage *stage = lab_registry_stages(target, &count);
    for (int i = 0; i < options->source_count && status == LAB_EXIT_OK; i++) {
        const struct lab_step *step = NULL;
        status = lab_step_file_source(options->sources[i], &step, check);
        if (status == LAB_EXIT_OK)
            status = check_source_family(options, options->sources[i], step);
        loaded->prefixes[i] = options->source_count > 1 ? name_of_source(options, i) : NULL;
        loaded->files[i] = (struct lab_loaded){step, target, stage, options->sources[i]};
        loaded->count = i + 1;
    }
    return status;
}

static int gather_one(const struct lab_options *options, const struct lab_run_plan *plan,
                      struct lab_result *result)
{
    struct loaded loaded = {.count = 0};
    const char *target = options->targets[0];
    struct lab_check check = {.status = LAB_CHECK_OK};
    int count, status = LAB_EXIT_OK;
    const struct lab_stage *own = lab_registry_stages(target, &count);
    if (options->step) {
        loaded.files[loaded.count++] =
            (struct lab_loaded){options->step, target, own, options->source};
    } else if (options->study) {
        own = lab_targets_study(options);
        count = 1;
        status = load_study(target, own, &loaded);
        if (status == LAB_EXIT_OK && options->variant) /* that may name rows of the stages, too */
            status = load_target(target, NULL, &loaded);
    } else {
        status = options->source ? load_sources(options, &loaded, &check)
                                 : load_target(target, NULL, &loaded);
    }
    if (check.status != LAB_CHECK_OK)
        report_build_error(options, result, &check);
    if (status != LAB_EXIT_OK)
        return status;
    status = check_variants(&loaded, options->variant);
    if (status != LAB_EXIT_OK)
        return status;
    result->family = lab_family_find(loaded.files[0].step->family);
    if (wants_reference(options, plan, result)) {
        if (!has_reference(options, &loaded))
            lab_rows_add_reference(result, result->family, target);
        lab_rows_add_baselines(result, own, count, result->family);
    }
    /* Counters and modelled times say most beside those of the first stage. */
    if (result->is_sim && (plan->profile || plan->models || plan->counts) && !options->check_only &&
        !options->under_tool && !options->lines)
        lab_rows_add_baselines(result, own, count, result->family);
    const int first = result->row_count;
    for (int i = 0; i < loaded.count; i++)
        lab_rows_add(result, &loaded.files[i], loaded.prefixes[i], options->variant);
    return options->deterministic ? add_deterministic(options, result, first) : LAB_EXIT_OK;
}

/* Loads the i-th thing to compare: first come the targets, then the kernel files. */
static int load_compared(const struct lab_options *options, int i, struct loaded *loaded)
{
    const bool is_target = i < options->target_count;
    const char *name =
        is_target ? options->targets[i] : name_of_source(options, i - options->target_count);
    if (is_target)
        return load_target(name, name, loaded);
    struct lab_check check = {.status = LAB_CHECK_OK};
    const struct lab_step *step = options->step; /* not NULL if it is loaded already */
    int status =
        step ? LAB_EXIT_OK
             : lab_step_file_source(options->sources[i - options->target_count], &step, &check);
    loaded->files[0] =
        (struct lab_loaded){step, name, NULL, options->sources[i - options->target_count]};
    loaded->prefixes[0] = name;
    loaded->count = 1;
    return status;
}

static int gather_several(const struct lab_options *options, const struct lab_run_plan *plan,
                          struct lab_result *result)
{
    const char *before = NULL;
    int found = 0, first = 0;
    for (int i = 0; i < options->target_count + options->source_count; i++) {
        struct loaded loaded = {.count = 0};
        int status = load_compared(options, i, &loaded);
        if (status != LAB_EXIT_OK)
            return status;
        const char *name = loaded.prefixes[0];
        const struct lab_family *family = lab_family_find(loaded.files[0].step->family);
        if (i == 0) {
            before = name;
            result->family = family;
            if (wants_reference(options, plan, result) && !has_reference(options, &loaded))
                lab_rows_add_reference(result, result->family, name);
            first = result->row_count;
        }
        if (options->target_count == 0)
            status = lab_problem_options_check(options, family->options, name);
        if (status != LAB_EXIT_OK)
            return status;
        if (family != result->family)
            return lab_complain(LAB_EXIT_USAGE, "%s and %s solve different problems", before, name);
        for (int f = 0; f < loaded.count; f++)
            found += lab_rows_add(result, &loaded.files[f], name, options->variant);
    }
    if (found == 0)
        return lab_complain(LAB_EXIT_USAGE, "no target has a variant '%s'", options->variant);
    return options->deterministic ? add_deterministic(options, result, first) : LAB_EXIT_OK;
}

/* The first row that was asked for, rather than added for comparison; NULL: there is none. */
static const struct lab_row *own_row(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (!result->rows[i].is_baseline && !result->rows[i].is_reference)
            return &result->rows[i];
    return NULL;
}

static int complain_of_unfit(const struct lab_options *options, const struct lab_result *result,
                             const struct lab_row *row)
{
    char takes[64] = "";
    const bool has_study = options->command == LAB_COMMAND_RUN && !options->study &&
                           options->target_count == 1 && lab_registry_study(options->targets[0]);
    if (row->step && result->family->variant_options)
        result->family->variant_options(row->step, row->index, takes, sizeof takes);
    return lab_complain(LAB_EXIT_USAGE,
                        "no variant of %s does what these options ask for%s%s%s%s%s",
                        options->command == LAB_COMMAND_COMPARE ? "these" : result->target,
                        *takes ? "; " : "", *takes ? row->name : "", *takes ? " takes " : "", takes,
                        has_study ? "; those of its study may: give --study" : "");
}

int lab_gather_rows(const struct lab_options *options, const struct lab_run_plan *plan,
                    struct lab_result *result)
{
    int status = options->command == LAB_COMMAND_COMPARE ? gather_several(options, plan, result)
                                                         : gather_one(options, plan, result);
    if (status != LAB_EXIT_OK)
        return status;
    const bool asks_own = own_row(result) != NULL;
    const struct lab_row asked = asks_own ? *own_row(result) : (struct lab_row){.target = ""};
    lab_rows_drop_unfit(result, options);
    const bool is_left = asks_own ? own_row(result) != NULL : result->row_count > 0;
    return is_left || options->thorough /* a problem may have no row that solves it */
               ? LAB_EXIT_OK
               : complain_of_unfit(options, result, &asked);
}
