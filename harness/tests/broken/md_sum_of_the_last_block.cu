// expect: wrong
// run: step13 --kernels 3 -n 257
// says: all sums of the kinetic energy: expected
// K3 alone, with n / THREADS blocks: the particles behind the last full block have no sum.
#include "families/md.h"

enum { THREADS = 128 };

static __global__ void kinetic_energy(const struct lab_md p)
{
    __shared__ double own[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const double x = p.velocity[i], y = p.velocity[p.row + i], z = p.velocity[2 * p.row + i];
    own[threadIdx.x] = 0.5 * p.mass * (x * x + y * y + z * z);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    double sum = 0.0;
    for (int t = 0; t < THREADS; t++)
        sum += own[t];
    p.sums[p.sum_count + blockIdx.x] = sum;
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    kinetic_energy<<<p->n / THREADS, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(md, {"last_block", launch, NULL, LAB_MD_K3});
