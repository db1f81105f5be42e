// Exercise 17: the energies, K2 and K3, are merged with the updates, K5, K6 and K7. Each line is
// right, and the result is not: one part overwrites what another one still has to read, which is an
// anti-dependence. Find those values and give each a copy, without another launch. Forces and
// potentials are given.
#include "families/md.h"

constexpr int THREADS = 128; // per block, a particle each

// A time step but its forces. Energies begin at 0.
static __global__ void rest(const struct lab_md p, double *energies)
{
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (i >= p.n)
        return;
    double square = 0.0;
    for (size_t at = i; at < 3 * p.row; at += p.row) { // x, y, z
        // TODO: which of these values are read when they are the new ones already?
        // K7: a = f / m
        p.acceleration[at] = p.force[at] / p.mass;
        // K6: v += dt (f / m + a) / 2
        p.velocity[at] += 0.5f * p.dt * (p.force[at] / p.mass + p.acceleration[at]);
        // K5: x += v dt + a dt^2 / 2
        p.position[at] += p.velocity[at] * p.dt + p.acceleration[at] * (0.5f * p.dt * p.dt);
        // K3: m v^2 / 2
        square += (double)p.velocity[at] * p.velocity[at];
    }
    atomicAdd(&energies[0], (double)p.potential[i]); // K2
    atomicAdd(&energies[1], 0.5 * p.mass * square);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int blocks = (p->n - 1) / THREADS + 1;
    cudaMemsetAsync(p->energies, 0, 2 * sizeof(double) * p->steps, stream);
    for (int step = 0; step < p->steps; ++step)
        rest<<<blocks, THREADS, 0, stream>>>(*p, p->energies + 2 * step);
    return cudaGetLastError();
}

LAB_EXPORT(md_rest, {"rest", launch});
