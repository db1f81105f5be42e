// expect: wrong
// run: step13 -n 1000 --periodic
// says: does every pair count once
// Of the 27 cells around a particle the last one is left out.
#include "families/md.h"

enum { THREADS = 64, MOST = 63 };

struct cell {
    int count, members[MOST];
};

// The box has as many cells along an edge as are no narrower than the cut-off.
static __host__ __device__ int along(const struct lab_md &p)
{
    return (int)(p.box / p.cutoff);
}

static __device__ int cell_of(const struct lab_md &p, int i)
{
    int cell = 0;
    for (int c = 2; c >= 0; --c) {
        const float x = p.position[c * p.row + i] / p.box;
        cell = cell * along(p) + min((int)((x - floorf(x)) * along(p)), along(p) - 1);
    }
    return cell;
}

static __global__ void list(const struct lab_md p, struct cell *cells)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n)
        return;
    struct cell *const own = &cells[cell_of(p, i)];
    own->members[atomicAdd(&own->count, 1)] = i;
}

static __global__ void forces(const struct lab_md p, const struct cell *cells)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, side = along(p);
    if (i >= p.n)
        return;
    const int own = cell_of(p, i), x = own % side, y = own / side % side, z = own / side / side;
    float force[3] = {0.0f, 0.0f, 0.0f}, potential = 0.0f;
    for (int k = 0; k < 26; ++k) {
        const struct cell *const other =
            &cells[((z + k / 9 + side - 1) % side * side + (y + k / 3 % 3 + side - 1) % side) *
                       side +
                   (x + k % 3 + side - 1) % side];
        for (int m = 0; m < other->count; ++m) {
            const int j = other->members[m];
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
    }
    for (int c = 0; c < 3; ++c)
        p.force[c * p.row + i] = force[c];
    p.potential[i] = potential;
}

static __global__ void rest(const struct lab_md p, double *energies)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.velocity[at], a = p.acceleration[at], next = p.force[at] / p.mass;
        atomicAdd(&energies[1], 0.5 * p.mass * v * v);
        p.position[at] += v * p.dt + 0.5f * p.dt * p.dt * a;
        p.velocity[at] = v + 0.5f * p.dt * (next + a);
        p.acceleration[at] = next;
    }
    atomicAdd(&energies[0], (double)p.potential[i]);
}

static size_t workspace(const struct lab_md *p)
{
    return along(*p) * along(*p) * along(*p) * sizeof(struct cell);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int blocks = (p->n - 1) / THREADS + 1;
    struct cell *const cells = (struct cell *)p->workspace;
    cudaMemsetAsync(p->energies, 0, 2 * sizeof(double) * p->steps, stream);
    for (int step = 0; step < p->steps; ++step) {
        cudaMemsetAsync(cells, 0, workspace(p), stream);
        list<<<blocks, THREADS, 0, stream>>>(*p, cells);
        forces<<<blocks, THREADS, 0, stream>>>(*p, cells);
        rest<<<blocks, THREADS, 0, stream>>>(*p, p->energies + 2 * step);
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"cell_left_out", launch, workspace});
