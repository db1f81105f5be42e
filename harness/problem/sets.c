/* One set after another, until the device is short of memory. */
#include "problem/sets.h"

int lab_sets_reserve(struct lab_problem *problem, const struct lab_sets *sets, int wanted)
{
    size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    while (*sets->count < wanted && *sets->count < sets->most && sets->bytes < free_bytes / 2) {
        if (sets->create(problem, *sets->count) != cudaSuccess) {
            cudaGetLastError(); /* out of memory is not an error here: fewer sets do */
            sets->destroy(problem, *sets->count);
            break;
        }
        ++*sets->count;
        cudaMemGetInfo(&free_bytes, &total);
    }
    return *sets->count;
}
