// Step 13.1: time steps of molecular dynamics as seven kernels, one after another: K1 force and
// potential of each particle, from all others; K2, K3, K4 the energies; K5, K6, K7 position,
// velocity, acceleration. K2 to K7 do next to nothing, and each is a launch and reads and writes
// global memory.
#include "families/md.h"
#include "ptx/reciprocal.h"

constexpr int THREADS = 128; // per block, a particle each

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

// K1: force and potential of a thread's particle, from all others. All lanes of a warp read the
// same particle j at the same time: one sector for all of them, three times for x, y and z.
template <enum lab_md_law LAW, bool PERIODIC>
static __global__ __launch_bounds__(THREADS) void forces(const struct lab_md p, float one_by_box,
                                                         float cutoff_squared)
{
    const int i = own_particle();
    if (i >= p.n)
        return;
    const float *xs = p.position, *ys = xs + p.row, *zs = ys + p.row;
    const float x = xs[i], y = ys[i], z = zs[i];
    // Four sums in registers.
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, potential = 0.0f;
    for (int j = 0; j < p.n; ++j) {
        const float dx = nearest<PERIODIC>(x - xs[j], p.box, one_by_box);
        const float dy = nearest<PERIODIC>(y - ys[j], p.box, one_by_box);
        const float dz = nearest<PERIODIC>(z - zs[j], p.box, one_by_box);
        const float r2 = dx * dx + dy * dy + dz * dz;
        // At distance 0 is the particle itself.
        const interaction pair = interact<LAW>(r2, r2 > 0.0f && r2 < cutoff_squared);
        force_x += pair.force_by_r * dx;
        force_y += pair.force_by_r * dy;
        force_z += pair.force_by_r * dz;
        potential += pair.potential;
    }
    // Lanes side by side have particles side by side, in each of the rows.
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
    for (int offset = 16; offset > 0; offset /= 2) // lane l gets the sum of lane l + offset
        own += __shfl_down_sync(0xFFFFFFFF, own, offset);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = own;
    __syncthreads();  // the sums of all warps are there
    double sum = 0.0; // few enough for each thread to add all of them
    for (int warp = 0; warp < THREADS / 32; ++warp)
        sum += sums[warp];
    __syncthreads(); // all have read them: the next call may overwrite them
    return sum;
}

// K2: a sum of each block. Threads beyond the last particle add 0, and take part: the barriers wait
// for all.
static __global__ __launch_bounds__(THREADS) void potential_energy(const struct lab_md p,
                                                                   double *sums)
{
    const int i = own_particle();
    const double sum = sum_of_block(i < p.n ? (double)p.potential[i] : 0.0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// K3: likewise, of m v^2 / 2. It needs nothing of K1 and K2.
static __global__ __launch_bounds__(THREADS) void kinetic_energy(const struct lab_md p,
                                                                 double *sums)
{
    const int i = own_particle();
    double own = 0.0;
    if (i < p.n) {
        const double x = p.velocity[i], y = p.velocity[p.row + i], z = p.velocity[2 * p.row + i];
        own = 0.5 * p.mass * (x * x + y * y + z * z);
    }
    const double sum = sum_of_block(own);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// K4: one block adds both kinds of sums, `count` of each. A kernel of its own, since it begins when
// all blocks of K2 and K3 have ended.
static __global__ __launch_bounds__(THREADS) void add_sums(int count, const double *sums,
                                                           double *energies)
{
    double potential = 0.0, kinetic = 0.0;
    for (int k = (int)threadIdx.x; k < count; k += THREADS) { // each takes every THREADS-th
        potential += sums[k];
        kinetic += sums[count + k];
    }
    potential = sum_of_block(potential);
    kinetic = sum_of_block(kinetic);
    if (threadIdx.x == 0) {
        energies[0] = potential;
        energies[1] = kinetic;
    }
}

// K5: x += v dt + a dt^2 / 2. Reads 9 values and writes 3, with a handful of operations for each:
// all it does is wait for memory. K6 and K7 are no better.
static __global__ __launch_bounds__(THREADS) void positions(const struct lab_md p)
{
    const int i = own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row) // x, y, z
        p.position[at] += p.velocity[at] * p.dt + p.acceleration[at] * (0.5f * p.dt * p.dt);
}

// K6: v += dt (f / m + a) / 2. Reads 9 values and writes 3.
static __global__ __launch_bounds__(THREADS) void velocities(const struct lab_md p)
{
    const int i = own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row)
        p.velocity[at] += 0.5f * p.dt * (p.force[at] / p.mass + p.acceleration[at]);
}

// K7: a = f / m. Reads 3 values and writes 3. It comes last, since K5 and K6 need the old
// acceleration.
static __global__ __launch_bounds__(THREADS) void accelerations(const struct lab_md p)
{
    const int i = own_particle();
    if (i >= p.n)
        return;
    for (size_t at = i; at < 3 * p.row; at += p.row)
        p.acceleration[at] = p.force[at] / p.mass;
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
    kernel<<<blocks(p->n), THREADS, 0, stream>>>(*p, 1.0f / p->box, far);
}

// Two sums for each block.
static size_t workspace(const struct lab_md *p)
{
    return 2 * blocks(p->n) * sizeof(double);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    const int count = blocks(p->n);
    double *const sums = (double *)p->workspace;
    for (int step = 0; step < p->steps; ++step) {
        launch_forces(p, stream); // K1
        potential_energy<<<count, THREADS, 0, stream>>>(*p, sums);
        kinetic_energy<<<count, THREADS, 0, stream>>>(*p, sums + count);
        add_sums<<<1, THREADS, 0, stream>>>(count, sums, p->energies + 2 * step);
        positions<<<count, THREADS, 0, stream>>>(*p);     // K5
        velocities<<<count, THREADS, 0, stream>>>(*p);    // K6
        accelerations<<<count, THREADS, 0, stream>>>(*p); // K7
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"seven", launch, workspace, LAB_REPEATABLE});
