/* The launches of CUDA 3 and before, which PyCUDA still uses: calls that set a function's block and
 * arguments, and a launch with what was set. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { MOST_BYTES = 4096 };

/* What has been set for a function. */
struct settings {
    unsigned block[3], shared;
    size_t size;
    char arguments[MOST_BYTES] __attribute__((aligned(16)));
};

/* A function's settings, all 0 at first. */
static CUresult settings_of(CUfunction handle, struct settings **set)
{
    struct sim_function *const function = sim_function_find(handle);
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!function->set)
        function->set = calloc(1, sizeof **set);
    *set = function->set;
    return *set ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    struct settings *set;
    const CUresult result = settings_of(function, &set);
    if (!result)
        memcpy(set->block, (const int[]){x, y, z}, sizeof set->block);
    return result;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    struct settings *set;
    const CUresult result = settings_of(function, &set);
    if (!result)
        set->shared = bytes;
    return result;
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    struct settings *set;
    const CUresult result = settings_of(function, &set);
    if (!result && bytes > MOST_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    if (!result)
        set->size = bytes;
    return result;
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes)
{
    struct settings *set;
    const CUresult result = settings_of(function, &set);
    if (!result && (offset < 0 || !value || (size_t)offset + bytes > MOST_BYTES))
        return CUDA_ERROR_INVALID_VALUE;
    if (!result)
        memcpy(set->arguments + offset, value, bytes);
    return result;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    struct settings *set;
    const CUresult result = settings_of(function, &set);
    if (result)
        return result;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, set->arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &set->size, CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, set->block[0],
                          set->block[1], set->block[2], set->shared, stream, NULL, extra);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGrid(function, 1, 1);
}
