/* What follows from the options together: which go without which, as a table, and what is a lesson.
 */
#include "options/parsers.h"
#include "series/registry.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- checks of targets -------------------------------------------------------------------------*/

static const struct lab_family_options *family_of(const char *target)
{
    return lab_family_options_find(lab_registry_target(target)->family);
}

/* Whether the options fit the problem of each target. */
static int check_problems(const struct lab_options *options)
{
    int status = LAB_EXIT_OK;
    for (int i = 0; i < options->target_count && status == LAB_EXIT_OK; i++)
        status =
            lab_problem_options_check(options, family_of(options->targets[i]), options->targets[i]);
    return status;
}

/* Checks --with-copies, which only some families have. */
static int check_copies(const struct lab_options *options)
{
    char names[128] = "";
    int count, named = 0;
    const struct lab_registry_entry *steps = lab_registry(&count);
    for (int i = 0; i < options->target_count; i++)
        if (!lab_family_options_find(lab_registry_target(options->targets[i])->family)
                 ->times_with_copies) {
            for (int s = 0; s < count; s++)
                if (lab_family_options_find(steps[s].family)->times_with_copies)
                    snprintf(names + strlen(names), sizeof names - strlen(names), "%sstep%s",
                             named++ ? " and " : "", steps[s].number);
            return lab_complain(LAB_EXIT_USAGE, "--with-copies is for %s", names);
        }
    return LAB_EXIT_OK;
}

static int check_run(const struct lab_options *options)
{
    if (!options->target_count && options->fit_rows)
        return LAB_EXIT_OK; /* like `run` alone: shows where a learner is */
    if (options->target_count != 1)
        return lab_complain(LAB_EXIT_USAGE, "%s",
                            options->target_count
                                ? "one target at a time; `./run compare` takes several"
                                : "no target; try ./run step01, ./run list or ./run --help");
    if (options->source_count > 1 && lab_registry_exercise(options->targets[0]))
        return lab_complain(LAB_EXIT_USAGE,
                            "one --source at a time; `./run compare` takes several");
    return LAB_EXIT_OK;
}

static int check_trial(const struct lab_options *options)
{
    if (options->target_count != 1 || !options->source ||
        !lab_registry_exercise(options->targets[0]))
        return lab_complain(LAB_EXIT_USAGE, "--plan is for `run grade`");
    return LAB_EXIT_OK;
}

static bool has_study(const struct lab_registry_entry *entry, const void *subject)
{
    (void)subject;
    return lab_family_options_find(entry->family)->study != NULL;
}

static int complain_of_sweep(const char *target)
{
    char names[128];
    lab_targets_write(lab_registry, has_study, NULL, names, sizeof names);
    return lab_complain(LAB_EXIT_USAGE, "%s has no parameter study; %s have one", target, names);
}

static int check_sweep(const struct lab_options *options)
{
    if (options->target_count != 1)
        return lab_complain(LAB_EXIT_USAGE, "sweep needs one target, such as step08");
    const struct lab_family_options *family = family_of(options->targets[0]);
    if (!family->study)
        return complain_of_sweep(options->targets[0]);
    const char *whole = lab_registry_target(options->targets[0])->target;
    if (!family->study_of_stages && strcmp(whole, options->targets[0]) != 0 &&
        !lab_registry_exercise(whole))
        return lab_complain(LAB_EXIT_USAGE, "a study is of a whole step: sweep %s", whole);
    return LAB_EXIT_OK;
}

static bool has_plan(const struct lab_registry_entry *entry, const void *subject)
{
    (void)subject;
    return lab_family_options_find(entry->family)->plan != NULL;
}

static int check_plan(const struct lab_options *options)
{
    char names[128];
    const struct lab_family_options *family =
        options->target_count == 1 ? family_of(options->targets[0]) : NULL;
    lab_targets_write(lab_registry, has_plan, NULL, names, sizeof names);
    if (!family || !family->plan ||
        strcmp(lab_registry_target(options->targets[0])->target, options->targets[0]) != 0)
        return lab_complain(LAB_EXIT_USAGE, "plan is of a whole step that has designs: %s", names);
    return LAB_EXIT_OK;
}

/* Whether the study of the one target takes the options. */
static int check_options_of_study(const struct lab_options *options)
{
    const struct lab_family_options *family = family_of(options->targets[0]);
    return family->check_study ? family->check_study(options, lab_own_options(options, family))
                               : LAB_EXIT_OK;
}

static bool has_kernels_of_study(const struct lab_registry_entry *entry, const void *subject)
{
    (void)subject;
    return lab_registry_study(entry->target) != NULL;
}

/* Checks --study, which `sweep` sets by itself. */
static int check_study(const struct lab_options *options)
{
    char names[128];
    if (lab_registry_study(options->targets[0]))
        return LAB_EXIT_OK;
    lab_targets_write(lab_registry, has_kernels_of_study, NULL, names, sizeof names);
    return lab_complain(LAB_EXIT_USAGE,
                        "--study: %s has no kernels for a study of its own; %s have",
                        options->targets[0], names);
}

/* A number alone names a step, but may be meant as an exercise's, so that exercise is suggested. */
static int check_compare(const struct lab_options *options)
{
    const char *const number =
        options->target_count ? options->targets[0] + strcspn(options->targets[0], "0123456789")
                              : "01";
    char exercise[32];
    if (options->target_count + options->source_count >= 2)
        return LAB_EXIT_OK;
    snprintf(exercise, sizeof exercise, "exercise%s", number);
    return lab_complain(LAB_EXIT_USAGE,
                        "compare needs two targets or more: `./run compare exercise%s "
                        "solution%s`, say, or --source FILE.cu in place of some of them",
                        lab_registry_exercise(exercise) ? number : "01",
                        lab_registry_exercise(exercise) ? number : "01");
}

/* A hand-out has no solution that could be launched, and its figures beside its exercise alone. */
static int check_handout(const struct lab_options *o)
{
    const struct lab_registry_entry *const entry =
        o->target_count ? lab_registry_target(o->targets[0]) : NULL;
    const bool is_plain = o->command == LAB_COMMAND_COMPARE && !o->profile && !o->check_only &&
                          !o->sanitize && !o->lines;
    if (!lab_registry_is_handout())
        return LAB_EXIT_OK;
    if (o->command == LAB_COMMAND_RUN && !o->is_detailed && entry && entry->solution &&
        (o->runtime == LAB_RUNTIME_GPU || o->arch || o->sms))
        return lab_complain(LAB_EXIT_USAGE,
                            "a hand-out has the solution's figures on the simulator's own GPU: an "
                            "exercise goes without --runtime gpu, --arch and --sms; `./run compare "
                            "%s step01` takes them",
                            entry->target);
    for (int i = 0; i < o->target_count; i++)
        if (strncmp(o->targets[i], "solution", 8) == 0 &&
            !(is_plain && lab_registry_target(o->targets[i]) == entry))
            return lab_complain(LAB_EXIT_USAGE,
                                "a hand-out has %s's figures in place of its kernel: `./run "
                                "compare %s %s` shows them, without --profile or --lines",
                                o->targets[i], o->targets[i],
                                lab_registry_target(o->targets[i])->target);
    return LAB_EXIT_OK;
}

/* --- what goes with what -----------------------------------------------------------------------*/

/* Facts of a command line: which options are given, the command, and values that rules name. */
enum fact {
#define LAB_OPTION(id, ...) id,
#include "options/options.def"
#undef LAB_OPTION
    COMMANDS, /* one for each of enum lab_command */
    ON_GPU = COMMANDS + LAB_COMMAND_DOCTOR + 1,
    ON_SIM,
    COUNTERS_OF_GPU, /* --profile=gpu, or both */
    COUNTERS_OF_SIM, /* --profile=sim, or both */
    SIZES,           /* a size, or an option of a problem's own */
    TARGETS,
    ONE_TARGET,
    NO_ARCH, /* --arch "" */
    FORECAST_TO_STDOUT,
    FACTS
};

_Static_assert(FACTS <= 64, "facts are bits of a word");

#define IS(fact)      (UINT64_C(1) << (fact))
#define COMMAND(name) IS(COMMANDS + LAB_COMMAND_##name)

static uint64_t facts_of(const struct lab_options *o)
{
    const bool both = o->profile == LAB_PROFILE_BOTH;
    const bool has_sizes = o->problem.given_count > 0 || lab_options_have_sizes(o);
    const bool to_stdout = o->forecast && strcmp(o->forecast, "-") == 0;
    return lab_options_given(o) | IS(COMMANDS + o->command) |
           (o->runtime == LAB_RUNTIME_GPU ? IS(ON_GPU) : 0) |
           (o->runtime == LAB_RUNTIME_SIM ? IS(ON_SIM) : 0) |
           (o->profile == LAB_PROFILE_GPU || both ? IS(COUNTERS_OF_GPU) : 0) |
           (o->profile == LAB_PROFILE_SIM || both ? IS(COUNTERS_OF_SIM) : 0) |
           (has_sizes ? IS(SIZES) : 0) | (o->target_count ? IS(TARGETS) : 0) |
           (o->target_count == 1 ? IS(ONE_TARGET) : 0) |
           (o->arch && !o->arch[0] ? IS(NO_ARCH) : 0) | (to_stdout ? IS(FORECAST_TO_STDOUT) : 0);
}

/* The first rule that is broken is said. In `text` the first %s is the option that asked for
 * counts by line, the second the argument of --profile. */
static const struct rule {
    uint64_t of;       /* for a command line with all of these */
    uint64_t without;  /* breaks the rule */
    uint64_t with;     /* if not 0: it needs one of these, */
    uint64_t commands; /* and one of these */
    const char *text;
    int (*check)(const struct lab_options *options); /* in place of all these; an exit status */
} rules[] = {
    {.check = check_handout},
    {.check = check_problems},
    {IS(ENERGY), IS(CHECK_ONLY), .text = "--energy measures launches: not with --check-only"},
    {IS(FORECAST), .commands = COMMAND(PLAN), .text = "--forecast is for ./run plan"},
    {IS(FORECAST), IS(FORECAST_TO_STDOUT),
     .text = "--forecast -: give a file; plan prints its forecast"},
    {IS(PLOT), .commands = COMMAND(SWEEP), .text = "--plot is for ./run sweep"},
    {IS(HTML), IS(SANITIZE) | IS(THOROUGH),
     .commands = COMMAND(RUN) | COMMAND(COMPARE) | COMMAND(SWEEP),
     .text =
         "--html is for a run, ./run compare or ./run sweep, without --thorough and --sanitize"},
    {IS(SANITIZE), IS(PROFILE) | IS(LINES) | IS(JSON) | IS(CLOCKS),
     .text = "--sanitize goes without --profile, --lines, --json and --clocks"},
    {IS(SANITIZE), IS(ON_SIM),
     .text = "--sanitize is for a GPU: on the simulator the checks are always on"},
    {IS(COUNTERS_OF_GPU) | IS(COUNTERS_OF_SIM), IS(ON_SIM),
     .text = "--profile=both needs a GPU, not --runtime sim"},
    {IS(COUNTERS_OF_GPU), IS(ON_SIM), .text = "--profile=gpu needs a GPU, not --runtime sim"},
    {IS(WARP), .with = IS(BANKS) | IS(HTML) | IS(CLOCKS),
     .text = "--warp is for --banks, --html and --clocks"},
    {IS(CLOCKS), IS(THOROUGH), IS(HTML) | IS(JSON), COMMAND(RUN) | COMMAND(COMPARE),
     .text = "--clocks is for --html and --json of a run or ./run compare, without --thorough"},
    {IS(CLOCKS), IS(ON_SIM),
     .text = "--clocks needs a GPU, not --runtime sim: a page of the simulator has a model of one "
             "block over time"},
    {IS(TRACE), IS(BANKS) | IS(WARP),
     .text = "--trace goes without --banks and --warp: it names its own warp"},
    {IS(LINES), IS(COUNTERS_OF_GPU), .text = "%s counts on the simulator: not with --profile=%s"},
    {IS(LINES), IS(ON_GPU), .text = "%s counts on the simulator: give --runtime sim"},
    {IS(WITH_COPIES), .check = check_copies},
    {IS(WITH_COPIES), IS(ON_SIM), .text = "--with-copies needs a GPU, not --runtime sim"},
    {IS(WITH_COPIES), IS(CHECK_ONLY), .text = "--with-copies takes times: not with --check-only"},
    {IS(ARCH), IS(NO_ARCH), .text = "--arch: give the name of a GPU or a profile's path"},
    {IS(ARCH), IS(ON_GPU), .text = "--arch is for the simulator: not with --runtime gpu"},
    {IS(SMS), IS(ON_GPU), .text = "--sms is for the simulator: not with --runtime gpu"},
    {IS(STUDY), IS(SOURCE), IS(ONE_TARGET), COMMAND(RUN),
     .text = "--study is for ./run TARGET, without --source"},
    {IS(STUDY), .check = check_study},
    {IS(THOROUGH), .commands = COMMAND(RUN), .text = "--thorough is for ./run TARGET"},
    {IS(THOROUGH), IS(SIZES),
     .text = "--thorough brings its own problems: leave out the sizes and what else describes one"},
    {IS(THOROUGH), IS(PROFILE) | IS(LINES) | IS(SANITIZE) | IS(ENERGY) | IS(WITH_COPIES),
     .text = "--thorough only checks: it goes without --profile, --lines, --sanitize, --energy and "
             "--with-copies"},
    {COMMAND(RUN), .check = check_run},
    {COMMAND(TRIAL), .check = check_trial},
    {COMMAND(COMPARE), .check = check_compare},
    {COMMAND(DOCTOR), IS(TARGETS), .text = "this command takes no target"},
    {COMMAND(SWEEP), .check = check_sweep},
    {COMMAND(SWEEP), .check = check_options_of_study},
    {COMMAND(SWEEP), IS(LINES) | IS(SANITIZE) | IS(CHECK_ONLY),
     .text = "sweep goes without --lines, --sanitize and --check-only"},
    {COMMAND(SWEEP), IS(COUNTERS_OF_SIM),
     .text = "sweep takes the counters of the runtime that runs: give --profile"},
    {COMMAND(PLAN), .check = check_plan},
    {COMMAND(PLAN), IS(LINES) | IS(SANITIZE) | IS(CHECK_ONLY) | IS(VARIANT),
     .text = "plan goes without --lines, --sanitize, --check-only and --variant"},
    {COMMAND(PLAN), .check = check_options_of_study},
};

const char *lab_options_lines(const struct lab_options *options)
{
    return options->traces ? "--trace" : options->banks ? "--banks" : "--lines";
}

static int check_rule(const struct rule *rule, uint64_t facts, const struct lab_options *options)
{
    if ((facts & rule->of) != rule->of)
        return LAB_EXIT_OK;
    if (rule->check)
        return rule->check(options);
    if (!(facts & rule->without) && (!rule->with || facts & rule->with) &&
        (!rule->commands || facts & rule->commands))
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE, rule->text, lab_options_lines(options),
                        options->profile == LAB_PROFILE_GPU ? "gpu" : "both");
}

int lab_options_check(const struct lab_options *options)
{
    const uint64_t facts = facts_of(options);
    int status = LAB_EXIT_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == LAB_EXIT_OK; i++)
        status = check_rule(&rules[i], facts, options);
    return status;
}

/* --- lessons -----------------------------------------------------------------------------------*/

static bool is_default_gpu(const struct lab_options *options)
{
    const char *gpu = getenv("LAB_SIM_GPU");
    return !options->arch && !(gpu && *gpu) && options->sms != LAB_SMS_ALL;
}

/* Whether the model was validated on a slice of the GPU that is meant, for all targets. */
static bool fit_a_slice(const struct lab_options *options)
{
    bool fit = options->target_count > 0 && is_default_gpu(options);
    for (int i = 0; i < options->target_count; i++)
        fit = fit && family_of(options->targets[i])->slice_size > 0;
    return fit;
}

bool lab_targets_are_lesson(const struct lab_options *options)
{
    bool is_lesson = fit_a_slice(options) && !options->check_only && !options->thorough &&
                     !options->sanitize && !options->lines && !options->under_tool &&
                     !options->default_size;
    if (options->command != LAB_COMMAND_RUN && options->command != LAB_COMMAND_COMPARE)
        return false;
    for (int i = 0; i < LAB_LETTERS && !options->sms; i++)
        is_lesson = is_lesson && options->problem.sizes[i] == 0;
    return is_lesson;
}

bool lab_targets_take_slice(const struct lab_options *options)
{
    const bool is_of_slice = lab_targets_study(options) || options->command == LAB_COMMAND_SWEEP;
    if (options->command ==
        LAB_COMMAND_EXERCISE) /* whose times are only compared with each other */
        return is_default_gpu(options);
    return lab_targets_are_lesson(options) || (is_of_slice && fit_a_slice(options));
}

const struct lab_stage *lab_targets_study(const struct lab_options *options)
{
    const bool takes = options->study || options->command == LAB_COMMAND_SWEEP;
    return takes && options->target_count == 1 && !options->source_count
               ? lab_registry_study(options->targets[0])
               : NULL;
}
