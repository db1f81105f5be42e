// Step 13.4: K5, K6 and K7 are one kernel: each thread does the one after the other for its
// particle. K7 overwrites the acceleration that K6 needs, which the thread has read to a register
// before: 21 values a particle in place of 30, and one launch in place of three.
#include "families/md.h"
#include "md/energies.h"
#include "md/forces.h"

// K5, K6, K7: x += v dt + a dt^2 / 2; v += dt (f / m + a) / 2; a = f / m. Reads 12 values and
// writes 9: the old velocity and acceleration are read once, and the new acceleration is computed
// once.
static __global__ __launch_bounds__(MD_THREADS) void update(const struct lab_md p)
{
    const int i = md_own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.velocity[at], old = p.acceleration[at]; // copies: both are overwritten
        const float a = p.force[at] / p.mass;                     // for K6 and K7
        p.position[at] += v * p.dt + old * (0.5f * p.dt * p.dt);  // K5
        p.velocity[at] = v + 0.5f * p.dt * (a + old);             // K6
        p.acceleration[at] = a;                                   // K7
    }
}

// Two sums for each block.
static size_t workspace(const struct lab_md *p)
{
    return 2 * md_blocks(p->n) * sizeof(double);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int count = md_blocks(p->n);
    double *const sums = (double *)p->workspace;
    for (int step = 0; step < p->steps; ++step) {
        md_launch_forces(p, stream); // K1
        md_potential_energy<<<count, MD_THREADS, 0, stream>>>(*p, sums);
        md_kinetic_energy<<<count, MD_THREADS, 0, stream>>>(*p, sums + count);
        md_add_sums<<<1, MD_THREADS, 0, stream>>>(count, sums, p->energies + 2 * step);
        update<<<count, MD_THREADS, 0, stream>>>(*p); // K5, K6, K7
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"merged", launch, workspace, LAB_REPEATABLE});
