/* Piece by piece: half of the staging memory is for what a launch gave, half for what is expected.
 */
#include "families/exact.h"

#include "families/compare.h"

cudaError_t lab_exact_check(struct lab_problem *p, int output, lab_exact_expect_fn *expect,
                            const struct lab_advice *advice, struct lab_check *check)
{
    enum { PIECE = LAB_STAGING_BYTES / 2 / sizeof(float) };
    const struct lab_array *array = &p->arrays[output];
    const size_t columns = array->row ? array->row : array->count;
    float *got = p->staging, *expected = got + PIECE;
    struct lab_comparison comparison = {.rows = array->count / columns,
                                        .columns = columns,
                                        .is_vector = !array->row,
                                        .tolerance = 0.0,
                                        .advice = *advice};
    comparison.advice.is_exact = true;
    for (size_t first = 0; first < array->count; first += PIECE) {
        const size_t piece = array->count - first < PIECE ? array->count - first : PIECE;
        cudaError_t status = cudaMemcpy(got, (float *)p->buffers[output].data + first,
                                        piece * sizeof *got, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        expect(p, expected, first, piece);
        lab_compare(&comparison, expected, got, piece);
    }
    lab_compare_verdict(&comparison, array->name, check);
    return cudaSuccess;
}
