/* Options of counters, lines, energy, copies and tools. */
#include "options/tools.h"

#include "status.h"

#include <stdlib.h>
#include <string.h>

enum tool_option {
    OPTION_PROFILE = 768,
    OPTION_LINES,
    OPTION_SANITIZE,
    OPTION_ENERGY,
    OPTION_WITH_COPIES,
    OPTION_UNDER_TOOL,
    OPTION_COUNTERS_TO
};

static const struct argp_option table[] = {
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
    {0}};

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

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct lab_options *options = state->input;
    switch (key) {
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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp lab_tools_parser = {.options = table, .parser = parse};

int lab_tool_options_check(const struct lab_options *options)
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
