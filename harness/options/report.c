/* Options of the report and of what is taken for it: counters, lines, energy, copies, tools. */
#include "options/parsers.h"
#include "options/values.h"
#include "series/registry.h"
#include "base/status.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum report_option {
    OPTION_PROFILE = 256,
    OPTION_LINES,
    OPTION_ROOFLINE,
    OPTION_BESIDE,
    OPTION_BANKS,
    OPTION_WARP,
    OPTION_TRACE,
    OPTION_CLOCKS,
    OPTION_SANITIZE,
    OPTION_ENERGY,
    OPTION_WITH_COPIES,
    OPTION_COUNTERS_TO,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_PLOT,
    OPTION_FORECAST
};

/* In the order of enum lab_profile, from LAB_PROFILE_GPU on. */
#define PROFILE_WORDS "gpu|sim|both"

static const struct argp_option table[] = {
    {"profile", OPTION_PROFILE, PROFILE_WORDS, OPTION_ARG_OPTIONAL,
     "show counters: Nsight Compute's on a GPU, exact ones on the simulator", 0},
    {"lines", OPTION_LINES, 0, 0, "the kernel's source with counters beside each line (simulator)",
     0},
    {"roofline", OPTION_ROOFLINE, 0, 0, "how near each variant comes to what the device allows", 0},
    {"beside", OPTION_BESIDE, 0, 0, "also show speeds recorded on the GPU of the pages", 0},
    {"banks", OPTION_BANKS, "LINE", 0,
     "show which banks of shared memory, or which sectors, the lanes of one warp access at this "
     "line of the source (simulator)",
     0},
    {"warp", OPTION_WARP, "BLOCK,WARP", 0, "the warp that --banks, --html and --clocks show (0,0)",
     0},
    {"trace", OPTION_TRACE, "BLOCK,WARP", 0,
     "show what this warp executes, reads and writes, line by line (simulator)", 0},
    {"clocks", OPTION_CLOCKS, 0, 0,
     "for --html and --json: measure when the warps of a block wait at barriers and for "
     "asynchronous copies; each kernel is compiled and launched again with clock reads (GPU)",
     0},
    {"energy", OPTION_ENERGY, 0, 0,
     "energy of each variant, over more than a second of launches (GPU); with --profile also "
     "modelled by component",
     0},
    {"with-copies", OPTION_WITH_COPIES, 0, 0,
     "each variant's time also with the copies to and from the GPU (step09, step10, step12)", 0},
    {"sanitize", OPTION_SANITIZE, 0, 0, "run under each tool of compute-sanitizer (GPU)", 0},
    {"json", OPTION_JSON, "FILE", 0, "write the result as JSON; - for standard output", 0},
    {"html", OPTION_HTML, "FILE", 0, "write the run as a page for a browser, one file (with d3)",
     0},
    {"plot", OPTION_PLOT, "text", 0,
     "sweep: plot in characters also where the output is no terminal; plots need gnuplot", 0},
    {"forecast", OPTION_FORECAST, "FILE", 0,
     "write the predictions of plan as JSON before any design runs", 0},
    {"counters-to", OPTION_COUNTERS_TO, "FILE", OPTION_HIDDEN, 0, 0},
    {0}};

static enum lab_profile parse_profile(const char *text)
{
    return text ? LAB_PROFILE_GPU + lab_parse_word("profile", text, PROFILE_WORDS)
                : LAB_PROFILE_AUTO;
}

/* "3,1" is warp 1 of block 3. */
static void parse_warp(const char *option, const char *text, struct lab_options *options)
{
    unsigned long long block;
    unsigned warp;
    int end = 0;
    if (sscanf(text, "%19llu,%2u%n", &block, &warp, &end) != 2 || text[end] || warp > 31 ||
        !isdigit((unsigned char)text[0]))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "--%s %s: give a block's number and a warp's in it, such as 3,1", option,
                          text));
    options->watched_block = block;
    options->watched_warp = warp;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct lab_options *options = state->input;
    if (key >= OPTION_PROFILE && key < OPTION_JSON) /* an exercise has JSON of its own */
        options->is_detailed = true;
    switch (key) {
    case OPTION_PROFILE:
        options->profile = parse_profile(text);
        return 0;
    case OPTION_LINES:
        options->lines = true;
        return 0;
    case OPTION_ROOFLINE:
        options->roofline = true;
        return 0;
    case OPTION_BESIDE:
        options->beside = true;
        return 0;
    case OPTION_BANKS:
        options->banks = (int)lab_parse_integer("banks", text, 1, INT_MAX);
        options->lines = true;
        return 0;
    case OPTION_WARP:
        parse_warp("warp", text, options);
        options->watches = true;
        return 0;
    case OPTION_TRACE:
        parse_warp("trace", text, options);
        options->traces = options->lines = true;
        return 0;
    case OPTION_CLOCKS:
        options->clocks = true;
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
    case OPTION_COUNTERS_TO:
        options->counters_to = text;
        return 0;
    case OPTION_JSON:
        options->json = text;
        return 0;
    case OPTION_HTML:
        options->html = text;
        return 0;
    case OPTION_PLOT:
        lab_parse_word("plot", text, "text");
        options->plots_text = true;
        return 0;
    case OPTION_FORECAST:
        options->forecast = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp lab_report_parser = {.options = table, .parser = parse};

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
    if (options->runtime == LAB_RUNTIME_SIM)
        return lab_complain(LAB_EXIT_USAGE, "--with-copies needs a GPU, not --runtime sim");
    if (options->check_only)
        return lab_complain(LAB_EXIT_USAGE, "--with-copies takes times: not with --check-only");
    return LAB_EXIT_OK;
}

const char *lab_options_lines(const struct lab_options *options)
{
    return options->traces ? "--trace" : options->banks ? "--banks" : "--lines";
}

int lab_report_options_check(const struct lab_options *options)
{
    bool gpu = options->profile == LAB_PROFILE_GPU || options->profile == LAB_PROFILE_BOTH;
    bool sim = options->runtime == LAB_RUNTIME_SIM;
    if (options->energy && options->check_only)
        return lab_complain(LAB_EXIT_USAGE, "--energy measures launches: not with --check-only");
    if (options->forecast && options->command != LAB_COMMAND_PLAN)
        return lab_complain(LAB_EXIT_USAGE, "--forecast is for ./run plan");
    if (options->forecast && strcmp(options->forecast, "-") == 0)
        return lab_complain(LAB_EXIT_USAGE, "--forecast -: give a file; plan prints its forecast");
    if (options->plots_text && options->command != LAB_COMMAND_SWEEP)
        return lab_complain(LAB_EXIT_USAGE, "--plot is for ./run sweep");
    if (options->html &&
        ((options->command != LAB_COMMAND_RUN && options->command != LAB_COMMAND_COMPARE &&
          options->command != LAB_COMMAND_SWEEP) ||
         options->sanitize || options->thorough))
        return lab_complain(LAB_EXIT_USAGE, "--html is for a run, ./run compare or ./run sweep, "
                                            "without --thorough and --sanitize");
    const char *which = options->profile == LAB_PROFILE_GPU ? "gpu" : "both";
    if (options->sanitize &&
        (options->profile || options->lines || options->json || options->clocks))
        return lab_complain(LAB_EXIT_USAGE,
                            "--sanitize goes without --profile, --lines, --json and --clocks");
    if (options->sanitize && sim)
        return lab_complain(LAB_EXIT_USAGE, "--sanitize is for a GPU: on the simulator the checks "
                                            "are always on");
    if (gpu && sim)
        return lab_complain(LAB_EXIT_USAGE, "--profile=%s needs a GPU, not --runtime sim", which);
    if (options->watches && !options->banks && !options->html && !options->clocks)
        return lab_complain(LAB_EXIT_USAGE, "--warp is for --banks, --html and --clocks");
    if (options->clocks &&
        ((options->command != LAB_COMMAND_RUN && options->command != LAB_COMMAND_COMPARE) ||
         options->thorough || !(options->html || options->json)))
        return lab_complain(LAB_EXIT_USAGE, "--clocks is for --html and --json of a run or "
                                            "./run compare, without --thorough");
    if (options->clocks && sim)
        return lab_complain(LAB_EXIT_USAGE, "--clocks needs a GPU, not --runtime sim: a page of "
                                            "the simulator has a model of one block over time");
    if (options->traces && (options->banks || options->watches))
        return lab_complain(LAB_EXIT_USAGE, "--trace goes without --banks and --warp: it names its "
                                            "own warp");
    if (options->lines && gpu)
        return lab_complain(LAB_EXIT_USAGE, "%s counts on the simulator: not with --profile=%s",
                            lab_options_lines(options), which);
    if (options->lines && options->runtime == LAB_RUNTIME_GPU)
        return lab_complain(LAB_EXIT_USAGE, "%s counts on the simulator: give --runtime sim",
                            lab_options_lines(options));
    return options->with_copies ? check_copies(options) : LAB_EXIT_OK;
}
