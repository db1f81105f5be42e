// Exercise 09: each thread computes 4 neighbouring elements of a row of C, with 16-byte accesses to
// B and C where a vector lies on 16 bytes and inside its row, and element by element where it does
// not.
#include "families/gemm.h"

constexpr int SIDE_X = 32; // threads across: 128 columns of C
constexpr int SIDE_Y = 8;  // threads down: 8 rows of C

// Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read.
static __device__ __forceinline__ void store(float *c, float sum, float alpha, float beta)
{
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// True when 4 floats at `p` can be moved by one access: `count` of them exist.
static __device__ __forceinline__ bool is_vector(const float *p, int count)
{
    // TODO: when is a 16-byte access allowed? Rows of n elements follow without gaps
    return false;
}

// The elements at `from`, of which `count` exist, zeros for the others.
static __device__ __forceinline__ float4 load4(const float *__restrict__ from, int count)
{
    if (is_vector(from, count)) {
        // TODO: one 16-byte load
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    // TODO: the tail, element by element
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// Stores 4 neighbours in a row of C, of which `count` exist.
static __device__ __forceinline__ void store4(float *__restrict__ c, int count, const float *sum,
                                              float alpha, float beta)
{
    if (is_vector(c, count)) {
        // TODO: read C as a vector unless beta is 0, and write one vector
    } else {
        for (int i = 0; i < 4; ++i)
            if (i < count)
                store(&c[i], sum[i], alpha, beta);
    }
}

static __global__ void gemm(int m, int n, int k, float alpha, const float *__restrict__ a,
                            const float *__restrict__ b, float beta, float *__restrict__ c)
{
    const int tiles_across = (n - 1) / (4 * SIDE_X) + 1;
    const int row = (int)blockIdx.x / tiles_across * SIDE_Y + (int)threadIdx.y;
    const int col = ((int)blockIdx.x % tiles_across * SIDE_X + (int)threadIdx.x) * 4;
    if (row >= m)
        return;
    float sum[4] = {};
    for (int i = 0; i < k; ++i) {
        const float a_value = a[(size_t)row * k + i];
        const float4 b_value = load4(&b[(size_t)i * n + col], n - col);
        sum[0] += a_value * b_value.x;
        sum[1] += a_value * b_value.y;
        sum[2] += a_value * b_value.z;
        sum[3] += a_value * b_value.w;
    }
    store4(&c[(size_t)row * n + col], n - col, sum, alpha, beta);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    const int blocks = ((p->m - 1) / SIDE_Y + 1) * ((p->n - 1) / (4 * SIDE_X) + 1);
    gemm<<<blocks, dim3(SIDE_X, SIDE_Y), 0, stream>>>(p->m, p->n, p->k, p->alpha, p->a, p->b,
                                                      p->beta, p->c);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"vector_tail", launch});
