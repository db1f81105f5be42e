// Step 13.6: kernels that do not depend on each other run side by side. K2 and K3 each take a
// stream, while the rest goes on with K5 to K7. Events say what waits for what; nothing else waits.
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

// Kernels side by side on an SM share its one division of memory into L1 and shared memory. Beside
// K3, which asks for next to no shared memory, K1 may have room for fewer of its blocks than alone:
// so all ask for as much.
static void share_memory_alike(const void *kernel)
{
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         cudaSharedmemCarveoutMaxShared);
}

// Two sums for each block.
static size_t workspace(const struct lab_md *p)
{
    return 2 * md_blocks(p->n) * sizeof(double);
}

// Enqueues that `later` goes on only when what is on `earlier` now is done.
static void wait(cudaStream_t later, cudaEvent_t event, cudaStream_t earlier)
{
    cudaEventRecord(event, earlier);
    cudaStreamWaitEvent(later, event, 0);
}

// K2 needs K1 and K3 needs K6 of the step before: K3 begins beside K1. K6 overwrites the velocity
// that K3 reads, and the next K1 the potential that K2 reads: these wait.
static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    enum { BEGUN, FORCES_DONE, POTENTIAL_DONE, KINETIC_DONE, SUMS_ADDED };
    const int count = md_blocks(p->n);
    double *const sums = (double *)p->workspace;
    const cudaStream_t two = p->streams[0], three = p->streams[1];
    for (const void *kernel : {(const void *)md_potential_energy, (const void *)md_kinetic_energy,
                               (const void *)md_add_sums, (const void *)update})
        share_memory_alike(kernel);
    for (int step = 0; step < p->steps; ++step) {
        wait(three, p->events[BEGUN], stream); // for K6 of the step before
        md_kinetic_energy<<<count, MD_THREADS, 0, three>>>(*p, sums + count); // K3
        md_launch_forces(p, stream);                                          // K1
        wait(two, p->events[FORCES_DONE], stream);                            // K2 needs K1
        md_potential_energy<<<count, MD_THREADS, 0, two>>>(*p, sums);         // beside K5 to K7
        wait(stream, p->events[KINETIC_DONE], three);         // K6 overwrites what K3 reads
        cudaStreamWaitEvent(two, p->events[KINETIC_DONE], 0); // K4 needs both
        cudaEventRecord(p->events[POTENTIAL_DONE], two);
        md_add_sums<<<1, MD_THREADS, 0, two>>>(count, sums, p->energies + 2 * step);
        update<<<count, MD_THREADS, 0, stream>>>(*p); // K5, K6, K7
        wait(three, p->events[SUMS_ADDED], two);      // the next K3 overwrites what K4 reads
        cudaStreamWaitEvent(stream, p->events[POTENTIAL_DONE], 0); // K1 overwrites what K2 reads
    }
    cudaStreamWaitEvent(stream, p->events[SUMS_ADDED], 0); // what comes next waits for all
    return cudaGetLastError();
}

// The same in a graph: it is captured once, and replayed by one call.
LAB_EXPORT(md, {"graph", launch, workspace, LAB_REPEATABLE | LAB_GRAPH},
           {"streams", launch, workspace, LAB_REPEATABLE});
