/* Half of the staging memory holds what a launch left, the other half what was there before. */
#include "families/runs.h"

#include <string.h>

static const struct lab_array *array_of(const struct lab_run *run)
{
    return &run->problem->arrays[run->which];
}

static size_t bytes_of_each(const struct lab_run *run)
{
    return lab_element_bytes(array_of(run)->element);
}

static bool fetch_piece(struct lab_run *run)
{
    const size_t each = bytes_of_each(run), most = LAB_STAGING_BYTES / 2 / each;
    const size_t left = array_of(run)->count - run->first, count = left < most ? left : most;
    run->piece = run->first;
    run->behind_piece = run->first + count;
    run->has_before = false;
    run->status = cudaMemcpy(run->problem->staging, (const char *)run->data + run->first * each,
                             count * each, cudaMemcpyDeviceToHost);
    return run->status == cudaSuccess;
}

bool lab_run_next(struct lab_run *run)
{
    const struct lab_array *array = array_of(run);
    const size_t width = array->row ? array->row : array->count;
    size_t begin = 0, end = width;
    run->first += run->count;
    if (run->first == array->count || (run->first == run->behind_piece && !fetch_piece(run)))
        return false;
    run->row = run->first / width;
    run->column = run->first % width;
    if (lab_array_is_partial(array))
        lab_array_counting(array, run->row, &begin, &end);
    run->counts = run->column >= begin && run->column < end;
    const size_t stop = run->column < begin ? begin : run->counts ? end : width;
    const size_t left = run->behind_piece - run->first;
    run->count = stop - run->column < left ? stop - run->column : left;
    run->got = (char *)run->problem->staging + (run->first - run->piece) * bytes_of_each(run);
    return true;
}

char *lab_run_before(struct lab_run *run)
{
    char *const before = (char *)run->problem->staging + LAB_STAGING_BYTES / 2;
    if (!run->has_before)
        lab_problem_fill(run->problem, run->which, before, run->piece,
                         run->behind_piece - run->piece);
    run->has_before = true;
    return before + (run->first - run->piece) * bytes_of_each(run);
}

size_t lab_run_difference(const struct lab_run *run, const char *other)
{
    const size_t each = bytes_of_each(run);
    size_t i = memcmp(run->got, other, run->count * each) == 0 ? run->count : 0;
    while (i < run->count && memcmp(run->got + i * each, other + i * each, each) == 0)
        i++;
    return i;
}

bool lab_run_is_changed(struct lab_run *run, size_t *changed)
{
    const size_t same = lab_run_difference(run, lab_run_before(run));
    *changed = run->first + same;
    return same < run->count;
}

/* The expected values overwrite the copy of what was there before; nobody needs that copy. */
cudaError_t lab_exact_check(struct lab_problem *p, int output, lab_exact_expect_fn *expect,
                            const struct lab_advice *advice, struct lab_check *check)
{
    const struct lab_array *array = &p->arrays[output];
    const size_t columns = array->row ? array->row : array->count;
    float *const expected = (float *)((char *)p->staging + LAB_STAGING_BYTES / 2);
    struct lab_run run = {.problem = p, .which = output, .data = p->buffers[output].data};
    struct lab_advice exactly = *advice;
    struct lab_comparison comparison = {.rows = array->count / columns,
                                        .columns = columns,
                                        .is_vector = !array->row,
                                        .has_signs = true};
    exactly.is_exact = true;
    while (lab_run_next(&run)) {
        expect(p, expected, run.first, run.count);
        lab_compare(&comparison, expected, run.got, run.count);
    }
    if (run.status == cudaSuccess)
        lab_compare_verdict(&comparison, array->name, &exactly, check);
    lab_comparison_end(&comparison);
    return run.status;
}
