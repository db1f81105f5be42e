/* Family trmm: B = B + triu(A) B in FP64 or FP32, in place; or with tril(A). The reference is
 * cublasDtrmm or cublasStrmm out of place and an addition; small problems are checked against
 * compensated sums. Also shown: the library in place and out of place, which give triu(A) B alone.
 */
#include "families/trmm.h"
#include "diagnose/explanation.h"
#include "families/fp64/fp64.h"
#include "families/values.h"

#include "options/family.h"
#include "base/status.h"

#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab_family_options lab_trmm_options, lab_trmm_lower_options;

enum { A, B, IN_PLACE = LAB_FURTHER_REFERENCE, ALONE = LAB_FURTHER_REFERENCE - 1 };
static const char *const also[] = {"cublas_in_place", "cublas_alone", NULL};

/* Operations that are asked for, counted as cuBLAS's are. Element i of a column takes n - i
 * products and as many additions: n (n + 1) in each of the m columns. The diagonal's share, n m,
 * and the additions to B, another n m, are left out. */
static double operations(const struct lab_trmm *t)
{
    return (double)t->n * t->n * t->m;
}

static const struct lab_trmm *trmm_of(const struct lab_problem *p)
{
    return p->argument;
}

static bool is_lower(const struct lab_problem *p)
{
    return p->arrays[A].region == LAB_REGION_LOWER;
}

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_trmm *t = p->argument;
    t->n = lab_size_of(options, p->family->options, 'n', size);
    t->m = lab_size_of(options, p->family->options, 'm', size);
    t->is_float = fp64_wants_floats(options, p->family->options);
    fp64_of(p)->tolerance = lab_values_scaled(p, t->is_float ? fp64_tolerance_of_floats(t->n + 1.0)
                                                             : fp64_tolerance(t->n + 1.0));
    return LAB_EXIT_OK;
}

/* First and last column of a row of A that count. */
static size_t first_of(const struct lab_problem *p, size_t row)
{
    return is_lower(p) ? 0 : row;
}
static size_t end_of(const struct lab_problem *p, size_t row)
{
    return is_lower(p) ? row + 1 : (size_t)trmm_of(p)->n;
}

/* Row-major B += triu(A) B is column-major B' += B' triu(A)', with triu(A)' lower triangular. */
static cudaError_t multiply(struct lab_problem *p, void *to)
{
    const struct lab_trmm *t = trmm_of(p);
    const cublasFillMode_t fill = is_lower(p) ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const cublasStatus_t status =
        t->is_float
            ? cublasStrmm(p->cublas, CUBLAS_SIDE_RIGHT, fill, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                          t->m, t->n, &(const float){1.0f}, t->a_float, t->n, t->b_float, t->m, to,
                          t->m)
            : cublasDtrmm(p->cublas, CUBLAS_SIDE_RIGHT, fill, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                          t->m, t->n, &(const double){1.0}, t->a, t->n, t->b, t->m, to, t->m);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t multiply_and_add(struct lab_problem *p)
{
    const struct lab_trmm *t = trmm_of(p);
    void *const product = lab_problem_scratch(p);
    const double one = 1.0;
    const float one_float = 1.0f;
    const cudaError_t status = multiply(p, product);
    if (status != cudaSuccess)
        return status;
    const cublasStatus_t added =
        t->is_float ? cublasSgeam(p->cublas, CUBLAS_OP_N, CUBLAS_OP_N, t->m, t->n, &one_float,
                                  t->b_float, t->m, &one_float, product, t->m, t->b_float, t->m)
                    : cublasDgeam(p->cublas, CUBLAS_OP_N, CUBLAS_OP_N, t->m, t->n, &one, t->b, t->m,
                                  &one, product, t->m, t->b, t->m);
    return added == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/* Where a library call leaves its result. */
static void *result_of(const struct lab_problem *p)
{
    return p->variant == ALONE ? lab_problem_scratch(p) : p->buffers[B].data;
}

static cudaError_t launch_library(struct lab_problem *p, int variant)
{
    return variant == LAB_REFERENCE ? multiply_and_add(p) : multiply(p, result_of(p));
}

static size_t library_bytes(const struct lab_problem *p, int variant)
{
    return variant == IN_PLACE ? 0 : lab_array_bytes(&p->arrays[B]);
}

/* Each row is the old row plus multiples of the old rows from it on, or up to it. */
static bool sum_exactly(struct lab_problem *p)
{
    const size_t n = trmm_of(p)->n, m = trmm_of(p)->m;
    double *const a = fp64_copy_inputs(p), *const rest = malloc(m * sizeof *rest);
    const bool is_there = a && rest;
    for (size_t i = 0; is_there && i < n; i++) {
        const double *const b = a + n * n;
        double *const row = fp64_of(p)->expected + i * m;
        memcpy(row, b + i * m, m * sizeof *row);
        memset(rest, 0, m * sizeof *rest);
        for (size_t k = first_of(p, i); k < end_of(p, i); k++)
            fp64_exact_add(row, rest, a[i * n + k], b + k * m, m);
        for (size_t j = 0; j < m; j++)
            row[j] += rest[j];
    }
    free(a);
    free(rest);
    return is_there;
}

/* Computes an element from scratch: makes its row of A and its column of B again. */
static double exact_element(const struct lab_problem *p, size_t row, size_t column)
{
    const size_t n = trmm_of(p)->n, m = trmm_of(p)->m;
    double sum = fp64_input(p, B, row * m + column), rest = 0.0;
    for (size_t k = first_of(p, row); k < end_of(p, row); k++) {
        const double b = fp64_input(p, B, k * m + column);
        fp64_exact_add(&sum, &rest, fp64_input(p, A, row * n + k), &b, 1);
    }
    return sum + rest;
}

static int make_reference(struct lab_problem *p)
{
    const struct lab_trmm *t = trmm_of(p);
    const struct fp64_sums sums = {t->is_float ? "cublasStrmm" : "cublasDtrmm", sum_exactly,
                                   exact_element};
    const double products = 0.5 * operations(t);
    const cudaError_t status =
        products <= FP64_FEW_PRODUCTS ? cudaSuccess : lab_problem_prepare(p, NULL, LAB_REFERENCE);
    if (status == cudaErrorMemoryAllocation)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory for the reference of n=%d m=%d; give smaller -n -m", t->n,
                            t->m);
    return status == cudaSuccess ? fp64_make_reference(p, B, products, &sums)
                                 : lab_complain(LAB_EXIT_MISSING, "the reference, %s, failed: %s",
                                                sums.library, cudaGetErrorString(status));
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_trmm *t = trmm_of(p);
    const double n = t->n, m = t->m;
    *facts = (struct lab_problem_facts){
        .type = t->is_float ? "f32" : NULL,
        .sizes = {{"n", t->n}, {"m", t->m}},
        .size_count = 2,
        .flops = operations(t),
        .bytes = (t->is_float ? 4.0 : 8.0) * (0.5 * n * (n + 1.0) + 2.0 * n * m),
    };
}

/* --- what a wrong B comes of -------------------------------------------------------------------*/

#define CAUSE(name, ...) name,
enum cause {
#include "families/trmm/causes.def"
    CAUSES,
    OF_TILES = DIAGONAL_ALONE
};
#undef CAUSE

#define CAUSE(name, value, words, where) {.text = words, .hint = where},
static const struct lab_explanation all_causes[CAUSES] = {
#include "families/trmm/causes.def"
};
#undef CAUSE

/* An element and what goes into it. */
struct sum_of_b {
    const double *a, *b, *got; /* a row of A; a column of B before and after, rows `m` apart */
    size_t row, n, m, tile;
    bool is_lower;
};

/* The products of k in [from, to). */
static double products(const struct sum_of_b *s, const double *b, size_t from, size_t to)
{
    double sum = 0.0;
    for (size_t k = from; k < to; k++)
        sum += s->a[k] * b[k * s->m];
    return sum;
}

/* The same, where each takes the row of B that has the sum's place in a tile. */
static double products_of_row(const struct sum_of_b *s, size_t from, size_t to)
{
    double sum = 0.0;
    for (size_t k = from; k < to; k++) {
        const size_t of = k - k % s->tile + s->row % s->tile;
        sum += of < s->n ? s->a[k] * s->b[of * s->m] : 0.0;
    }
    return sum;
}

/* The sum of A and B in place of their products. */
static double added(const struct sum_of_b *s)
{
    double sum = s->b[s->row * s->m];
    for (size_t k = s->is_lower ? 0 : s->row; k < (s->is_lower ? s->row + 1 : s->n); k++)
        sum += s->a[k] + s->b[k * s->m];
    return sum;
}

/* What an element would be by each cause. */
static void find_values(const struct sum_of_b *s, double expected, double values[CAUSES])
{
    const size_t row = s->row, first = row / s->tile * s->tile, n = s->n;
    const size_t behind = first + s->tile < n ? first + s->tile : n;
    const size_t rest = s->is_lower ? 0 : behind, rest_end = s->is_lower ? first : n;
    const size_t last = rest_end > rest ? (rest_end - 1) / s->tile * s->tile : rest;
    const size_t low_end = rest + s->tile < rest_end ? rest + s->tile : rest_end;
    const double old = s->b[row * s->m], diagonal = s->a[row] * old;
    const double tile =
        products(s, s->b, s->is_lower ? first : row, s->is_lower ? row + 1 : behind);
    const double of_last = products(s, s->b, last, rest_end);
    const double tile_of_row =
        products_of_row(s, s->is_lower ? first : row, s->is_lower ? row + 1 : behind);
    const double rest_of_row =
        products_of_row(s, rest, rest_end) - products(s, s->b, rest, rest_end);
    const double of_low = products(s, s->b, rest, low_end);
#define CAUSE(name, value, ...) value,
    const double errors[CAUSES] = {
#include "families/trmm/causes.def"
    };
#undef CAUSE
    for (int i = 0; i < CAUSES; i++)
        values[i] = expected + errors[i];
}

/* Notes all rows of a column. A cause of tiles must fit right rows, too: it is in all tiles. */
static void note_column(const struct lab_problem *p, struct sum_of_b s, const double *a,
                        size_t column, struct lab_explanation *causes)
{
    const double tolerance = fp64_of(p)->tolerance;
    const double *const b = s.b, *const got = s.got;
    double values[CAUSES], largest = 1.0; /* values of a changed row are rounded relative to it */
    for (size_t i = column; i < s.n * s.m; i += s.m)
        largest = fmax(largest, fabs(got[i]));
    for (s.row = 0; s.row < s.n; s.row++) {
        const struct lab_mismatch wrong = {
            s.row, column, fp64_of(p)->expected[s.row * s.m + column], got[s.row * s.m + column]};
        if (!isfinite(wrong.expected)) /* what is added to it is not known */
            continue;
        const bool counts = lab_explain_counts(&wrong, tolerance);
        s.a = a + s.row * s.n;
        s.b = b + column;
        s.got = got + column;
        find_values(&s, wrong.expected, values);
        for (int cause = 0; cause < CAUSES; cause++)
            if (counts || (cause >= OF_TILES && cause != CHANGED_EARLY)) {
                lab_explain_note(&causes[cause], values[cause], &wrong,
                                 cause == CHANGED_EARLY ? largest * tolerance : tolerance);
                causes[cause].fits -= !counts && !causes[cause].is_refuted;
            }
    }
}

/* Tiles of rows that are changed one after another, as a loop from `start` by `step` does it. */
struct order {
    int tile, start, step;
    bool keeps_sums; /* sums go on from one tile to the next */
};

/* Changes a column of B in this order. Each tile takes the products of the whole tiles of k that
 * begin before it, and of its own triangle. */
static void change_column(const struct sum_of_b *s, const double *a, struct order order,
                          double *column)
{
    enum { LARGEST = 64 };
    double kept[LARGEST] = {0.0};
    const int n = (int)s->n;
    for (int row = order.start; row >= 0 && row < n; row += order.step) {
        const int behind = row + order.tile < n ? row + order.tile : n;
        const int end = (row + order.tile - 1) / order.tile * order.tile;
        for (int r = behind - 1; r >= row; r--) { /* the rows above do not need it */
            double sum = order.keeps_sums ? kept[r - row] : 0.0;
            for (int k = 0; k <= r; k++)
                sum += ((k < end) + (k >= row)) * a[(size_t)r * s->n + k] * column[k];
            column[r] += sum;
            kept[r - row] = sum;
        }
    }
}

static bool is_by(const struct lab_problem *p, const struct sum_of_b *s, const double *a,
                  struct order order, double *column)
{
    double largest = 1.0; /* values from a changed row are rounded relative to it */
    bool is_same = true;
    for (size_t i = 0; i < s->n; i++) {
        column[i] = s->b[i * s->m];
        largest = fmax(largest, fabs(s->got[i * s->m]));
    }
    change_column(s, a, order, column);
    for (size_t i = 0; i < s->n && is_same; i++)
        is_same = fabs(column[i] - s->got[i * s->m]) <= 2.0 * largest * fp64_of(p)->tolerance;
    return is_same;
}

/* Says so if tiles, taken from the bottom up, begin at a wrong row, or are too near to each other
 * or too far apart. */
static bool say_order(const struct lab_problem *p, struct sum_of_b s, const double *a, size_t at,
                      char *text, size_t size)
{
    enum { SMALLEST = 4, LARGEST = 64, MOST_ROWS = 256 };
    double column[MOST_ROWS];
    const int n = s.n <= MOST_ROWS && s.is_lower ? (int)s.n : 0;
    s.b += at;
    s.got += at;
    for (int tile = SMALLEST; tile <= LARGEST; tile *= 2) {
        const int last = (n - 1) / tile * tile, steps[] = {1, tile / 2, tile - 1, tile + 1};
        if (n > tile && is_by(p, &s, a, (struct order){tile, last, -tile, true}, column)) {
            snprintf(text, size,
                     "each of these is as if the sums of a tile of %d rows began with those of the "
                     "tile before it: are they set to 0 anew for each tile?",
                     tile);
            return true;
        }
        for (int start = 1; start < n; start++)
            if (start != last &&
                is_by(p, &s, a, (struct order){tile, start, -tile, false}, column)) {
                snprintf(text, size,
                         "each of these is as if the first tile of rows to be changed, of %d, "
                         "began at row %d, where it is to begin at row %d: the last multiple of %d "
                         "below n",
                         tile, start, last, tile);
                return true;
            }
        for (size_t i = 0; n > tile && i < sizeof steps / sizeof *steps; i++)
            if (is_by(p, &s, a, (struct order){tile, last, -steps[i], false}, column)) {
                snprintf(
                    text, size,
                    "each of these is as if the loop over tiles of %d rows went on by %d, where "
                    "it is to go on by %d",
                    tile, steps[i], tile);
                return true;
            }
    }
    return false;
}

/* Tries causes with all sizes of tiles; the smallest size that fits counts. Rows that change one by
 * one are tiles of 1. */
static bool say_cause(const struct lab_problem *p, struct sum_of_b s, const double *a,
                      size_t column, char *text, size_t size)
{
    enum { COLUMNS = 4, SMALLEST = 4, LARGEST = 128 };
    struct lab_explanation found[CAUSES] = {0};
    for (s.tile = 1; s.tile <= LARGEST; s.tile *= 2) {
        struct lab_explanation causes[CAUSES] = {0};
        for (size_t j = column; j < s.m && j < column + COLUMNS; j++)
            note_column(p, s, a, j, causes);
        for (int i = 0; i < CAUSES; i++)
            if (!found[i].text && !causes[i].is_refuted && causes[i].fits > 0 &&
                (s.tile >= SMALLEST || i == CHANGED_EARLY)) {
                found[i] = causes[i];
                found[i].text = all_causes[i].text;
                found[i].hint = all_causes[i].hint;
            }
    }
    if (found[ROW_IN_TILE].text) /* right beside the tile, or there is nothing beside it */
        found[ROW_IN_BOTH].text = NULL;
    if (found[UNCHANGED].text && s.n > 1) /* within one tile all that is left out looks the same */
        return lab_explain_say(&found[UNCHANGED], 1, NULL, text, size);
    return lab_explain_say(found, CAUSES, NULL, text, size);
}

/* Explains the first wrong element, if the others have another cause. */
static bool say_of_first(const struct lab_problem *p, struct sum_of_b s,
                         const struct lab_mismatch *first, char *text, size_t size)
{
    struct lab_explanation causes[CAUSES];
    double values[CAUSES];
    s.row = first->row;
    s.tile = s.n; /* one tile, the whole row */
    find_values(&s, first->expected, values);
    memcpy(causes, all_causes, sizeof causes);
    for (int i = 0; i <= DIAGONAL_ALONE; i++)
        lab_explain_note(&causes[i], values[i], first, fp64_of(p)->tolerance);
    return lab_explain_say(causes, CAUSES, "the first of these", text, size);
}

static double term(const void *sum, int element, int i)
{
    const struct sum_of_b *s = sum;
    (void)element;
    return s->a[i] * s->b[(size_t)i * s->m];
}

/* Explains the first wrong element by neighbouring products, usually a tile's first or last. */
static bool say_run(const struct lab_problem *p, const struct sum_of_b *s,
                    const struct lab_mismatch *first, char *text, size_t size)
{
    struct lab_sums run = {.index = "k",
                           .terms = "products",
                           .count = (int)end_of(p, first->row),
                           .elements = 1,
                           .is_sure = true,
                           .tolerance = {fp64_of(p)->tolerance},
                           .error = {first->got - first->expected}};
    return first_of(p, first->row) == 0 && lab_sums_explain(&run, term, s, text, size);
}

static bool explain(const struct lab_problem *p, const double *got,
                    const struct lab_mismatch *first, char *text, size_t size)
{
    enum { LARGEST = 1024 };
    const size_t n = trmm_of(p)->n, m = trmm_of(p)->m;
    double *const a = n <= LARGEST ? fp64_copy_inputs(p) : NULL;
    if (!a)
        return false;
    struct sum_of_b s = {.b = a + n * n, .got = got, .n = n, .m = m, .is_lower = is_lower(p)};
    bool is_said = say_cause(p, s, a, first->column, text, size) ||
                   say_order(p, s, a, first->column, text, size);
    s.a = a + first->row * n;
    s.b += first->column;
    s.got += first->column;
    is_said = is_said || say_run(p, &s, first, text, size) || say_of_first(p, s, first, text, size);
    free(a);
    return is_said;
}

/* A library's product lacks the old values that the problem adds. */
static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    return fp64_check(p, B, result_of(p), p->variant <= LAB_FURTHER_REFERENCE, explain, check);
}

static int arrays_of(const struct lab_trmm *t, enum lab_region region, struct lab_array *list)
{
    const size_t n = (size_t)t->n, m = (size_t)t->m;
    const enum lab_element element = t->is_float ? LAB_ELEMENT_F32 : LAB_ELEMENT_F64;
    list[A] = LAB_ARRAY(struct lab_trmm, a, .name = "A", .role = LAB_ROLE_INPUT, .element = element,
                        .count = n * n, .row = n, .region = region);
    list[B] = LAB_ARRAY(struct lab_trmm, b, .name = "B", .role = LAB_ROLE_OUTPUT,
                        .element = element, .count = n * m, .row = m);
    if (t->is_float) {
        list[A].offset = offsetof(struct lab_trmm, a_float);
        list[B].offset = offsetof(struct lab_trmm, b_float);
    }
    list[2] = LAB_ARRAY(struct lab_trmm, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

static int arrays_upper(const void *argument, struct lab_array *list)
{
    return arrays_of(argument, LAB_REGION_UPPER, list);
}

static int arrays_lower(const void *argument, struct lab_array *list)
{
    return arrays_of(argument, LAB_REGION_LOWER, list);
}

/* n x n triangles and n x m B: 1, primes, one less and more than a tile, wide, tall. */
static const char *const test_sizes[] = {
    "-n 1",        "-n 2",         "-n 7",        "-n 31",        "-n 33",         "-n 63",
    "-n 65",       "-n 127",       "-n 128",      "-n 129",       "-n 8 -m 64",    "-n 1 -m 4099",
    "-n 521 -m 1", "-n 3 -m 1031", "-n 257 -m 5", "-n 130 -m 66", "-n 200 -m 127", "-n 34 -m 129",
    NULL};
static const char *const gpu_test_sizes[] = {"-n 1000",        "-n 1023 -m 2047", "-n 2048",
                                             "-n 4097 -m 129", "-n 67 -m 70001",  NULL};

static const char *const thorough[] = {"-n 1",
                                       "-n 33 -m 65 --values special",
                                       "-n 65 -m 1 --values small",
                                       "-n 1100 -m 3",
                                       "-n 68 -m 67 --values special",
                                       "-n 67 -m 68",
                                       "-n 130 -m 36 --values large",
                                       "-n 2 -m 65601",
                                       NULL};

/* What the two families have in common: they differ in A's triangle. */
#define TRMM_COMMON                                                                                \
    .type = "f64", .problem_bytes = sizeof(struct lab_trmm),                                       \
    .state_bytes = sizeof(struct fp64_state), .reference = "cublas", .also = also,                 \
    .uses_cublas = true, .look_at = "the last rows and columns", .default_size = 4096,             \
    .simulated = 8e8, .test_sizes = test_sizes, .gpu_test_sizes = gpu_test_sizes,                  \
    .thorough = thorough, .begin = begin, .fill = lab_values_fill, .scaled = B,                    \
    .make_reference = make_reference, .end = fp64_end, .facts = facts,                             \
    .library_bytes = library_bytes, .launch_library = launch_library, .check_output = check_output

const struct lab_family lab_trmm_family = {.options = &lab_trmm_options,
                                           .arrays = arrays_upper,
                                           .variant_fits = fp64_variant_fits,
                                           .variant_options = fp64_variant_options,
                                           TRMM_COMMON};

const struct lab_family lab_trmm_lower_family = {
    .options = &lab_trmm_lower_options, .arrays = arrays_lower, TRMM_COMMON};
