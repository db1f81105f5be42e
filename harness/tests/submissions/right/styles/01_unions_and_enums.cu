// expect: ok
// Unions, bit fields, enum class, typedefs, initialiser lists, structured bindings, range-based
// for, switch.
#include "families/gemm.h"

enum class Ending : unsigned char { scaled, blended };
enum { THREADS = 192 };

union Bits {
    float value;
    unsigned word;
};

struct Place {
    int row, col;
};

typedef struct {
    unsigned low : 16, high : 16;
} halves;

using position = long long;

__device__ static inline Place place_of(position element, int n)
{
    return {(int)(element / n), (int)(element % n)};
}

__global__ void gemm(struct lab_gemm p)
{
    const position element = (position)blockIdx.x * THREADS + threadIdx.x;
    if (element >= (position)p.m * p.n)
        return;
    const auto [row, col] = place_of(element, p.n);
    float sums[2] = {};
    for (int i = 0; i < p.k; ++i)
        sums[i & 1] += p.a[(size_t)i * p.m + row] * p.b[(size_t)i * p.n + col];
    float sum = 0.0f;
    for (const float part : sums)
        sum += part;
    Bits bits;
    bits.value = p.beta;
    halves h = {bits.word & 0xFFFF, bits.word >> 16};
    const Ending ending = h.low == 0 && (h.high & 0x7FFF) == 0 ? Ending::scaled : Ending::blended;
    switch (ending) {
    case Ending::scaled:
        p.c[element] = p.alpha * sum;
        break;
    case Ending::blended:
        p.c[element] = p.alpha * sum + p.beta * p.c[element];
        break;
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    dim3 block{THREADS}, grid;
    grid.x = (unsigned)(((position)p->m * p->n + THREADS - 1) / THREADS);
    gemm<<<grid, block, 0, stream>>>(*p);
    return cudaPeekAtLastError();
}

LAB_EXPORT(gemm_tn, {"transposed", launch});
