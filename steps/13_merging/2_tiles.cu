// Step 13.2: K1 with tiles. A block brings MD_THREADS particles at a time to shared memory, each of
// which all of its threads read at once: a load of 16 bytes in place of three of 4, and from
// nearer. K2 to K7 are as before.
#include "families/md.h"
#include "md/energies.h"
#include "md/integrate.h"
#include "md/pair.h"

// K1, a tile of particles at a time. All lanes of a warp read the same one: a broadcast. The last
// tile may be a part of one.
template <enum lab_md_law LAW, bool PERIODIC>
static __global__ __launch_bounds__(MD_THREADS) void forces(const struct lab_md p, float one_by_box,
                                                            float cutoff_squared)
{
    __shared__ float4 tile[MD_THREADS]; // x, y, z, and nothing
    const int i = md_own_particle();
    const float *xs = p.position, *ys = xs + p.row, *zs = ys + p.row;
    const int own = min(i, p.n - 1); // threads beyond the last particle help to load
    const float x = xs[own], y = ys[own], z = zs[own];
    // Four sums in registers.
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, potential = 0.0f;
    for (int first = 0; first < p.n; first += MD_THREADS) {
        const int count = min(MD_THREADS, p.n - first), t = (int)threadIdx.x;
        if (t < count)
            tile[t] = make_float4(xs[first + t], ys[first + t], zs[first + t], 0.0f);
        __syncthreads(); // the tile is complete: only now may others read it
#pragma unroll 4
        for (int j = 0; j < count; ++j) {
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
    if (i >= p.n)
        return;
    // Lanes side by side have particles side by side, in each of the rows.
    p.force[i] = force_x;
    p.force[p.row + i] = force_y;
    p.force[2 * p.row + i] = force_z;
    p.potential[i] = 0.5f * potential; // the other half is that of the other particle
}

// The K1 of this law and box, unless forces are given.
static void launch_forces(const struct lab_md *p, cudaStream_t stream)
{
    if (!(p->kernels & LAB_MD_K1))
        return;
    const bool sine = p->law == LAB_MD_SINE, periodic = p->box > 0.0f;
    const auto kernel = sine ? periodic ? forces<LAB_MD_SINE, true> : forces<LAB_MD_SINE, false>
                        : periodic ? forces<LAB_MD_LENNARD_JONES, true>
                                   : forces<LAB_MD_LENNARD_JONES, false>;
    // Without a cut-off no pair is too far apart.
    const float far = p->cutoff > 0.0f ? p->cutoff * p->cutoff : __builtin_inff();
    kernel<<<md_blocks(p->n), MD_THREADS, 0, stream>>>(*p, 1.0f / p->box, far);
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

LAB_EXPORT(md, {"tiles", launch, workspace, LAB_REPEATABLE});
