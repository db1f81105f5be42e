/* Family gemm: C = alpha op(A) op(B) + beta C, row-major, in FP32 or FP64, with or without gaps
 * between rows. The reference is cublasSgemm or cublasDgemm. */
#include "families/gemm/state.h"

#include "base/status.h"
#include "families/products.h"
#include "families/family.h"

#include <stdlib.h>

extern const struct lab_family lab_gemm_family;

/* A leading dimension: as given, or without a gap; an exit status. */
static int take_row(const struct lab_gemm *g, enum gemm_matrix which, long long given,
                    long long *row)
{
    const struct gemm_stored stored = gemm_stored(g, which);
    *row = given ? given : (long long)stored.columns;
    return *row >= (long long)stored.columns
               ? LAB_EXIT_OK
               : lab_complain(
                     LAB_EXIT_USAGE,
                     "--ld%c %lld: a row of %c, as it is stored, has %zu elements; give at "
                     "least that",
                     "abc"[which], given, "ABC"[which], stored.columns);
}

static int begin_with(struct lab_problem *p, const struct lab_options *options, int size,
                      enum gemm_trans trans)
{
    const struct gemm_options *own = lab_own_options(options, p->family->options);
    struct lab_gemm *g = p->argument;
    g->m = lab_size_of(options, p->family->options, 'm', size);
    g->n = lab_size_of(options, p->family->options, 'n', size);
    g->k = lab_size_of(options, p->family->options, 'k', size);
    g->type = own->type;
    const bool is_double = own->type == LAB_GEMM_F64;
    g->alpha = (float)own->alpha;
    g->beta = (float)own->beta;
    g->alpha_double = is_double ? own->alpha : (double)g->alpha;
    g->beta_double = is_double ? own->beta : (double)g->beta;
    g->a_is_transposed = trans == GEMM_TN || trans == GEMM_TT;
    g->b_is_transposed = trans == GEMM_NT || trans == GEMM_TT;
    gemm_state_of(p)->values = own->values;
    int status = take_row(g, GEMM_A, own->row_a, &g->row_a);
    if (status == LAB_EXIT_OK)
        status = take_row(g, GEMM_B, own->row_b, &g->row_b);
    return status == LAB_EXIT_OK ? take_row(g, GEMM_C, own->row_c, &g->row_c) : status;
}

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    const struct gemm_options *own = lab_own_options(options, p->family->options);
    return begin_with(p, options, size, own->trans);
}

static int begin_tn(struct lab_problem *p, const struct lab_options *options, int size)
{
    return begin_with(p, options, size, GEMM_TN);
}

static int begin_nt(struct lab_problem *p, const struct lab_options *options, int size)
{
    return begin_with(p, options, size, GEMM_NT);
}

static void end(struct lab_problem *p)
{
    free(gemm_state_of(p)->expected);
    free(gemm_state_of(p)->samples);
}

static struct lab_array array_of(const struct lab_gemm *g, enum gemm_matrix which, size_t offset,
                                 size_t offset_of_doubles)
{
    static const char *const names[] = {"A", "B", "C"};
    const struct gemm_stored stored = gemm_stored(g, which);
    const bool is_double = g->type == LAB_GEMM_F64;
    return (struct lab_array){.offset = is_double ? offset_of_doubles : offset,
                              .name = names[which],
                              .role = which == GEMM_C ? LAB_ROLE_OUTPUT : LAB_ROLE_INPUT,
                              .element = is_double ? LAB_ELEMENT_F64 : LAB_ELEMENT_F32,
                              .count = (stored.rows - 1) * stored.row + stored.columns,
                              .row = stored.row,
                              .columns = stored.columns,
                              .blank = which == GEMM_C && g->beta == 0.0f};
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_gemm *g = argument;
    list[GEMM_A] =
        array_of(g, GEMM_A, offsetof(struct lab_gemm, a), offsetof(struct lab_gemm, a_double));
    list[GEMM_B] =
        array_of(g, GEMM_B, offsetof(struct lab_gemm, b), offsetof(struct lab_gemm, b_double));
    list[GEMM_C] =
        array_of(g, GEMM_C, offsetof(struct lab_gemm, c), offsetof(struct lab_gemm, c_double));
    list[3] = LAB_ARRAY(struct lab_gemm, workspace, .role = LAB_ROLE_SCRATCH);
    return 4;
}

/* Leading dimensions are named as sizes only if there are gaps. */
static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    static const char *const forms[] = {NULL, "nt", "tn", "tt"};
    static const char *const values[] = {
        [GEMM_VALUES_SPREAD] = "spread", [GEMM_VALUES_SPECIAL] = "special"};
    const struct lab_gemm *g = gemm_of(p);
    const double m = g->m, n = g->n, k = g->k;
    const double each = (double)gemm_element_bytes(g);
    *facts = (struct lab_problem_facts){
        .type = g->type == LAB_GEMM_F64 ? "f64" : NULL,
        .form = p->family == &lab_gemm_family
                    ? forms[2 * (g->a_is_transposed != 0) + (g->b_is_transposed != 0)]
                    : NULL,
        .values = values[gemm_state_of(p)->values],
        .sizes = {{"m", g->m}, {"n", g->n}, {"k", g->k}},
        .size_count = 3,
        .factors = {{"alpha", g->alpha_double}, {"beta", g->beta_double}},
        .factor_count = 2,
        .flops = 2.0 * m * n * k,
        .bytes = each * (m * k + k * n + m * n * (g->beta ? 2 : 1)),
    };
    static const char *const names[] = {"lda", "ldb", "ldc"};
    for (enum gemm_matrix which = GEMM_A; which <= GEMM_C; which++) {
        const struct gemm_stored stored = gemm_stored(g, which);
        if (stored.row > stored.columns)
            facts->sizes[facts->size_count++] = (struct lab_size){names[which], (long)stored.row};
    }
}

static const unsigned forms[] = {[GEMM_NN] = LAB_GEMM_NN,
                                 [GEMM_NT] = LAB_GEMM_NT,
                                 [GEMM_TN] = LAB_GEMM_TN,
                                 [GEMM_TT] = LAB_GEMM_TT};

/* Variants without flags of their own do the plain product alone. */
static bool variant_fits(const struct lab_options *options, const struct lab_step *step,
                         int variant)
{
    const struct gemm_options *own = lab_own_options(options, &lab_gemm_options);
    const unsigned flags = lab_variant_of(step, variant)->flags & ~(LAB_OWN_FLAG - 1u);
    if (!flags)
        return !gemm_is_general(own);
    return flags & forms[own->trans] &&
           (own->type == LAB_GEMM_F64) == ((flags & LAB_GEMM_DOUBLES) != 0);
}

static void variant_options(const struct lab_step *step, int variant, char *text, size_t size)
{
    static const char *const words[] = {"nn", "nt", "tn", "tt"};
    const unsigned flags = lab_variant_of(step, variant)->flags;
    int form = GEMM_NN;
    while (form < GEMM_TT && !(flags & forms[form]))
        form++;
    if (flags & forms[form])
        snprintf(text, size, "--trans %s%s", words[form],
                 flags & LAB_GEMM_DOUBLES ? " --type f64" : "");
}

static const char *const test_options[] = {"--alpha -1.5 --beta 0.75", "--alpha 0 --beta 1",
                                           "--alpha 0.3 --beta 0.7", NULL};
static const char *const test_forms[] = {"--trans nt",
                                         "--trans tn --beta 1",
                                         "--trans tt --alpha -1.5 --beta 0.75",
                                         "--type f64 --trans nn --beta 0.75",
                                         "--type f64 --trans nt",
                                         "--type f64 --trans tn",
                                         "--type f64 --trans tt --alpha -1.3 --beta 0.7",
                                         "--lda 600 --ldb 604 --ldc 601",
                                         "--trans nt --lda 600 --ldb 600 --ldc 600",
                                         "--trans tn --lda 601 --ldb 604 --ldc 600 --beta 1",
                                         "--trans tt --lda 604 --ldb 601 --ldc 602",
                                         "--type f64 --lda 600 --ldb 600 --ldc 600 --beta 1",
                                         "--type f64 --trans nt --lda 602 --ldb 601 --ldc 603",
                                         "--type f64 --trans tn --lda 601 --ldb 602 --ldc 600",
                                         "--type f64 --trans tt --lda 600 --ldb 600 --ldc 601",
                                         "--trans tt --values special",
                                         "--type f64 --trans nt --values spread",
                                         NULL};
static const char *const test_form_sizes[] = {"-m 1",
                                              "-m 17",
                                              "-m 63",
                                              "-m 65",
                                              "-m 127",
                                              "-m 129",
                                              "-m 128 -n 132 -k 36",
                                              "-m 1 -n 300 -k 5",
                                              "-m 300 -n 1 -k 64",
                                              "-m 3 -n 5 -k 515",
                                              "-m 130 -n 260 -k 1",
                                              NULL};
/* 0.3, -1.3 and 0.7 are rounded in each type that is narrower than a float or a double, so that
 * factors which went through one show. 1, 0 and small or negative factors are tempting cases of
 * their own. */
#define THOROUGH                                                                                   \
    "-m 1 --alpha 0", "-m 33 -n 65 -k 17 --alpha -1.3 --beta 0.7", "-m 1 -n 300 -k 5 --beta 1",    \
        "-m 300 -n 1 -k 129 --alpha 0 --beta -1", "-m 128 -n 132 -k 36 --values special",          \
        "-m 66 -n 68 -k 7 --alpha 0.3", "-m 70 -n 67 -k 64 --values spread --beta 2",              \
        "-m 65601 -n 3 -k 2", "-m 17 -n 33 -k 9 --alpha 2 --beta 1",                               \
        "-m 33 -n 17 -k 8 --alpha 0 --beta 1", "-m 18 -n 17 -k 19 --alpha -2 --beta -1",           \
        "-m 1 -n 300 -k 1 --beta 0.0009", "-m 3 -n 5 -k 700"
static const char *const thorough[] = {THOROUGH, NULL};
/* For kernels that take doubles, or rows that begin anywhere. */
static const char *const thorough_any[] = {
    THOROUGH, "-m 33 -n 65 -k 517 --type f64 --alpha -1.3 --beta 0.7",
    "-m 36 -n 40 -k 64 --lda 67 --ldb 41 --ldc 43 --beta 0.7",
    /* and for those that take one form alone */
    "-m 33 -n 65 -k 17 --trans nt --alpha -1.3 --beta 0.7",
    "-m 33 -n 65 -k 17 --trans tn --alpha -1.3 --beta 0.7",
    "-m 33 -n 65 -k 17 --trans tt --alpha -1.3 --beta 0.7",
    "-m 66 -n 68 -k 7 --trans tt --lda 67 --ldb 9 --ldc 70 --values special",
    "-m 1 -n 300 -k 5 --trans tt --beta 1", "-m 130 -n 67 -k 1 --trans tt",
    "-m 33 -n 65 -k 17 --type f64 --trans nt --lda 19 --alpha -1.3 --beta 0.7",
    "-m 33 -n 65 -k 17 --type f64 --trans tn --ldb 67 --alpha -1.3 --beta 0.7",
    "-m 33 -n 65 -k 17 --type f64 --trans tt --ldc 66 --alpha -1.3 --beta 0.7", NULL};
/* Gives other factors than 1 and 0, which a kernel may leave out unseen, and that no type holds
 * which is narrower than the elements. */
static const char *vary(struct lab_options *options)
{
    const struct gemm_options *own = lab_own_options(options, &lab_gemm_options);
    if (own->alpha != 1.0 || own->beta != 0.0)
        return NULL;
    lab_give_own_option(options, &lab_gemm_options, "alpha", "-1.3");
    lab_give_own_option(options, &lab_gemm_options, "beta", "0.7");
    return "with other factors (--alpha -1.3 --beta 0.7)";
}

static size_t place(const void *gemm, int which, size_t i, size_t j)
{
    return gemm_place(gemm, (enum gemm_matrix)which, i, j);
}

/* Asks with factors of 1 and 0: a sum is its products then and nothing else. */
static cudaError_t ask(struct lab_problem *p, const struct lab_launched *launched,
                       struct lab_check *check)
{
    struct lab_gemm *g = p->argument;
    const struct lab_gemm before = *g;
    const bool has_factors = g->alpha != 0.0f && (g->alpha != 1.0f || g->beta != 0.0f) &&
                             gemm_state_of(p)->values == GEMM_VALUES_PLAIN;
    const struct lab_products products = {GEMM_A,
                                          GEMM_B,
                                          GEMM_C,
                                          g->m,
                                          g->n,
                                          g->k,
                                          .has_factors = has_factors,
                                          .may_round = gemm_tolerance(p) > gemm_type_tolerance(p),
                                          .arrays = p->arrays,
                                          .place = place,
                                          .argument = g};
    g->alpha = 1.0f;
    g->alpha_double = 1.0;
    g->beta = 0.0f;
    g->beta_double = 0.0;
    const cudaError_t status = lab_products_ask(p, &products, launched, check);
    *g = before;
    return status;
}

/* What the three families have in common: they differ in how A and B are stored. */
#define GEMM_COMMON                                                                                \
    .type = "f32", .problem_bytes = sizeof(struct lab_gemm),                                       \
    .state_bytes = sizeof(struct gemm_state), .reference = "cublas", .uses_cublas = true,          \
    .look_at = "the last rows and columns",                                                        \
    .of_blank = "with beta = 0, C holds nothing; does a store stand in a loop? Then the compiler " \
                "may read C before it",                                                            \
    .default_size = 4096, .test_sizes = lab_test_products, .test_options = test_options,           \
    .gpu_test_sizes = lab_gpu_test_products, .arrays = arrays, .fill = gemm_fill, .vary = vary,    \
    .make_reference = gemm_make_reference, .end = end, .facts = facts,                             \
    .launch_library = gemm_launch_reference, .check_output = gemm_check_output, .ask = ask

const struct lab_family lab_gemm_family = {.options = &lab_gemm_options,
                                           .begin = begin,
                                           .variant_fits = variant_fits,
                                           .variant_options = variant_options,
                                           .test_forms = test_forms,
                                           .test_form_sizes = test_form_sizes,
                                           .thorough = thorough_any,
                                           GEMM_COMMON};

const struct lab_family lab_gemm_tn_family = {
    .options = &lab_gemm_tn_options, .begin = begin_tn, .thorough = thorough, GEMM_COMMON};

const struct lab_family lab_gemm_nt_family = {
    .options = &lab_gemm_nt_options, .begin = begin_nt, .thorough = thorough, GEMM_COMMON};
