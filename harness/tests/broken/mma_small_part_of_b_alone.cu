// expect: wrong
// run: step01 -m 33 -n 65 -k 17
// says: came back rounded to fewer bits
// says not: look at the index
// Products of TF32 in which the small part of A is left out.
#include "families/gemm.h"

constexpr int ROWS = 16, COLUMNS = 8, DEPTH = 8;

struct parts {
    unsigned big, small;
};

static __device__ parts split(float x)
{
    parts p;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(p.big) : "f"(x));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(p.small) : "f"(x - __uint_as_float(p.big)));
    return p;
}

static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __global__ void gemm(const struct lab_gemm p)
{
    const int group = threadIdx.x / 4, in_group = threadIdx.x % 4;
    const int top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;
    float sum[4] = {}, rest[4] = {}; // apart: infinity has no small part
    for (int start = 0; start < p.k; start += DEPTH) {
        unsigned big_a[4], small_a[4], big_b[2], small_b[2];
        for (int i = 0; i < 4; ++i) {
            const int row = top + group + i % 2 * 8, k = start + in_group + i / 2 * 4;
            const parts a = split(row < p.m && k < p.k ? p.a[(size_t)row * p.k + k] : 0.0f);
            big_a[i] = a.big;
            small_a[i] = a.small;
        }
        for (int i = 0; i < 2; ++i) {
            const int k = start + in_group + i * 4, column = left + group;
            const parts b = split(k < p.k && column < p.n ? p.b[(size_t)k * p.n + column] : 0.0f);
            big_b[i] = b.big;
            small_b[i] = b.small;
        }
        multiply(rest, big_a, small_b);
        multiply(sum, big_a, big_b);
    }
    for (int i = 0; i < 4; ++i) {
        const int row = top + group + i / 2 * 8, column = left + in_group * 2 + i % 2;
        if (row < p.m && column < p.n) {
            float *const c = &p.c[(size_t)row * p.n + column];
            const float product = isfinite(sum[i]) ? sum[i] + rest[i] : sum[i];
            *c = p.beta == 0.0f ? p.alpha * product : p.alpha * product + p.beta * *c;
        }
    }
}

static cudaError_t launch(const struct lab_gemm *p, cudaStream_t stream)
{
    gemm<<<dim3((p->n + COLUMNS - 1) / COLUMNS, (p->m + ROWS - 1) / ROWS), 32, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(gemm, {"mma_small_part_of_b_alone", launch});
