// expect: ok
// Distances in local memory.
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
    __shared__ float a_tile[THREADS][PIECE + 1];
    __shared__ float b_tile[TARGETS][PIECE];
    const int first_source = (int)blockIdx.x * THREADS;
    const int source = first_source + (int)threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TARGETS) {
        volatile float distance[TARGETS];
        for (int t = 0; t < TARGETS; ++t)
            distance[t] = 0.0f;
        for (int first_k = 0; first_k < k; first_k += PIECE) {
            for (int i = threadIdx.x; i < THREADS * PIECE; i += THREADS)
                a_tile[i / PIECE][i % PIECE] =
                    at(a, m, k, first_source + i / PIECE, first_k + i % PIECE);
            for (int i = threadIdx.x; i < TARGETS * PIECE; i += THREADS)
                b_tile[i / PIECE][i % PIECE] = at(b, n, k, first + i / PIECE, first_k + i % PIECE);
            __syncthreads();
            for (int t = 0; t < TARGETS; ++t) {
                float d = distance[t];
                for (int i = 0; i < PIECE; ++i) {
                    const float apart = a_tile[threadIdx.x][i] - b_tile[t][i];
                    d += apart * apart;
                }
                distance[t] = d;
            }
            __syncthreads();
        }
        for (int t = 0; t < TARGETS; ++t)
            if (first + t < n)
                sum += w[first + t] / (1.0f + factor * distance[t]);
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
