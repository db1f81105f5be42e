/* Linking: the image that comes of it is the PTX of all inputs. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
    char *text;
    size_t length; /* without the NUL behind it */
};

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    if (sim_driver_lacks_context())
        return sim_driver_lacks_context();
    (void)count, (void)options, (void)values;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = calloc(1, sizeof **state);
    return *state && ((*state)->text = calloc(1, 1)) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Parsing joins several texts that follow one on the other. */
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned count, CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    if (!state || !data)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_JIT_INPUT_PTX)
        return sim_driver_refuse("%s: the simulator links PTX alone, and this is %s",
                                 name ? name : "cuLinkAddData",
                                 type == CU_JIT_INPUT_CUBIN       ? "a cubin"
                                 : type == CU_JIT_INPUT_FATBINARY ? "a fat binary"
                                 : type == CU_JIT_INPUT_LIBRARY   ? "a library"
                                 : type == CU_JIT_INPUT_NVVM      ? "LTO-IR"
                                                                  : "an object file");
    size = strnlen(data, size);
    char *const longer = realloc(state->text, state->length + size + 2);
    if (!longer)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(longer + state->length, data, size);
    memcpy(longer + state->length + size, "\n", 2);
    state->text = longer;
    state->length += size + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                       CUjit_option *options, void **values)
{
    size_t size;
    char *const data = sim_driver_read(path, &size);
    const CUresult result =
        data ? cuLinkAddData(state, type, data, size, path, count, options, values)
             : CUDA_ERROR_FILE_NOT_FOUND;
    free(data);
    return result;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    if (!state || !image)
        return CUDA_ERROR_INVALID_VALUE;
    *image = state->text;
    if (size)
        *size = state->length + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    free(state->text);
    free(state);
    return CUDA_SUCCESS;
}
