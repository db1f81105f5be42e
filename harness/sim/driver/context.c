/* Contexts: a stack of them for each host thread, and the device's primary context, which the
 * runtime uses. A context holds nothing of its own: when the last one goes, so does everything on
 * the device. Also the names of the driver's errors. */
#include "driver.h"
#include "entry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 64, API_VERSION = 3020 };

struct CUctx_st {
    unsigned flags;
    unsigned long long id;
    int retained; /* of the primary context */
    struct CUctx_st *next;
};

/* Global, because contexts belong to the process. `live` has those of cuCtxCreate(). */
static struct CUctx_st primary = {.id = 1}, *live;
static unsigned long long last_id = 1;
static bool is_initialized;
static _Thread_local struct CUctx_st *stack[DEEPEST];
static _Thread_local int depth;

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *name_of(CUresult error)
{
    static const struct {
        CUresult code;
        const char *name;
    } table[] = {
#define SIM_DRIVER_ERROR(name) {name, #name},
#include "errors.def"
#undef SIM_DRIVER_ERROR
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == error)
            return table[i].name;
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    sim_summary_looked();
    if (!name || !(*name = name_of(error)))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? cudaGetErrorString((cudaError_t)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The numbers are the same, but those that the driver does not have. */
CUresult sim_driver_error(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_NOT_FOUND;
    default:
        return name_of((CUresult)error) ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult sim_driver_ends(cudaError_t error)
{
    sim_driver_leaves();
    return sim_driver_error(error);
}

void sim_driver_says(const char *text)
{
    sim_enter_always();
    lab_sim_report("libcuda", text);
    sim_note_unsupported(text);
    sim_leave(cudaSuccess);
}

CUresult sim_driver_refuse(const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sim_driver_says(text);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- the stack ------------------------------------------------------------------------------- */

CUresult cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    is_initialized = true;
    return lab_sim_gpu_error() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult sim_driver_lacks_init(void)
{
    return is_initialized || sim_runtime_is_used() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static bool is_context(const struct CUctx_st *context)
{
    bool is_found = context == &primary;
    sim_enter_always();
    for (const struct CUctx_st *one = live; one; one = one->next)
        is_found |= one == context;
    sim_leave(cudaSuccess);
    return is_found;
}

static struct CUctx_st *current(void)
{
    if (depth > 0)
        return is_context(stack[depth - 1]) ? stack[depth - 1] : NULL;
    return sim_runtime_is_used() ? &primary : NULL;
}

CUresult sim_driver_lacks_context(void)
{
    if (sim_driver_lacks_init())
        return sim_driver_lacks_init();
    if (current())
        return CUDA_SUCCESS;
    return depth > 0 && stack[depth - 1] ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                         : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult push(struct CUctx_st *context)
{
    if (!is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth == DEEPEST)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    return sim_driver_lacks_init() ? sim_driver_lacks_init() : push(context);
}
SIM_OLD_NAME(cuCtxPushCurrent_v2, cuCtxPushCurrent);

CUresult cuCtxPopCurrent(CUcontext *context)
{
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    if (context)
        *context = current();
    depth -= depth > 0;
    return CUDA_SUCCESS;
}
SIM_OLD_NAME(cuCtxPopCurrent_v2, cuCtxPopCurrent);

CUresult cuCtxSetCurrent(CUcontext context)
{
    if (sim_driver_lacks_init())
        return sim_driver_lacks_init();
    if (context && !is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    depth -= depth > 0;
    return context ? push(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (sim_driver_lacks_init())
        return sim_driver_lacks_init();
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = current();
    return CUDA_SUCCESS;
}

/* ---- contexts that come and go --------------------------------------------------------------- */

static CUresult create(CUcontext *context, unsigned flags, CUdevice device)
{
    struct CUctx_st *made;
    if (sim_driver_lacks_init())
        return sim_driver_lacks_init();
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!(made = malloc(sizeof *made)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    sim_enter_always();
    *made = (struct CUctx_st){.flags = flags, .id = ++last_id, .next = live};
    *context = live = made;
    sim_leave(cudaSuccess);
    return push(made);
}

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned flags,
                     CUdevice device)
{
    if (parameters && (parameters->numExecAffinityParams || parameters->cigParams))
        return sim_driver_refuse("cuCtxCreate with parameters is not implemented");
    return create(context, flags, device);
}

/* Older forms, which the header declares no more. */
#pragma GCC visibility push(default)
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int count, unsigned flags,
                        CUdevice device);
#pragma GCC visibility pop

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int count, unsigned flags,
                        CUdevice device)
{
    if (affinity || count)
        return sim_driver_refuse("cuCtxCreate with an affinity is not implemented");
    return create(context, flags, device);
}

/* Nothing on the device outlives the last context. */
static void reset_if_unused(void)
{
    if (!live && !primary.retained && !sim_runtime_is_used())
        cudaDeviceReset();
}

CUresult cuCtxDestroy(CUcontext context)
{
    if (sim_driver_lacks_init())
        return sim_driver_lacks_init();
    sim_enter_always();
    struct CUctx_st **link = &live;
    while (*link && *link != context)
        link = &(*link)->next;
    const bool is_found = *link != NULL;
    if (is_found) {
        *link = context->next;
        depth -= depth > 0 && stack[depth - 1] == context;
        free(context);
        reset_if_unused();
    }
    sim_leave(cudaSuccess);
    return is_found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
SIM_OLD_NAME(cuCtxDestroy_v2, cuCtxDestroy);

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CUresult cuCtxDetach(CUcontext context)
{
    return cuCtxDestroy(context);
}

static CUresult lacks_device(CUdevice device)
{
    return sim_driver_lacks_init() ? sim_driver_lacks_init()
           : device != 0           ? CUDA_ERROR_INVALID_DEVICE
                                   : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (lacks_device(device))
        return lacks_device(device);
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    sim_enter_always();
    primary.retained++;
    sim_leave(cudaSuccess);
    *context = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    if (lacks_device(device))
        return lacks_device(device);
    sim_enter_always();
    const bool is_retained = primary.retained > 0;
    primary.retained -= is_retained;
    if (is_retained)
        reset_if_unused();
    sim_leave(cudaSuccess);
    return is_retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
SIM_OLD_NAME(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    if (lacks_device(device))
        return lacks_device(device);
    cudaDeviceReset();
    return CUDA_SUCCESS;
}
SIM_OLD_NAME(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset);

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    if (lacks_device(device))
        return lacks_device(device);
    primary.flags = flags;
    return CUDA_SUCCESS;
}
SIM_OLD_NAME(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags);

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    if (lacks_device(device))
        return lacks_device(device);
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = primary.flags;
    *active = primary.retained > 0 || sim_runtime_is_used();
    return CUDA_SUCCESS;
}

/* ---- the current context --------------------------------------------------------------------- */

CUresult cuCtxGetDevice(CUdevice *device)
{
    return SIM_IN_CONTEXT(cudaGetDevice(device));
}

CUresult cuCtxSynchronize(void)
{
    return SIM_IN_CONTEXT(cudaDeviceSynchronize());
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = current()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags)
{
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    current()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    if (!context && sim_driver_lacks_context())
        return sim_driver_lacks_context();
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    if (context && !is_context(context))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *id = context ? context->id : current()->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    if (context ? !is_context(context) : sim_driver_lacks_context() != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = API_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    return SIM_IN_CONTEXT(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    return SIM_IN_CONTEXT(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    return SIM_IN_CONTEXT(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    return SIM_IN_CONTEXT(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return SIM_IN_CONTEXT(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    return SIM_IN_CONTEXT(cudaCtxResetPersistingL2Cache());
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    unsigned flags;
    const CUresult result = SIM_IN_CONTEXT(cudaStreamGetFlags(stream, &flags));
    return result ? result : cuCtxGetCurrent(context);
}
SIM_PER_THREAD_STREAM(cuStreamGetCtx, _ptsz);
