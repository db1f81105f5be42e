/* The reference of family gemm, cublasSgemm or cublasDgemm, and the tolerance that follows from
 * type and k. */
#include "families/gemm/state.h"

#include "base/status.h"
#include "families/fp64/fp64.h"
#include "families/reference.h"

#include <cublas_v2.h>
#include <math.h>
#include <stdlib.h>

/* Row-major C = op(A) op(B) is column-major C' = op(B)' op(A)', which is what cuBLAS computes: a
 * matrix stored row by row is its transpose when it is read column by column. */
cudaError_t gemm_launch_reference(struct lab_problem *p, int variant)
{
    const struct lab_gemm *g = gemm_of(p);
    const cublasOperation_t of_a = g->a_is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t of_b = g->b_is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    (void)variant;
    const cublasStatus_t status =
        g->type == LAB_GEMM_F64
            ? cublasDgemm(p->cublas, of_b, of_a, g->n, g->m, g->k, &g->alpha_double, g->b_double,
                          (int)g->row_b, g->a_double, (int)g->row_a, &g->beta_double, g->c_double,
                          (int)g->row_c)
            : cublasSgemm(p->cublas, of_b, of_a, g->n, g->m, g->k, &g->alpha, g->b, (int)g->row_b,
                          g->a, (int)g->row_a, &g->beta, g->c, (int)g->row_c);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/*
 * The tolerance on |got - expected|, both computed in the problem's type in any order;
 * u = 2^-24, or 2^-53 in double.
 *
 * Inputs have magnitude uniform in [1/2, 1) and random sign: the square of one has mean 7/12, so a
 * partial sum of j products has standard deviation (7/12) sqrt(j). Each addition rounds with an
 * error of at most u |sum|, of standard deviation below u |sum| / sqrt(3). Over k additions in the
 * worst order, one after another, that adds up to u / sqrt(3) * 7/12 * k / sqrt(2) = 0.24 u k. The
 * largest of 2^28 elements lies at 6.1 standard deviations, 1.45 u k; the difference of two such
 * results at sqrt(2) times that, 2.1 u k. We allow about twice: 4 u k. Scaling by alpha and adding
 * beta C round a few more times, relative to |alpha| * 3.6 sqrt(k) (6.1 standard deviations of the
 * sum) and |beta|: the other two terms, which also cover small k, where errors are not yet
 * Gaussian.
 *
 * A wrong term moves an element by at least |alpha| / 4, so it shows for every k below 10^6. TF32
 * or FP16 products err by 2^-11 each, some 10 times the tolerance at k = 4096, and show too.
 */
double gemm_type_tolerance(const struct lab_problem *p)
{
    const struct lab_gemm *g = gemm_of(p);
    const double u = ldexp(1.0, g->type == LAB_GEMM_F64 ? -53 : -24), k = g->k;
    return u * (fabs(g->alpha) * (4.0 * k + 16.0 * sqrt(k)) + 4.0 * fabs(g->beta));
}

/* Of operands that are cut to TF32 each, below 1, loses up to 2^-11, of mean square 2^-22 / 3.
 * Times the other operand, and the two losses have one sign: a product's error has a root mean
 * square of 1.64 * 2^-12, and the sign of the product. Over k products that is 1.64 * 2^-12
 * sqrt(k), and the largest of 2^28 elements at 6.1 standard deviations 10 * 2^-12 sqrt(k). We
 * allow 16. A wrong term still shows for k below 4096. */
double gemm_tolerance(const struct lab_problem *p)
{
    const struct lab_gemm *g = gemm_of(p);
    const bool cuts = p->takes_errors && p->step && g->type == LAB_GEMM_F32 &&
                      lab_variant_of(p->step, p->variant)->flags & LAB_CUTS_TO_TF32;
    return gemm_type_tolerance(p) + (cuts ? ldexp(16.0 * fabs(g->alpha) * sqrt(g->k), -12) : 0.0);
}

/* In twice the precision of a double, rounded at the end: wider than either type. */
static double exact_element(const struct lab_problem *p, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    double sum = 0.0, rest = 0.0;
    for (size_t i = 0; i < (size_t)g->k; i++) {
        const double a = gemm_input(p, GEMM_A, gemm_place(g, GEMM_A, row, i));
        const double b = gemm_input(p, GEMM_B, gemm_place(g, GEMM_B, i, column));
        fp64_exact_add(&sum, &rest, a, &b, 1);
    }
    sum = isfinite(sum) ? sum + rest : sum;
    const double c = gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, row, column));
    return ldexp(g->alpha_double * sum + g->beta_double * c, -gemm_exponent(p, row, column));
}

enum { SAMPLES = 256 }; /* the first and the last element among them */

void gemm_take_samples(struct lab_problem *p)
{
    struct gemm_state *const s = gemm_state_of(p);
    const size_t count = (size_t)gemm_of(p)->m * (size_t)gemm_of(p)->n;
    const size_t taken = count < SAMPLES ? count : SAMPLES;
    if (!p->takes_errors || s->samples || !(s->samples = calloc(taken, sizeof *s->samples)))
        return;
    for (size_t i = 0; i < taken; i++) {
        const size_t at = taken == 1 ? 0 : (size_t)((double)(count - 1) / (double)(taken - 1) * i);
        const size_t row = at / (size_t)gemm_of(p)->n, column = at % (size_t)gemm_of(p)->n;
        s->samples[i] = (struct gemm_sample){row, column, exact_element(p, row, column)};
    }
    s->sample_count = taken;
}

int gemm_make_reference(struct lab_problem *p)
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t width = (size_t)g->n * gemm_element_bytes(g);
    char *const expected = gemm_state_of(p)->expected = malloc((size_t)g->m * width);
    const struct lab_reference reference = {.library = g->type == LAB_GEMM_F64 ? "cublasDgemm"
                                                                               : "cublasSgemm",
                                            .sums = "wider",
                                            .hint = " (is NVIDIA_TF32_OVERRIDE set?)",
                                            .output = GEMM_C,
                                            .expected = expected,
                                            .tolerance = gemm_tolerance(p),
                                            .exact = exact_element};
    if (!expected)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory on the host for %d x %d x %d; give smaller -m -n -k", g->m,
                            g->n, g->k);
    const int status = lab_reference_take(p, &reference);
    for (size_t row = 0; status == LAB_EXIT_OK && row < (size_t)g->m; row++)
        gemm_unspread(p, expected + row * width, row, 0, (size_t)g->n);
    return status == LAB_EXIT_OK ? lab_reference_verify(p, &reference) : status;
}
