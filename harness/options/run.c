/* Options of the run: which runtime, how often, with which checks. */
#include "options/parsers.h"
#include "options/values.h"

#include <string.h>

enum run_option {
    OPTION_RUNTIME = 256,
    OPTION_ARCH,
    OPTION_SMS, /* those up to here say what runs where: see is_detailed */
    OPTION_REPS,
    OPTION_CHECK_ONLY,
    OPTION_WARM,
    OPTION_FAST,
    OPTION_DETERMINISTIC,
    OPTION_STUDY,
    OPTION_THOROUGH,
    OPTION_DEFAULT_SIZE,
    OPTION_UNDER_TOOL /* stays the last */
};

static const struct argp_option table[] = {
    {"runtime", OPTION_RUNTIME, LAB_RUNTIME_WORDS, 0,
     "what runs the kernels (auto: the GPU if there is one)", 0},
    {"arch", OPTION_ARCH, "GPU", 0,
     "the GPU that is simulated: h200, a100, rtx4090, t4, gtx1050, gtx970, gtx480, m2070, or a "
     "profile's path (h200)",
     0},
    {"sms", OPTION_SMS, "N", 0,
     "simulate a slice of the GPU: N of its SMs with their share of L2 and of the rates of L2 and "
     "DRAM; all: the whole GPU (all)",
     0},
    {"reps", OPTION_REPS, "N", 0, "timed launches of each variant", 0},
    {"check-only", OPTION_CHECK_ONLY, 0, 0, "check, do not time", 0},
    {"warm", OPTION_WARM, 0, 0, "leave the L2 cache warm between timed launches", 0},
    {"fast", OPTION_FAST, 0, 0, "simulator: no checks for races and reads of unwritten memory", 0},
    {"deterministic", OPTION_DETERMINISTIC, 0, 0,
     "add, for each variant with atomic additions (step08), its form that gives the same bits "
     "every time",
     0},
    {"study", OPTION_STUDY, 0, 0,
     "run the kernels of the step's parameter study, if it has any, instead of its stages; "
     "--variant chooses among both",
     0},
    {"thorough", OPTION_THOROUGH, "all", OPTION_ARG_OPTIONAL,
     "check eight small, awkward problems (odd, thin, many rows, other options) instead of one; "
     "all: every problem that the lab's tests try",
     0},
    {"default-size", OPTION_DEFAULT_SIZE, "SIZE", OPTION_HIDDEN, 0, 0},
    {"under-tool", OPTION_UNDER_TOOL, 0, OPTION_HIDDEN, 0, 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct lab_options *options = state->input;
    if (key > OPTION_SMS && key <= OPTION_UNDER_TOOL) /* all but what runs where */
        options->is_detailed = true;
    switch (key) {
    case OPTION_RUNTIME:
        options->runtime = lab_parse_word("runtime", text, LAB_RUNTIME_WORDS);
        return 0;
    case OPTION_ARCH:
        options->arch = text;
        return 0;
    case OPTION_SMS:
        options->sms = strcmp(text, "all") == 0 ? LAB_SMS_ALL
                                                : (int)lab_parse_count("sms", text, 1, LAB_MAX_SMS);
        return 0;
    case OPTION_REPS:
        options->reps = (int)lab_parse_count("reps", text, 1, LAB_MAX_REPS);
        return 0;
    case OPTION_CHECK_ONLY:
        options->check_only = true;
        return 0;
    case OPTION_WARM:
        options->warm = true;
        return 0;
    case OPTION_FAST:
        options->fast = true;
        return 0;
    case OPTION_DETERMINISTIC:
        options->deterministic = true;
        return 0;
    case OPTION_STUDY:
        options->study = true;
        return 0;
    case OPTION_THOROUGH:
        options->thorough = true;
        options->every_problem = text != NULL;
        if (text)
            lab_parse_word("thorough", text, "all");
        return 0;
    case OPTION_DEFAULT_SIZE:
        options->default_size = (int)lab_parse_count("default-size", text, 1, LAB_SIZE_MAX);
        return 0;
    case OPTION_UNDER_TOOL:
        options->under_tool = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp lab_run_parser = {.options = table, .parser = parse};
