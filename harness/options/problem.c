/* Options of the problem: sizes, factors, inputs. */
#include "options/problem.h"

#include "options/values.h"
#include "registry.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

/* As steps/steps.def names the families. */
static const char GEMM[] = "gemm", SUMMATION[] = "kernel_summation", TRMM[] = "trmm",
                  SYR2K[] = "syr2k", APSP[] = "apsp";

enum problem_option {
    OPTION_ALPHA = 256,
    OPTION_BETA,
    OPTION_BANDWIDTH,
    OPTION_OFFSET,
    OPTION_WEIGHTS,
    OPTION_DETERMINISTIC,
    OPTION_VALUES,
    OPTION_SEED
};

static const struct argp_option table[] = {
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
    {"seed", OPTION_SEED, "N", 0, "seed of the input data (1)", 1},
    {0}};

static float parse_bandwidth(const char *text)
{
    float value = lab_parse_scalar("bandwidth", text);
    if (!(value > 0.0f))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "--bandwidth %s: a bandwidth is a float above 0, from 1e-45 to 3.4e38",
                          text));
    return value;
}

/* Where a size goes; NULL: the key is none. */
static int *size_of(struct lab_options *options, int key)
{
    switch (key) {
    case 'm':
        return &options->m;
    case 'n':
        return &options->n;
    case 'k':
        return &options->k;
    case 'p':
        return &options->p;
    case 'q':
        return &options->q;
    default:
        return NULL;
    }
}

/* The family whose option it is; NULL: of all, or unknown. */
static const char *family_of(int key)
{
    switch (key) {
    case 'p':
    case 'q':
        return SYR2K;
    case OPTION_ALPHA:
    case OPTION_BETA:
    case OPTION_VALUES:
        return GEMM;
    case OPTION_BANDWIDTH:
    case OPTION_OFFSET:
    case OPTION_WEIGHTS:
    case OPTION_DETERMINISTIC:
        return SUMMATION;
    default:
        return NULL;
    }
}

static error_t parse_value(int key, const char *text, struct lab_options *options)
{
    static const char *const weights[] = {"positive", "mixed", NULL};
    static const char *const values[] = {"plain", "spread", "special", NULL};
    switch (key) {
    case OPTION_ALPHA:
        options->alpha = lab_parse_scalar("alpha", text);
        return 0;
    case OPTION_BETA:
        options->beta = lab_parse_scalar("beta", text);
        return 0;
    case OPTION_BANDWIDTH:
        options->bandwidth = parse_bandwidth(text);
        return 0;
    case OPTION_OFFSET:
        options->offset = lab_parse_scalar("offset", text);
        return 0;
    case OPTION_WEIGHTS:
        options->weights = lab_parse_word("weights", text, weights, "positive or mixed");
        return 0;
    case OPTION_DETERMINISTIC:
        options->deterministic = true;
        return 0;
    case OPTION_VALUES:
        options->values = lab_parse_word("values", text, values, "plain, spread or special");
        return 0;
    case OPTION_SEED:
        options->seed = lab_parse_count("seed", text, 0, UINT64_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct lab_options *options = state->input;
    int *size = size_of(options, key);
    error_t status = size ? 0 : parse_value(key, text, options);
    if (size)
        *size = lab_parse_size((char)key, text);
    if (status == 0 && family_of(key))
        lab_options_note_family(options, family_of(key), table, key);
    return status;
}

const struct argp lab_problem_parser = {.options = table, .parser = parse};

static bool is_of(const struct lab_options *options, const char *family)
{
    return options->target_count > 0 &&
           strcmp(lab_registry_target(options->targets[0])->family, family) == 0;
}

static bool is_gemm(const struct lab_options *options)
{
    return options->target_count == 0 || is_of(options, "gemm");
}

void lab_problem_options_complete(struct lab_options *options)
{
    if (!is_gemm(options))
        return;
    int given = (options->m > 0) + (options->n > 0) + (options->k > 0);
    int size = options->m + options->n + options->k;
    if (given == 1)
        options->m = options->n = options->k = size;
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

/* A family's name as it is shown. */
static const char *in_words(const char *name, char words[32])
{
    snprintf(words, 32, "%s", name);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return words;
}

/* An option of one family, and a target of another. */
static int check_family(const struct lab_options *options)
{
    char typed[32], of[32], found[32];
    for (int i = 0; options->of_family && i < options->target_count; i++) {
        const char *family = lab_registry_target(options->targets[i])->family;
        if (strcmp(family, options->of_family) != 0)
            return lab_complain(LAB_EXIT_USAGE, "%s is for %s; %s solves another problem, %s",
                                lab_option_typed(options->family_option, typed),
                                in_words(options->of_family, of), options->targets[i],
                                in_words(family, found));
    }
    return LAB_EXIT_OK;
}

int lab_problem_options_check(const struct lab_options *options)
{
    int given = (options->m > 0) + (options->n > 0) + (options->k > 0);
    if (given == 2 && is_gemm(options))
        return lab_complain(LAB_EXIT_USAGE, "give all of -m -n -k, or one of them for a cube");
    int status = check_fp64(options);
    if (status == LAB_EXIT_OK)
        status = check_family(options);
    return status == LAB_EXIT_OK ? check_sizes(options) : status;
}
