// expect: wrong
// run: step13 --kernels rest -n 33
// says: velocity x of particle 0: expected
// says: as if v (K6) took the new a for the old one
// K7 comes before K6: the velocity takes the new acceleration twice.
#include "families/md.h"

enum { THREADS = 64 };

static __global__ void energies(const struct lab_md p, int step)
{
    double potential = 0.0, kinetic = 0.0;
    for (int i = 0; i < p.n; ++i) {
        potential += p.potential[i];
        for (int c = 0; c < 3; ++c)
            kinetic += 0.5 * p.mass * p.velocity[c * p.row + i] * p.velocity[c * p.row + i];
    }
    p.energies[2 * step] = potential;
    p.energies[2 * step + 1] = kinetic;
}

static __global__ void update(const struct lab_md p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.velocity[at], a = p.acceleration[at], next = p.force[at] / p.mass;
        p.position[at] += v * p.dt + 0.5f * p.dt * p.dt * a;
        p.acceleration[at] = next;
        p.velocity[at] = v + 0.5f * p.dt * (next + p.acceleration[at]);
    }
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int blocks = (p->n - 1) / THREADS + 1;
    for (int step = 0; step < p->steps; ++step) {
        energies<<<1, 1, 0, stream>>>(*p, step);
        update<<<blocks, THREADS, 0, stream>>>(*p);
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"new_acceleration", launch});
