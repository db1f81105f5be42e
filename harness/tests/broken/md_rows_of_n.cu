// expect: uninitialized
// run: step13 --kernels 3 -n 33
// says: it lies past the end of a row, where an input holds nothing
// K3 alone, which takes velocities of one coordinate as n apart: there are more.
#include "families/md.h"

static __global__ void kinetic_energy(const struct lab_md p)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * p.n; i++)
        sum += 0.5 * p.mass * p.velocity[i] * p.velocity[i]; // BUG
    p.sums[p.sum_count] = sum;
}

static cudaError_t launch(const struct lab_md *p, cudaStream_t stream)
{
    kinetic_energy<<<1, 1, 0, stream>>>(*p);
    return cudaGetLastError();
}

LAB_EXPORT(md, {"rows_of_n", launch, NULL, LAB_MD_K3});
