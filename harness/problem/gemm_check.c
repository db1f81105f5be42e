/* Checks of family gemm: guard zones, inputs, every element of the output. */
#include "problem/gemm.h"

#include "problem/compare.h"
#include "problem/guards.h"

#include <stdio.h>
#include <string.h>

cudaError_t gemm_check_output(struct lab_problem *p, int set, struct lab_check *check)
{
    struct lab_comparison comparison = {
        .rows = p->m, .columns = p->n, .tolerance = gemm_tolerance(p)};
    const float *c = p->sets[set].c.data;
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

/* Inputs are made again, piece by piece, and compared bit by bit. */
static cudaError_t check_input(struct lab_problem *p, const struct lab_buffer *buffer,
                               enum gemm_matrix which, int columns, struct lab_check *check)
{
    enum { PIECE = GEMM_STAGING_FLOATS / 2 };
    size_t count = buffer->bytes / sizeof(float);
    float *now = p->staging, *before = p->staging + PIECE;
    for (size_t first = 0; first < count; first += PIECE) {
        size_t piece = count - first < PIECE ? count - first : PIECE;
        cudaError_t status = cudaMemcpy(now, (const float *)buffer->data + first,
                                        piece * sizeof(float), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        gemm_fill(p, which, before, first, piece);
        if (memcmp(now, before, piece * sizeof(float)) == 0)
            continue;
        size_t i = 0;
        while (memcmp(now + i, before + i, sizeof(float)) == 0)
            i++;
        check->status = LAB_CHECK_INPUT_MODIFIED;
        snprintf(check->message, sizeof check->message,
                 "the kernel changed its input: %s[%zu][%zu] was %.7g, is %.7g", buffer->name,
                 (first + i) / columns, (first + i) % columns, (double)before[i], (double)now[i]);
        return cudaSuccess;
    }
    return cudaSuccess;
}

cudaError_t gemm_check_all(struct lab_problem *p, int set, struct lab_check *check)
{
    const struct gemm_set *s = &p->sets[set];
    const struct lab_buffer *guarded[] = {&s->c, &s->a, &s->b, &p->workspace};
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < 4 && status == cudaSuccess && check->status == LAB_CHECK_OK; i++)
        status = lab_check_guards(guarded[i], "the last rows and columns", check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_input(p, &s->a, GEMM_A, p->a_transposed ? p->m : p->k, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = check_input(p, &s->b, GEMM_B, p->n, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = gemm_check_output(p, set, check);
    return status;
}
