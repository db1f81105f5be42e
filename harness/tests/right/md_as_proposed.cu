// run: step13
// What `./run plan step13` proposes: K1; K2, K3, K5, K6 and K7 as one kernel; K4.
#include "families/md.h"
#include "md/energies.h"
#include "md/forces.h"

static __global__ __launch_bounds__(MD_THREADS) void update(const struct lab_md p, double *sums)
{
    const int i = md_own_particle();
    double square = 0.0;
    for (size_t at = i; i < p.n && at < 3 * p.row; at += p.row) {
        const float v = p.velocity[at], old = p.acceleration[at]; // copies: both are overwritten
        const float a = p.force[at] / p.mass;                     // for K6 and K7
        square += (double)v * v;                                  // K3: before K6
        p.position[at] += v * p.dt + old * (0.5f * p.dt * p.dt);  // K5
        p.velocity[at] = v + 0.5f * p.dt * (a + old);             // K6
        p.acceleration[at] = a;                                   // K7
    }
    const double potential = md_sum_of_block(i < p.n ? (double)p.potential[i] : 0.0); // K2
    const double kinetic = md_sum_of_block(0.5 * p.mass * square);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = potential;
        sums[gridDim.x + blockIdx.x] = kinetic;
    }
}

static size_t workspace(const struct lab_md *p)
{
    return 2 * md_blocks(p->n) * sizeof(double);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int count = md_blocks(p->n);
    double *const sums = (double *)p->workspace;
    for (int step = 0; step < p->steps; ++step) {
        md_launch_forces(p, stream);
        update<<<count, MD_THREADS, 0, stream>>>(*p, sums);
        md_add_sums<<<1, MD_THREADS, 0, stream>>>(count, sums, p->energies + 2 * step);
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"as_proposed", launch, workspace, LAB_REPEATABLE});
