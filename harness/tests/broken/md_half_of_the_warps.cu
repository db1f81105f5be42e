// expect: wrong
// run: step13 --kernels 56 -n 257
// says: position x of particle 32: expected
// K5 and K6 are shared out to even and odd warps, but the particles are counted by warps in place
// of pairs of them: one half of the particles has K5 alone, the other one K6 alone.
#include "families/md.h"

enum { THREADS = 128 };

static __global__ void merged(const struct lab_md p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.old_velocity[at], old = p.old_acceleration[at];
        if (threadIdx.x / 32 % 2)
            p.velocity[at] = v + 0.5f * p.dt * (p.force[at] / p.mass + old);
        else
            p.position[at] += v * p.dt + old * (0.5f * p.dt * p.dt);
    }
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    merged<<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(md, {"half_of_the_warps", launch, NULL, LAB_MD_K5 | LAB_MD_K6});
