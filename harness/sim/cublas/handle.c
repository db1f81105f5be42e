/* The drop-in libcublas.so.13: handles, modes, and the helpers that copy matrices.
 *
 * Build: all .c files of this directory with -fPIC -fvisibility=hidden, linked -shared with
 * -Wl,-soname,libcublas.so.13 -Wl,--version-script=libcublas.map against the simulator's
 * libcudart.so.13, -ldl -lm. OpenBLAS is opened at run time. */
#include "handle.h"

#include <stdlib.h>

static const uint32_t MAGIC = 0x6c61624c;

static bool live(cublasHandle_t handle)
{
    return handle && handle->magic == MAGIC;
}

cublasStatus_t sim_cublas_begin_on(cublasHandle_t handle, cudaStream_t stream)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return lab_sim_stream_work(stream, "a call of cuBLAS") == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t sim_cublas_begin(cublasHandle_t handle)
{
    return live(handle) ? sim_cublas_begin_on(handle, handle->stream)
                        : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct cublasContext *made = malloc(sizeof *made);
    if (!made)
        return CUBLAS_STATUS_ALLOC_FAILED;
    *made = (struct cublasContext){.magic = MAGIC,
                                   .pointer_mode = CUBLAS_POINTER_MODE_HOST,
                                   .math_mode = CUBLAS_DEFAULT_MATH,
                                   .atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED};
    *handle = made;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->magic = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!stream)
        return CUBLAS_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->pointer_mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* Every mode allows full precision, so all modes compute in full precision here. */
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    unsigned base = (unsigned)mode & ~(unsigned)CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    if (base > 4 && base != 8) /* numbers, because not every toolkit names all modes */
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->math_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->math_mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->atomics_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->atomics_mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->sm_count_target = count;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *count)
{
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!count)
        return CUBLAS_STATUS_INVALID_VALUE;
    *count = handle->sm_count_target;
    return CUBLAS_STATUS_SUCCESS;
}

/* No workspace is needed, so the caller's workspace is not used. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size)
{
    (void)workspace, (void)size;
    return live(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle; /* may be NULL */
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    if (!value)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION:
        *value = CUBLAS_VER_MAJOR;
        return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
        *value = CUBLAS_VER_MINOR;
        return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
        *value = CUBLAS_VER_PATCH;
        return CUBLAS_STATUS_SUCCESS;
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION;
}

/* ---- names of statuses ----------------------------------------------------------------------- */

struct status_text {
    cublasStatus_t code;
    const char *name, *description;
};

static const struct status_text *status_text(cublasStatus_t status)
{
#define TEXT(name, description)                                                                    \
    {                                                                                              \
        name, #name, description                                                                   \
    }
    static const struct status_text table[] = {
        TEXT(CUBLAS_STATUS_SUCCESS, "success"),
        TEXT(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"),
        TEXT(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"),
        TEXT(CUBLAS_STATUS_INVALID_VALUE,
             "an unsupported value or parameter was passed to the function"),
        TEXT(CUBLAS_STATUS_ARCH_MISMATCH,
             "the function requires an architectural feature absent from the device"),
        TEXT(CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed"),
        TEXT(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU"),
        TEXT(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"),
        TEXT(CUBLAS_STATUS_NOT_SUPPORTED, "the requested functionality is not supported"),
        TEXT(CUBLAS_STATUS_LICENSE_ERROR, "the license check failed"),
    };
#undef TEXT
    static const struct status_text unknown = {0, "unrecognized status", "unrecognized status"};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == status)
            return &table[i];
    return &unknown;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    return status_text(status)->name;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status_text(status)->description;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static cublasStatus_t copy(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                           int64_t width, int64_t columns, cudaStream_t stream)
{
    cudaError_t status =
        cudaMemcpy2DAsync(to, (size_t)to_stride, from, (size_t)from_stride, (size_t)width,
                          (size_t)columns, cudaMemcpyDefault, stream);
    return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void *from, int lda,
                                    void *to, int ldb, cudaStream_t stream)
{
    if (rows < 0 || columns < 0 || size <= 0 || lda <= 0 || ldb <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lda < rows || ldb < rows)
        return CUBLAS_STATUS_MAPPING_ERROR;
    return copy(to, (int64_t)ldb * size, from, (int64_t)lda * size, (int64_t)rows * size, columns,
                stream);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void *from, int lda,
                                    void *to, int ldb, cudaStream_t stream)
{
    return cublasSetMatrixAsync(rows, columns, size, from, lda, to, ldb, stream);
}

cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *from, int lda, void *to,
                               int ldb)
{
    return cublasSetMatrixAsync(rows, columns, size, from, lda, to, ldb, 0);
}

cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *from, int lda, void *to,
                               int ldb)
{
    return cublasSetMatrixAsync(rows, columns, size, from, lda, to, ldb, 0);
}

cublasStatus_t cublasSetVectorAsync(int count, int size, const void *from, int from_increment,
                                    void *to, int to_increment, cudaStream_t stream)
{
    if (count < 0 || size <= 0 || from_increment <= 0 || to_increment <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(to, (int64_t)to_increment * size, from, (int64_t)from_increment * size, size, count,
                stream);
}

cublasStatus_t cublasGetVectorAsync(int count, int size, const void *from, int from_increment,
                                    void *to, int to_increment, cudaStream_t stream)
{
    return cublasSetVectorAsync(count, size, from, from_increment, to, to_increment, stream);
}

cublasStatus_t cublasSetVector(int count, int size, const void *from, int from_increment, void *to,
                               int to_increment)
{
    return cublasSetVectorAsync(count, size, from, from_increment, to, to_increment, 0);
}

cublasStatus_t cublasGetVector(int count, int size, const void *from, int from_increment, void *to,
                               int to_increment)
{
    return cublasSetVectorAsync(count, size, from, from_increment, to, to_increment, 0);
}
