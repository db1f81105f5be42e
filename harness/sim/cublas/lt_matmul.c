/* cublasLtMatmul(): a product and its epilogue. The elements become doubles, as in mixed.c, and
 * what is stored is rounded once: more exact than a GPU. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of which epilogues are made. */
enum {
    RELU = CUBLASLT_EPILOGUE_RELU,
    BIAS = CUBLASLT_EPILOGUE_BIAS,
    RELU_GRADIENT = 8,
    BIAS_GRADIENT = 16,
    GELU = CUBLASLT_EPILOGUE_GELU,
    GELU_GRADIENT = 64,
    AUX = 128,
    BIAS_GRADIENT_OF_A = CUBLASLT_EPILOGUE_BGRADA,
    BIAS_GRADIENT_OF_B = CUBLASLT_EPILOGUE_BGRADB,
    ALL_PARTS = CUBLASLT_EPILOGUE_DEFAULT | RELU | BIAS | RELU_GRADIENT | BIAS_GRADIENT | GELU |
                GELU_GRADIENT | AUX | BIAS_GRADIENT_OF_A | BIAS_GRADIENT_OF_B
};

enum matrix { A, B, C, D };
static const char *const names[] = {"A", "B", "C", "D"};
static const char call[] = "cublasLtMatmul";

/* One call. */
struct matmul {
    const struct lt_operation *op;
    const struct lt_layout *layouts[4];
    const void *pointers[4]; /* of the first product of the batch, or to the pointers of all */
    const void *alpha, *beta;
    int64_t m, n, k;
};

/* ---- what there is --------------------------------------------------------------------------- */

static bool is_float8(int32_t type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

/* The combinations of real types that cuBLAS lists for cublasLtMatmul(). */
static bool has_types(const struct matmul *p)
{
    const int32_t scale = p->op->scale_type, a = p->layouts[A]->type, b = p->layouts[B]->type,
                  c = p->layouts[C]->type, d = p->layouts[D]->type;
    const bool is_half = a == CUDA_R_16F || a == CUDA_R_16BF;
    if (is_float8(a) && is_float8(b)) /* on Hopper op(A) and op(B) lie along k alone */
        return p->op->compute == CUBLAS_COMPUTE_32F && scale == CUDA_R_32F &&
               (a == CUDA_R_8F_E4M3 || b == CUDA_R_8F_E4M3) && p->op->trans_a != CUBLAS_OP_N &&
               p->op->trans_b == CUBLAS_OP_N &&
               (c == CUDA_R_32F || c == CUDA_R_16F || c == CUDA_R_16BF) &&
               (d == c || (is_float8(d) && c != CUDA_R_32F));
    if (a != b || c != d)
        return false;
    switch (p->op->compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return scale == CUDA_R_16F && a == CUDA_R_16F && d == CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return a == CUDA_R_8I && ((scale == CUDA_R_32I && d == CUDA_R_32I) ||
                                  (scale == CUDA_R_32F && d == CUDA_R_8I));
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return scale == CUDA_R_64F && a == CUDA_R_64F && d == CUDA_R_64F;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        return scale == CUDA_R_32F && ((is_half && (d == a || d == CUDA_R_32F)) ||
                                       ((a == CUDA_R_8I || a == CUDA_R_32F) && d == CUDA_R_32F));
    default: /* FAST and EMULATED */
        return scale == CUDA_R_32F && a == CUDA_R_32F && d == CUDA_R_32F;
    }
}

/* Whether the call is one that is computed here; if not, it is said why. */
static bool is_supported(const struct matmul *p)
{
    const struct lt_operation *const op = p->op;
    bool plain = op->trans_c == CUBLAS_OP_N && op->pointer_mode >= CUBLASLT_POINTER_MODE_HOST &&
                 op->pointer_mode <= CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST &&
                 op->epilogue > 0 && !(op->epilogue & ~ALL_PARTS);
    for (int i = A; i <= D; i++)
        plain = plain && op->scale_mode[i] == 0 && p->layouts[i]->order >= CUBLASLT_ORDER_COL &&
                p->layouts[i]->order <= CUBLASLT_ORDER_ROW && p->layouts[i]->plane == 0 &&
                p->layouts[i]->batch_mode <= CUBLASLT_BATCH_MODE_POINTER_ARRAY;
    if (!plain || op->aux_scale || op->aux_largest)
        sim_cublas_report("%s: only matrices by columns or rows, with one scale each, without a "
                          "scale of the auxiliary matrix, are supported",
                          call);
    else if (!has_types(p))
        sim_cublas_report("%s: types %d, %d, %d and %d with compute type %d, scale type %d and "
                          "these transpositions are not supported",
                          call, p->layouts[A]->type, p->layouts[B]->type, p->layouts[C]->type,
                          p->layouts[D]->type, op->compute, op->scale_type);
    else
        return true;
    return false;
}

/* Whether the shapes fit each other, and fit the library that multiplies. */
static bool is_consistent(struct matmul *p)
{
    const struct lt_layout *const a = p->layouts[A], *const b = p->layouts[B],
                                  *const c = p->layouts[C], *const d = p->layouts[D];
    const bool turn_a = p->op->trans_a != CUBLAS_OP_N, turn_b = p->op->trans_b != CUBLAS_OP_N;
    bool fits = true;
    for (int i = A; i <= D; i++) {
        const struct lt_layout *const one = p->layouts[i];
        const uint64_t line = one->order == CUBLASLT_ORDER_ROW ? one->columns : one->rows;
        fits = fits && one->rows <= INT32_MAX && one->columns <= INT32_MAX && one->stride > 0 &&
               (uint64_t)one->stride >= line && one->batch_count == d->batch_count;
    }
    p->m = (int64_t)d->rows;
    p->n = (int64_t)d->columns;
    p->k = (int64_t)(turn_a ? a->rows : a->columns);
    return fits && c->rows == d->rows && c->columns == d->columns &&
           (turn_a ? a->columns : a->rows) == d->rows &&
           (turn_b ? b->rows : b->columns) == d->columns &&
           (turn_b ? b->columns : b->rows) == (uint64_t)p->k;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* The storage of a matrix for one product of the batch; NULL: some of it is in no allocation. */
static void *storage(const struct matmul *p, enum matrix which, int64_t batch)
{
    const struct lt_layout *const one = p->layouts[which];
    const bool by_rows = one->order == CUBLASLT_ORDER_ROW;
    const size_t size = sim_element_bytes(one->type);
    const char *at = p->pointers[which];
    if (one->batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY) {
        void *const *const list = sim_cublas_vector(
            call, &(struct sim_vector){"a list of matrices", at, one->batch_count, 1},
            sizeof *list);
        if (!list)
            return NULL;
        at = list[batch];
    } else {
        at += batch * one->batch_stride * (int64_t)size;
    }
    const int64_t lines = (int64_t)(by_rows ? one->rows : one->columns);
    const int64_t each = (int64_t)(by_rows ? one->columns : one->rows);
    return sim_cublas_matrix(call, &(struct sim_matrix){names[which], at, each, lines, one->stride},
                             size);
}

static int64_t place(const struct lt_layout *layout, int64_t row, int64_t column)
{
    return layout->order == CUBLASLT_ORDER_ROW ? row * layout->stride + column
                                               : column * layout->stride + row;
}

/* A matrix as doubles by columns without gaps, to be freed. */
static double *widened(const struct lt_layout *layout, const void *from)
{
    const int64_t rows = (int64_t)layout->rows, columns = (int64_t)layout->columns;
    double *const to = malloc(((size_t)(rows * columns) + 1) * sizeof *to);
    for (int64_t j = 0; to && j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[j * rows + i] = sim_element_value(from, place(layout, i, j), layout->type);
    return to;
}

/* A factor for all elements, in device memory; 1 where there is none. */
static double scale_of(const struct matmul *p, enum matrix which)
{
    const void *const pointer = p->op->scale[which];
    const float *const value =
        pointer
            ? sim_cublas_vector(call, &(struct sim_vector){"a scale", pointer, 1, 1}, sizeof *value)
            : NULL;
    return value ? *value : 1;
}

/* ---- the epilogue ---------------------------------------------------------------------------- */

/* What the epilogue reads and writes beside D, as host addresses, for one product. */
struct beside {
    void *bias, *aux;
    int32_t bias_type, aux_type;
};

/* cuBLASLt's GELU is the approximation by tanh (Hendrycks and Gimpel 2016). */
static const double GELU_INNER = 0.79788456080286536, GELU_CUBIC = 0.044715; /* sqrt(2 / pi) */

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(GELU_INNER * (x + GELU_CUBIC * x * x * x)));
}

static double gelu_gradient(double x)
{
    const double t = tanh(GELU_INNER * (x + GELU_CUBIC * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * GELU_INNER * (1 + 3 * GELU_CUBIC * x * x);
}

/* The bit of an element in the mask of RELU, whose stride counts bits. */
static bool mask_bit(unsigned char *mask, int64_t at, int set)
{
    unsigned char *const byte = mask + at / 8;
    const unsigned char bit = (unsigned char)(1u << at % 8);
    if (set >= 0)
        *byte = (unsigned char)(set ? *byte | bit : *byte & ~bit);
    return *byte & bit;
}

/* An element behind the epilogue. */
static double finish(const struct matmul *p, const struct beside *beside, int64_t row,
                     int64_t column, double x)
{
    const int32_t parts = p->op->epilogue;
    const int64_t at = column * p->op->aux_stride + row;
    if (parts & BIAS)
        x += sim_element_value(beside->bias, row, beside->bias_type);
    if (parts & RELU_GRADIENT)
        return mask_bit(beside->aux, at, -1) ? x : 0;
    if (parts & GELU_GRADIENT)
        return x * gelu_gradient(sim_element_value(beside->aux, at, beside->aux_type));
    if (parts & GELU) {
        if (parts & AUX)
            sim_element_put(beside->aux, at, beside->aux_type, x);
        return gelu(x);
    }
    if (parts & RELU) {
        if (parts & AUX)
            mask_bit(beside->aux, at, x > 0);
        return x < 0 ? 0 : x;
    }
    return x;
}

static int32_t bias_type(const struct matmul *p)
{
    const int32_t d = p->layouts[D]->type;
    if (p->op->bias_type >= 0)
        return p->op->bias_type;
    if (is_float8(p->layouts[A]->type))
        return d == CUDA_R_16F ? d : CUDA_R_16BF;
    return d == CUDA_R_8I ? p->op->scale_type : d;
}

/* Finds bias and auxiliary matrix. @return false if one is missing or in no allocation */
static bool find_beside(const struct matmul *p, int64_t batch, struct beside *beside)
{
    const struct lt_operation *const op = p->op;
    const int32_t parts = op->epilogue;
    *beside = (struct beside){.bias_type = bias_type(p),
                              .aux_type = op->aux_type >= 0 ? op->aux_type : p->layouts[D]->type};
    if (parts & (BIAS | BIAS_GRADIENT | BIAS_GRADIENT_OF_A | BIAS_GRADIENT_OF_B)) {
        const size_t size = sim_element_bytes(beside->bias_type);
        const char *const at =
            (const char *)op->bias + batch * op->bias_batch_stride * (int64_t)size;
        const int64_t count = parts & BIAS_GRADIENT_OF_B ? p->n : p->m;
        if (!size || !op->bias)
            return false;
        beside->bias =
            sim_cublas_vector(call, &(struct sim_vector){"the bias", at, count, 1}, size);
        if (!beside->bias)
            return false;
    }
    if (parts & AUX) {
        const bool bits = parts & (RELU | RELU_GRADIENT);
        const int64_t size = (int64_t)sim_element_bytes(beside->aux_type);
        const int64_t skip = bits ? op->aux_batch_stride / 8 : op->aux_batch_stride * size;
        const int64_t rows = bits ? (p->m + 7) / 8 : p->m;
        const int64_t stride = bits ? op->aux_stride / 8 : op->aux_stride;
        if (!size || !op->aux || op->aux_stride < p->m || op->aux_stride % (bits ? 128 : 8))
            return false;
        beside->aux = sim_cublas_matrix(call,
                                        &(struct sim_matrix){"the auxiliary matrix",
                                                             (const char *)op->aux + batch * skip,
                                                             rows, p->n, stride},
                                        bits ? 1 : (size_t)size);
        if (!beside->aux)
            return false;
    }
    return true;
}

/* Sums of op(A)'s rows, or of op(B)'s columns. */
static void bias_gradient_of(const double *factor, bool along_columns, int64_t count, int64_t k,
                             const struct beside *beside)
{
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int64_t j = 0; j < k; j++)
            sum += factor[along_columns ? i * k + j : j * count + i];
        sim_element_put(beside->bias, i, beside->bias_type, sum);
    }
}

/* ---- the product ----------------------------------------------------------------------------- */

/* alpha or beta for a row; a scalar or, in device memory, one for each. */
static double factor_of(const struct matmul *p, const void *factor, bool is_vector, int64_t row)
{
    return sim_element_value(factor, is_vector ? row : 0, p->op->scale_type);
}

/* D of one product, from the sums, op(A) op(B). */
static void store(const struct matmul *p, const struct beside *beside, const double *sums,
                  const void *c, void *d, double *gradient)
{
    const int32_t mode = p->op->pointer_mode;
    const bool alphas = mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
    const bool betas = mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
    const double scale = scale_of(p, A) * scale_of(p, B), scale_c = scale_of(p, C);
    const double scale_d = is_float8(p->layouts[D]->type) ? scale_of(p, D) : 1;
    double largest = 0;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            const double beta = p->beta ? factor_of(p, p->beta, betas, i) : 0;
            double x = factor_of(p, p->alpha, alphas, i) * scale * sums[j * p->m + i];
            if (beta != 0) /* else C may hold NaN, or be NULL */
                x += beta * scale_c *
                     sim_element_value(c, place(p->layouts[C], i, j), p->layouts[C]->type);
            x = finish(p, beside, i, j, x);
            largest = fmax(largest, fabs(x));
            gradient[i] += x;
            sim_element_put(d, place(p->layouts[D], i, j), p->layouts[D]->type, x * scale_d);
        }
    if (p->op->epilogue & BIAS_GRADIENT)
        for (int64_t i = 0; i < p->m; i++)
            sim_element_put(beside->bias, i, beside->bias_type, gradient[i]);
    void *const to =
        p->op->largest
            ? sim_cublas_vector(call,
                                &(struct sim_vector){"the largest value", p->op->largest, 1, 1},
                                sizeof(float))
            : NULL;
    if (to)
        sim_element_put(to, 0, CUDA_R_32F, largest);
}

static cublasStatus_t multiply(const struct matmul *p, int64_t batch)
{
    const struct sim_blas_double *const blas = sim_openblas_double();
    const bool turn_a = p->op->trans_a != CUBLAS_OP_N, turn_b = p->op->trans_b != CUBLAS_OP_N;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    struct beside beside;
    if (!find_beside(p, batch, &beside))
        return CUBLAS_STATUS_INVALID_VALUE;
    const void *const a = storage(p, A, batch), *const b = storage(p, B, batch);
    const void *const c = p->pointers[C] ? storage(p, C, batch) : NULL;
    void *const d = storage(p, D, batch);
    if (!blas || !a || !b || (p->pointers[C] && !c) || !d)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    double *const left = widened(p->layouts[A], a), *const right = widened(p->layouts[B], b);
    double *const sums = calloc((size_t)(p->m * p->n), sizeof *sums);
    double *const gradient = calloc((size_t)p->m, sizeof *gradient);
    if (left && right && sums && gradient) {
        const int rows_a = turn_a ? k : m, rows_b = turn_b ? n : k;
        blas->gemm(SIM_BLAS_COLUMN_MAJOR, turn_a ? SIM_BLAS_TRANSPOSE : SIM_BLAS_NO_TRANSPOSE,
                   turn_b ? SIM_BLAS_TRANSPOSE : SIM_BLAS_NO_TRANSPOSE, m, n, k, 1, left,
                   rows_a ? rows_a : 1, right, rows_b ? rows_b : 1, 0, sums, m);
        if (p->op->epilogue & BIAS_GRADIENT_OF_A)
            bias_gradient_of(left, turn_a, p->m, p->k, &beside);
        if (p->op->epilogue & BIAS_GRADIENT_OF_B)
            bias_gradient_of(right, !turn_b, p->n, p->k, &beside);
        store(p, &beside, sums, c, d, gradient);
    }
    const bool done = left && right && sums && gradient;
    free(left);
    free(right);
    free(sums);
    free(gradient);
    return done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* The host addresses of alpha and beta; beta is NULL where it is zero by the mode. */
static bool find_factors(struct matmul *p)
{
    const int32_t mode = p->op->pointer_mode;
    const size_t size = sim_element_bytes(p->op->scale_type);
    if (mode != CUBLASLT_POINTER_MODE_HOST)
        p->alpha = sim_cublas_vector(
            call,
            &(struct sim_vector){"alpha", p->alpha, mode == CUBLASLT_POINTER_MODE_DEVICE ? 1 : p->m,
                                 1},
            size);
    if (mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
        p->beta = NULL;
    else if (mode == CUBLASLT_POINTER_MODE_DEVICE || mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
        p->beta = sim_cublas_vector(
            call,
            &(struct sim_vector){"beta", p->beta, mode == CUBLASLT_POINTER_MODE_DEVICE ? 1 : p->m,
                                 1},
            size);
    return p->alpha && (p->beta || mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static struct matmul matmul_of(cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
                               cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                               cublasLtMatrixLayout_t d)
{
    return (struct matmul){
        .op = (const void *)operation,
        .layouts = {(const void *)a, (const void *)b, (const void *)c, (const void *)d}};
}

static cublasStatus_t check(struct matmul *p)
{
    if (!p->op || !p->layouts[A] || !p->layouts[B] || !p->layouts[C] || !p->layouts[D] ||
        !is_consistent(p))
        return CUBLAS_STATUS_INVALID_VALUE;
    return is_supported(p) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t *results, int *count)
{
    struct matmul p = matmul_of(operation, a, b, c, d);
    (void)handle;
    if (!preference || wanted <= 0 || !results || !count)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status = check(&p);
    *count = status == CUBLAS_STATUS_SUCCESS;
    if (*count)
        results[0] = (cublasLtMatmulHeuristicResult_t){.state = status, .wavesCount = 1};
    return status;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algorithm,
                                       cublasLtMatmulHeuristicResult_t *result)
{
    struct matmul p = matmul_of(operation, a, b, c, d);
    (void)handle;
    if (!algorithm || !result)
        return CUBLAS_STATUS_INVALID_VALUE;
    result->state = check(&p);
    result->workspaceSize = 0;
    result->wavesCount = 1;
    return result->state;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t layout_a,
                              const void *b, cublasLtMatrixLayout_t layout_b, const void *beta,
                              const void *c, cublasLtMatrixLayout_t layout_c, void *d,
                              cublasLtMatrixLayout_t layout_d,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace,
                              size_t workspace_size, cudaStream_t stream)
{
    struct matmul p = matmul_of(operation, layout_a, layout_b, layout_c, layout_d);
    cublasStatus_t status = sim_cublas_begin_on((cublasHandle_t)(void *)handle, stream);
    (void)algorithm, (void)workspace, (void)workspace_size;
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check(&p);
    if (status != CUBLAS_STATUS_SUCCESS || p.m == 0 || p.n == 0)
        return status;
    p.pointers[A] = a, p.pointers[B] = b, p.pointers[C] = c, p.pointers[D] = d;
    p.alpha = alpha, p.beta = beta;
    if (!alpha || (p.k > 0 && (!a || !b)) || !d || !find_factors(&p))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!c && p.beta && factor_of(&p, p.beta, false, 0) != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int64_t i = 0; i < p.layouts[D]->batch_count && status == CUBLAS_STATUS_SUCCESS; i++)
        status = multiply(&p, i);
    return status;
}
