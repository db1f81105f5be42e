/* Options of a matrix product: factors, values, and what of it is stored how. */
#include "families/gemm/state.h"

#include "base/status.h"

#define LEADING(member) LAB_COUNT(struct gemm_options, member, 1, LAB_SIZE_MAX)

static const struct lab_option table[] = {
    {"alpha", "X", "factor of the product (1)", LAB_SCALAR(struct gemm_options, alpha)},
    {"beta", "X", "factor of the old C (0)", LAB_SCALAR(struct gemm_options, beta)},
    {"values", "plain|spread|special",
     "values of the inputs: plain, spread over many magnitudes, or special: with NaN and infinity "
     "(plain)",
     LAB_WORD(struct gemm_options, values)},
    {"trans", "nn|nt|tn|tt", "which of A and B, in this order, are stored transposed (nn)",
     LAB_WORD(struct gemm_options, trans)},
    {"type", "f32|f64", "type of the elements (f32)", LAB_WORD(struct gemm_options, type)},
    {"lda", "N", "elements from one stored row of A to the next (the row's length)",
     LEADING(row_a)},
    {"ldb", "N", "the same for B", LEADING(row_b)},
    {"ldc", "N", "the same for C", LEADING(row_c)},
    {"lot", "N",
     "sweep: instead of cubes, N problems with m, n and k drawn by --seed from 256 to 6000",
     LAB_COUNT(struct gemm_options, lot, 1, 1000)},
    {0}};

static const struct gemm_options defaults = {.alpha = 1.0};

bool gemm_is_general(const struct gemm_options *gemm)
{
    return gemm->trans != GEMM_NN || gemm->type != LAB_GEMM_F32 || gemm->row_a || gemm->row_b ||
           gemm->row_c;
}

static int check(const struct lab_options *options, const void *own)
{
    const int *sizes = options->problem.sizes;
    const int given = (sizes['m' - 'a'] > 0) + (sizes['n' - 'a'] > 0) + (sizes['k' - 'a'] > 0);
    const struct gemm_options *gemm = own;
    if (gemm->lot && (options->command != LAB_COMMAND_SWEEP || given))
        return lab_complain(LAB_EXIT_USAGE, "--lot is for sweep, in the place of sizes");
    return given == 2
               ? lab_complain(LAB_EXIT_USAGE, "give all of -m -n -k, or one of them for a cube")
               : LAB_EXIT_OK;
}

/* For gemm_tn, where A is transposed already. */
static int check_tn(const struct lab_options *options, const void *own)
{
    return gemm_is_general(own)
               ? lab_complain(LAB_EXIT_USAGE, "--trans, --type, --lda, --ldb and --ldc are for the "
                                              "steps: this is A' B of floats without gaps")
               : check(options, own);
}

/* For gemm_nt, where B is transposed already; leading dimensions are free. */
static int check_nt(const struct lab_options *options, const void *own)
{
    const struct gemm_options *gemm = own;
    return gemm->trans != GEMM_NN || gemm->type != LAB_GEMM_F32
               ? lab_complain(LAB_EXIT_USAGE, "--trans and --type are for the steps: this is A B' "
                                              "of floats")
               : check(options, own);
}

/* The study goes over sizes, and a leading dimension suits only one size. */
static int check_study(const struct lab_options *options, const void *own)
{
    const struct gemm_options *gemm = own;
    (void)options;
    return gemm->row_a || gemm->row_b || gemm->row_c
               ? lab_complain(LAB_EXIT_USAGE,
                              "sweep goes over sizes: leave out --lda, --ldb and --ldc")
               : LAB_EXIT_OK;
}

/* Sizes from 256 to 6000, on the simulator from 16 to 375: the same for the same seed. A linear
 * congruential generator (Knuth's MMIX). */
static bool draw(const struct lab_options *options, bool is_sim, int i, int sizes[LAB_LETTERS])
{
    unsigned long long state = options->problem.seed;
    const struct gemm_options *gemm = lab_own_options(options, &lab_gemm_options);
    for (int problem = 0; problem <= i; problem++)
        for (const char *letter = "mnk"; *letter; letter++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const int drawn = 256 + (int)((state >> 33) % 5745);
            sizes[*letter - 'a'] = is_sim ? drawn / 16 : drawn;
        }
    return i < gemm->lot;
}

/* What the three families have in common. */
#define GEMM_OPTIONS                                                                               \
    .heading = "Matrix products, C = alpha A B + beta C",                                          \
    .sizes = {{'m', "rows of C and of A; a single size stands for all three", 0},                  \
              {'n', "columns of C and of B", 0},                                                   \
              {'k', "inner length: columns of A, rows of B", 0}},                                  \
    .alike = true, .table = table, LAB_OWN(defaults), .study = "sizes", .study_of_stages = true,   \
    .check_study = check_study, .draw = draw, .times_with_copies = true

const struct lab_family_options lab_gemm_options = {
    .name = "gemm", .title = "gemm", .slice_size = 512, .check = check, GEMM_OPTIONS};

const struct lab_family_options lab_gemm_tn_options = {
    .name = "gemm_tn", .title = "gemm tn", .check = check_tn, GEMM_OPTIONS};

const struct lab_family_options lab_gemm_nt_options = {
    .name = "gemm_nt", .title = "gemm nt", .slice_size = 512, .check = check_nt, GEMM_OPTIONS};
