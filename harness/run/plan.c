/* The options say what was asked for and are never changed. This file decides what follows from
 * them. */
#include "run/plan.h"

#include "base/status.h"
#include "families/family.h"
#include "machine/runtime.h"
#include "options/family.h"
#include "options/options.h"
#include "run/child.h"
#include "series/registry.h"

#include <limits.h>

/* --- what is shown and counted -----------------------------------------------------------------*/

static bool is_of_rows(const struct lab_options *options)
{
    return options->command == LAB_COMMAND_RUN || options->command == LAB_COMMAND_COMPARE;
}

/* Whether only the table of the rows of targets is asked for. */
static bool is_plain(const struct lab_options *options)
{
    return is_of_rows(options) && options->target_count > 0 && !options->profile &&
           !options->check_only && !options->thorough && !options->sanitize && !options->lines &&
           !options->under_tool;
}

static bool is_beside_solution(const struct lab_options *options)
{
    if (!is_plain(options) || options->command != LAB_COMMAND_COMPARE)
        return false;
    const struct lab_registry_entry *entry = lab_registry_exercise(options->targets[0]);
    for (int i = 1; i < options->target_count; i++)
        if (lab_registry_exercise(options->targets[i]) != entry)
            return false;
    return entry != NULL;
}

static bool has_counted(const char *target)
{
    return lab_family_find(lab_registry_target(target)->family)->counted[0].title;
}

static struct lab_counting counting_of(const struct lab_options *options, bool is_sim,
                                       const struct lab_run_plan *plan)
{
    /* The run of a page counts lines if it counts anyway, or if the user chose its sizes. A study's
     * page shows no lines, because it has many runs. */
    const bool shows_lines = options->html && options->command != LAB_COMMAND_SWEEP &&
                             (plan->models || lab_options_have_sizes(options));
    return (struct lab_counting){
        .counters =
            is_sim && (options->counters_to || plan->profile || plan->models || plan->counts),
        .lines = is_sim && (options->lines || shows_lines),
        .accesses = is_sim && (options->banks || options->traces || shows_lines),
        .block = options->watched_block,
        .warp = options->watched_warp,
        .range = !is_sim && options->under_tool,
    };
}

/* --- whether it can be -------------------------------------------------------------------------*/

/* `why` ends in the advice to use the simulator, to which "with --profile=sim" is added for the
 * counters. */
static int no_gpu(const struct lab_run_plan *plan)
{
    char why[512];
    struct lab_gpu gpu = lab_runtime_probe();
    lab_runtime_explain(&gpu, why, sizeof why);
    return lab_complain(LAB_EXIT_MISSING, "--profile=%s: %s with --profile=sim",
                        plan->profile == LAB_PROFILE_BOTH ? "both" : "gpu", why);
}

bool lab_run_plan_uses_ncu(const struct lab_run_plan *plan)
{
    return plan->profile == LAB_PROFILE_GPU || plan->profile == LAB_PROFILE_BOTH;
}

bool lab_run_plan_simulates(const struct lab_run_plan *plan, bool is_sim)
{
    return !is_sim && (plan->profile == LAB_PROFILE_BOTH || plan->profile == LAB_PROFILE_SIM);
}

static int check_profile(const struct lab_run_plan *plan, bool is_sim)
{
    if (is_sim && lab_run_plan_uses_ncu(plan))
        return no_gpu(plan);
    const int status = lab_run_plan_uses_ncu(plan) ? lab_ncu_check() : LAB_EXIT_OK;
    return status == LAB_EXIT_OK && lab_run_plan_simulates(plan, is_sim) &&
                   !lab_runtime_has_simulator()
               ? lab_complain(LAB_EXIT_MISSING, "the simulator is not built; run `make setup sim`")
               : status;
}

int lab_run_plan_make(const struct lab_options *options, bool is_sim, struct lab_run_plan *plan)
{
    *plan = (struct lab_run_plan){.models = is_sim && lab_targets_are_lesson(options),
                                  .beside_solution = is_sim && is_beside_solution(options)};
    /* Modelled times that have not been validated are replaced by recorded ones, and by figures
     * that the family names. */
    const bool others = is_sim && !plan->models && is_plain(options);
    plan->recorded = lab_own_options_are_usual(options) &&
                     (options->beside || (others && options->command == LAB_COMMAND_RUN &&
                                          !lab_options_have_sizes(options)));
    plan->counts = others && has_counted(options->targets[0]);
    /* On the simulator a study's times come from the counters, and so do an exercise's goals. */
    const bool needs_own = plan->beside_solution || (is_sim && !is_of_rows(options));
    plan->profile = !needs_own && options->profile != LAB_PROFILE_AUTO ? options->profile
                    : is_sim                                           ? LAB_PROFILE_SIM
                                                                       : LAB_PROFILE_GPU;
    plan->counting = counting_of(options, is_sim, plan);
    return options->under_tool ? LAB_EXIT_OK : check_profile(plan, is_sim);
}

/* --- sizes that are not given ------------------------------------------------------------------*/

/* The default size is the first of these that applies: a parent's --default-size; the family's, if
 * only a GPU runs; for a lesson, the size that fills the slice; the least size that the registry
 * gives the targets; SOURCES_SIZE for kernel files without a target. The last two are divided when
 * one warp is shown, for which any size will do. A study sets its sizes itself. */
enum { SOURCES_SIZE = 256, MOST_OF_A_WARP = 1024 };

int lab_run_plan_sim_size(const struct lab_options *options)
{
    if (lab_targets_are_lesson(options))
        return lab_family_options_find(lab_registry_target(options->targets[0])->family)
            ->slice_size;
    int size = options->target_count ? INT_MAX : SOURCES_SIZE;
    for (int i = 0; i < options->target_count; i++) {
        const int limit = lab_registry_target(options->targets[i])->sim_size;
        size = limit < size ? limit : size;
    }
    if ((options->banks || options->traces) && size >= 64)
        size = size > 4 * MOST_OF_A_WARP ? MOST_OF_A_WARP : size / (size >= 256 ? 4 : 2);
    return size;
}

int lab_run_plan_size(const struct lab_options *options, const struct lab_run_plan *plan,
                      const struct lab_result *result)
{
    if (options->default_size)
        return options->default_size;
    return result->is_sim || lab_run_plan_simulates(plan, false) ? lab_run_plan_sim_size(options)
                                                                 : result->family->default_size;
}
