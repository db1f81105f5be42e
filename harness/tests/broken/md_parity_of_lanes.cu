// expect: race
// run: step13 --kernels 56 -n 257
// K5 and K6 are shared out to lanes in place of warps, and a pair of lanes takes one particle: but
// the particles are counted by pairs of warps, so that two lanes meet at each and half are left
// out.
#include "families/md.h"

enum { THREADS = 128 };

static __global__ void merged(const struct lab_md p)
{
    const int pair = blockIdx.x * (THREADS / 64) + threadIdx.x / 64;
    const int i = pair * 32 + threadIdx.x % 32;
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.old_velocity[at], old = p.old_acceleration[at];
        if (threadIdx.x % 2)
            p.velocity[at] = v + 0.5f * p.dt * (p.force[at] / p.mass + old);
        else
            p.position[at] += v * p.dt + old * (0.5f * p.dt * p.dt); // BUG
    }
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    merged<<<(p->n - 1) / (THREADS / 2) + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(md, {"parity_of_lanes", launch, NULL, LAB_MD_K5 | LAB_MD_K6});
