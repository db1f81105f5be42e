// expect: wrong
// run: step13 --kernels rest -n 33
// says: position x of particle 0: expected
// says: as if x (K5) took the new v, as where v changes (K6) before x has been computed
// K6 comes before K5: the position goes on with the new velocity.
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
        p.velocity[at] = v + 0.5f * p.dt * (next + a);
        p.position[at] += p.velocity[at] * p.dt + 0.5f * p.dt * p.dt * a; // K5
        p.acceleration[at] = next;
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

LAB_EXPORT(md, {"velocity_first", launch});
