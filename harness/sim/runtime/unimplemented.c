/* Every function of the real library that has no definition elsewhere in this directory. Such a
 * function says so and fails, so that programs link and nothing is silently left out. The
 * definitions are weak; the linker prefers the real ones. */
#include <cuda_runtime_api.h>

#include "sim/lab_sim.h"

#include <stdio.h>

/* These declarations repeat two of runtime.h. */
void sim_enter_always(void);
cudaError_t sim_leave_call(cudaError_t status, const char *call);

static cudaError_t refuse(const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%s is not implemented", name);
    lab_sim_report("libcudart", text);
    sim_enter_always();
    return sim_leave_call(cudaErrorNotSupported, name);
}

/* The functions get C names of their own, since the header declares the exported names with other
 * parameters. An assembler label gives the exported name. */
#define SIM_RUNTIME(name)                                                                          \
    cudaError_t refuse_##name(void) __asm__(#name) __attribute__((weak, visibility("default")));   \
    cudaError_t refuse_##name(void)                                                                \
    {                                                                                              \
        return refuse(#name);                                                                      \
    }
#define SIM_DRIVER(name, version)
#include "sim/symbols.def"

/* Compiled code calls these; no header declares them. */
SIM_RUNTIME(__cudaGetProcAddress)
SIM_RUNTIME(__cudaRegisterHostVar)
SIM_RUNTIME(__cudaRegisterUnifiedTable)
