// expect: ok
// exercises: 16 17
// In the right order, and each part reads global memory for itself.
#include "families/md.h"

static __global__ void rest(const struct lab_md p, double *energies)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n)
        return;
    double square = 0.0;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        square += (double)p.velocity[at] * p.velocity[at];
        p.position[at] += p.velocity[at] * p.dt + p.acceleration[at] * (0.5f * p.dt * p.dt);
        p.velocity[at] += 0.5f * p.dt * (p.force[at] / p.mass + p.acceleration[at]);
        p.acceleration[at] = p.force[at] / p.mass;
    }
    atomicAdd(&energies[0], (double)p.potential[i]);
    atomicAdd(&energies[1], 0.5 * p.mass * square);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    cudaMemsetAsync(p->energies, 0, 2 * sizeof(double) * p->steps, stream);
    for (int step = 0; step < p->steps; ++step)
        rest<<<(p->n - 1) / 256 + 1, 256, 0, stream>>>(*p, p->energies + 2 * step);
    return cudaGetLastError();
}

LAB_EXPORT(md_rest, {"naive", launch});
