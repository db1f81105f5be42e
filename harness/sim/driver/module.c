/* Modules and libraries, which are one thing here: PTX whose kernels are found by name. A
 * CUfunction and a CUkernel are a struct sim_function. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading --------------------------------------------------------------------------------- */

/* Options are a list of names and one of values. A log that is asked for gets what is said of a
 * failure, and its size what was written. */
static void write_logs(unsigned count, const CUjit_option *options, void **values,
                       cudaError_t error)
{
    const char *const text = error ? lab_sim_last_outcome()->message : "";
    for (unsigned i = 0; i < count && options && values; i++) {
        const bool is_error = options[i] == CU_JIT_ERROR_LOG_BUFFER;
        if (!is_error && options[i] != CU_JIT_INFO_LOG_BUFFER)
            continue;
        const CUjit_option bytes =
            is_error ? CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES : CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES;
        for (unsigned j = 0; j < count; j++) {
            const size_t room = (size_t)(uintptr_t)values[j];
            if (options[j] != bytes || !room || !values[i])
                continue;
            snprintf(values[i], room, "%s", is_error ? text : "");
            values[j] = (void *)(uintptr_t)strlen(values[i]);
        }
    }
}

static cudaError_t load(struct sim_image **image, const void *data, unsigned count,
                        const CUjit_option *options, void **values)
{
    cudaError_t status = sim_enter();
    if (!status && (!image || !data))
        status = cudaErrorInvalidValue;
    if (!status)
        *image = sim_image_open(data, &status);
    write_logs(count, options, values, status);
    return sim_leave_call(status, "cuModuleLoadData");
}

char *sim_driver_read(const char *path, size_t *length)
{
    FILE *const file = path ? fopen(path, "rb") : NULL;
    char *text = NULL;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (*length = (size_t)ftell(file)) != (size_t)-1 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = calloc(1, *length + 1)))
        *length = fread(text, 1, *length, file);
    fclose(file);
    return text;
}

static cudaError_t load_file(struct sim_image **image, const char *path, unsigned count,
                             const CUjit_option *options, void **values)
{
    size_t length;
    char *const data = sim_driver_read(path, &length);
    const cudaError_t status =
        data ? load(image, data, count, options, values) : cudaErrorFileNotFound;
    free(data);
    return status;
}

static cudaError_t unload(const void *handle)
{
    struct sim_image *const image = (struct sim_image *)(uintptr_t)handle;
    sim_enter_always();
    const bool is_module = sim_image_is_module(image);
    return sim_leave_call(is_module && sim_image_close(image) ? cudaSuccess
                                                              : cudaErrorInvalidResourceHandle,
                          "cuModuleUnload");
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *data, unsigned count,
                            CUjit_option *options, void **values)
{
    return SIM_IN_CONTEXT(load((struct sim_image **)module, data, count, options, values));
}

CUresult cuModuleLoadData(CUmodule *module, const void *data)
{
    return cuModuleLoadDataEx(module, data, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *data)
{
    return cuModuleLoadDataEx(module, data, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    return SIM_IN_CONTEXT(load_file((struct sim_image **)module, path, 0, NULL, NULL));
}

CUresult cuModuleUnload(CUmodule module)
{
    return SIM_IN_CONTEXT(unload(module));
}

/* How much is loaded at once makes no difference here: what library options say. */
CUresult cuLibraryLoadData(CUlibrary *library, const void *data, CUjit_option *options,
                           void **values, unsigned count, CUlibraryOption *library_options,
                           void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return SIM_IN_DRIVER(load((struct sim_image **)library, data, count, options, values));
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                               void **values, unsigned count, CUlibraryOption *library_options,
                               void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return SIM_IN_DRIVER(load_file((struct sim_image **)library, path, count, options, values));
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return SIM_IN_DRIVER(unload(library));
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    if (!module || !sim_image_is_module((const struct sim_image *)library))
        return CUDA_ERROR_INVALID_HANDLE;
    *module = (CUmodule)library;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

/* ---- kernels and variables ------------------------------------------------------------------- */

static cudaError_t find_kernel(void *handle, struct sim_image *image, const char *name)
{
    cudaError_t status = sim_enter();
    if (!status && (!handle || !name))
        status = cudaErrorInvalidValue;
    if (!status && !sim_image_is_module(image))
        status = cudaErrorInvalidResourceHandle;
    struct sim_function *const function = status ? NULL : sim_image_function(image, name, &status);
    if (!status)
        memcpy(handle, &function, sizeof function);
    return sim_leave_call(status, "cuModuleGetFunction");
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    return SIM_IN_CONTEXT(find_kernel(function, (struct sim_image *)module, name));
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return SIM_IN_DRIVER(find_kernel(kernel, (struct sim_image *)library, name));
}

static cudaError_t find_variable(CUdeviceptr *address, size_t *size, struct sim_image *image,
                                 const char *name)
{
    size_t bytes = 0;
    cudaError_t status = sim_enter();
    if (!status && !name)
        status = cudaErrorInvalidValue;
    if (!status && !sim_image_is_module(image))
        status = cudaErrorInvalidResourceHandle;
    const uint64_t found = status ? 0 : sim_image_variable(image, name, &bytes);
    if (!status && !found)
        status = cudaErrorSymbolNotFound;
    if (!status && address)
        *address = found;
    if (!status && size)
        *size = bytes;
    return sim_leave_call(status, "cuModuleGetGlobal");
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *size, CUmodule module, const char *name)
{
    return SIM_IN_CONTEXT(find_variable(address, size, (struct sim_image *)module, name));
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name)
{
    return SIM_IN_CONTEXT(find_variable(address, size, (struct sim_image *)library, name));
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    if (!function || !sim_function_find(kernel))
        return CUDA_ERROR_INVALID_HANDLE;
    *function = (CUfunction)kernel;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    const struct sim_function *const found = sim_function_find(kernel);
    if (!library || !found)
        return CUDA_ERROR_INVALID_HANDLE;
    *library = (CUlibrary)found->image;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    return cuKernelGetLibrary((CUlibrary *)module, (CUkernel)function);
}
