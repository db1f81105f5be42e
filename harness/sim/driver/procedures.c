/* Looking functions of the driver up by name, by the driver's call and by the runtime's. */
#include "driver.h"
#include "entry.h"

#include <dlfcn.h>
#include <string.h>

static CUresult look_up(const char *name, void **function, int version, cuuint64_t flags,
                        enum sim_driver_found *found)
{
    int newest;
    cudaDriverGetVersion(&newest);
    if (!name || !function || version > newest ||
        flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    void (*const entry)(void) = sim_driver_function(name, version, found);
    memcpy(function, &entry, sizeof *function);
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    enum sim_driver_found found = SIM_DRIVER_NO_SUCH_NAME;
    const CUresult result = look_up(name, function, version, flags, &found);
    if (status)
        *status = (CUdriverProcAddressQueryResult)found;
    return result;
}

/* The form without a status. */
CUresult old_cuGetProcAddress(const char *name, void **function, int version,
                              cuuint64_t flags) __asm__("cuGetProcAddress")
    __attribute__((visibility("default")));

CUresult old_cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
    const CUresult result = cuGetProcAddress(name, function, version, flags, NULL);
    return result || *function ? result : CUDA_ERROR_NOT_FOUND;
}

/* The tables of functions without names, which NVIDIA's own libraries ask for: the runtime, which
 * needs them, and NVRTC and nvJitLink, which do without. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) &&
        (strstr(caller.dli_fname, "libnvrtc") || strstr(caller.dli_fname, "libnvJitLink")))
        return CUDA_ERROR_NOT_FOUND;
    sim_driver_says("a library asks for functions that have no names, which the simulator's driver "
                    "has not; if it is CUDA's runtime, compile with `nvcc -cudart shared`, or give "
                    "the program itself to `run exec`");
    return CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    enum sim_driver_found found = SIM_DRIVER_NO_SUCH_NAME;
    cudaError_t status = sim_enter();
    if (!status && look_up(symbol, function, (int)version, flags, &found))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    if (found == SIM_DRIVER_NO_SUCH_NAME)
        sim_runtime_report("%s is not implemented", symbol);
    if (result)
        *result = (enum cudaDriverEntryPointQueryResult)found;
    return sim_leave(cudaSuccess);
}
SIM_PER_THREAD_STREAM(cudaGetDriverEntryPointByVersion, _ptsz);

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
SIM_PER_THREAD_STREAM(cudaGetDriverEntryPoint, _ptsz);
