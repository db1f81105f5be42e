/**
 * @file forces.h
 * @brief K1, force and potential of each particle from all others, as stage 13.3 has it.
 */
#ifndef LAB_MD_FORCES_H
#define LAB_MD_FORCES_H

#include "md/pair.h"
#include "md/particle.h"

/** Particles in shared memory at a time, 4 of each thread. */
constexpr int MD_TILE = 512;
/** Threads that hide what each of them waits for. */
constexpr int MD_ENOUGH = 132 * 512;
/** And no more: with 64 registers a thread has 8 pairs on their way. */
constexpr int MD_BLOCKS_PER_SM = 8;

/** K1. Each SLICES lanes have a particle, and each of them every SLICES-th of the others: lanes of
 * a particle are neighbours, read neighbours of the tile, and add their sums in the end. */
template <enum lab_md_law LAW, bool PERIODIC, int SLICES>
static __global__ __launch_bounds__(MD_THREADS,
                                    MD_BLOCKS_PER_SM) void md_forces(const struct lab_md p,
                                                                     float one_by_box,
                                                                     float cutoff_squared)
{
    __shared__ float4 tile[MD_TILE]; // x, y, z, and nothing
    const int thread = (int)threadIdx.x, slice = thread % SLICES;
    const int i = ((int)blockIdx.x * MD_THREADS + thread) / SLICES;
    const float *xs = p.position, *ys = xs + p.row, *zs = ys + p.row;
    const int own = min(i, p.n - 1); // threads beyond the last particle help to load
    const float x = xs[own], y = ys[own], z = zs[own];
    // Four sums in registers.
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, potential = 0.0f;
    for (int first = 0; first < p.n; first += MD_TILE) {
#pragma unroll
        for (int t = thread; t < MD_TILE; t += MD_THREADS) // all on their way at once
            if (first + t < p.n)
                tile[t] = make_float4(xs[first + t], ys[first + t], zs[first + t], 0.0f);
        __syncthreads(); // the tile is complete: only now may others read it
#pragma unroll 8
        for (int j = slice; j < min(MD_TILE, p.n - first); j += SLICES) {
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

/** A kernel md_forces() of any law, box and number of slices. */
typedef void md_forces_kernel(const struct lab_md p, float one_by_box, float cutoff_squared);

/** The one of this law and box. */
template <int SLICES> static md_forces_kernel *md_forces_of(const struct lab_md *p)
{
    if (p->law == LAB_MD_SINE)
        return p->box > 0.0f ? md_forces<LAB_MD_SINE, true, SLICES>
                             : md_forces<LAB_MD_SINE, false, SLICES>;
    return p->box > 0.0f ? md_forces<LAB_MD_LENNARD_JONES, true, SLICES>
                         : md_forces<LAB_MD_LENNARD_JONES, false, SLICES>;
}

/** The K1 of a problem, and how many slices it has: as few as give the GPU enough threads. Each
 * slice more is another block that reads all particles. */
static md_forces_kernel *md_choose_forces(const struct lab_md *p, int *slices)
{
    *slices = p->n < MD_ENOUGH / 16 ? 32 : p->n < MD_ENOUGH / 4 ? 8 : 2;
    return *slices == 32  ? md_forces_of<32>(p)
           : *slices == 8 ? md_forces_of<8>(p)
                          : md_forces_of<2>(p);
}

/** Enqueues K1, unless forces are given. */
static void md_launch_forces(const struct lab_md *p, cudaStream_t stream)
{
    int slices;
    if (!(p->kernels & LAB_MD_K1))
        return;
    md_forces_kernel *const kernel = md_choose_forces(p, &slices);
    // Without a cut-off no pair is too far apart.
    const float far = p->cutoff > 0.0f ? p->cutoff * p->cutoff : __builtin_inff();
    kernel<<<md_blocks(p->n * slices), MD_THREADS, 0, stream>>>(*p, 1.0f / p->box, far);
}

#endif
