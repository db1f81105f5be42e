/* CUDA arrays, texture objects and surface objects by the driver API: the runtime's under other
 * names, with formats of the driver's own. */
#include "driver.h"

#include "sim/runtime/array.h"

#include <string.h>

/* ---- Formats --------------------------------------------------------------------------------- */

static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* Of a format that is not here: no bits, which no call of the runtime takes. */
static struct cudaChannelFormatDesc to_runtime(CUarray_format format, unsigned channels)
{
    int i = 0;
    while (i < FORMATS && formats[i].format != format)
        i++;
    const int bits = i < FORMATS && channels <= 4 ? formats[i].bits : 0;
    return (struct cudaChannelFormatDesc){
        channels > 0 ? bits : 0, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
        channels > 3 ? bits : 0, i < FORMATS ? formats[i].kind : cudaChannelFormatKindNone};
}

static CUarray_format to_driver(const struct cudaChannelFormatDesc *format)
{
    int i = 0;
    while (i < FORMATS - 1 && (formats[i].bits != format->x || formats[i].kind != format->f))
        i++;
    return formats[i].format;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static cudaArray_t array_of(CUarray array)
{
    return (cudaArray_t)array;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
    if (!array || !wanted)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaChannelFormatDesc format = to_runtime(wanted->Format, wanted->NumChannels);
    return SIM_IN_CONTEXT(cudaMalloc3DArray(
        (cudaArray_t *)array, &format,
        (struct cudaExtent){wanted->Width, wanted->Height, wanted->Depth}, wanted->Flags));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *wanted)
{
    if (!wanted)
        return CUDA_ERROR_INVALID_VALUE;
    return cuArray3DCreate(array, &(CUDA_ARRAY3D_DESCRIPTOR){.Width = wanted->Width,
                                                             .Height = wanted->Height,
                                                             .Format = wanted->Format,
                                                             .NumChannels = wanted->NumChannels});
}

CUresult cuArrayDestroy(CUarray array)
{
    const CUresult result = SIM_IN_CONTEXT(cudaFreeArray(array_of(array)));
    return result == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_CONTEXT_IS_DESTROYED : result;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *about, CUarray array)
{
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;
    unsigned flags;
    if (!about)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result =
        SIM_IN_CONTEXT(cudaArrayGetInfo(&format, &extent, &flags, array_of(array)));
    if (!result)
        *about = (CUDA_ARRAY3D_DESCRIPTOR){extent.width,
                                           extent.height,
                                           extent.depth,
                                           to_driver(&format),
                                           1u + !!format.y + !!format.z + !!format.w,
                                           flags};
    return result;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *about, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    const CUresult result =
        about ? cuArray3DGetDescriptor(&whole, array) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *about =
            (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return result;
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* The driver's types of resources have the numbers of the runtime's. */
static struct cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *from)
{
    struct cudaResourceDesc resource = {.resType = (enum cudaResourceType)from->resType};
    if (from->resType == CU_RESOURCE_TYPE_ARRAY) {
        resource.res.array.array = array_of(from->res.array.hArray);
    } else if (from->resType == CU_RESOURCE_TYPE_LINEAR) {
        resource.res.linear.devPtr = sim_pointer(from->res.linear.devPtr);
        resource.res.linear.desc =
            to_runtime(from->res.linear.format, from->res.linear.numChannels);
        resource.res.linear.sizeInBytes = from->res.linear.sizeInBytes;
    } else if (from->resType == CU_RESOURCE_TYPE_PITCH2D) {
        resource.res.pitch2D.devPtr = sim_pointer(from->res.pitch2D.devPtr);
        resource.res.pitch2D.desc =
            to_runtime(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        resource.res.pitch2D.width = from->res.pitch2D.width;
        resource.res.pitch2D.height = from->res.pitch2D.height;
        resource.res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
    }
    return resource;
}

/* Whether texels are integers of 8 or 16 bits, which become fractions if nothing else is said. */
static bool may_be_fractions(const struct cudaResourceDesc *resource)
{
    struct cudaChannelFormatDesc format = resource->resType == cudaResourceTypeLinear
                                              ? resource->res.linear.desc
                                              : resource->res.pitch2D.desc;
    if (resource->resType == cudaResourceTypeArray &&
        cudaGetChannelDesc(&format, resource->res.array.array))
        return false;
    return format.f != cudaChannelFormatKindFloat && format.x < 32;
}

static cudaError_t make_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *from,
                                const CUDA_TEXTURE_DESC *how)
{
    const struct cudaResourceDesc resource = resource_of(from);
    struct cudaTextureDesc reading = {
        .filterMode = (enum cudaTextureFilterMode)how->filterMode,
        .readMode = !(how->flags & CU_TRSF_READ_AS_INTEGER) && may_be_fractions(&resource)
                        ? cudaReadModeNormalizedFloat
                        : cudaReadModeElementType,
        .sRGB = (how->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .seamlessCubemap = (how->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
    for (int d = 0; d < 3; d++)
        reading.addressMode[d] = (enum cudaTextureAddressMode)how->addressMode[d];
    memcpy(reading.borderColor, how->borderColor, sizeof reading.borderColor);
    return cudaCreateTextureObject(object, &resource, &reading, NULL);
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view)
{
    if (!object || !resource || !how)
        return CUDA_ERROR_INVALID_VALUE;
    if (view)
        return sim_driver_refuse("cuTexObjectCreate: a resource view is not implemented");
    return SIM_IN_CONTEXT(make_texture(object, resource, how));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    return SIM_IN_CONTEXT(cudaDestroyTextureObject(object));
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *from)
{
    if (!object || !from)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaResourceDesc resource = resource_of(from);
    return SIM_IN_CONTEXT(cudaCreateSurfaceObject(object, &resource));
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    return SIM_IN_CONTEXT(cudaDestroySurfaceObject(object));
}
