// Step 13.8: all steps in one cooperative launch. The thread that has the force of a particle does
// the rest for it. The grid synchronizes once a step: positions are double buffered, in a clone, so
// that those of the next step overwrite nothing that another block still reads.
#include "families/md.h"
#include "md/block_sum.h"
#include "md/pair.h"

#include <cooperative_groups.h>

constexpr int TILE = 512;         // particles in shared memory at a time, 4 of each thread
constexpr int ENOUGH = 132 * 512; // threads that hide latencies: 512 on each of 132 SMs
constexpr int BLOCKS_PER_SM = 8; // and no more: with 64 registers a thread has 8 pairs on their way

// Of a particle: its force, and its potential.
struct sums {
    float force[3], potential;
};

// K1, of the particle of a thread and its neighbours: each SLICES lanes have one, and each of them
// every SLICES-th of the others. The sums are those of slice 0.
template <enum lab_md_law LAW, bool PERIODIC, int SLICES>
static __device__ struct sums forces_on(int i, const struct lab_md &p, const float *xs,
                                        float one_by_box, float cutoff_squared)
{
    __shared__ float4 tile[TILE]; // x, y, z, and nothing
    const int thread = (int)threadIdx.x, slice = thread % SLICES;
    const float *ys = xs + p.row, *zs = ys + p.row;
    const int own = min(i, p.n - 1); // threads beyond the last particle help to load
    const float x = xs[own], y = ys[own], z = zs[own];
    // Four sums in registers.
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, potential = 0.0f;
    for (int first = 0; first < p.n; first += TILE) {
#pragma unroll
        for (int t = thread; t < TILE; t += MD_THREADS) // all on their way at once
            if (first + t < p.n)
                tile[t] = make_float4(xs[first + t], ys[first + t], zs[first + t], 0.0f);
        __syncthreads(); // the tile is complete: only now may others read it
#pragma unroll 8
        for (int j = slice; j < min(TILE, p.n - first); j += SLICES) {
            const float4 other = tile[j];
            const float dx = md_nearest<PERIODIC>(x - other.x, p.box, one_by_box);
            const float dy = md_nearest<PERIODIC>(y - other.y, p.box, one_by_box);
            const float dz = md_nearest<PERIODIC>(z - other.z, p.box, one_by_box);
            const float r2 = dx * dx + dy * dy + dz * dz;
            // At distance 0 is the particle itself.
            const md_interaction pair = md_interact<LAW>(r2, r2 > 0.0f && r2 < cutoff_squared);
            force_x += pair.force_by_r * dx;
            force_y += pair.force_by_r * dy;
            force_z += pair.force_by_r * dz;
            potential += pair.potential;
        }
        __syncthreads(); // all have read the tile: only now may the next one overwrite it
    }
    for (int offset = SLICES / 2; offset > 0; offset /= 2) {
        force_x += __shfl_down_sync(0xFFFFFFFF, force_x, offset);
        force_y += __shfl_down_sync(0xFFFFFFFF, force_y, offset);
        force_z += __shfl_down_sync(0xFFFFFFFF, force_z, offset);
        potential += __shfl_down_sync(0xFFFFFFFF, potential, offset);
    }
    return {{force_x, force_y, force_z}, 0.5f * potential}; // half is the other particle's
}

// K5, K6, K7 of a particle, of which this is the force; twice its kinetic energy by its mass, for
// K3. The new position goes to `next`.
static __device__ double update(const struct lab_md &p, int i, const struct sums &own,
                                const float *position, float *next)
{
    double square = 0.0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const size_t at = axis * p.row + i;
        const float v = p.velocity[at], old = p.acceleration[at]; // copies: both are overwritten
        const float a = own.force[axis] / p.mass;                 // for K6 and K7
        square += (double)v * v;                                  // K3: before K6
        next[at] = position[at] + v * p.dt + old * (0.5f * p.dt * p.dt); // K5
        p.velocity[at] = v + 0.5f * p.dt * (a + old);                    // K6
        p.acceleration[at] = a;                                          // K7
    }
    return square;
}

// K4, in one block: adds the sums of all blocks, always in the same order.
static __device__ void add_sums(const double2 *sums, double *energies)
{
    double potential = 0.0, kinetic = 0.0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += MD_THREADS) {
        potential += sums[k].x;
        kinetic += sums[k].y;
    }
    potential = md_sum_of_block(potential);
    kinetic = md_sum_of_block(kinetic);
    if (threadIdx.x == 0) {
        energies[0] = potential;
        energies[1] = kinetic;
    }
}

// All steps. The grid has no more blocks than run at the same time, and a block takes parts of the
// particles that lie a whole grid apart. `clone` has the positions after steps 1, 3, 5 and so on,
// and one of the two halves of `sums` those of a step: what is added of one step is overwritten in
// the next but one.
template <enum lab_md_law LAW, bool PERIODIC, int SLICES>
static __global__ __launch_bounds__(MD_THREADS,
                                    BLOCKS_PER_SM) void steps(const struct lab_md p, float *clone,
                                                              double2 *sums, float one_by_box,
                                                              float cutoff_squared)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    constexpr int EACH = MD_THREADS / SLICES; // particles of a block at a time
    const int slice = (int)threadIdx.x % SLICES, first = (int)threadIdx.x / SLICES;
    for (int step = 0; step < p.steps; ++step) {
        const float *position = step % 2 ? clone : p.position;
        float *next = step % 2 ? p.position : clone;
        double2 *const sums_of_step = sums + (step % 2 ? gridDim.x : 0);
        double2 own = make_double2(0.0, 0.0);
        for (int at = (int)blockIdx.x * EACH; at < p.n; at += (int)gridDim.x * EACH) {
            const int i = at + first; // p.n and above: this thread has none
            struct sums of_particle = {};
            if (p.kernels & LAB_MD_K1)
                of_particle =
                    forces_on<LAW, PERIODIC, SLICES>(i, p, position, one_by_box, cutoff_squared);
            if (i >= p.n || slice != 0)
                continue;
            if (p.kernels & LAB_MD_K1) {
                for (int axis = 0; axis < 3; ++axis)
                    p.force[axis * p.row + i] = of_particle.force[axis];
                p.potential[i] = of_particle.potential;
            } else { // given
                of_particle = {{p.force[i], p.force[p.row + i], p.force[2 * p.row + i]},
                               p.potential[i]};
            }
            own.x += of_particle.potential;                                    // K2
            own.y += 0.5 * p.mass * update(p, i, of_particle, position, next); // K3, K5 to K7
        }
        own = make_double2(md_sum_of_block(own.x), md_sum_of_block(own.y));
        if (threadIdx.x == 0)
            sums_of_step[blockIdx.x] = own;
        grid.sync(); // all positions and all sums of this step are there
        if (blockIdx.x == 0)
            add_sums(sums_of_step, p.energies + 2 * step);
    }
    if (p.steps % 2) // the last positions are the clone's
        for (int at = (int)blockIdx.x * EACH; at < p.n; at += (int)gridDim.x * EACH)
            for (int axis = slice; axis < 3 && at + first < p.n; axis += SLICES)
                p.position[axis * p.row + at + first] = clone[axis * p.row + at + first];
}

// Blocks for all particles; of more than a million as many as for those, which no GPU runs at once.
// A block goes on by as many particles as all blocks have: beyond the last that is still an int.
static int wanted_blocks(const struct lab_md *p, int slices)
{
    const int most = 1 << 20, each = MD_THREADS / slices;
    const int all = md_blocks((p->n < most ? p->n : most) * slices);
    const int in_range = (0x7FFFFFFF - (p->n - 1)) / each;
    return all < in_range ? all : in_range;
}

// The clone, and two sums for each block and for each of two steps.
static size_t workspace(const struct lab_md *p)
{
    return 3 * p->row * sizeof(float) + 2 * wanted_blocks(p, 32) * sizeof(double2);
}

template <int SLICES> static cudaError_t launch_slices(const struct lab_md *p, cudaStream_t stream)
{
    const bool sine = p->law == LAB_MD_SINE, periodic = p->box > 0.0f;
    const auto kernel =
        sine       ? periodic ? steps<LAB_MD_SINE, true, SLICES> : steps<LAB_MD_SINE, false, SLICES>
              : periodic ? steps<LAB_MD_LENNARD_JONES, true, SLICES>
                   : steps<LAB_MD_LENNARD_JONES, false, SLICES>;
    // All blocks have to run at the same time, or those that run wait for ever.
    int device = 0, sms = 0, each = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, MD_THREADS, 0);
    const int wanted = wanted_blocks(p, SLICES), most = sms * each;
    // Without a cut-off no pair is too far apart.
    float far = p->cutoff > 0.0f ? p->cutoff * p->cutoff : __builtin_inff();
    float one_by_box = 1.0f / p->box, *clone = (float *)p->workspace;
    double2 *sums = (double2 *)(clone + 3 * p->row);
    void *arguments[] = {(void *)p, &clone, &sums, &one_by_box, &far};
    return cudaLaunchCooperativeKernel(kernel, wanted < most ? wanted : most, MD_THREADS, arguments,
                                       0, stream);
}

// As few slices as give the GPU enough threads: each slice more is another block that reads all
// particles.
static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    return p->n < ENOUGH / 16  ? launch_slices<32>(p, stream)
           : p->n < ENOUGH / 4 ? launch_slices<8>(p, stream)
                               : launch_slices<2>(p, stream);
}

LAB_EXPORT(md, {"all_steps", launch, workspace, LAB_REPEATABLE});
