// Step 13.3: K1 with several threads for each particle. 2000 particles are 16 blocks, on a GPU of
// 132 SMs; with 32 threads each they are 500. And tiles are longer: to load one takes as long as
// hundreds of instructions, whatever its length.
#include "families/md.h"
#include "md/energies.h"
#include "md/integrate.h"
#include "md/pair.h"

constexpr int TILE = 512;         // particles in shared memory at a time, 4 of each thread
constexpr int ENOUGH = 132 * 512; // threads that hide latencies: 512 on each of 132 SMs
constexpr int BLOCKS_PER_SM = 8; // and no more: with 64 registers a thread has 8 pairs on their way

// K1. Each SLICES lanes have a particle, and each of them every SLICES-th of the others: lanes of
// a particle are neighbours, read neighbours of the tile, and add their sums in the end.
template <enum lab_md_law LAW, bool PERIODIC, int SLICES>
static __global__ __launch_bounds__(MD_THREADS, BLOCKS_PER_SM) void forces(const struct lab_md p,
                                                                           float one_by_box,
                                                                           float cutoff_squared)
{
    __shared__ float4 tile[TILE]; // x, y, z, and nothing
    const int thread = (int)threadIdx.x, slice = thread % SLICES;
    const int i = ((int)blockIdx.x * MD_THREADS + thread) / SLICES;
    const float *xs = p.position, *ys = xs + p.row, *zs = ys + p.row;
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
    if (i >= p.n || slice != 0)
        return;
    p.force[i] = force_x;
    p.force[p.row + i] = force_y;
    p.force[2 * p.row + i] = force_z;
    p.potential[i] = 0.5f * potential; // the other half is that of the other particle
}

template <int SLICES> static void launch_slices(const struct lab_md *p, cudaStream_t stream)
{
    const bool sine = p->law == LAB_MD_SINE, periodic = p->box > 0.0f;
    const auto kernel =
        sine ? periodic ? forces<LAB_MD_SINE, true, SLICES> : forces<LAB_MD_SINE, false, SLICES>
        : periodic ? forces<LAB_MD_LENNARD_JONES, true, SLICES>
                   : forces<LAB_MD_LENNARD_JONES, false, SLICES>;
    // Without a cut-off no pair is too far apart.
    const float far = p->cutoff > 0.0f ? p->cutoff * p->cutoff : __builtin_inff();
    kernel<<<md_blocks(p->n * SLICES), MD_THREADS, 0, stream>>>(*p, 1.0f / p->box, far);
}

// The K1 of this law and box, unless forces are given. As few slices as give the GPU enough
// threads: each slice more is another block that reads all particles.
static void launch_forces(const struct lab_md *p, cudaStream_t stream)
{
    if (!(p->kernels & LAB_MD_K1))
        return;
    if (p->n < ENOUGH / 16)
        launch_slices<32>(p, stream);
    else if (p->n < ENOUGH / 4)
        launch_slices<8>(p, stream);
    else
        launch_slices<2>(p, stream);
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
        launch_forces(p, stream); // K1
        md_potential_energy<<<count, MD_THREADS, 0, stream>>>(*p, sums);
        md_kinetic_energy<<<count, MD_THREADS, 0, stream>>>(*p, sums + count);
        md_add_sums<<<1, MD_THREADS, 0, stream>>>(count, sums, p->energies + 2 * step);
        md_positions<<<count, MD_THREADS, 0, stream>>>(*p);     // K5
        md_velocities<<<count, MD_THREADS, 0, stream>>>(*p);    // K6
        md_accelerations<<<count, MD_THREADS, 0, stream>>>(*p); // K7
    }
    return cudaGetLastError();
}

// The same in a graph (stage 13.6) comes first: the next stage is compared with the last row.
LAB_EXPORT(md, {"seven_graph", launch, workspace, LAB_REPEATABLE | LAB_GRAPH},
           {"slices", launch, workspace, LAB_REPEATABLE});
