/* Checks of family kernel summation: guard zones, inputs, every element of V, and for the rows that
 * promise it the same bits from launch to launch. */
#include "families/kernel_summation/kernel_summation.h"

#include "families/change.h"
#include "families/guards.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_poison(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == 0xFFFFFFFFu;
}

struct findings {
    int wrong, nans, unwritten, first;
    double max_error; /* in units of the scale */
};

static void look_at(const struct lab_problem *p, int i, struct findings *found)
{
    const struct summation_element *expected = &p->expected[i];
    double error = fabs((double)p->got[i] - expected->value);
    if (expected->scale > 0.0 && error <= expected->allowed && p->tolerance > 0.0) {
        /* an error that underflow explains says nothing */
        double relative = error / expected->scale;
        if (relative <= p->tolerance && relative > found->max_error)
            found->max_error = relative;
        return;
    }
    if (error <= expected->allowed)
        return;
    if (found->wrong++ == 0)
        found->first = i;
    found->nans += isnan(p->got[i]) != 0;
    found->unwritten += is_poison(p->got[i]);
    if (expected->scale > 0.0 && error / expected->scale > found->max_error)
        found->max_error = error / expected->scale;
}

static const char *advice(const struct lab_problem *p, const struct findings *found)
{
    if (found->unwritten == found->wrong)
        return "does the grid cover all sources, and does every row reach V?";
    if (found->nans)
        return "NaN comes in by adding to V before it is cleared, past a matrix, or shared memory "
               "that nobody wrote";
    if (found->wrong == p->m)
        return "look at the exponent, the loop over k, and which targets each sum takes in";
    return "some sources only: look at the last tiles, and for a missing __syncthreads()";
}

static void give_verdict(const struct lab_problem *p, const struct findings *found,
                         struct lab_check *check)
{
    check->tolerance = p->tolerance;
    check->max_error = found->nans ? (double)NAN : found->max_error;
    check->status = LAB_CHECK_OK;
    if (found->wrong == 0)
        return;
    const struct summation_element *expected = &p->expected[found->first];
    if (found->unwritten == found->wrong) {
        check->status = LAB_CHECK_UNWRITTEN;
        snprintf(check->message, sizeof check->message,
                 "V[%d] was never written, %d of %d elements in all; %s", found->first,
                 found->wrong, p->m, advice(p, found));
        return;
    }
    check->status = found->nans ? LAB_CHECK_NAN : LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "V[%d]: expected %.7g, got %.7g; %d of %d elements wrong, here by %.2g and %.2g is "
             "allowed; %s",
             found->first, expected->value, (double)p->got[found->first], found->wrong, p->m,
             fabs(p->got[found->first] - expected->value), expected->allowed, advice(p, found));
}

static void compare_bits(const struct lab_problem *p, const float *first, struct lab_check *check)
{
    int i = 0;
    while (i < p->m && memcmp(&first[i], &p->got[i], sizeof(float)) == 0)
        i++;
    if (i == p->m)
        return;
    check->status = LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "V[%d] is %.9g in one launch and %.9g in the next: a deterministic row sums in one "
             "order, without atomics",
             i, (double)first[i], (double)p->got[i]);
}

/* The row's first result, kept for as long as the problem; NULL where there is no room for it. */
static float *first_result(struct lab_problem *p, bool *is_new)
{
    *is_new = false;
    for (int i = 0; i < p->repeated_count; i++)
        if (p->repeated[i].step == p->step && p->repeated[i].row == p->row)
            return p->repeated[i].first;
    if (p->repeated_count == SUMMATION_MOST_REPEATED)
        return NULL;
    struct summation_repeated *entry = &p->repeated[p->repeated_count];
    *entry = (struct summation_repeated){p->step, p->row, malloc(p->m * sizeof(float))};
    p->repeated_count += entry->first != NULL;
    *is_new = true;
    return entry->first;
}

cudaError_t summation_check_output(struct lab_problem *p, struct lab_check *check)
{
    struct findings found = {0};
    size_t bytes = p->m * sizeof(float);
    bool is_new;
    cudaError_t status = cudaMemcpy(p->got, p->buffers.v.data, bytes, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    for (int i = 0; i < p->m; i++)
        look_at(p, i, &found);
    give_verdict(p, &found, check);
    if (check->status != LAB_CHECK_OK || !p->deterministic)
        return cudaSuccess;
    float *first = first_result(p, &is_new);
    if (first && is_new)
        memcpy(first, p->got, bytes);
    else if (first)
        compare_bits(p, first, check);
    return cudaSuccess;
}

static void fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count)
{
    summation_fill(p, (enum summation_array)which, values, first, count);
}

static cudaError_t check_input(struct lab_problem *p, const struct lab_buffer *buffer,
                               enum summation_array which, struct lab_check *check)
{
    const struct lab_input input = {buffer, sizeof(float), fill,
                                    which,  p->staging,    SUMMATION_STAGING_FLOATS};
    struct lab_change change;
    cudaError_t status = lab_find_change(p, &input, &change);
    if (status != cudaSuccess || !change.now)
        return status;
    const float *before = change.before, *now = change.now;
    check->status = LAB_CHECK_INPUT_MODIFIED;
    snprintf(check->message, sizeof check->message,
             "the kernel changed its input: element %zu of %s was %.7g, is %.7g", change.element,
             buffer->name, (double)*before, (double)*now);
    return cudaSuccess;
}

/* A deterministic row is launched once more, into a poisoned V. */
static cudaError_t check_again(struct lab_problem *p, struct lab_check *check)
{
    cudaError_t status = summation_reset(p);
    if (status == cudaSuccess)
        status = summation_launch(p);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    return status == cudaSuccess ? summation_check_output(p, check) : status;
}

cudaError_t summation_check_all(struct lab_problem *p, struct lab_check *check)
{
    const struct summation_buffers *s = &p->buffers;
    const struct lab_buffer *guarded[] = {&s->v, &s->a, &s->b, &s->w, &p->workspace};
    const struct lab_buffer *inputs[] = {&s->a, &s->b, &s->w};
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < 5 && status == cudaSuccess && check->status == LAB_CHECK_OK; i++)
        status = lab_check_guards(guarded[i], "the last tiles", check);
    for (int i = 0; i < 3 && status == cudaSuccess && check->status == LAB_CHECK_OK; i++)
        status = check_input(p, inputs[i], SUMMATION_A + i, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = summation_check_output(p, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK && p->deterministic)
        status = check_again(p, check);
    return status;
}
