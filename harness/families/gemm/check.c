/* Checks of family gemm: guard zones, inputs, every element of the output. */
#include "families/gemm/gemm.h"

#include "families/change.h"
#include "families/compare.h"
#include "families/guards.h"

#include <stdio.h>
#include <string.h>

cudaError_t gemm_check_output(struct lab_problem *p, struct lab_check *check)
{
    struct lab_comparison comparison = {
        .rows = p->m, .columns = p->n, .tolerance = gemm_tolerance(p)};
    const float *c = p->buffers.c.data;
    for (size_t first = 0; first < gemm_count(p, GEMM_C); first += GEMM_STAGING_FLOATS) {
        size_t left = gemm_count(p, GEMM_C) - first,
               piece = left < GEMM_STAGING_FLOATS ? left : GEMM_STAGING_FLOATS;
        cudaError_t status =
            cudaMemcpy(p->staging, c + first, piece * sizeof(float), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        gemm_unspread(p, p->staging, first, piece);
        lab_compare(&comparison, p->expected + first, p->staging, piece);
    }
    lab_compare_verdict(&comparison, "C", check);
    return cudaSuccess;
}

static void fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count)
{
    gemm_fill(p, (enum gemm_matrix)which, values, first, count);
}

static cudaError_t check_input(struct lab_problem *p, const struct lab_buffer *buffer,
                               enum gemm_matrix which, int columns, struct lab_check *check)
{
    const struct lab_input input = {buffer, sizeof(float), fill,
                                    which,  p->staging,    GEMM_STAGING_FLOATS};
    struct lab_change change;
    cudaError_t status = lab_find_change(p, &input, &change);
    if (status != cudaSuccess || !change.now)
        return status;
    const float *before = change.before, *now = change.now;
    check->status = LAB_CHECK_INPUT_MODIFIED;
    snprintf(check->message, sizeof check->message,
             "the kernel changed its input: %s[%zu][%zu] was %.7g, is %.7g", buffer->name,
             change.element / columns, change.element % columns, (double)*before, (double)*now);
    return cudaSuccess;
}

cudaError_t gemm_check_all(struct lab_problem *p, struct lab_check *check)
{
    const struct gemm_buffers *s = &p->buffers;
    const struct lab_buffer *guarded[] = {&s->c, &s->a, &s->b, &p->workspace};
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < 4 && status == cudaSuccess && check->status == LAB_CHECK_OK; i++)
        status = lab_check_guards(guarded[i], "the last rows and columns", check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_input(p, &s->a, GEMM_A, p->a_transposed ? p->m : p->k, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_input(p, &s->b, GEMM_B, p->n, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = gemm_check_output(p, check);
    return status;
}
