// Step 13.7: neighbours from cells. In a box with a cut-off a particle has a few dozen neighbours,
// whatever n is. Cells are no narrower than the cut-off, so that all neighbours are in the own cell
// and the 26 around it. They are made anew in each step, and particles are sorted by them: what a
// warp reads for one of its particles it needs for the next one, too.
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

// Cells along an edge of the box: at least 2, as the cut-off is at most half an edge, and no more
// cells than there are particles, or one.
static __host__ __device__ int cells_along(const struct lab_md &p)
{
    int side = max((int)fminf(p.box / p.cutoff, 1024.0f), 1);
    while (side > 1 && (long long)side * side * side > p.n)
        --side;
    return side;
}

// Particles by cells, in scratch memory.
struct cells {
    int side;
    unsigned *placed; // [0]: how many particles have a place; counts follow
    unsigned *count;  // (side^3): particles of each cell
    unsigned *first;  // (side^3): where they begin in `members`
    uint2 *place;     // (n): a particle's cell, and its place in that
    float4 *members;  // (n): x, y, z, and the bits of the particle's number
};

// The coordinate's cell along its axis. Positions need not be in the box.
static __device__ __forceinline__ int cell_of(float x, float one_by_box, int side)
{
    const float at = x * one_by_box;
    return min((int)((at - floorf(at)) * side), side - 1); // 1 - x may be rounded to 1
}

// Counts the particles of each cell. Which of them is first in it is a matter of chance.
static __global__ __launch_bounds__(THREADS) void count_cells(const struct lab_md p,
                                                              const struct cells cells,
                                                              float one_by_box)
{
    const int i = own_particle(), side = cells.side;
    if (i >= p.n)
        return;
    const int x = cell_of(p.position[i], one_by_box, side);
    const int y = cell_of(p.position[p.row + i], one_by_box, side);
    const int z = cell_of(p.position[2 * p.row + i], one_by_box, side);
    const unsigned cell = (z * side + y) * side + x;
    cells.place[i] = make_uint2(cell, atomicAdd(&cells.count[cell], 1));
}

// Gives each cell a range of `members`. Ranges may be in any order, so that no sum over all cells
// before is needed: each cell takes the next free places.
static __global__ __launch_bounds__(THREADS) void give_ranges(int count, const struct cells cells)
{
    const int cell = own_particle();
    if (cell < count)
        cells.first[cell] = atomicAdd(cells.placed, cells.count[cell]);
}

static __global__ __launch_bounds__(THREADS) void sort_into_cells(const struct lab_md p,
                                                                  const struct cells cells)
{
    const int i = own_particle();
    if (i >= p.n)
        return;
    const uint2 place = cells.place[i];
    cells.members[cells.first[place.x] + place.y] = make_float4(
        p.position[i], p.position[p.row + i], p.position[2 * p.row + i], __int_as_float(i));
}

// K1. A thread has a particle of a cell, and its neighbours in the block have others of it.
template <enum lab_md_law LAW>
static __global__ __launch_bounds__(THREADS) void forces(const struct lab_md p,
                                                         const struct cells cells, float one_by_box,
                                                         float cutoff_squared)
{
    const int slot = own_particle(), side = cells.side, around = min(side, 3);
    if (slot >= p.n)
        return;
    const float4 own = cells.members[slot];
    const int i = __float_as_int(own.w);
    const unsigned cell = cells.place[i].x;
    const int x = cell % side, y = cell / side % side, z = cell / side / side;
    const int back = side > 2 ? side - 1 : 0; // one cell back; with two cells there is no other one
    float force_x = 0.0f, force_y = 0.0f, force_z = 0.0f, potential = 0.0f;
    for (int k = 0; k < around * around * around; ++k) {
        const int other_x = (x + k % around + back) % side;
        const int other_y = (y + k / around % around + back) % side;
        const int other_z = (z + k / around / around + back) % side;
        const unsigned other = (other_z * side + other_y) * side + other_x;
        const unsigned first = cells.first[other], end = first + cells.count[other];
        for (unsigned j = first; j < end; ++j) {
            const float4 member = cells.members[j];
            const float dx = nearest<true>(own.x - member.x, p.box, one_by_box);
            const float dy = nearest<true>(own.y - member.y, p.box, one_by_box);
            const float dz = nearest<true>(own.z - member.z, p.box, one_by_box);
            const float r2 = dx * dx + dy * dy + dz * dz;
            // At distance 0 is the particle itself.
            const interaction pair = interact<LAW>(r2, r2 > 0.0f && r2 < cutoff_squared);
            force_x += pair.force_by_r * dx;
            force_y += pair.force_by_r * dy;
            force_z += pair.force_by_r * dz;
            potential += pair.potential;
        }
    }
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

// Rounded up to 16 bytes, as every array begins.
static size_t bytes_of(size_t elements, size_t each)
{
    return (elements * each + 15) / 16 * 16;
}

// The counter and two sums for each block, then the cells.
static size_t bytes_of_sums(const struct lab_md *p)
{
    return bytes_of(sizeof(struct sums) + (size_t)blocks(p->n) * sizeof(double2), 1);
}

static struct cells cells_in(const struct lab_md *p)
{
    const int side = cells_along(*p);
    const size_t count = (size_t)side * side * side;
    char *at = (char *)p->workspace + bytes_of_sums(p);
    struct cells cells = {side};
    cells.placed = (unsigned *)at;
    cells.count = cells.placed + 1; // one memset for both
    at += bytes_of(1 + count, sizeof(unsigned));
    cells.first = (unsigned *)at;
    at += bytes_of(count, sizeof(unsigned));
    cells.place = (uint2 *)at;
    at += bytes_of(p->n, sizeof(uint2));
    cells.members = (float4 *)at;
    return cells;
}

static size_t workspace(const struct lab_md *p)
{
    const int side = cells_along(*p);
    const size_t count = (size_t)side * side * side;
    return bytes_of_sums(p) + bytes_of(1 + count, sizeof(unsigned)) +
           bytes_of(count, sizeof(unsigned)) + bytes_of(p->n, sizeof(uint2)) +
           (size_t)p->n * sizeof(float4);
}

// K1, unless forces are given: the cells, and with them the forces of this law.
static void launch_forces(const struct lab_md *p, cudaStream_t stream)
{
    if (!(p->kernels & LAB_MD_K1))
        return;
    const struct cells cells = cells_in(p);
    const int count = cells.side * cells.side * cells.side;
    const float one_by_box = 1.0f / p->box, far = p->cutoff * p->cutoff;
    const auto kernel = p->law == LAB_MD_SINE ? forces<LAB_MD_SINE> : forces<LAB_MD_LENNARD_JONES>;
    cudaMemsetAsync(cells.placed, 0, (1 + count) * sizeof(unsigned), stream);
    count_cells<<<blocks(p->n), THREADS, 0, stream>>>(*p, cells, one_by_box);
    give_ranges<<<blocks(count), THREADS, 0, stream>>>(count, cells);
    sort_into_cells<<<blocks(p->n), THREADS, 0, stream>>>(*p, cells);
    kernel<<<blocks(p->n), THREADS, 0, stream>>>(*p, cells, one_by_box, far);
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

LAB_EXPORT(md, {"cells", launch, workspace, LAB_MD_CUTOFF});
