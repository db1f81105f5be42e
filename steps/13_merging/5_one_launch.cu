// Step 13.5: all of K2 to K7 is one kernel. K3 takes the velocity that K6 reads, before K6 changes
// it. K4 needs the sums of all blocks, and no block waits for the others: each counts itself when
// its sums are written, and the one that is last adds them all, in their order.
#include "families/md.h"
#include "md/block_sum.h"
#include "md/forces.h"

// K2, K3, K5, K6, K7 of a particle; reads 13 values and writes 9. Its energies.
static __device__ double2 update(const struct lab_md &p, int i)
{
    double square = 0.0;
    for (size_t at = i; at < 3 * p.row; at += p.row) {
        const float v = p.velocity[at], old = p.acceleration[at]; // copies: both are overwritten
        const float a = p.force[at] / p.mass;                     // for K6 and K7
        square += (double)v * v;                                  // K3: before K6
        p.position[at] += v * p.dt + old * (0.5f * p.dt * p.dt);  // K5
        p.velocity[at] = v + 0.5f * p.dt * (a + old);             // K6
        p.acceleration[at] = a;                                   // K7
    }
    return make_double2(p.potential[i], 0.5 * p.mass * square);
}

// What blocks tell each other. `done` is 0 before each launch.
struct sums {
    unsigned done;
    double2 of_block[1]; // in fact one for each block
};

// True in the block that finds all others done. The fence makes its sums seen by others before its
// count is.
static __device__ bool is_last(struct sums *sums)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&sums->done, 1) == gridDim.x - 1;
        __threadfence(); // and what it reads from here on is what they wrote
    }
    __syncthreads(); // all threads of the block know
    return last;
}

static __global__ __launch_bounds__(MD_THREADS) void rest(const struct lab_md p, struct sums *sums,
                                                          double *energies)
{
    const int i = md_own_particle();
    double2 own = i < p.n ? update(p, i) : make_double2(0.0, 0.0);
    own = make_double2(md_sum_of_block(own.x), md_sum_of_block(own.y));
    if (threadIdx.x == 0)
        sums->of_block[blockIdx.x] = own;
    if (!is_last(sums))
        return;
    double potential = 0.0, kinetic = 0.0; // from here on K4
    for (unsigned k = threadIdx.x; k < gridDim.x; k += MD_THREADS) {
        const double2 other = __ldcg(&sums->of_block[k]); // not from L1, which may have old ones
        potential += other.x;
        kinetic += other.y;
    }
    potential = md_sum_of_block(potential);
    kinetic = md_sum_of_block(kinetic);
    if (threadIdx.x == 0) {
        energies[0] = potential;
        energies[1] = kinetic;
        sums->done = 0; // for the next step
    }
}

// The counter, and two sums for each block.
static size_t workspace(const struct lab_md *p)
{
    return sizeof(struct sums) + (size_t)md_blocks(p->n) * sizeof(double2);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    struct sums *const sums = (struct sums *)p->workspace;
    cudaMemsetAsync(&sums->done, 0, sizeof sums->done, stream); // scratch memory may hold anything
    for (int step = 0; step < p->steps; ++step) {
        md_launch_forces(p, stream); // K1
        rest<<<md_blocks(p->n), MD_THREADS, 0, stream>>>(*p, sums, p->energies + 2 * step);
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"one_launch", launch, workspace, LAB_REPEATABLE});
