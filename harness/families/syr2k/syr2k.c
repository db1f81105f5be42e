/* Family syr2k: the upper triangle of C = (B A' + A B') / 2 in FP64 or FP32, where A and B are n x
 * p x q, here n rows of p q values. The reference is cublasDsyr2k or cublasSsyr2k; small problems
 * are checked against compensated sums. */
#include "families/syr2k.h"
#include "diagnose/explanation.h"
#include "families/fp64/fp64.h"
#include "families/values.h"

#include "options/family.h"
#include "base/status.h"

#include <cublas_v2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab_family_options lab_syr2k_options;

enum { A, B, C };

static const struct lab_syr2k *syr2k_of(const struct lab_problem *p)
{
    return p->argument;
}

static size_t length(const struct lab_syr2k *s)
{
    return (size_t)s->p * (size_t)s->q;
}

/* Operations that are asked for: n (n + 1) / 2 elements, each with 2 p q products and as many
 * additions. The halving does not count. */
static double operations(const struct lab_syr2k *s)
{
    return 2.0 * s->n * (s->n + 1.0) * length(s);
}

/* A single size means p = q = n, as in the report. */
static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_syr2k *s = p->argument;
    s->n = lab_size_of(options, p->family->options, 'n', size);
    s->p = lab_size_of(options, p->family->options, 'p', size);
    s->q = lab_size_of(options, p->family->options, 'q', size);
    if (length(s) > LAB_SIZE_MAX)
        return lab_complain(LAB_EXIT_USAGE,
                            "n=%d p=%d q=%d: p times q is at most %d; give smaller sizes", s->n,
                            s->p, s->q, LAB_SIZE_MAX);
    s->is_float = fp64_wants_floats(options, p->family->options);
    fp64_of(p)->tolerance =
        lab_values_scaled(p, s->is_float ? 0.5 * fp64_tolerance_of_floats(2.0 * length(s))
                                         : fp64_tolerance(2.0 * length(s)));
    return LAB_EXIT_OK;
}

/* A row-major n x k matrix is column-major k x n, and its upper triangle is the lower one there. */
static cudaError_t launch_library(struct lab_problem *p, int variant)
{
    const struct lab_syr2k *s = syr2k_of(p);
    const double half = 0.5, zero = 0.0;
    int k = (int)length(s);
    (void)variant;
    const float half_float = 0.5f, zero_float = 0.0f;
    const cublasStatus_t status =
        s->is_float
            ? cublasSsyr2k(p->cublas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, s->n, k, &half_float,
                           s->a_float, k, s->b_float, k, &zero_float, s->c_float, s->n)
            : cublasDsyr2k(p->cublas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, s->n, k, &half, s->a, k,
                           s->b, k, &zero, s->c, s->n);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static bool sum_exactly(struct lab_problem *p)
{
    const size_t n = syr2k_of(p)->n, columns = length(syr2k_of(p));
    double *const a = fp64_copy_inputs(p);
    const bool is_there = a != NULL;
    for (size_t k = 0; is_there && k < n; k++)
        for (size_t l = k; l < n; l++) {
            const double *const a_k = a + k * columns, *const a_l = a + l * columns;
            const double half = fp64_exact_dot(0.0, a_l, a_k + n * columns, columns);
            fp64_of(p)->expected[k * n + l] =
                0.5 * fp64_exact_dot(half, a_k, a_l + n * columns, columns);
        }
    free(a);
    return is_there;
}

/* Computes an element from scratch: makes its rows of A and B again. */
static double exact_element(const struct lab_problem *p, size_t k, size_t l)
{
    const size_t columns = length(syr2k_of(p));
    double sum = 0.0, rest = 0.0;
    for (size_t i = 0; i < 2 * columns; i++) { /* one half of the sum, then the other */
        const size_t of_a = i < columns ? l : k, of_b = i < columns ? k : l;
        const double b = fp64_input(p, B, of_b * columns + i % columns);
        fp64_exact_add(&sum, &rest, fp64_input(p, A, of_a * columns + i % columns), &b, 1);
    }
    return 0.5 * (sum + rest);
}

static int make_reference(struct lab_problem *p)
{
    const struct fp64_sums sums = {syr2k_of(p)->is_float ? "cublasSsyr2k" : "cublasDsyr2k",
                                   sum_exactly, exact_element};
    return fp64_make_reference(p, C, 0.5 * operations(syr2k_of(p)), &sums);
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const double term =
        lab_values_scaled(p, 0.125); /* the least by which a missing term moves an element */
    const struct lab_syr2k *s = syr2k_of(p);
    *facts = (struct lab_problem_facts){
        .type = s->is_float ? "f32" : NULL,
        .sizes = {{"n", s->n}, {"p", s->p}, {"q", s->q}},
        .size_count = 3,
        .flops = operations(s),
        .bytes = (s->is_float ? 4.0 : 8.0) * (2.0 * s->n * length(s) + 0.5 * s->n * (s->n + 1.0)),
        .note = fp64_of(p)->tolerance > term ? "sums so long that rounding may hide a missing term"
                                             : NULL,
    };
}

/* --- what a wrong C comes of -------------------------------------------------------------------*/

/* The sums over i that an element has, and those that it may have by mistake. */
struct halves {
    double first, second;             /* of A[l][i] B[k][i] and of A[k][i] B[l][i] */
    double of_a, of_b;                /* of A[k][i] A[l][i], and of B likewise */
    double first_added, second_added; /* A[l][i] + B[k][i], and A[k][i] + B[l][i] */
    double of_k, of_l;                /* of A[k][i] B[k][i], and of A[l][i] B[l][i] */
    double turned;   /* the element whose row and column within their tiles are exchanged */
    double other[4]; /* with A's or B's rows of k from l's tile, and those of l from k's */
    double doubled;  /* each tile of i adds once more what was there before */
    double held;     /* what the tile of A holds, after the last i, where a half is to stand */
};

static const char OWN_HALF[] = "does a thread take its own half for the other one's?";
static const char WHICH_ROW[] =
    "a row of A is to meet another row of B: which thread index names which of them?";
static const char TURNED[] = "do k and l take threadIdx.x and threadIdx.y as the sum does?";
static const char OTHER_TILE[] = "with which of first_k and first_l is each tile loaded?";
static const char HELD[] =
    "is each half stored to it, by = and not by +=, and then read from there?";
static const char OTHER_HALF[] =
    "where the thread at (l, k) is to compute it, does it so whatever k and l are, and are both "
    "halves added?";
#define CAUSE(value, words, where) {.text = words, .hint = where},
static const struct lab_explanation all_causes[] = {
#include "families/syr2k/causes.def"
};
#undef CAUSE
enum { CAUSES = sizeof all_causes / sizeof *all_causes, BESIDE_DIAGONAL = CAUSES - 2 };

enum { TILE = 16 }; /* of the exercise and of its step */

/* What is left in a tile: on the diagonal, rows of A from the first k on. Beyond n
 * and the last i it is 0. */
static double held_of(const struct lab_problem *p, const double *a, size_t row, size_t column)
{
    const size_t count = length(syr2k_of(p)), i = (count - 1) / TILE * TILE + row % TILE;
    return row / TILE == column / TILE && i < count ? a[column * count + i] : 0.0;
}

/* The row at the place of `row` in the tile of `other`; NULL: it lies outside. */
static const double *row_in_tile(const struct lab_problem *p, const double *matrix, size_t row,
                                 size_t other)
{
    const size_t in = other / TILE * TILE + row % TILE;
    return in < (size_t)syr2k_of(p)->n ? matrix + in * length(syr2k_of(p)) : NULL;
}

static double dot(const struct lab_problem *p, const double *x, const double *y)
{
    return x && y ? fp64_exact_dot(0.0, x, y, length(syr2k_of(p))) : 0.0;
}

/* What an element has if a row is taken from another one's tile. */
static void find_others(const struct lab_problem *p, const double *a, const double *b, size_t row,
                        size_t column, struct halves *h)
{
    const size_t count = length(syr2k_of(p));
    const double *const a_k = a + row * count, *const b_k = b + row * count;
    const double *const a_l = a + column * count, *const b_l = b + column * count;
    const double *const to_a_k = row_in_tile(p, a, column, row);
    const double *const to_b_k = row_in_tile(p, b, column, row);
    const double *const to_a_l = row_in_tile(p, a, row, column);
    const double *const to_b_l = row_in_tile(p, b, row, column);
    h->turned = dot(p, to_a_l, to_b_k) + dot(p, to_a_k, to_b_l);
    h->other[0] = dot(p, to_a_k, b_k) + h->second; /* A's rows of l */
    h->other[1] = h->first + dot(p, a_k, to_b_k);
    h->other[2] = h->first + dot(p, to_a_l, b_l);
    h->other[3] = dot(p, a_l, to_b_l) + h->second;
    for (size_t i = 0; i < count; i++)
        h->doubled =
            (i % TILE || i == 0 ? 1.0 : 2.0) * h->doubled + a_l[i] * b_k[i] + a_k[i] * b_l[i];
}

static double added(const double *x, const double *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] + y[i];
    return sum;
}

static void note_element(const struct lab_problem *p, const struct halves *h,
                         const struct lab_mismatch *wrong, struct lab_explanation *causes)
{
    const double sum = h->first + h->second, difference = h->first - h->second;
    const bool is_beside = wrong->row != wrong->column;
    const double is_turned = difference * wrong->got < 0.0 ? -0.5 : 0.5;
#define CAUSE(value, ...) value,
    const double values[CAUSES] = {
#include "families/syr2k/causes.def"
    };
#undef CAUSE
    for (int i = 0; i < CAUSES; i++)
        lab_explain_note(&causes[i], values[i], wrong, fp64_of(p)->tolerance);
}

/* The rows that go into an element. */
struct rows {
    const double *a_k, *a_l, *b_k, *b_l;
};

static double term(const void *rows, int element, int i)
{
    const struct rows *r = rows;
    (void)element;
    return 0.5 * (r->a_l[i] * r->b_k[i] + r->a_k[i] * r->b_l[i]);
}

/* Explains one element by neighbouring terms. */
static bool say_run(const struct lab_problem *p, const double *a, const double *b,
                    const struct lab_mismatch *first, char *text, size_t size)
{
    const size_t count = length(syr2k_of(p)), k = first->row * count, l = first->column * count;
    const struct rows rows = {a + k, a + l, b + k, b + l};
    struct lab_sums run = {.index = "i",
                           .terms = "terms",
                           .count = (int)count,
                           .elements = 1,
                           .is_sure = true,
                           .has_scratch = lab_problem_scratch(p) != NULL,
                           .tolerance = {fp64_of(p)->tolerance},
                           .error = {first->got - first->expected}};
    return lab_sums_explain(&run, term, &rows, text, size);
}

/* Explains the wrong elements from `from` on, up to MOST of them. */
static bool say_cause(const struct lab_problem *p, const double *got, const double *a,
                      const double *b, size_t from, char *text, size_t size)
{
    enum { MOST = 200 };
    const size_t n = syr2k_of(p)->n, count = length(syr2k_of(p));
    struct lab_explanation causes[CAUSES];
    size_t looked_at = 0;
    size_t on_diagonal = 0;
    memcpy(causes, all_causes, sizeof causes);
    for (size_t at = from; at < n * n && looked_at < MOST; at++) {
        const size_t k = at / n * count, l = at % n * count;
        const struct lab_mismatch wrong = {at / n, at % n, fp64_of(p)->expected[at], got[at]};
        if (at / n > at % n || !lab_explain_counts(&wrong, fp64_of(p)->tolerance))
            continue;
        struct halves h = {.first = fp64_exact_dot(0.0, a + l, b + k, count),
                           .second = fp64_exact_dot(0.0, a + k, b + l, count),
                           .of_a = fp64_exact_dot(0.0, a + k, a + l, count),
                           .of_b = fp64_exact_dot(0.0, b + k, b + l, count),
                           .first_added = added(a + l, b + k, count),
                           .second_added = added(a + k, b + l, count),
                           .of_k = fp64_exact_dot(0.0, a + k, b + k, count),
                           .of_l = fp64_exact_dot(0.0, a + l, b + l, count),
                           .held = held_of(p, a, at / n, at % n)};
        find_others(p, a, b, at / n, at % n, &h);
        note_element(p, &h, &wrong, causes);
        looked_at++;
        on_diagonal += at / n == at % n;
    }
    for (int i = BESIDE_DIAGONAL; i < CAUSES; i++)
        causes[i].is_refuted |= on_diagonal == 0 || on_diagonal == looked_at;
    return lab_explain_say(causes, CAUSES, NULL, text, size);
}

static bool explain(const struct lab_problem *p, const double *got,
                    const struct lab_mismatch *first, char *text, size_t size)
{
    enum { MOST = 1 << 22 };
    const size_t n = syr2k_of(p)->n, count = n * length(syr2k_of(p));
    double *const a = count <= MOST ? fp64_copy_inputs(p) : NULL;
    const bool is_said =
        a && (say_cause(p, got, a, a + count, first->row * n + first->column, text, size) ||
              say_run(p, a, a + count, first, text, size));
    free(a);
    return is_said;
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    return fp64_check(p, C, p->buffers[C].data, false, explain, check);
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_syr2k *s = argument;
    const enum lab_element element = s->is_float ? LAB_ELEMENT_F32 : LAB_ELEMENT_F64;
    const size_t n = (size_t)s->n, row = length(s);
    list[A] = LAB_ARRAY(struct lab_syr2k, a, .name = "A", .role = LAB_ROLE_INPUT,
                        .element = element, .count = n * row, .row = row);
    list[B] = LAB_ARRAY(struct lab_syr2k, b, .name = "B", .role = LAB_ROLE_INPUT,
                        .element = element, .count = n * row, .row = row);
    list[C] =
        LAB_ARRAY(struct lab_syr2k, c, .name = "C", .role = LAB_ROLE_OUTPUT, .element = element,
                  .count = n * n, .row = n, .region = LAB_REGION_UPPER, .blank = true);
    if (s->is_float) {
        list[A].offset = offsetof(struct lab_syr2k, a_float);
        list[B].offset = offsetof(struct lab_syr2k, b_float);
        list[C].offset = offsetof(struct lab_syr2k, c_float);
    }
    list[3] = LAB_ARRAY(struct lab_syr2k, workspace, .role = LAB_ROLE_SCRATCH);
    return 4;
}

/* n x n C of long and short sums. */
static const char *const test_sizes[] = {"-n 1",
                                         "-n 2",
                                         "-n 7",
                                         "-n 15",
                                         "-n 17 -p 17 -q 33",
                                         "-n 31",
                                         "-n 33",
                                         "-n 63 -p 3",
                                         "-n 64 -p 2",
                                         "-n 65 -p 3 -q 5",
                                         "-n 127 -p 3",
                                         "-n 129 -p 1",
                                         "-n 1 -p 4099",
                                         "-n 1 -q 4099",
                                         "-n 257 -p 1 -q 1",
                                         "-n 2 -p 8190",
                                         "-n 5 -p 3 -q 7",
                                         "-n 130 -p 2 -q 17",
                                         NULL};
static const char *const gpu_test_sizes[] = {"-n 128", "-n 129 -p 127 -q 131", "-n 1023 -p 5 -q 7",
                                             "-n 2 -p 1000 -q 1001", NULL};

static const char *const thorough[] = {"-n 1 -p 1 -q 1",
                                       "-n 33 -p 3 -q 5",
                                       "-n 17 -p 17 -q 33",
                                       "-n 2 -p 1 -q 601",
                                       "-n 65 -p 1 -q 4",
                                       "-n 31 -p 4 -q 1 --values special",
                                       "-n 130 -p 7 -q 19 --deterministic",
                                       "-n 64 -p 8 -q 8",
                                       "-n 17 -p 13 -q 5",
                                       NULL};

const struct lab_family lab_syr2k_family = {
    .options = &lab_syr2k_options,
    .problem_bytes = sizeof(struct lab_syr2k),
    .state_bytes = sizeof(struct fp64_state),
    .type = "f64",
    .reference = "cublas",
    .uses_cublas = true,
    .look_at = "the last rows and columns",
    .default_size = 256,
    .simulated = 8e8,
    .test_sizes = test_sizes,
    .gpu_test_sizes = gpu_test_sizes,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = lab_values_fill,
    .variant_fits = fp64_variant_fits,
    .variant_options = fp64_variant_options,
    .scaled = A,
    .make_reference = make_reference,
    .end = fp64_end,
    .facts = facts,
    .launch_library = launch_library,
    .check_output = check_output,
};
