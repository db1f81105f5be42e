// Exercise 10: a kernel summation with another kernel function, Cauchy's: v[i] = sum over j of
// w[j] / (1 + |a_i - b_j|^2 / (2 h^2)). A thread takes one source and keeps its squared distances
// to a few targets in registers; nothing of the (m, n) matrix goes to memory.
#include "families/cauchy.h"

#include <float.h>

constexpr int THREADS = 128; // sources per block
constexpr int TARGETS = 16;  // at a time
constexpr int PIECE = 16;    // dimensions at a time

// 1 / (2 h^2), kept finite: 0 times infinity would be NaN where two points coincide.
static float factor_of(float h)
{
    const double factor = 0.5 / ((double)h * h);
    return factor > FLT_MAX ? FLT_MAX : (float)factor;
}

// Element i of a point, 0 where there is none: such a difference adds nothing to a distance.
static __device__ __forceinline__ float at(const float *__restrict__ points, int count, int k,
                                           int point, int i)
{
    return point < count && i < k ? points[(size_t)point * k + i] : 0.0f;
}

static __global__ __launch_bounds__(THREADS) void summation(int m, int n, int k, float factor,
                                                            const float *__restrict__ a,
                                                            const float *__restrict__ b,
                                                            const float *__restrict__ w,
                                                            float *__restrict__ v)
{
    __shared__ float a_tile[THREADS][PIECE + 1]; // (sources, dimensions)
    __shared__ float b_tile[TARGETS][PIECE];     // (targets, dimensions)
    const int first_source = (int)blockIdx.x * THREADS;
    const int source = first_source + (int)threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TARGETS) {
        float distance[TARGETS] = {}; // squared
        for (int first_k = 0; first_k < k; first_k += PIECE) {
            for (int i = threadIdx.x; i < THREADS * PIECE; i += THREADS)
                a_tile[i / PIECE][i % PIECE] =
                    at(a, m, k, first_source + i / PIECE, first_k + i % PIECE);
            for (int i = threadIdx.x; i < TARGETS * PIECE; i += THREADS)
                b_tile[i / PIECE][i % PIECE] = at(b, n, k, first + i / PIECE, first_k + i % PIECE);
            __syncthreads(); // all threads have written the tiles
#pragma unroll
            for (int t = 0; t < TARGETS; ++t)
#pragma unroll
                for (int i = 0; i < PIECE; ++i) {
                    // TODO: add this dimension's share of the squared distance to target t
                    distance[t] += a_tile[threadIdx.x][i] * b_tile[t][i];
                }
            __syncthreads(); // and all are done with them before they are overwritten
        }
#pragma unroll
        for (int t = 0; t < TARGETS; ++t) {
            // TODO: the kernel function times the weight; the last targets may not exist
            sum += first + t < n ? w[first + t] * distance[t] * factor : 0.0f;
        }
    }
    if (source < m)
        v[source] = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    summation<<<(p->m - 1) / THREADS + 1, THREADS, 0, stream>>>(p->m, p->n, p->k, factor_of(p->h),
                                                                p->a, p->b, p->w, p->v);
    return cudaGetLastError();
}

LAB_EXPORT(cauchy, {"cauchy", launch});
