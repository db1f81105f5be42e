/* The command line: what to run and how, and the checks that need no runtime. Options of problems
 * and tools are in files of their own. */
#include "options.h"

#include "options/apsp.h"
#include "options/problem.h"
#include "options/tools.h"
#include "options/values.h"
#include "registry.h"
#include "status.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum long_option {
    OPTION_PLAN = 1024,
    OPTION_VARIANT,
    OPTION_SOURCE,
    OPTION_RUNTIME,
    OPTION_ARCH,
    OPTION_REPS,
    OPTION_CHECK_ONLY,
    OPTION_WARM,
    OPTION_FAST,
    OPTION_JSON
};

enum { PARTS = 3 }; /* parsers beside this one */

static const struct argp_option option_table[] = {
    {"plan", OPTION_PLAN, "FILE", OPTION_HIDDEN, 0, 4},
    {"variant", OPTION_VARIANT, "NAME", 0, "only this row of the step", 2},
    {"source", OPTION_SOURCE, "FILE.cu", 0, "run FILE in place of the target's own kernel file", 2},
    {"runtime", OPTION_RUNTIME, "WHICH", 0, "auto, gpu or sim (auto: the GPU if there is one)", 2},
    {"arch", OPTION_ARCH, "GPU", 0,
     "the GPU that the simulator stands for: h200, a100, rtx4090, t4, gtx970, gtx480, m2070, or a "
     "profile's path (h200)",
     2},
    {"reps", OPTION_REPS, "N", 0, "timed launches of each row", 3},
    {"check-only", OPTION_CHECK_ONLY, 0, 0, "check, do not time", 3},
    {"fast", OPTION_FAST, 0, 0, "simulator: no checks for races and reads of unwritten memory", 3},
    {"warm", OPTION_WARM, 0, 0, "leave the L2 cache warm between timed launches", 3},
    {"json", OPTION_JSON, "FILE", 0, "write the result as JSON; - for standard output", 4},
    {0}};

/* As steps/steps.def names the families that have a study. */
static const char SUMMATION[] = "kernel_summation", APSP[] = "apsp";

static const char synopsis[] = "TARGET\nlist\ncompare TARGET TARGET...\nsweep TARGET\nhint "
                               "exerciseNN\nwatch exerciseNN\ngrade NN FILE_OR_DIR...\ndoctor";
static const char about[] =
    "Runs a step of the GPU kernel lab: checks its kernels against cuBLAS and times them, on a GPU "
    "or on the simulator.\vTARGET is step01, step02, ...; `run list` prints the series, `run "
    "doctor` what this machine has.\n\nExit status: 0 all right, 1 a kernel failed its check, 2 "
    "bad "
    "input, 3 something is missing on this machine.";

static void add_argument(struct lab_options *options, const char *word)
{
    static const struct {
        const char *word;
        enum lab_command command;
    } commands[] = {{"list", LAB_COMMAND_LIST},
                    {"compare", LAB_COMMAND_COMPARE},
                    {"sweep", LAB_COMMAND_SWEEP},
                    {"doctor", LAB_COMMAND_DOCTOR}};
    if (options->target_count == 0 && options->command == LAB_COMMAND_RUN)
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
            if (strcmp(word, commands[i].word) == 0) {
                options->command = commands[i].command;
                return;
            }
    if (!lab_registry_target(word))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "no target '%s'; did you mean '%s'? `./run list` shows all", word,
                          lab_registry_nearest(word)));
    if (options->target_count == LAB_MAX_TARGETS)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d targets in one run", LAB_MAX_TARGETS));
    options->targets[options->target_count++] = word;
}

/* A single target runs the last one in its place; `compare` runs them all. */
static error_t add_source(struct lab_options *options, const char *path)
{
    if (options->source_count == LAB_MAX_TARGETS)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d kernel files in one run", LAB_MAX_TARGETS));
    options->sources[options->source_count++] = options->source = path;
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    static const char *const runtimes[] = {"auto", "gpu", "sim", NULL};
    struct lab_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < PARTS; i++)
            state->child_inputs[i] = options;
        return 0;
    case OPTION_PLAN:
        options->plan = text;
        options->command = LAB_COMMAND_TRIAL;
        return 0;
    case OPTION_VARIANT:
        options->variant = text;
        return 0;
    case OPTION_SOURCE:
        return add_source(options, text);
    case OPTION_RUNTIME:
        options->runtime = lab_parse_word("runtime", text, runtimes, "auto, gpu or sim");
        return 0;
    case OPTION_ARCH:
        options->arch = text;
        return 0;
    case OPTION_REPS:
        options->reps = (int)lab_parse_count("reps", text, 1, LAB_MAX_REPS);
        return 0;
    case OPTION_CHECK_ONLY:
        options->check_only = true;
        return 0;
    case OPTION_FAST:
        options->fast = true;
        return 0;
    case OPTION_WARM:
        options->warm = true;
        return 0;
    case OPTION_JSON:
        options->json = text;
        return 0;
    case ARGP_KEY_ARG:
        add_argument(options, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int check_sweep(const struct lab_options *options)
{
    if (options->target_count != 1)
        return lab_complain(LAB_EXIT_USAGE, "sweep needs one target, such as step08");
    const char *family = lab_registry_target(options->targets[0])->family;
    if (strcmp(family, SUMMATION) != 0 && strcmp(family, APSP) != 0)
        return lab_complain(LAB_EXIT_USAGE, "%s has no parameter study; step08 and step11 have one",
                            options->targets[0]);
    if (options->apsp.graph || options->apsp.paths || options->apsp.out || options->apsp.products ||
        options->apsp.has_degree || options->apsp.arcs >= 0 ||
        options->apsp.generator == LAB_GENERATE_GNP)
        return lab_complain(LAB_EXIT_USAGE,
                            "sweep generates its graphs: of their options it takes -n, --type, "
                            "--weight-range and --generate=rmat");
    if (options->lines || options->sanitize || options->check_only)
        return lab_complain(LAB_EXIT_USAGE,
                            "sweep goes without --lines, --sanitize and --check-only");
    if (options->profile == LAB_PROFILE_SIM || options->profile == LAB_PROFILE_BOTH)
        return lab_complain(LAB_EXIT_USAGE,
                            "sweep takes the counters of the runtime that runs: give --profile");
    return LAB_EXIT_OK;
}

/* How many targets a command takes. */
static int check_command(const struct lab_options *options)
{
    switch (options->command) {
    case LAB_COMMAND_RUN:
        if (options->target_count != 1)
            return lab_complain(LAB_EXIT_USAGE, "%s",
                                options->target_count
                                    ? "one target at a time; `./run compare` takes several"
                                    : "no target; try ./run step01, ./run list or ./run --help");
        if (options->source_count > 1)
            return lab_complain(LAB_EXIT_USAGE,
                                "one --source at a time; `./run compare` takes several");
        break;
    case LAB_COMMAND_SWEEP:
        return check_sweep(options);
    case LAB_COMMAND_TRIAL:
        if (options->target_count != 1 || !options->source ||
            !lab_registry_exercise(options->targets[0]))
            return lab_complain(LAB_EXIT_USAGE, "--plan is for `run grade`");
        break;
    case LAB_COMMAND_COMPARE:
        if (options->target_count + options->source_count < 2)
            return lab_complain(LAB_EXIT_USAGE, "compare needs two targets or more, or --source "
                                                "FILE.cu in place of some of them");
        break;
    default:
        if (options->target_count)
            return lab_complain(LAB_EXIT_USAGE, "this command takes no target");
    }
    return LAB_EXIT_OK;
}

static int check_combination(const struct lab_options *options)
{
    int status = lab_problem_options_check(options);
    if (status == LAB_EXIT_OK)
        status = lab_apsp_options_check(options);
    if (status == LAB_EXIT_OK)
        status = lab_tool_options_check(options);
    if (status != LAB_EXIT_OK)
        return status;
    if (options->arch && !options->arch[0])
        return lab_complain(LAB_EXIT_USAGE, "--arch: give the name of a GPU or a profile's path");
    if (options->arch && options->runtime == LAB_RUNTIME_GPU)
        return lab_complain(LAB_EXIT_USAGE, "--arch is for the simulator: not with --runtime gpu");
    return check_command(options);
}

/* An exercise or a solution alone means its tests; with sizes or a tool it is a target like any. */
static void choose_tests(struct lab_options *options)
{
    bool plain = !options->m && !options->n && !options->k && !options->of_family &&
                 !options->variant && !options->reps && !options->check_only && !options->profile &&
                 !options->lines && !options->sanitize && !options->energy &&
                 !options->under_tool && !options->counters_to && !options->json;
    if (plain && options->command == LAB_COMMAND_RUN && options->target_count == 1 &&
        lab_registry_exercise(options->targets[0]))
        options->command = LAB_COMMAND_EXERCISE;
}

int lab_options_parse(int argc, char **argv, struct lab_options *options)
{
    static const struct argp_child children[PARTS + 1] = {
        {&lab_problem_parser, 0, 0, 0}, {&lab_tools_parser, 0, 0, 0}, {&lab_apsp_parser, 0, 0, 0}};
    const struct argp parser = {option_table, parse_option, synopsis, about, children, 0, 0};
    *options = (struct lab_options){
        .alpha = 1.0f,
        .beta = 0.0f,
        .bandwidth = 1.0f,
        .seed = 1,
        .apsp = {.degree = 10.0, .arcs = -1, .probability = 0.01, .low = 1, .high = 100},
    };
    argp_err_exit_status = LAB_EXIT_USAGE;
    if (argp_parse(&parser, argc, argv, 0, 0, options) != 0)
        return LAB_EXIT_USAGE;
    lab_problem_options_complete(options);
    int status = check_combination(options);
    choose_tests(options);
    return status;
}
