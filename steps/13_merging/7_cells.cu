// Step 13.7: a cell list. In a box with a cut-off a particle has a few dozen neighbours,
// whatever n is. Cells are no narrower than the cut-off, so that all neighbours are in the own cell
// and the 26 around it. They are made anew in each step, and particles are sorted by them: what a
// warp reads for one of its particles it needs for the next one, too.
#include "families/md.h"
#include "md/pair.h"
#include "md/rest.h"

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
static __global__ __launch_bounds__(MD_THREADS) void count_cells(const struct lab_md p,
                                                                 const struct cells cells,
                                                                 float one_by_box)
{
    const int i = md_own_particle(), side = cells.side;
    if (i >= p.n)
        return;
    const int x = cell_of(p.position[i], one_by_box, side);
    const int y = cell_of(p.position[p.row + i], one_by_box, side);
    const int z = cell_of(p.position[2 * p.row + i], one_by_box, side);
    const unsigned cell = (z * side + y) * side + x;
    cells.place[i] = make_uint2(cell, atomicAdd(&cells.count[cell], 1));
}

// Gives each cell a range of `members`. Ranges may be in any order, so that no prefix sum over the
// cells is needed: each cell takes the next free places.
static __global__ __launch_bounds__(MD_THREADS) void give_ranges(int count,
                                                                 const struct cells cells)
{
    const int cell = md_own_particle();
    if (cell < count)
        cells.first[cell] = atomicAdd(cells.placed, cells.count[cell]);
}

static __global__ __launch_bounds__(MD_THREADS) void sort_into_cells(const struct lab_md p,
                                                                     const struct cells cells)
{
    const int i = md_own_particle();
    if (i >= p.n)
        return;
    const uint2 place = cells.place[i];
    cells.members[cells.first[place.x] + place.y] = make_float4(
        p.position[i], p.position[p.row + i], p.position[2 * p.row + i], __int_as_float(i));
}

// K1. A thread has a particle of a cell, and its neighbours in the block have others of it.
template <enum lab_md_law LAW>
static __global__ __launch_bounds__(MD_THREADS) void forces(const struct lab_md p,
                                                            const struct cells cells,
                                                            float one_by_box, float cutoff_squared)
{
    const int slot = md_own_particle(), side = cells.side, around = min(side, 3);
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
            const float dx = md_nearest<true>(own.x - member.x, p.box, one_by_box);
            const float dy = md_nearest<true>(own.y - member.y, p.box, one_by_box);
            const float dz = md_nearest<true>(own.z - member.z, p.box, one_by_box);
            const float r2 = dx * dx + dy * dy + dz * dz;
            // At distance 0 is the particle itself.
            const md_interaction pair = md_interact<LAW>(r2, r2 > 0.0f && r2 < cutoff_squared);
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

// Rounded up to 16 bytes, as every array begins.
static size_t bytes_of(size_t elements, size_t each)
{
    return (elements * each + 15) / 16 * 16;
}

// The counter and two sums for each block, then the cells.
static size_t bytes_of_sums(const struct lab_md *p)
{
    return bytes_of(sizeof(struct md_sums) + (size_t)md_blocks(p->n) * sizeof(double2), 1);
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
    count_cells<<<md_blocks(p->n), MD_THREADS, 0, stream>>>(*p, cells, one_by_box);
    give_ranges<<<md_blocks(count), MD_THREADS, 0, stream>>>(count, cells);
    sort_into_cells<<<md_blocks(p->n), MD_THREADS, 0, stream>>>(*p, cells);
    kernel<<<md_blocks(p->n), MD_THREADS, 0, stream>>>(*p, cells, one_by_box, far);
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    struct md_sums *const sums = (struct md_sums *)p->workspace;
    // Scratch memory holds nothing before.
    cudaMemsetAsync(&sums->done, 0, sizeof sums->done, stream);
    for (int step = 0; step < p->steps; ++step) {
        launch_forces(p, stream); // K1
        md_rest<<<md_blocks(p->n), MD_THREADS, 0, stream>>>(*p, sums,
                                                            p->energies + 2 * step); // all others
    }
    return cudaGetLastError();
}

LAB_EXPORT(md, {"cells", launch, workspace, LAB_MD_CUTOFF});
