/* What is expected takes the place of what was there before the launch, which nobody asks for. */
#include "families/exact.h"

#include "families/compare.h"
#include "families/runs.h"

cudaError_t lab_exact_check(struct lab_problem *p, int output, lab_exact_expect_fn *expect,
                            const struct lab_advice *advice, struct lab_check *check)
{
    const struct lab_array *array = &p->arrays[output];
    const size_t columns = array->row ? array->row : array->count;
    float *const expected = (float *)((char *)p->staging + LAB_STAGING_BYTES / 2);
    struct lab_run run = {.problem = p, .which = output, .data = p->buffers[output].data};
    struct lab_comparison comparison = {.rows = array->count / columns,
                                        .columns = columns,
                                        .is_vector = !array->row,
                                        .tolerance = 0.0,
                                        .advice = *advice};
    comparison.advice.is_exact = true;
    while (lab_run_next(&run)) {
        expect(p, expected, run.first, run.count);
        lab_compare(&comparison, expected, run.got, run.count);
    }
    if (run.status == cudaSuccess)
        lab_compare_verdict(&comparison, array->name, check);
    return run.status;
}
