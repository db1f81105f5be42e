// expect: race
// on a GPU: wrong
// run: step08 -m 70 -n 33 -k 5
// says: sums after the launch
// no line: the host is at fault
// The sums of the targets of a block lie in managed memory, where the host adds them up at once.
#include "families/kernel_summation.h"

enum { ROWS = 1024, BLOCKS = 4 };

__managed__ float sums[BLOCKS][ROWS];

static __global__ void sum_up(const struct lab_kernel_summation p, float factor)
{
    const int each = (p.n - 1) / BLOCKS + 1, first = (int)blockIdx.x * each;
    for (int i = (int)threadIdx.x; i < p.m && i < ROWS; i += (int)blockDim.x) {
        float sum = 0.0f;
        for (int j = first; j < first + each && j < p.n; ++j) {
            float distance = 0.0f;
            for (int d = 0; d < p.k; ++d) {
                const float apart = p.a[i * p.k + d] - p.b[j * p.k + d];
                distance += apart * apart;
            }
            sum += expf(factor * distance) * p.w[j];
        }
        sums[blockIdx.x][i] = sum;
    }
}

static __global__ void put(float *v, float sum)
{
    *v = sum;
}

static cudaError_t launch(const struct lab_kernel_summation *p, cudaStream_t stream)
{
    sum_up<<<BLOCKS, 64, 0, stream>>>(*p, lab_exponent_factor(p->h));
    for (int i = 0; i < p->m && i < ROWS; ++i)
        put<<<1, 1, 0, stream>>>(p->v + i, sums[0][i] + sums[1][i] + sums[2][i] + sums[3][i]);
    return cudaGetLastError();
}

LAB_EXPORT(kernel_summation, {"managed_read_behind_launch", launch});
