/* Options of a matrix product: factors and values. */
#include "families/gemm/options.h"

#include "options/values.h"
#include "base/status.h"

enum { OPTION_ALPHA = 256, OPTION_BETA, OPTION_VALUES };

#define VALUES_WORDS "plain|spread|special"

static const struct argp_option table[] = {
    {"alpha", OPTION_ALPHA, "X", 0, "factor of the product (1)", 0},
    {"beta", OPTION_BETA, "X", 0, "factor of the old C (0)", 0},
    {"values", OPTION_VALUES, VALUES_WORDS, 0,
     "of the inputs: plain, spread over many magnitudes, or special: with NaN and infinity (plain)",
     0},
    {0}};

static const struct gemm_options defaults = {.alpha = 1.0f};

static void parse(int key, const char *text, void *own)
{
    struct gemm_options *gemm = own;
    if (key == OPTION_ALPHA)
        gemm->alpha = lab_parse_scalar("alpha", text);
    else if (key == OPTION_BETA)
        gemm->beta = lab_parse_scalar("beta", text);
    else
        gemm->values = lab_parse_word("values", text, VALUES_WORDS);
}

static int check(const struct lab_options *options, const void *own)
{
    const int *sizes = options->problem.sizes;
    const int given = (sizes['m' - 'a'] > 0) + (sizes['n' - 'a'] > 0) + (sizes['k' - 'a'] > 0);
    (void)own;
    return given == 2
               ? lab_complain(LAB_EXIT_USAGE, "give all of -m -n -k, or one of them for a cube")
               : LAB_EXIT_OK;
}

/* All that the two have in common. */
#define GEMM_OPTIONS                                                                               \
    .heading = "Matrix products, C = alpha A B + beta C",                                          \
    .sizes = {{'m', "rows of C and of A; a single size stands for all three", 0},                  \
              {'n', "columns of C and of B", 0},                                                   \
              {'k', "inner length: columns of A, rows of B", 0}},                                  \
    .alike = true, .table = table, LAB_OWN(defaults), .parse = parse, .check = check,              \
    .has_study = true, .study_of_stages = true

const struct lab_family_options lab_gemm_options = {
    .name = "gemm", .title = "gemm", .slice_size = 512, GEMM_OPTIONS};

const struct lab_family_options lab_gemm_tn_options = {
    .name = "gemm_tn", .title = "gemm tn", GEMM_OPTIONS};
