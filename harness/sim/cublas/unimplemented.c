/* Every function of the real library that has no definition elsewhere in this directory. Such a
 * function says so and fails. The definitions are weak; the linker prefers the real ones. */
#include <stdio.h>

#include "handle.h"

static cublasStatus_t refuse(const char *name)
{
    sim_cublas_report("%s is not implemented", name);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* The functions get C names of their own, since the header declares the exported names with other
 * parameters. An assembler label gives the exported name. */
#define SIM_SYMBOL(name)                                                                           \
    cublasStatus_t refuse_##name(void) __asm__(#name)                                              \
        __attribute__((weak, visibility("default")));                                              \
    cublasStatus_t refuse_##name(void)                                                             \
    {                                                                                              \
        return refuse(#name);                                                                      \
    }
#include "symbols.def"
