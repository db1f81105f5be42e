// run: step11
// Dijkstra's algorithm, a warp for each source, with what is done as bits in shared memory. The
// nearest vertex is found by a vote and by redux on floats as ints, which are in the same order.
#include "families/apsp.h"

static __global__ void from_source(const struct lab_apsp p)
{
    extern __shared__ unsigned done[];
    const int source = blockIdx.x, lane = threadIdx.x;
    const float *const w = (const float *)p.w;
    float *const d = (float *)p.d + (size_t)source * p.n;
    for (int word = lane; word < (p.n + 31) / 32; word += 32)
        done[word] = 0;
    for (int j = lane; j < p.n; j += 32)
        d[j] = w[(size_t)source * p.n + j];
    for (int round = 0; round < p.n; round++) {
        __syncwarp();
        unsigned least = 0x7F800000;
        int at = -1;
        for (int j = lane; j < p.n; j += 32)
            if (!(done[j / 32] >> j % 32 & 1) && __float_as_uint(d[j]) < least) {
                least = __float_as_uint(d[j]);
                at = j;
            }
        const unsigned nearest = __reduce_min_sync(~0u, least);
        const unsigned has = __ballot_sync(~0u, least == nearest && at >= 0);
        if (!has)
            break; // the rest cannot be reached
        const int k = __shfl_sync(~0u, at, __ffs(has) - 1);
        __syncwarp();
        if (lane == k % 32)
            atomicOr(&done[k / 32], 1u << k % 32);
        const float to_k = __uint_as_float(nearest);
        for (int j = lane; j < p.n; j += 32)
            d[j] = fminf(d[j], to_k + w[(size_t)k * p.n + j]);
    }
}

// Where weights are below 0 nothing is done before all is.
static __global__ void through(int n, int k, float *d)
{
    const int i = blockIdx.x;
    const float first = d[(size_t)i * n + k];
    for (int j = threadIdx.x; i != k && j < n; j += blockDim.x)
        if (j != k)
            d[(size_t)i * n + j] = fminf(d[(size_t)i * n + j], first + d[(size_t)k * n + j]);
}

static cudaError_t launch(const struct lab_apsp *p, cudaStream_t stream)
{
    if (p->negative) {
        cudaMemcpyAsync(p->d, p->w, (size_t)p->n * p->n * sizeof(float), cudaMemcpyDeviceToDevice,
                        stream);
        for (int k = 0; k < p->n; k++)
            through<<<p->n, 64, 0, stream>>>(p->n, k, (float *)p->d);
        return cudaGetLastError();
    }
    from_source<<<p->n, 32, (p->n + 31) / 32 * sizeof(unsigned), stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(apsp, {"dijkstra", launch, NULL, LAB_APSP_FLOATS | LAB_APSP_LENGTHS});
