/* A library is trusted only after a sample of it agrees with sums of more digits. */
#include "families/reference.h"

#include "base/status.h"
#include "base/array.h"

#include <math.h>

enum { SAMPLES = 64 };

static size_t rows_of(const struct lab_array *array)
{
    return (array->count - 1) / array->row + 1; /* there may be no gap after the last row */
}

int lab_reference_take(struct lab_problem *p, const struct lab_reference *reference)
{
    const struct lab_array *array = &p->arrays[reference->output];
    const size_t each = lab_element_bytes(array->element), width = lab_array_columns(array) * each;
    cudaError_t status = lab_problem_reset(p);
    if (status == cudaSuccess)
        status = p->family->launch_library(p, LAB_REFERENCE);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    if (status == cudaSuccess)
        status = cudaMemcpy2D(reference->expected, width, p->buffers[reference->output].data,
                              array->row * each, width, rows_of(array), cudaMemcpyDeviceToHost);
    return status == cudaSuccess ? LAB_EXIT_OK
                                 : lab_complain(LAB_EXIT_MISSING, "the reference, %s, failed: %s",
                                                reference->library, cudaGetErrorString(status));
}

int lab_reference_verify(const struct lab_problem *p, const struct lab_reference *reference)
{
    const struct lab_array *array = &p->arrays[reference->output];
    const size_t columns = lab_array_columns(array), count = rows_of(array) * columns;
    const bool is_double = array->element == LAB_ELEMENT_F64;
    const int digits = is_double ? 17 : 9;
    for (size_t i = 0; i < count; i += count / SAMPLES + 1) {
        size_t row = i / columns, first, end;
        lab_array_counting(array, row, &first, &end);
        const size_t column = i % columns < first ? first : i % columns;
        const double exact = reference->exact(p, row, column);
        const double got = lab_element_value(
            array->element, (const char *)reference->expected +
                                (row * columns + column) * lab_element_bytes(array->element));
        const bool is_number = is_double ? isfinite(exact) : isfinite((float)exact);
        if (is_number && !(fabs(got - exact) <= reference->tolerance))
            return lab_complain(LAB_EXIT_MISSING,
                                "the reference itself is wrong: %s gives %s[%zu][%zu] = %.*g, %s "
                                "sums %.*g%s",
                                reference->library, array->name, row, column, digits, got,
                                reference->sums, digits, exact, reference->hint);
    }
    return LAB_EXIT_OK;
}
