/* The drop-in cuBLASLt, in libcublas.so.13, to which libcublasLt.so.13 is a link: products with
 * their epilogues against plain loops, layouts, batches, and what is refused. */
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 5, N = 4, K = 3, LD = 8, SIZE = 64, COUNT = 2, BATCH = 48 };

/* A product D = op(A) op(B) that tests alter. Matrices of COUNT products lie BATCH elements apart.
 */
struct product {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t layouts[4]; /* A, B, C, D */
    float *matrices[4];                /* COUNT * BATCH elements each, on the device */
    float *beside, *aux;               /* SIZE elements */
};

static float value(int matrix, int i)
{
    return (float)((i * 37 + matrix * 11) % 23 - 11) / 8.0f;
}

static float *filled(int matrix, size_t count)
{
    float *device, host[COUNT * BATCH];
    for (size_t i = 0; i < count; i++)
        host[i] = value(matrix, (int)i);
    cr_assert_eq(cudaMalloc((void **)&device, count * sizeof *device), cudaSuccess);
    cr_assert_eq(cudaMemcpy(device, host, count * sizeof *device, cudaMemcpyDefault), cudaSuccess);
    return device;
}

static void set(struct product *p, cublasLtMatmulDescAttributes_t name, const void *held,
                size_t size)
{
    cr_assert_eq(cublasLtMatmulDescSetAttribute(p->op, name, held, size), CUBLAS_STATUS_SUCCESS);
}

#define SET(p, name, ...)                                                                          \
    do {                                                                                           \
        __typeof__(__VA_ARGS__) held = __VA_ARGS__;                                                \
        set(p, CUBLASLT_MATMUL_DESC_##name, &held, sizeof held);                                   \
    } while (0)

static struct product make(void)
{
    static const int shapes[4][2] = {{M, K}, {K, N}, {M, N}, {M, N}};
    struct product p;
    cr_assert_eq(cublasLtCreate(&p.handle), CUBLAS_STATUS_SUCCESS);
    cr_assert_eq(cublasLtMatmulDescCreate(&p.op, CUBLAS_COMPUTE_32F, CUDA_R_32F),
                 CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(cublasLtMatrixLayoutCreate(&p.layouts[i], CUDA_R_32F, (uint64_t)shapes[i][0],
                                                (uint64_t)shapes[i][1], LD),
                     CUBLAS_STATUS_SUCCESS);
        p.matrices[i] = filled(i, COUNT * BATCH);
    }
    p.beside = filled(4, SIZE);
    p.aux = filled(5, SIZE);
    SET(&p, BIAS_POINTER, (void *)p.beside);
    SET(&p, EPILOGUE_AUX_POINTER, (void *)p.aux);
    SET(&p, EPILOGUE_AUX_LD, (int64_t)LD);
    return p;
}

static void end(struct product *p)
{
    for (int i = 0; i < 4; i++) {
        cudaFree(p->matrices[i]);
        cublasLtMatrixLayoutDestroy(p->layouts[i]);
    }
    cudaFree(p->beside);
    cudaFree(p->aux);
    cublasLtMatmulDescDestroy(p->op);
    cublasLtDestroy(p->handle);
}

static cublasStatus_t multiply(struct product *p, const float *alpha, const float *beta)
{
    return cublasLtMatmul(p->handle, p->op, alpha, p->matrices[0], p->layouts[0], p->matrices[1],
                          p->layouts[1], beta, p->matrices[2], p->layouts[2], p->matrices[3],
                          p->layouts[3], NULL, NULL, 0, 0);
}

static void fetch(const float *device, float *host, size_t count)
{
    cr_assert_eq(cudaMemcpy(host, device, count * sizeof *host, cudaMemcpyDefault), cudaSuccess);
}

/* alpha A B + beta C at an element, all by columns. */
static double plain(float alpha, float beta, int batch, int row, int column)
{
    const int at = batch * BATCH;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)value(0, at + k * LD + row) * value(1, at + column * LD + k);
    return alpha * sum + beta * (double)value(2, at + column * LD + row);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

/* Compares D of a product, and that nothing between its columns was written. */
#define EXPECT_D(p, batch, expected)                                                               \
    do {                                                                                           \
        float d[COUNT * BATCH];                                                                    \
        fetch((p)->matrices[3], d, COUNT *BATCH);                                                  \
        for (int j = 0; j < N; j++)                                                                \
            for (int i = 0; i < LD; i++) {                                                         \
                const int at = (batch)*BATCH + j * LD + i;                                         \
                const double right = i < M ? (expected) : value(3, at);                            \
                cr_expect(fabs(d[at] - right) < 1e-6 * (1 + fabs(right)), "(%d, %d): %g, not %g",  \
                          i, j, d[at], right);                                                     \
            }                                                                                      \
    } while (0)

Test(cublas_lt, products_have_factors_and_gaps)
{
    const float alpha = 2, beta = -0.5f;
    struct product p = make();
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, plain(2, -0.5f, 0, i, j));
    end(&p);
}

/* The same matrices, said to lie by rows, are their transposes: D' = B' A'. */
Test(cublas_lt, rows_may_lie_together)
{
    const float alpha = 1, beta = 1;
    struct product p = make(), q = make();
    const cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
    const int sources[4] = {1, 0, 2, 3};
    const uint64_t shapes[4][2] = {{N, K}, {K, M}, {N, M}, {N, M}};
    for (int i = 0; i < 4; i++) {
        q.matrices[i] = p.matrices[sources[i]];
        cublasLtMatrixLayoutSetAttribute(q.layouts[i], CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                         sizeof order);
        cublasLtMatrixLayoutSetAttribute(q.layouts[i], CUBLASLT_MATRIX_LAYOUT_ROWS, &shapes[i][0],
                                         sizeof shapes[i][0]);
        cublasLtMatrixLayoutSetAttribute(q.layouts[i], CUBLASLT_MATRIX_LAYOUT_COLS, &shapes[i][1],
                                         sizeof shapes[i][1]);
    }
    cr_expect_eq(multiply(&q, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, plain(1, 1, 0, i, j));
    end(&p);
}

Test(cublas_lt, batches_by_stride_and_by_pointers)
{
    const float alpha = 1, beta = 1;
    struct product p = make();
    const int32_t count = COUNT;
    const int64_t stride = BATCH;
    for (int i = 0; i < 4; i++) {
        cublasLtMatrixLayoutSetAttribute(p.layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                         sizeof count);
        cublasLtMatrixLayoutSetAttribute(p.layouts[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &stride, sizeof stride);
    }
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, plain(1, 1, 0, i, j));
    EXPECT_D(&p, 1, plain(1, 1, 1, i, j));
    const cublasLtBatchMode_t mode = CUBLASLT_BATCH_MODE_POINTER_ARRAY;
    float *lists[4], *first[4];
    for (int i = 0; i < 4; i++) {
        float *const both[COUNT] = {p.matrices[i], p.matrices[i] + BATCH};
        cublasLtMatrixLayoutSetAttribute(p.layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, &mode,
                                         sizeof mode);
        cudaMalloc((void **)&lists[i], sizeof both);
        cudaMemcpy(lists[i], both, sizeof both, cudaMemcpyDefault);
        first[i] = p.matrices[i];
        p.matrices[i] = lists[i];
    }
    const float twice = 2;
    cr_expect_eq(multiply(&p, &twice, &beta), CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < 4; i++) {
        cudaFree(lists[i]);
        p.matrices[i] = first[i];
    }
    EXPECT_D(&p, 1, plain(2, 1, 1, i, j));
    end(&p);
}

Test(cublas_lt, gelu_of_a_sum_and_its_gradient)
{
    const float alpha = 1, beta = 0;
    struct product p = make();
    float aux[SIZE], beside[SIZE];
    SET(&p, EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, gelu(plain(1, 0, 0, i, j) + value(4, i)));
    fetch(p.aux, aux, SIZE);
    cr_expect_float_eq(aux[2 * LD + 3], plain(1, 0, 0, 3, 2) + value(4, 3), 1e-6);
    SET(&p, EPILOGUE, CUBLASLT_EPILOGUE_DGELU_BGRAD);
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
    const double step = 1e-4;
#define SLOPE(x) ((gelu((x) + step) - gelu((x)-step)) / (2 * step))
    EXPECT_D(&p, 0, plain(1, 0, 0, i, j) * SLOPE(aux[j * LD + i]));
    double sum = 0;
    for (int j = 0; j < N; j++)
        sum += plain(1, 0, 0, 1, j) * SLOPE(aux[j * LD + 1]);
    fetch(p.beside, beside, SIZE);
    cr_expect_float_eq(beside[1], sum, 1e-6);
    cr_expect_eq(beside[M], value(4, M), "the bias has M elements");
    end(&p);
}

Test(cublas_lt, relu_keeps_a_mask_for_its_gradient)
{
    const float alpha = 1, beta = 0;
    struct product p = make();
    SET(&p, EPILOGUE, CUBLASLT_EPILOGUE_RELU_AUX);
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_INVALID_VALUE, "a stride of 8 bits");
    SET(&p, EPILOGUE_AUX_LD, (int64_t)128);
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, fmax(plain(1, 0, 0, i, j), 0));
    SET(&p, EPILOGUE, CUBLASLT_EPILOGUE_DRELU);
    const float minus = -1;
    cr_expect_eq(multiply(&p, &minus, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, plain(1, 0, 0, i, j) > 0 ? -plain(1, 0, 0, i, j) : 0);
    end(&p);
}

Test(cublas_lt, sums_of_the_factors)
{
    const float alpha = 1, beta = 0;
    float sums[SIZE];
    for (int of_b = 0; of_b < 2; of_b++) {
        struct product p = make();
        SET(&p, EPILOGUE, of_b ? CUBLASLT_EPILOGUE_BGRADB : CUBLASLT_EPILOGUE_BGRADA);
        cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_SUCCESS);
        fetch(p.beside, sums, SIZE);
        for (int i = 0; i < (of_b ? N : M); i++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += of_b ? value(1, i * LD + k) : value(0, k * LD + i);
            cr_expect_float_eq(sums[i], sum, 1e-6);
        }
        end(&p);
    }
}

Test(cublas_lt, factors_on_the_device)
{
    struct product p = make();
    const float beta = 0.25f;
    SET(&p, POINTER_MODE, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST);
    cr_expect_eq(multiply(&p, p.beside, &beta), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, plain(value(4, i), 0.25f, 0, i, j));
    SET(&p, POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
    cr_expect_eq(multiply(&p, p.beside, p.aux), CUBLAS_STATUS_SUCCESS);
    EXPECT_D(&p, 0, plain(value(4, 0), value(5, 0), 0, i, j));
    end(&p);
}

/* e4m3: op(A) transposed; scales of A and B, the largest value of D. 16 x 16 x 16. */
Test(cublas_lt, products_of_fp8)
{
    enum { SIDE = 16, ELEMENTS = SIDE * SIDE };
    static const unsigned char bits[] = {0x38, 0x40, 0xb8, 0x30}; /* 1, 2, -1, 0.5 */
    static const double values[] = {1, 2, -1, 0.5};
    unsigned char host[ELEMENTS], *a;
    unsigned short d[ELEMENTS], *device;
    float *scales, largest, most = 0;
    const float alpha = 1, beta = 0, given[2] = {2, 4};
    cublasLtHandle_t handle;
    cublasLtMatmulDescOpaque_t op;
    cublasLtMatrixLayoutOpaque_t in, out;
    for (int i = 0; i < ELEMENTS; i++)
        host[i] = bits[i * 7 / 3 % 4];
    cudaMalloc((void **)&a, sizeof host), cudaMalloc((void **)&device, sizeof d);
    cudaMalloc((void **)&scales, 3 * sizeof *scales);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyDefault);
    cudaMemcpy(scales, given, sizeof given, cudaMemcpyDefault);
    cublasLtCreate(&handle);
    cublasLtMatmulDescInit_internal(&op, sizeof op, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutInit_internal(&in, sizeof in, CUDA_R_8F_E4M3, SIDE, SIDE, SIDE);
    cublasLtMatrixLayoutInit_internal(&out, sizeof out, CUDA_R_16BF, SIDE, SIDE, SIDE);
    struct product p = {.op = &op};
    SET(&p, A_SCALE_POINTER, (void *)scales);
    SET(&p, B_SCALE_POINTER, (void *)(scales + 1));
    SET(&p, AMAX_D_POINTER, (void *)(scales + 2));
    cr_expect_eq(cublasLtMatmul(handle, &op, &alpha, a, &in, a, &in, &beta, NULL, &out, device,
                                &out, NULL, NULL, 0, 0),
                 CUBLAS_STATUS_NOT_SUPPORTED, "not transposed, which Hopper's tensor cores cannot");
    SET(&p, TRANSA, CUBLAS_OP_T);
    cr_expect_eq(cublasLtMatmul(handle, &op, &alpha, a, &in, a, &in, &beta, NULL, &out, device,
                                &out, NULL, NULL, 0, 0),
                 CUBLAS_STATUS_SUCCESS);
    cudaMemcpy(d, device, sizeof d, cudaMemcpyDefault);
    cudaMemcpy(&largest, scales + 2, sizeof largest, cudaMemcpyDefault);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double sum = 0;
            for (int k = 0; k < SIDE; k++)
                sum += values[(i * SIDE + k) * 7 / 3 % 4] * values[(j * SIDE + k) * 7 / 3 % 4];
            const unsigned int wide = (unsigned int)d[j * SIDE + i] << 16;
            float got;
            memcpy(&got, &wide, sizeof got);
            cr_expect_float_eq(got, 8 * sum, fabs(sum) / 16, "(%d, %d)", i, j);
            most = fmaxf(most, fabsf((float)(8 * sum)));
        }
    cr_expect_eq(largest, most);
    cudaFree(a), cudaFree(device), cudaFree(scales);
    cublasLtDestroy(handle);
}

Test(cublas_lt, what_cannot_be_is_refused)
{
    const float alpha = 1, beta = 1;
    struct product p = make();
    cublasLtMatmulHeuristicResult_t result;
    cublasLtMatmulPreference_t preference;
    size_t written = 0, workspace = 1 << 20;
    int count = -1;
    int64_t ld = 0;
    cr_assert_eq(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
    cr_expect_eq(cublasLtMatmulPreferenceSetAttribute(preference,
                                                      CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                      &workspace, sizeof workspace),
                 CUBLAS_STATUS_SUCCESS);
#define HEURISTIC()                                                                                \
    cublasLtMatmulAlgoGetHeuristic(p.handle, p.op, p.layouts[0], p.layouts[1], p.layouts[2],       \
                                   p.layouts[3], preference, 1, &result, &count)
    cr_expect_eq(HEURISTIC(), CUBLAS_STATUS_SUCCESS);
    cr_expect(count == 1 && result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize == 0);
    cr_expect_eq(cublasLtMatrixLayoutGetAttribute(p.layouts[0], CUBLASLT_MATRIX_LAYOUT_LD, NULL, 0,
                                                  &written),
                 CUBLAS_STATUS_SUCCESS);
    cr_expect_eq(written, sizeof ld);
    cublasLtMatrixLayoutGetAttribute(p.layouts[0], CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld, NULL);
    cr_expect_eq(ld, LD);
    cr_expect_eq(cublasLtMatmulDescSetAttribute(p.op, CUBLASLT_MATMUL_DESC_TRANSA, &ld, sizeof ld),
                 CUBLAS_STATUS_INVALID_VALUE, "8 bytes for 4");
    SET(&p, TRANSA, CUBLAS_OP_T);
    cr_expect_eq(HEURISTIC(), CUBLAS_STATUS_INVALID_VALUE, "K x M is no A");
    SET(&p, TRANSA, CUBLAS_OP_N);
    const int32_t half = CUDA_R_16F;
    cublasLtMatrixLayoutSetAttribute(p.layouts[1], CUBLASLT_MATRIX_LAYOUT_TYPE, &half, sizeof half);
    cr_expect_eq(HEURISTIC(), CUBLAS_STATUS_NOT_SUPPORTED);
    cr_expect_eq(count, 0);
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_NOT_SUPPORTED);
    const int32_t single = CUDA_R_32F;
    cublasLtMatrixLayoutSetAttribute(p.layouts[1], CUBLASLT_MATRIX_LAYOUT_TYPE, &single,
                                     sizeof single);
    float *const whole = p.matrices[1];
    p.matrices[1] += COUNT * BATCH - 1;
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_EXECUTION_FAILED, "out of bounds");
    p.matrices[1] = whole;
    SET(&p, BIAS_POINTER, (void *)NULL);
    SET(&p, EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    cr_expect_eq(multiply(&p, &alpha, &beta), CUBLAS_STATUS_INVALID_VALUE, "no bias");
    cublasLtMatmulPreferenceDestroy(preference);
    end(&p);
}
