/* From targets and kernel files to the rows of a run. */
#include "run/gather.h"

#include "base/status.h"
#include "options/family.h"
#include "report/json.h"
#include "run/rows.h"
#include "run/step_file.h"
#include "series/registry.h"

#include <stdio.h>
#include <string.h>

/* The reference is only timed and profiled: not on the simulator. */
static bool wants_reference(const struct lab_options *options, const struct lab_result *result)
{
    return !result->is_sim && (!options->check_only || options->profile);
}

static int variant_unknown(const struct lab_step *step, const char *variant)
{
    char names[512] = "";
    for (int i = 0; i < step->row_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 step->rows[i].name);
    return lab_complain(LAB_EXIT_USAGE, "no variant '%s'; this step has: %s", variant, names);
}

static int load_target(const char *target, const struct lab_step **step)
{
    char why[1024];
    *step = lab_step_file_load(target, why, sizeof why);
    return *step ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "%s %s", target, why);
}

/* A kernel file that does not build is a result too: it has a status and no rows. */
static int report_build_error(const struct lab_options *options, struct lab_result *result,
                              const struct lab_check *check)
{
    result->family = lab_family_find("gemm");
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){.target = options->targets[0], .parent = "", .check = *check};
    snprintf(row->name, sizeof row->name, "%s", options->targets[0]);
    return options->json ? lab_json_write(result, options->json) : LAB_EXIT_OK;
}

/* True when the reference is among the rows that the step itself will add. */
static bool is_own_row(const struct lab_options *options, const struct lab_step *step)
{
    const struct lab_family *family = lab_family_find(step->family);
    for (int i = 0; family->reference_in_step && i < step->row_count; i++) {
        const char *name = step->rows[i].name;
        if (strcmp(name, family->reference) == 0 &&
            (!options->variant || strcmp(options->variant, name) == 0))
            return true;
    }
    return false;
}

/* A file may stand in place of a step's own only where it solves the same problem; exercises have
 * conditions of their own. */
static int check_source_family(const struct lab_options *options, const struct lab_step *step)
{
    const char *wanted = lab_registry_target(options->targets[0])->family, *found = step->family;
    if (!options->source || lab_registry_exercise(options->targets[0]) ||
        strcmp(wanted, found) == 0)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE, "%s solves another problem, %s, than %s, %s",
                        options->source, lab_family_find(found)->options->title,
                        options->targets[0], lab_family_find(wanted)->options->title);
}

/* The forms of these rows without atomic additions. */
static int add_deterministic(struct lab_result *result, int first)
{
    return lab_rows_add_deterministic(result, first)
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_USAGE, "--deterministic: no row of %s adds atomically",
                              result->target);
}

static int gather_one(const struct lab_options *options, struct lab_result *result)
{
    const struct lab_step *step;
    const char *target = options->targets[0];
    struct lab_check check = {.status = LAB_CHECK_OK};
    int status = LAB_EXIT_OK;
    if (options->step)
        step = options->step;
    else
        status = options->source ? lab_step_file_source(options->source, &step, &check)
                                 : load_target(target, &step);
    if (check.status != LAB_CHECK_OK)
        report_build_error(options, result, &check);
    if (status == LAB_EXIT_OK)
        status = check_source_family(options, step);
    if (status != LAB_EXIT_OK)
        return status;
    result->family = lab_family_find(step->family);
    bool own_reference = is_own_row(options, step);
    if (wants_reference(options, result)) {
        if (!own_reference)
            lab_rows_add_reference(result, result->family, target);
        lab_rows_add_baselines(result, target, result->family);
    }
    /* A modelled time says most beside that of step 01. */
    if (result->is_sim && options->profile && !options->check_only && !options->under_tool &&
        !options->lines)
        lab_rows_add_baselines(result, target, result->family);
    int first = result->row_count;
    if (lab_rows_add_step(result, step, target, options->variant, false) == 0)
        return variant_unknown(step, options->variant);
    return options->deterministic ? add_deterministic(result, first) : LAB_EXIT_OK;
}

/* The i-th thing to compare: a target, or after those a kernel file. */
static int load_compared(const struct lab_options *options, int i, const struct lab_step **step)
{
    if (i < options->target_count)
        return load_target(options->targets[i], step);
    struct lab_check check = {.status = LAB_CHECK_OK};
    return lab_step_file_source(options->sources[i - options->target_count], step, &check);
}

/* The last part of a path. */
static const char *last_part(const char *path)
{
    const char *name = strrchr(path, '/');
    return name ? name + 1 : path;
}

/* A kernel file goes by its name, with its folder's where another has the same. */
static const char *name_compared(const struct lab_options *options, int i)
{
    if (i < options->target_count)
        return options->targets[i];
    const char *path = options->sources[i - options->target_count], *name = last_part(path);
    bool alone = true;
    for (int other = 0; other < options->source_count; other++)
        alone = alone && (other == i - options->target_count ||
                          strcmp(last_part(options->sources[other]), name) != 0);
    for (const char *c = name - 1; !alone && c > path; c--)
        if (c[-1] == '/' || c - 1 == path)
            return c[-1] == '/' ? c : path;
    return name;
}

static int gather_several(const struct lab_options *options, struct lab_result *result)
{
    int found = 0, first = 0;
    for (int i = 0; i < options->target_count + options->source_count; i++) {
        const struct lab_step *step;
        const char *name = name_compared(options, i);
        int status = load_compared(options, i, &step);
        if (status != LAB_EXIT_OK)
            return status;
        if (i == 0) {
            result->family = lab_family_find(step->family);
            if (wants_reference(options, result) && !is_own_row(options, step))
                lab_rows_add_reference(result, result->family, name);
            first = result->row_count;
        }
        if (options->target_count == 0)
            status =
                lab_problem_options_check(options, lab_family_options_find(step->family), name);
        if (status != LAB_EXIT_OK)
            return status;
        if (lab_family_find(step->family) != result->family)
            return lab_complain(LAB_EXIT_USAGE, "%s and %s solve different problems",
                                name_compared(options, 0), name);
        found += lab_rows_add_step(result, step, name, options->variant, true);
    }
    if (found == 0)
        return lab_complain(LAB_EXIT_USAGE, "no target has a variant '%s'", options->variant);
    return options->deterministic ? add_deterministic(result, first) : LAB_EXIT_OK;
}

int lab_gather_rows(const struct lab_options *options, struct lab_result *result)
{
    int status = options->command == LAB_COMMAND_COMPARE ? gather_several(options, result)
                                                         : gather_one(options, result);
    if (status != LAB_EXIT_OK)
        return status;
    lab_rows_drop_unfit(result, options);
    return result->row_count
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_USAGE, "no row does what these options ask for");
}
