/* Turns the device pointers that BLAS calls are given into host addresses that OpenBLAS can use. As
 * in kernels, the pointers are checked: a matrix must lie inside one allocation. */
#include <stdarg.h>
#include <stdio.h>

#include "handle.h"

void sim_cublas_report(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_sim_report("libcublas", text);
}

/* The storage of `runs` runs of `each` elements, `stride` apart, from `pointer` on; marks them as
 * written. Unwritten words between the runs stay unwritten, because no library touches them. */
static void *elements(const char *call, const char *name, const void *pointer, int64_t runs,
                      int64_t each, int64_t stride, size_t size, const char *shape)
{
    static char nothing[sizeof(double)];
    if (runs <= 0 || each <= 0)
        return nothing;
    const size_t bytes = (size_t)((runs - 1) * stride + each) * size;
    void *host = lab_sim_memory_host(pointer, bytes);
    if (!host)
        sim_cublas_report("%s: %s %s takes %zu bytes from %p on, which are not inside one "
                          "allocation of device memory",
                          call, name, shape, bytes, pointer);
    else if (stride == each)
        lab_sim_mark_written(pointer, bytes);
    else
        for (int64_t run = 0; run < runs; run++)
            lab_sim_mark_written((const char *)pointer + (size_t)(run * stride) * size,
                                 (size_t)each * size);
    return host;
}

const void *sim_cublas_scalar(const char *call, cublasHandle_t handle, const void *pointer,
                              size_t size)
{
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST)
        return pointer;
    return elements(call, "a scalar", pointer, 1, 1, 1, size, "in device memory");
}

void *sim_cublas_matrix(const char *call, const struct sim_matrix *matrix, size_t size)
{
    char shape[96];
    snprintf(shape, sizeof shape, "(%lld x %lld, leading dimension %lld)", (long long)matrix->rows,
             (long long)matrix->columns, (long long)matrix->stride);
    return elements(call, matrix->name, matrix->pointer, matrix->columns, matrix->rows,
                    matrix->stride, size, shape);
}

void *sim_cublas_vector(const char *call, const struct sim_vector *vector, size_t size)
{
    char shape[96];
    snprintf(shape, sizeof shape, "(%lld elements, increment %lld)", (long long)vector->count,
             (long long)vector->increment);
    int64_t step = vector->increment < 0 ? -vector->increment : vector->increment;
    return elements(call, vector->name, vector->pointer, vector->count, 1, step, size, shape);
}
