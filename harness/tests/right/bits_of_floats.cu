// run: step01
// Floats travel as bits: packed in pairs into 64 bits by a union, shuffled as ints, read as bytes.
#include "families/gemm.h"

union pair {
    unsigned long long bits;
    float value[2];
};

static __global__ void gemm(const struct lab_gemm p)
{
    __shared__ unsigned long long pairs[64];
    const size_t element = (size_t)blockIdx.x * 64 + threadIdx.x;
    const bool is_inside = element < (size_t)p.m * p.n;
    const size_t row = is_inside ? element / p.n : 0, column = is_inside ? element % p.n : 0;
    float sum = 0.0f;
    for (int i = 0; i < p.k; i++) {
        union pair both;
        both.value[0] = p.a[row * p.k + i];
        both.value[1] = p.b[(size_t)i * p.n + column];
        pairs[threadIdx.x ^ 1] = both.bits; // the neighbour's
        __syncwarp();
        const unsigned char *bytes = (const unsigned char *)&pairs[threadIdx.x ^ 1];
        unsigned bits = 0;
        for (int byte = 0; byte < 4; byte++)
            bits |= (unsigned)bytes[byte] << (8 * byte);
        union pair again;
        again.bits = pairs[threadIdx.x ^ 1];
        sum += __uint_as_float(bits) * again.value[1];
        __syncwarp();
    }
    const int turned = __shfl_xor_sync(0xFFFFFFFF, __float_as_int(sum), 31);
    sum = __int_as_float(__shfl_xor_sync(0xFFFFFFFF, turned, 31));
    if (is_inside)
        p.c[element] = p.alpha * sum + (p.beta != 0.0f ? p.beta * p.c[element] : 0.0f);
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<(unsigned)(((size_t)p->m * p->n - 1) / 64 + 1), 64, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"bits", launch});
