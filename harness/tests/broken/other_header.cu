// expect: build_error
// Says that its problem's struct has another size: built with another version of the header.
#include "families/gemm.h"

static cudaError_t launch(const void *problem, cudaStream_t stream)
{
    (void)problem, (void)stream;
    return cudaSuccess;
}

static const struct lab_variant rows[] = {{"other_header", launch}};
extern "C" __attribute__((visibility("default")))
const struct lab_step lab_step = {LAB_ABI, "gemm", sizeof(struct lab_gemm) - 8, 1, rows};
