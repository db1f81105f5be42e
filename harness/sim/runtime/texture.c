/* Texture objects and surface objects: what a program says of them becomes what the instructions of
 * textures read (memory/texture.h). */
#include "sim/memory/texture.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(TEXTURE_BORDER == (int)cudaAddressModeBorder, "CUDA's numbers");
_Static_assert(TEXTURE_FLOAT == (int)cudaChannelFormatKindFloat, "CUDA's numbers");

/* An object, with what it was made from. */
struct object {
    struct sim_texture texture; /* first: a handle leads to it */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc reading;
};

/* ---- Its memory ---- */

static cudaError_t refuse(const char *what)
{
    sim_runtime_report("%s is not implemented", what);
    return cudaErrorNotSupported;
}

static cudaError_t of_array(struct sim_texture *texture, const struct cudaArray *array)
{
    if (!array)
        return cudaErrorInvalidResourceHandle;
    /* To a surface the faces of a cube map are layers. */
    const bool has_faces = array->flags & cudaArrayCubemap;
    const bool is_layered = array->flags & cudaArrayLayered || (has_faces && texture->is_surface);
    texture->is_cube = has_faces && !texture->is_surface;
    texture->address = array->address;
    texture->pitch = array->pitch;
    texture->layers = !is_layered        ? 0
                      : texture->is_cube ? (uint32_t)array->extent.depth / SIM_CUBE_FACES
                                         : (uint32_t)array->extent.depth;
    texture->rank = array->extent.depth && !is_layered && !has_faces ? 3
                    : array->extent.height                           ? 2
                                                                     : 1;
    texture->size[0] = (uint32_t)array->extent.width;
    texture->size[1] = (uint32_t)array->rows;
    texture->size[2] = is_layered || has_faces ? 1 : (uint32_t)array->slices;
    return cudaSuccess;
}

/* Memory of the program's own: addresses and pitches are multiples of what attributes of the device
 * say. */
static cudaError_t of_memory(struct sim_texture *texture, const struct cudaResourceDesc *resource,
                             size_t texel)
{
    enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 32 };
    const bool is_linear = resource->resType == cudaResourceTypeLinear;
    const size_t width =
        is_linear ? resource->res.linear.sizeInBytes / texel : resource->res.pitch2D.width;
    texture->address =
        (uint64_t)(is_linear ? resource->res.linear.devPtr : resource->res.pitch2D.devPtr);
    texture->is_linear = is_linear;
    texture->rank = is_linear ? 1 : 2;
    texture->pitch = is_linear ? 0 : resource->res.pitch2D.pitchInBytes;
    texture->size[0] = (uint32_t)width;
    texture->size[1] = is_linear ? 1 : (uint32_t)resource->res.pitch2D.height;
    texture->size[2] = 1;
    if (!width || width > INT32_MAX || !texture->size[1])
        return cudaErrorInvalidValue;
    if (texture->address % ALIGNMENT != 0 || texture->pitch % PITCH_ALIGNMENT != 0 ||
        (!is_linear && texture->pitch < width * texel)) {
        sim_runtime_report("a texture's memory must begin at a multiple of %d bytes "
                           "(cudaDeviceProp::textureAlignment), and its pitch be a multiple of %d "
                           "that holds a row",
                           ALIGNMENT, PITCH_ALIGNMENT);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t find_memory(struct sim_texture *texture, const struct cudaResourceDesc *resource)
{
    const bool is_array = resource->resType == cudaResourceTypeArray;
    if (resource->resType == cudaResourceTypeMipmappedArray)
        return refuse("a texture object of a mipmapped array");
    if (!is_array && resource->resType != cudaResourceTypeLinear &&
        resource->resType != cudaResourceTypePitch2D)
        return cudaErrorInvalidValue;
    const struct cudaArray *const array =
        is_array ? sim_array_find(resource->res.array.array) : NULL;
    if (is_array && !array)
        return cudaErrorInvalidResourceHandle;
    const struct cudaChannelFormatDesc *const format = is_array ? &array->format
                                                       : resource->resType == cudaResourceTypeLinear
                                                           ? &resource->res.linear.desc
                                                           : &resource->res.pitch2D.desc;
    const size_t texel = sim_texel_bytes(format);
    if (!texel)
        return cudaErrorInvalidChannelDescriptor;
    texture->texel_bytes = (uint8_t)texel;
    texture->channels = (uint8_t)(8 * texel / (unsigned)format->x);
    texture->kind = (enum texture_kind)format->f;
    const cudaError_t status =
        is_array ? of_array(texture, array) : of_memory(texture, resource, texel);
    const struct sim_allocation *const memory = sim_memory_find(texture->address);
    if (!status && !memory)
        return cudaErrorInvalidValue;
    texture->serial = memory ? memory->serial : 0;
    return status;
}

/* ---- How it is read ---- */

static cudaError_t find_reading(struct sim_texture *texture, const struct cudaTextureDesc *reading)
{
    const unsigned channel = texture->texel_bytes / texture->channels;
    if (reading->sRGB)
        return refuse("a texture object with sRGB");
    if (reading->seamlessCubemap)
        return refuse("a texture object that filters across the edges of a cube");
    if (texture->is_cube && !reading->normalizedCoords)
        return cudaErrorInvalidValue;
    texture->gives_fractions = reading->readMode == cudaReadModeNormalizedFloat && channel < 4;
    if (reading->readMode == cudaReadModeNormalizedFloat && channel == 4 &&
        texture->kind != TEXTURE_FLOAT)
        return cudaErrorInvalidNormSetting;
    texture->has_normalized = reading->normalizedCoords != 0;
    texture->filters = reading->filterMode == cudaFilterModeLinear && !texture->is_linear;
    if (texture->filters && texture->kind != TEXTURE_FLOAT && !texture->gives_fractions)
        return cudaErrorInvalidFilterSetting;
    memcpy(texture->border, reading->borderColor, sizeof texture->border);
    for (int d = 0; d < 3; d++) {
        const enum cudaTextureAddressMode mode = reading->addressMode[d];
        const bool is_periodic = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
        if (mode > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        texture->address_mode[d] =
            (uint8_t)(is_periodic && !texture->has_normalized ? cudaAddressModeClamp : mode);
    }
    return cudaSuccess;
}

/* ---- Calls ---- */

static cudaError_t make(unsigned long long *handle, const struct cudaResourceDesc *resource,
                        const struct cudaTextureDesc *reading)
{
    struct object *const object = calloc(1, sizeof *object);
    if (!object)
        return cudaErrorMemoryAllocation;
    object->resource = *resource;
    object->texture.is_surface = !reading;
    cudaError_t status = find_memory(&object->texture, resource);
    if (reading)
        object->reading = *reading;
    if (!status && reading)
        status = find_reading(&object->texture, reading);
    const uint64_t made = status ? 0 : sim_texture_add(&object->texture);
    if (!made)
        free(object);
    else
        *handle = made;
    return status ? status : made ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *handle,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *reading,
                                    const struct cudaResourceViewDesc *view)
{
    cudaError_t status = sim_enter();
    if (!status && (!handle || !resource || !reading))
        status = cudaErrorInvalidValue;
    if (!status && view)
        status = refuse("a texture object with a resource view");
    return sim_leave(status ? status : make(handle, resource, reading));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *handle,
                                    const struct cudaResourceDesc *resource)
{
    cudaError_t status = sim_enter();
    if (!status && (!handle || !resource || resource->resType != cudaResourceTypeArray))
        status = cudaErrorInvalidValue;
    return sim_leave(status ? status : make(handle, resource, NULL));
}

static struct object *find(unsigned long long handle, bool is_surface)
{
    const struct sim_texture *const texture = sim_texture_find(handle);
    return texture && texture->is_surface == is_surface ? (struct object *)texture : NULL;
}

static cudaError_t destroy(const char *call, unsigned long long handle, bool is_surface)
{
    cudaError_t status = sim_enter();
    struct object *const object = find(handle, is_surface);
    if (!status && !object && handle)
        status = cudaErrorInvalidValue;
    if (!status && object) {
        sim_texture_remove(handle);
        free(object);
    }
    return sim_leave_call(status, call);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
    return destroy(__func__, handle, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
    return destroy(__func__, handle, true);
}

/* Gives what an object was made from. */
static cudaError_t describe(const char *call, unsigned long long handle, bool is_surface,
                            struct cudaResourceDesc *resource, struct cudaTextureDesc *reading)
{
    cudaError_t status = sim_enter();
    const struct object *const object = find(handle, is_surface);
    if (!status && (!object || (!resource && !reading)))
        status = cudaErrorInvalidValue;
    if (!status && resource)
        *resource = object->resource;
    if (!status && reading)
        *reading = object->reading;
    return sim_leave_call(status, call);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t handle)
{
    return describe(__func__, handle, false, resource, NULL);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *reading,
                                            cudaTextureObject_t handle)
{
    return describe(__func__, handle, false, NULL, reading);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t handle)
{
    return describe(__func__, handle, true, resource, NULL);
}
