/* Launch functions that crash, each in another way; a run that chooses one by --variant dies by it.
 */
#include "families/gemm.h"

#include <cassert>
#include <cstdlib>
#include <cstring>

static volatile int zero;

static cudaError_t wild_read(const struct lab_gemm *p, cudaStream_t)
{
    return p->a[zero] == 1.0f ? cudaErrorInvalidValue : cudaSuccess;
}

// Jumps to address 0.
static cudaError_t null_call(const struct lab_gemm *, cudaStream_t)
{
    cudaError_t (*volatile function)(void) = NULL;
    return function();
}

static int deeper(volatile int *above)
{
    volatile int here[1024];
    here[0] = *above + 1;
    return here[0] == zero ? 0 : deeper(here) + here[0];
}

static cudaError_t stack_overflow(const struct lab_gemm *, cudaStream_t)
{
    int top = zero + 1;
    return deeper(&top) == 0 ? cudaSuccess : cudaErrorUnknown;
}

// The C library crashes.
static cudaError_t in_library(const struct lab_gemm *p, cudaStream_t)
{
    memset(p->c, 0, (size_t)4 * p->m * p->n);
    return cudaSuccess;
}

static cudaError_t failed_assert(const struct lab_gemm *p, cudaStream_t)
{
    assert(p->m < zero);
    return cudaSuccess;
}

static cudaError_t wrong_free(const struct lab_gemm *, cudaStream_t)
{
    char *volatile memory = (char *)malloc(2000000);
    free(memory - 8);
    return cudaSuccess;
}

static cudaError_t division(const struct lab_gemm *p, cudaStream_t)
{
    return p->m / zero == 1 ? cudaErrorUnknown : cudaSuccess;
}

// No crash: the simulator refuses it.
static cudaError_t wild_copy(const struct lab_gemm *p, cudaStream_t stream)
{
    return cudaMemcpyAsync(p->c, (const void *)((size_t)zero + 64), 4, cudaMemcpyHostToDevice,
                           stream);
}

LAB_EXPORT(gemm, {"wild_read", wild_read}, {"null_call", null_call},
           {"stack_overflow", stack_overflow}, {"in_library", in_library},
           {"failed_assert", failed_assert}, {"wrong_free", wrong_free}, {"division", division},
           {"wild_copy", wild_copy});
