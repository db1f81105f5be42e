/* The command line: argp's tables, and the checks that need no runtime. */
#include "options.h"

#include "options_apsp.h"
#include "registry.h"
#include "status.h"
#include "step.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum long_option {
    OPTION_ALPHA = 256,
    OPTION_BETA,
    OPTION_BANDWIDTH,
    OPTION_OFFSET,
    OPTION_WEIGHTS,
    OPTION_DETERMINISTIC,
    OPTION_VALUES,
    OPTION_PLAN,
    OPTION_SEED,
    OPTION_VARIANT,
    OPTION_SOURCE,
    OPTION_RUNTIME,
    OPTION_ARCH,
    OPTION_REPS,
    OPTION_CHECK_ONLY,
    OPTION_WARM,
    OPTION_FAST,
    OPTION_JSON,
    OPTION_PROFILE,
    OPTION_LINES,
    OPTION_SANITIZE,
    OPTION_ENERGY,
    OPTION_WITH_COPIES,
    OPTION_UNDER_TOOL,
    OPTION_COUNTERS_TO
};

static const struct argp_option option_table[] = {
    {0, 'm', "SIZE", 0, "rows of C (and of A); step08: sources; step09: columns of B", 1},
    {0, 'n', "SIZE", 0,
     "columns of C (and of B); step08: targets; step09: rows of B; step10: rows and columns of C",
     1},
    {0, 'k', "SIZE", 0,
     "inner length; a single one of -m -n -k sets all three. step08: dimensions, and each size has "
     "its own default",
     1},
    {0, 'p', "SIZE", 0, "step10: A and B are n x p x q; a single one of -n -p -q sets all three",
     1},
    {0, 'q', "SIZE", 0, "step10: see -p", 1},
    {"alpha", OPTION_ALPHA, "X", 0, "factor of the product (1)", 1},
    {"beta", OPTION_BETA, "X", 0, "factor of the old C (0)", 1},
    {"bandwidth", OPTION_BANDWIDTH, "H", 0, "step08: h of the Gaussian (1)", 1},
    {"offset", OPTION_OFFSET, "X", 0, "step08: the unit cube of points begins here (0)", 1},
    {"weights", OPTION_WEIGHTS, "WHICH", 0, "step08: positive, or mixed signs and zeros (positive)",
     1},
    {"deterministic", OPTION_DETERMINISTIC, 0, 0,
     "step08: beside each row that adds atomically its form that gives the same bits every time",
     1},
    {"values", OPTION_VALUES, "WHICH", 0,
     "of the matrix product's inputs: plain, spread over many magnitudes, or special: with NaN and "
     "infinity (plain)",
     1},
    {"plan", OPTION_PLAN, "FILE", OPTION_HIDDEN, 0, 4},
    {"seed", OPTION_SEED, "N", 0, "seed of the input data (1)", 1},
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
    {"profile", OPTION_PROFILE, "WHICH", OPTION_ARG_OPTIONAL,
     "counters: of Nsight Compute on a GPU, exact ones on the simulator; WHICH is gpu, sim or both",
     4},
    {"lines", OPTION_LINES, 0, 0, "the kernel's source with counters beside each line (simulator)",
     4},
    {"energy", OPTION_ENERGY, 0, 0,
     "energy of each row, over more than a second of launches (GPU); with --profile also modelled "
     "by component",
     4},
    {"with-copies", OPTION_WITH_COPIES, 0, 0,
     "step09, step10: each row's time also with the copies to and from the GPU", 4},
    {"sanitize", OPTION_SANITIZE, 0, 0, "run under each tool of compute-sanitizer (GPU)", 4},
    {"under-tool", OPTION_UNDER_TOOL, 0, OPTION_HIDDEN, 0, 4},
    {"counters-to", OPTION_COUNTERS_TO, "FILE", OPTION_HIDDEN, 0, 4},
    {"json", OPTION_JSON, "FILE", 0, "write the result as JSON; - for standard output", 4},
    {0}};

/* As steps/steps.def names the families. */
static const char SUMMATION[] = "kernel summation", TRMM[] = "trmm", SYR2K[] = "syr2k",
                  APSP[] = "apsp";

static const char synopsis[] = "TARGET\nlist\ncompare TARGET TARGET...\nsweep TARGET\nhint "
                               "exerciseNN\nwatch exerciseNN\ngrade NN FILE_OR_DIR...\ndoctor";
static const char about[] =
    "Runs a step of the GPU kernel lab: checks its kernels against cuBLAS and times them, on a GPU "
    "or on the simulator.\vTARGET is step01, step02, ...; `run list` prints the series, `run "
    "doctor` what this machine has.\n\nExit status: 0 all right, 1 a kernel failed its check, 2 "
    "bad "
    "input, 3 something is missing on this machine.";

/* Sizes are refused here so that everything below may count on 1 <= size <= LAB_SIZE_MAX. */
static int parse_size(char option, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        exit(lab_complain(LAB_EXIT_USAGE, "-%c %s: not a whole number", option, text));
    if (value < 1)
        exit(lab_complain(LAB_EXIT_USAGE, "-%c %s: a size is at least 1", option, text));
    if (errno || value > LAB_SIZE_MAX)
        exit(lab_complain(LAB_EXIT_USAGE, "-%c %s: a size is at most %d", option, text,
                          LAB_SIZE_MAX));
    return (int)value;
}

static float parse_scalar(const char *name, const char *text)
{
    char *end;
    float value = strtof(text, &end);
    if (end == text || *end || !isfinite(value))
        exit(
            lab_complain(LAB_EXIT_USAGE, "--%s %s: not a finite number of type float", name, text));
    return value;
}

static float parse_bandwidth(const char *text)
{
    float value = parse_scalar("bandwidth", text);
    if (!(value > 0.0f))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "--bandwidth %s: a bandwidth is a float above 0, from 1e-45 to 3.4e38",
                          text));
    return value;
}

static enum lab_weights parse_weights(const char *text)
{
    if (strcmp(text, "positive") == 0)
        return LAB_WEIGHTS_POSITIVE;
    if (strcmp(text, "mixed") == 0)
        return LAB_WEIGHTS_MIXED;
    exit(lab_complain(LAB_EXIT_USAGE, "--weights %s: give positive or mixed", text));
}

static enum lab_values parse_values(const char *text)
{
    static const char *const names[] = {"plain", "spread", "special"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum lab_values)i;
    exit(lab_complain(LAB_EXIT_USAGE, "--values %s: give plain, spread or special", text));
}

static uint64_t parse_count(const char *name, const char *text, uint64_t first, uint64_t last)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || errno || text[0] == '-' || value < first || value > last)
        exit(lab_complain(LAB_EXIT_USAGE, "--%s %s: give a whole number from %llu to %llu", name,
                          text, (unsigned long long)first, (unsigned long long)last));
    return value;
}

static enum lab_runtime_choice parse_runtime(const char *text)
{
    if (strcmp(text, "auto") == 0)
        return LAB_RUNTIME_AUTO;
    if (strcmp(text, "gpu") == 0)
        return LAB_RUNTIME_GPU;
    if (strcmp(text, "sim") == 0)
        return LAB_RUNTIME_SIM;
    exit(lab_complain(LAB_EXIT_USAGE, "--runtime %s: give auto, gpu or sim", text));
}

static enum lab_profile parse_profile(const char *text)
{
    if (!text)
        return LAB_PROFILE_AUTO;
    if (strcmp(text, "gpu") == 0)
        return LAB_PROFILE_GPU;
    if (strcmp(text, "sim") == 0)
        return LAB_PROFILE_SIM;
    if (strcmp(text, "both") == 0)
        return LAB_PROFILE_BOTH;
    exit(lab_complain(LAB_EXIT_USAGE, "--profile=%s: give gpu, sim or both", text));
}

static void add_argument(struct lab_options *options, const char *word)
{
    if (options->target_count == 0 && options->command == LAB_COMMAND_RUN) {
        if (strcmp(word, "list") == 0) {
            options->command = LAB_COMMAND_LIST;
            return;
        }
        if (strcmp(word, "compare") == 0) {
            options->command = LAB_COMMAND_COMPARE;
            return;
        }
        if (strcmp(word, "sweep") == 0) {
            options->command = LAB_COMMAND_SWEEP;
            return;
        }
        if (strcmp(word, "doctor") == 0) {
            options->command = LAB_COMMAND_DOCTOR;
            return;
        }
    }
    if (!lab_registry_target(word))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "no target '%s'; did you mean '%s'? `./run list` shows all", word,
                          lab_registry_nearest(word)));
    if (options->target_count == LAB_MAX_TARGETS)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d targets in one run", LAB_MAX_TARGETS));
    options->targets[options->target_count++] = word;
}

/* Options of one family mean nothing to the others. */
error_t lab_options_note_family(struct lab_options *options, const char *family, const char *option)
{
    if (options->of_family && strcmp(options->of_family, family) != 0)
        exit(lab_complain(LAB_EXIT_USAGE, "%s and %s are for different problems",
                          options->family_option, option));
    options->of_family = family;
    options->family_option = option;
    return 0;
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
    struct lab_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case 'm':
        options->m = parse_size('m', text);
        return 0;
    case 'n':
        options->n = parse_size('n', text);
        return 0;
    case 'k':
        options->k = parse_size('k', text);
        return 0;
    case 'p':
        options->p = parse_size('p', text);
        return lab_options_note_family(options, SYR2K, "-p");
    case 'q':
        options->q = parse_size('q', text);
        return lab_options_note_family(options, SYR2K, "-q");
    case OPTION_ALPHA:
        options->alpha = parse_scalar("alpha", text);
        return lab_options_note_family(options, "gemm", "--alpha");
    case OPTION_BETA:
        options->beta = parse_scalar("beta", text);
        return lab_options_note_family(options, "gemm", "--beta");
    case OPTION_BANDWIDTH:
        options->bandwidth = parse_bandwidth(text);
        return lab_options_note_family(options, SUMMATION, "--bandwidth");
    case OPTION_OFFSET:
        options->offset = parse_scalar("offset", text);
        return lab_options_note_family(options, SUMMATION, "--offset");
    case OPTION_WEIGHTS:
        options->weights = parse_weights(text);
        return lab_options_note_family(options, SUMMATION, "--weights");
    case OPTION_DETERMINISTIC:
        options->deterministic = true;
        return lab_options_note_family(options, SUMMATION, "--deterministic");
    case OPTION_VALUES:
        options->values = parse_values(text);
        return lab_options_note_family(options, "gemm", "--values");
    case OPTION_PLAN:
        options->plan = text;
        options->command = LAB_COMMAND_TRIAL;
        return 0;
    case OPTION_SEED:
        options->seed = parse_count("seed", text, 0, UINT64_MAX);
        return 0;
    case OPTION_VARIANT:
        options->variant = text;
        return 0;
    case OPTION_SOURCE:
        return add_source(options, text);
    case OPTION_RUNTIME:
        options->runtime = parse_runtime(text);
        return 0;
    case OPTION_ARCH:
        options->arch = text;
        return 0;
    case OPTION_REPS:
        options->reps = (int)parse_count("reps", text, 1, LAB_MAX_REPS);
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
    case OPTION_PROFILE:
        options->profile = parse_profile(text);
        return 0;
    case OPTION_LINES:
        options->lines = true;
        return 0;
    case OPTION_ENERGY:
        options->energy = true;
        return 0;
    case OPTION_WITH_COPIES:
        options->with_copies = true;
        return 0;
    case OPTION_SANITIZE:
        options->sanitize = true;
        return 0;
    case OPTION_UNDER_TOOL:
        options->under_tool = true;
        return 0;
    case OPTION_COUNTERS_TO:
        options->counters_to = text;
        return 0;
    case ARGP_KEY_ARG:
        add_argument(options, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool is_of(const struct lab_options *options, const char *family)
{
    return options->target_count > 0 &&
           strcmp(lab_registry_target(options->targets[0])->family, family) == 0;
}

static bool is_gemm(const struct lab_options *options)
{
    return options->target_count == 0 || is_of(options, "gemm");
}

/* A single size means a cube; this is what people type first. Where sizes are not alike, each has a
 * default of its own. */
static void complete_sizes(struct lab_options *options)
{
    if (!is_gemm(options))
        return;
    int given = (options->m > 0) + (options->n > 0) + (options->k > 0);
    int size = options->m + options->n + options->k;
    if (given == 1)
        options->m = options->n = options->k = size;
}

/* Which of the counting options go together, and with which runtime. */
static int check_tools(const struct lab_options *options)
{
    bool gpu = options->profile == LAB_PROFILE_GPU || options->profile == LAB_PROFILE_BOTH;
    bool sim = options->runtime == LAB_RUNTIME_SIM;
    if (options->energy && options->check_only)
        return lab_complain(LAB_EXIT_USAGE, "--energy measures launches: not with --check-only");
    const char *which = options->profile == LAB_PROFILE_GPU ? "gpu" : "both";
    if (options->sanitize && (options->profile || options->lines || options->json))
        return lab_complain(LAB_EXIT_USAGE,
                            "--sanitize goes without --profile, --lines and --json");
    if (options->sanitize && sim)
        return lab_complain(LAB_EXIT_USAGE, "--sanitize is for a GPU: on the simulator the checks "
                                            "are always on");
    if (gpu && sim)
        return lab_complain(LAB_EXIT_USAGE, "--profile=%s needs a GPU, not --runtime sim", which);
    if (options->lines && gpu)
        return lab_complain(LAB_EXIT_USAGE,
                            "--lines counts on the simulator: not with --profile=%s", which);
    if (options->lines && options->runtime == LAB_RUNTIME_GPU)
        return lab_complain(LAB_EXIT_USAGE, "--lines counts on the simulator: give --runtime sim");
    return LAB_EXIT_OK;
}

/* Sizes and options that the problem does not have. */
static int check_fp64(const struct lab_options *options)
{
    bool is_trmm = is_of(options, TRMM), is_syr2k = is_of(options, SYR2K);
    if (is_trmm && options->k)
        return lab_complain(LAB_EXIT_USAGE,
                            "-k: %s has no inner size of its own; give -n, rows of "
                            "B, and -m, its columns",
                            options->targets[0]);
    if (is_syr2k && (options->m || options->k))
        return lab_complain(LAB_EXIT_USAGE, "-%c: the sizes of %s are -n, -p and -q",
                            options->m ? 'm' : 'k', options->targets[0]);
    if (options->with_copies && !is_trmm && !is_syr2k)
        return lab_complain(LAB_EXIT_USAGE, "--with-copies is for step09 and step10");
    if (options->with_copies && options->runtime == LAB_RUNTIME_SIM)
        return lab_complain(LAB_EXIT_USAGE, "--with-copies needs a GPU, not --runtime sim");
    if (options->with_copies && options->check_only)
        return lab_complain(LAB_EXIT_USAGE, "--with-copies takes times: not with --check-only");
    return LAB_EXIT_OK;
}

static int check_family(const struct lab_options *options)
{
    int status = check_fp64(options);
    if (status != LAB_EXIT_OK)
        return status;
    for (int i = 0; options->of_family && i < options->target_count; i++) {
        const char *family = lab_registry_target(options->targets[i])->family;
        if (strcmp(family, options->of_family) != 0)
            return lab_complain(LAB_EXIT_USAGE, "%s is for %s; %s solves another problem, %s",
                                options->family_option, options->of_family, options->targets[i],
                                family);
    }
    return LAB_EXIT_OK;
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

/* Of shortest paths there is one size. */
static int check_sizes(const struct lab_options *options)
{
    for (int i = 0; i < options->target_count; i++)
        if (strcmp(lab_registry_target(options->targets[i])->family, APSP) == 0 &&
            (options->m || options->k))
            return lab_complain(LAB_EXIT_USAGE, "-%c: %s has one size, -n, the number of vertices",
                                options->m ? 'm' : 'k', options->targets[i]);
    return LAB_EXIT_OK;
}

static int check_combination(const struct lab_options *options)
{
    int given = (options->m > 0) + (options->n > 0) + (options->k > 0);
    if (given == 2 && is_gemm(options))
        return lab_complain(LAB_EXIT_USAGE, "give all of -m -n -k, or one of them for a cube");
    if (options->arch && !options->arch[0])
        return lab_complain(LAB_EXIT_USAGE, "--arch: give the name of a GPU or a profile's path");
    if (options->arch && options->runtime == LAB_RUNTIME_GPU)
        return lab_complain(LAB_EXIT_USAGE, "--arch is for the simulator: not with --runtime gpu");
    int status = check_family(options);
    if (status == LAB_EXIT_OK)
        status = lab_apsp_options_check(options);
    if (status == LAB_EXIT_OK)
        status = check_sizes(options);
    if (status == LAB_EXIT_OK)
        status = check_tools(options);
    if (status != LAB_EXIT_OK)
        return status;
    switch (options->command) {
    case LAB_COMMAND_RUN:
        if (options->target_count != 1)
            return lab_complain(LAB_EXIT_USAGE, "%s",
                                options->target_count
                                    ? "one target at a time; `./run compare` takes several"
                                    : "no target; try ./run step01, ./run list or ./run --help");
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
    const struct argp_child children[] = {{&lab_apsp_parser, 0, 0, 0}, {0}};
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
    complete_sizes(options);
    int status = check_combination(options);
    choose_tests(options);
    return status;
}
