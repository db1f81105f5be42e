// Step 13.5: all of K2 to K7 is one kernel. K3 takes the velocity that K6 reads, before K6 changes
// it. K4 has to wait for all blocks, and a kernel cannot wait for itself: each block counts itself
// when its sums are written, and the one that is last adds them all, in their order.
#include "families/md.h"
#include "ptx/reciprocal.h"

constexpr int THREADS = 128;      // per block
constexpr int TILE = 512;         // particles in shared memory at a time, 4 of each thread
constexpr int ENOUGH = 132 * 512; // threads that hide what each of them waits for
constexpr int BLOCKS_PER_SM = 8; // and no more: with 64 registers a thread has 8 pairs on their way

// Blocks for n particles, the last one perhaps with threads to spare.
static __host__ __device__ constexpr int blocks(int n)
{
    return (n - 1) / THREADS + 1;
}

// The particle of this thread; p.n and above: it has none.
static __device__ __forceinline__ int own_particle()
{
    return (int)(blockIdx.x * THREADS + threadIdx.x);
}

// Of a pair: its potential U, and its force -dU/dr over the distance r. Multiplied by the
// difference of two positions, that is the force between them.
struct interaction {
    float force_by_r, potential;
};

// Of a pair whose distance has this square; 0 of one that does not count. A selection takes an
// instruction, and a branch several. sin and cos of at most pi/2 are as good as they get without a
// range to reduce.
template <enum lab_md_law LAW>
static __device__ __forceinline__ interaction interact(float r2, bool counts)
{
    if (LAW == LAB_MD_SINE) { // U = sin^2 m with m = min(r, pi/2), -dU/dr = -2 sin m cos m
        const float one_by_r = counts ? rsqrtf(r2) : 0.0f;
        float sine, cosine;
        __sincosf(counts ? fminf(r2 * one_by_r, 1.5707964f) : 0.0f, &sine, &cosine);
        return {-2.0f * sine * cosine * one_by_r, sine * sine};
    }
    // U = 4 (r^-12 - r^-6), -dU/dr = 24 (2 r^-12 - r^-6) / r: even powers, which take no root.
    const float one_by_r2 = counts ? ptx_reciprocal(r2) : 0.0f;
    const float r6 = one_by_r2 * one_by_r2 * one_by_r2; // r^-6
    return {(48.0f * r6 - 24.0f) * r6 * one_by_r2, (4.0f * r6 - 4.0f) * r6};
}

// A coordinate's difference to the nearest image: at most half of the box's edge. Positions need
// not be in the box for that.
template <bool PERIODIC>
static __device__ __forceinline__ float nearest(float difference, float box, float one_by_box)
{
    return PERIODIC ? difference - box * rintf(difference * one_by_box) : difference;
}

// K1. Each SLICES lanes have a particle, and each of them every SLICES-th of the others: lanes of
// a particle are neighbours, read neighbours of the tile, and add their sums in the end.
template <enum lab_md_law LAW, bool PERIODIC, int SLICES>
static __global__ __launch_bounds__(THREADS, BLOCKS_PER_SM) void forces(const struct lab_md p,
                                                                        float one_by_box,
                                                                        float cutoff_squared)
{
    __shared__ float4 tile[TILE]; // x, y, z, and nothing
    const int thread = (int)threadIdx.x, slice = thread % SLICES;
    const int i = ((int)blockIdx.x * THREADS + thread) / SLICES;
    const float *xs = p.position, *ys = xs + p.row, *zs = ys + p.row;
    const int own = min(i, p.n - 1); // threads beyond the last particle help to load
    const float x = xs[own], y = ys[own], z = zs[own];
    // Four sums in registers.
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, potential = 0.0f;
    for (int first = 0; first < p.n; first += TILE) {
#pragma unroll
        for (int t = thread; t < TILE; t += THREADS) // all on their way at once
            if (first + t < p.n)
                tile[t] = make_float4(xs[first + t], ys[first + t], zs[first + t], 0.0f);
        __syncthreads(); // the tile is complete: only now may others read it
#pragma unroll 8
        for (int j = slice; j < min(TILE, p.n - first); j += SLICES) {
            const float4 other = tile[j];
            const float dx = nearest<PERIODIC>(x - other.x, p.box, one_by_box);
            const float dy = nearest<PERIODIC>(y - other.y, p.box, one_by_box);
            const float dz = nearest<PERIODIC>(z - other.z, p.box, one_by_box);
            const float r2 = dx * dx + dy * dy + dz * dz;
            // At distance 0 is the particle itself.
            const interaction pair = interact<LAW>(r2, r2 > 0.0f && r2 < cutoff_squared);
            force_x += pair.force_by_r * dx;
            force_y += pair.force_by_r * dy;
            force_z += pair.force_by_r * dz;
            potential += pair.potential;
        }
        __syncthreads(); // all have read the tile: only now may the next one overwrite it
    }
    for (int apart = SLICES / 2; apart > 0; apart /= 2) {
        force_x += __shfl_down_sync(0xFFFFFFFF, force_x, apart);
        force_y += __shfl_down_sync(0xFFFFFFFF, force_y, apart);
        force_z += __shfl_down_sync(0xFFFFFFFF, force_z, apart);
        potential += __shfl_down_sync(0xFFFFFFFF, potential, apart);
    }
    if (i >= p.n || slice != 0)
        return;
    p.force[i] = force_x;
    p.force[p.row + i] = force_y;
    p.force[2 * p.row + i] = force_z;
    p.potential[i] = 0.5f * potential; // the other half is that of the other particle
}

// The sum over a block, always in the same order: in each warp by halves, then warp by warp. In
// double precision: in float, one particle would be lost among the energies of many.
static __device__ double sum_of_block(double own)
{
    __shared__ double sums[THREADS / 32];
    for (int apart = 16; apart > 0; apart /= 2) // lane l gets the sum of lane l + apart
        own += __shfl_down_sync(0xFFFFFFFF, own, apart);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = own;
    __syncthreads();  // the sums of all warps are there
    double sum = 0.0; // few enough for each thread to add all of them
    for (int warp = 0; warp < THREADS / 32; ++warp)
        sum += sums[warp];
    __syncthreads(); // all have read them: the next call may overwrite them
    return sum;
}

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

// K2 to K7.
static __global__ __launch_bounds__(THREADS) void rest(const struct lab_md p, struct sums *sums,
                                                       double *energies)
{
    const int i = own_particle();
    double2 own = i < p.n ? update(p, i) : make_double2(0.0, 0.0);
    own = make_double2(sum_of_block(own.x), sum_of_block(own.y));
    if (threadIdx.x == 0)
        sums->of_block[blockIdx.x] = own;
    if (!is_last(sums))
        return;
    double potential = 0.0, kinetic = 0.0; // from here on K4
    for (unsigned k = threadIdx.x; k < gridDim.x; k += THREADS) {
        const double2 other = __ldcg(&sums->of_block[k]); // not from L1, which may have old ones
        potential += other.x;
        kinetic += other.y;
    }
    potential = sum_of_block(potential);
    kinetic = sum_of_block(kinetic);
    if (threadIdx.x == 0) {
        energies[0] = potential;
        energies[1] = kinetic;
        sums->done = 0; // for the next step
    }
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
    kernel<<<blocks(p->n * SLICES), THREADS, 0, stream>>>(*p, 1.0f / p->box, far);
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

// The counter, and two sums for each block.
static size_t workspace(const struct lab_md *p)
{
    return sizeof(struct sums) + (size_t)blocks(p->n) * sizeof(double2);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    struct sums *const sums = (struct sums *)p->workspace;
    // Scratch memory holds nothing before.
    cudaMemsetAsync(&sums->done, 0, sizeof sums->done, stream);
    for (int step = 0; step < p->steps; ++step) {
        launch_forces(p, stream);                                                     // K1
        rest<<<blocks(p->n), THREADS, 0, stream>>>(*p, sums, p->energies + 2 * step); // all others
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"one_launch", launch, workspace, LAB_REPEATABLE});
