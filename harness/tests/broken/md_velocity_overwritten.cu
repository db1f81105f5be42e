// expect: race
// run: step13 -n 33 --kernels rest
// says: no event puts the two in order
// says: race on velocity[0][0]:
// says: kinetic(lab_md
// K6 overwrites the velocity that K3 reads, and does not wait for K3, although both streams are
// joined in the end.
#include "families/md.h"

enum { THREADS = 64 };

// K2 and K4, too, and by one block: how the sums are made does not matter here.
static __global__ void kinetic(const struct lab_md p)
{
    __shared__ double sums[2][THREADS];
    double potential = 0.0, square = 0.0;
    for (int i = threadIdx.x; i < p.n; i += THREADS) {
        potential += p.potential[i];
        for (size_t at = i; at < 3 * p.row; at += p.row)
            square += (double)p.velocity[at] * p.velocity[at];
    }
    sums[0][threadIdx.x] = potential;
    sums[1][threadIdx.x] = 0.5 * p.mass * square;
    __syncthreads();
    if (threadIdx.x < 2) {
        double sum = 0.0;
        for (int t = 0; t < THREADS; ++t)
            sum += sums[threadIdx.x][t];
        p.energies[threadIdx.x] = sum;
    }
}

static __global__ void update(const struct lab_md p)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.velocity[at], old = p.acceleration[at], a = p.force[at] / p.mass;
        p.position[at] += v * p.dt + old * (0.5f * p.dt * p.dt);
        p.velocity[at] = v + 0.5f * p.dt * (a + old); // BUG
        p.acceleration[at] = a;
    }
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    cudaEventRecord(p->events[0], stream);
    cudaStreamWaitEvent(p->streams[0], p->events[0], 0);
    kinetic<<<1, THREADS, 0, p->streams[0]>>>(*p);
    update<<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p); // does not wait for K3
    cudaEventRecord(p->events[1], p->streams[0]);
    cudaStreamWaitEvent(stream, p->events[1], 0);
    return cudaGetLastError();
}

LAB_EXPORT(md, {"velocity_overwritten", launch});
