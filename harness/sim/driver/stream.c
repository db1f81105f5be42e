/* Streams and events are those of the runtime. */
#include "driver.h"

/* ---- streams --------------------------------------------------------------------------------- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    return SIM_IN_CONTEXT(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream)
{
    return SIM_IN_CONTEXT(cudaStreamDestroy(stream));
}
SIM_OLD_NAME(cuStreamDestroy_v2, cuStreamDestroy);

CUresult cuStreamSynchronize(CUstream stream)
{
    return SIM_IN_CONTEXT(cudaStreamSynchronize(stream));
}
SIM_PER_THREAD_STREAM(cuStreamSynchronize, _ptsz);

CUresult cuStreamQuery(CUstream stream)
{
    return SIM_IN_CONTEXT(cudaStreamQuery(stream));
}
SIM_PER_THREAD_STREAM(cuStreamQuery, _ptsz);

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaStreamWaitEvent(stream, event, flags));
}
SIM_PER_THREAD_STREAM(cuStreamWaitEvent, _ptsz);

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    return SIM_IN_CONTEXT(cudaStreamGetFlags(stream, flags));
}
SIM_PER_THREAD_STREAM(cuStreamGetFlags, _ptsz);

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    return SIM_IN_CONTEXT(cudaStreamGetPriority(stream, priority));
}
SIM_PER_THREAD_STREAM(cuStreamGetPriority, _ptsz);

/* The driver's attributes have the runtime's numbers and values. */
_Static_assert(sizeof(CUlaunchAttributeValue) == sizeof(cudaLaunchAttributeValue), "attributes");

CUresult cuStreamGetAttribute(CUstream stream, CUlaunchAttributeID id,
                              CUlaunchAttributeValue *value)
{
    return SIM_IN_CONTEXT(cudaStreamGetAttribute(stream, (cudaLaunchAttributeID)id,
                                                 (cudaLaunchAttributeValue *)value));
}
SIM_PER_THREAD_STREAM(cuStreamGetAttribute, _ptsz);

CUresult cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID id,
                              const CUlaunchAttributeValue *value)
{
    return SIM_IN_CONTEXT(cudaStreamSetAttribute(stream, (cudaLaunchAttributeID)id,
                                                 (const cudaLaunchAttributeValue *)value));
}
SIM_PER_THREAD_STREAM(cuStreamSetAttribute, _ptsz);

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    return SIM_IN_CONTEXT(cudaStreamCopyAttributes(to, from));
}
SIM_PER_THREAD_STREAM(cuStreamCopyAttributes, _ptsz);

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    return SIM_IN_CONTEXT(cudaStreamGetId(stream, id));
}
SIM_PER_THREAD_STREAM(cuStreamGetId, _ptsz);

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    return SIM_IN_CONTEXT(cudaStreamGetDevice(stream, device));
}
SIM_PER_THREAD_STREAM(cuStreamGetDevice, _ptsz);

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t length, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaStreamAttachMemAsync(stream, sim_pointer(address), length, flags));
}
SIM_PER_THREAD_STREAM(cuStreamAttachMemAsync, _ptsz);

/* An int holds both kinds of errors, so the driver's callback is one of the runtime's. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback call, void *argument, unsigned flags)
{
    _Static_assert(sizeof(CUresult) == sizeof(cudaError_t), "one thing, two names");
    return SIM_IN_CONTEXT(
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))call, argument, flags));
}
SIM_PER_THREAD_STREAM(cuStreamAddCallback, _ptsz);

/* ---- events ---------------------------------------------------------------------------------- */

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    return SIM_IN_CONTEXT(cudaEventDestroy(event));
}
SIM_OLD_NAME(cuEventDestroy_v2, cuEventDestroy);

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return SIM_IN_CONTEXT(cudaEventRecord(event, stream));
}
SIM_PER_THREAD_STREAM(cuEventRecord, _ptsz);

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return SIM_IN_CONTEXT(cudaEventRecordWithFlags(event, stream, flags));
}
SIM_PER_THREAD_STREAM(cuEventRecordWithFlags, _ptsz);

CUresult cuEventQuery(CUevent event)
{
    return SIM_IN_CONTEXT(cudaEventQuery(event));
}

CUresult cuEventSynchronize(CUevent event)
{
    return SIM_IN_CONTEXT(cudaEventSynchronize(event));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return SIM_IN_CONTEXT(cudaEventElapsedTime(milliseconds, start, end));
}
SIM_OLD_NAME(cuEventElapsedTime_v2, cuEventElapsedTime);
