// expect: build_error
// Exports rows of a problem that the harness does not know.
#include "step.h"

static cudaError_t launch(const void *problem, cudaStream_t stream)
{
    (void)problem, (void)stream;
    return cudaSuccess;
}

static const struct lab_variant rows[] = {{"unknown_family", launch}};
extern "C" __attribute__((visibility("default")))
const struct lab_step lab_step = {LAB_ABI, "nosuch", 64, 1, rows};
