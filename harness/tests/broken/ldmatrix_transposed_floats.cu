// expect: nan
// on a GPU: nan
// run: step02 -m 36 -n 40 -k 44
// says: Or are bits taken for a float that are of no float, such as halves of two?
// ldmatrix turns elements of 16 bits: a float's halves go to different places. The simulator warns
// of it, too.
#include "families/gemm.h"

constexpr int ROWS = 16, COLUMNS = 8, DEPTH = 8;

static __device__ void load_a(unsigned (&a)[4], const float *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

static __device__ void load_b(unsigned (&b)[2], const float *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

static __device__ void split(unsigned &big, unsigned &small)
{
    const float x = __uint_as_float(big);
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(big) : "f"(x));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(small) : "f"(x - __uint_as_float(big)));
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
    __shared__ alignas(16) float tile_a[ROWS][DEPTH], tile_b[COLUMNS][DEPTH];
    const int lane = threadIdx.x, top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;
    float sum[4] = {}, rest[4] = {}; // apart: infinity has no small part
    for (int start = 0; start < p.k; start += DEPTH) {
        unsigned a[4], b[2], small_a[4], small_b[2];
        const int k = start + lane % DEPTH;
        for (int row = lane / DEPTH; row < ROWS; row += 4)
            tile_a[row][lane % DEPTH] =
                top + row < p.m && k < p.k ? p.a[(size_t)(top + row) * p.k + k] : 0.0f;
        for (int column = lane / DEPTH; column < COLUMNS; column += 4)
            tile_b[column][lane % DEPTH] =
                left + column < p.n && k < p.k ? p.b[(size_t)k * p.n + left + column] : 0.0f;
        __syncwarp();
        load_a(a, &tile_a[lane / 8 % 2 * 8 + lane % 8][lane / 16 * 4]);
        load_b(b, &tile_b[lane % 8][lane / 8 % 2 * 4]);
        __syncwarp();
        for (int i = 0; i < 4; ++i)
            split(a[i], small_a[i]);
        for (int i = 0; i < 2; ++i)
            split(b[i], small_b[i]);
        multiply(rest, small_a, b);
        multiply(rest, a, small_b);
        multiply(sum, a, b);
    }
    for (int i = 0; i < 4; ++i) {
        const int row = top + lane / 4 + i / 2 * 8, column = left + lane % 4 * 2 + i % 2;
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

LAB_EXPORT(gemm, {"ldmatrix_halves_exchanged", launch});
