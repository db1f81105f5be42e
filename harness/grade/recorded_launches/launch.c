/* Makes the launches that were recorded. None of the submission's host code is needed for them. */
#include "grade/recorded_launches/object.h"

#include "sim/lab_sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declared as in the toolkit's crt/host_runtime.h. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size);

/* NULL if the simulator is not built. */
#pragma weak lab_sim_entries

enum { MOST_KERNELS = 256, MOST_PARAMETER_BYTES = 4096 };

struct wrapper {
    int magic, version;
    const void *data;
    void *name;
};

/* The architecture of the device that the kernels will run on. It selects one of the PTX texts. */
static int architecture(void)
{
    int device = 0, major = 0, minor = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return 10 * major + minor;
}

static bool take_kernel(const struct lab_sim_entry *entry, struct lab_record_kernel *kernel)
{
    size_t bytes = 0;
    if (entry->param_count > LAB_RECORD_PARAMETERS || strlen(entry->name) >= sizeof kernel->name)
        return false;
    snprintf(kernel->name, sizeof kernel->name, "%s", entry->name);
    kernel->count = (uint32_t)entry->param_count;
    for (int i = 0; i < entry->param_count; i++) {
        if (entry->param_sizes[i] == 0 || entry->param_sizes[i] > MOST_PARAMETER_BYTES)
            return false;
        kernel->sizes[i] = (uint32_t)entry->param_sizes[i];
        bytes += entry->param_sizes[i];
    }
    return bytes <= LAB_RECORD_MOST_ARGUMENTS;
}

bool lab_kernels_read(const struct lab_object *object, struct lab_kernels *kernels,
                      bool *unsupported, char *why, size_t size)
{
    struct lab_sim_entry *entries = NULL;
    int count = LAB_SIM_ENTRIES_UNKNOWN;
    *kernels = (struct lab_kernels){NULL, 0};
    snprintf(why, size, "the simulator, which reads kernels, is not built");
    if (lab_sim_entries)
        count = lab_sim_entries(object->fatbin, object->fatbin_size, architecture(), &entries, why,
                                size);
    *unsupported = count == LAB_SIM_ENTRIES_UNKNOWN;
    if (count < 0)
        return false;
    snprintf(why, size, "it has too many kernels, or one with too many parameters");
    bool good =
        count <= MOST_KERNELS && (kernels->list = calloc((size_t)count + 1, sizeof *kernels->list));
    for (; good && kernels->count < count; kernels->count += good)
        good = take_kernel(&entries[kernels->count], &kernels->list[kernels->count]);
    free(entries);
    return good;
}

void lab_kernels_register(const struct lab_object *object, const struct lab_kernels *kernels)
{
    static struct wrapper wrapper; /* the runtime keeps its address; one object per process */
    wrapper = (struct wrapper){0x466243B1, 1, object->fatbin, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    for (int i = 0; i < kernels->count; i++) {
        struct lab_record_kernel *kernel = &kernels->list[i];
        __cudaRegisterFunction(handle, (const char *)kernel, kernel->name, kernel->name, -1, NULL,
                               NULL, NULL, NULL, NULL);
    }
    __cudaRegisterFatBinaryEnd(handle);
}

static struct lab_record_kernel *kernel_named(const struct lab_kernels *kernels, const char *name)
{
    for (int i = 0; i < kernels->count; i++)
        if (strcmp(kernels->list[i].name, name) == 0)
            return &kernels->list[i];
    return NULL;
}

static cudaError_t make_launch(const struct lab_kernels *kernels,
                               const struct lab_record_answer *answer, char *bytes,
                               cudaStream_t stream)
{
    void *arguments[LAB_RECORD_PARAMETERS];
    const int64_t *v = answer->values;
    size_t used = 0;
    struct lab_record_kernel *kernel = kernel_named(kernels, answer->name);
    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    for (uint32_t i = 0; i < kernel->count; i++) {
        arguments[i] = bytes + used;
        used += kernel->sizes[i];
    }
    if (used != answer->bytes)
        return cudaErrorInvalidValue;
    dim3 grid = {(unsigned)v[0], (unsigned)v[1], (unsigned)v[2]};
    dim3 block = {(unsigned)v[3], (unsigned)v[4], (unsigned)v[5]};
    return cudaLaunchKernel(kernel, grid, block, arguments, (size_t)v[6], stream);
}

cudaError_t lab_launch_recorded(const struct lab_kernels *kernels,
                                const struct lab_record_answer *answer, char *bytes,
                                cudaStream_t stream)
{
    const struct lab_record_kernel *kernel = kernel_named(kernels, answer->name);
    switch (answer->kind) {
    case LAB_RECORD_KERNEL:
        return make_launch(kernels, answer, bytes, stream);
    case LAB_RECORD_ATTRIBUTE:
        return kernel ? cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)answer->values[0],
                                             (int)answer->values[1])
                      : cudaErrorInvalidDeviceFunction;
    case LAB_RECORD_FILL:
        return cudaMemsetAsync((void *)(uintptr_t)answer->values[0], (int)answer->values[1],
                               (size_t)answer->values[2], stream);
    case LAB_RECORD_END:
        return (cudaError_t)answer->values[0];
    default:
        return cudaErrorInvalidValue;
    }
}
