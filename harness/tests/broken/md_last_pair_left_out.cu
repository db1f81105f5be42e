// expect: wrong
// run: step13 -n 1000 --periodic
// says: as if the last particle were nobody's neighbour
// The loop over the others ends before the last one.
#include "families/md.h"

enum { THREADS = 64 };

static __global__ void forces(const struct lab_md p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n)
        return;
    float force[3] = {0.0f, 0.0f, 0.0f}, potential = 0.0f;
    for (int j = 0; j < p.n - 1; ++j) {
        float d[3], r2 = 0.0f;
        for (int c = 0; c < 3; ++c) {
            d[c] = p.position[c * p.row + i] - p.position[c * p.row + j];
            d[c] -= p.box * rintf(d[c] / p.box);
            r2 += d[c] * d[c];
        }
        if (j == i || r2 >= p.cutoff * p.cutoff)
            continue;
        const float one = 1.0f / r2, r6 = one * one * one;
        for (int c = 0; c < 3; ++c)
            force[c] += 24.0f * r6 * (2.0f * r6 - 1.0f) * one * d[c];
        potential += 2.0f * r6 * (r6 - 1.0f);
    }
    for (int c = 0; c < 3; ++c)
        p.force[c * p.row + i] = force[c];
    p.potential[i] = potential;
}

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
        p.velocity[at] = v + 0.5f * p.dt * (next + a);
        p.acceleration[at] = next;
    }
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int blocks = (p->n - 1) / THREADS + 1;
    for (int step = 0; step < p->steps; ++step) {
        forces<<<blocks, THREADS, 0, stream>>>(*p);
        energies<<<1, 1, 0, stream>>>(*p, step);
        update<<<blocks, THREADS, 0, stream>>>(*p);
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"last_pair_left_out", launch});
