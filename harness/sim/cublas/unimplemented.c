/* Every function of the real library that has no definition elsewhere in this directory: it says
 * so and fails. The definitions are weak; the linker prefers the real ones. */
#include <stdio.h>

#include "handle.h"

static cublasStatus_t refuse(const char *name)
{
    sim_cublas_report("%s is not implemented", name);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* C names of their own, and the exported names by assembler label: the header's declarations have
 * other parameters. */
#define SIM_SYMBOL(name)                                                                           \
    cublasStatus_t refuse_##name(void) __asm__(#name)                                              \
        __attribute__((weak, visibility("default")));                                              \
    cublasStatus_t refuse_##name(void)                                                             \
    {                                                                                              \
        return refuse(#name);                                                                      \
    }
#include "symbols.def"
