/* Every element of V against what is expected of it. */
#include "families/pairwise/pairwise.h"

#include <math.h>
#include <stdio.h>
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

static void look_at(const struct pairwise_state *s, int i, struct findings *found)
{
    const struct pairwise_element *expected = &s->expected[i];
    double error = fabs((double)s->got[i] - expected->value);
    if (expected->scale > 0.0 && error <= expected->allowed && s->tolerance > 0.0) {
        /* an error that underflow explains says nothing */
        double relative = error / expected->scale;
        if (relative <= s->tolerance && relative > found->max_error)
            found->max_error = relative;
        return;
    }
    if (error <= expected->allowed)
        return;
    if (found->wrong++ == 0)
        found->first = i;
    found->nans += isnan(s->got[i]) != 0;
    found->unwritten += is_poison(s->got[i]);
    if (expected->scale > 0.0 && error / expected->scale > found->max_error)
        found->max_error = error / expected->scale;
}

static const char *advice(const struct pairwise_state *s, const struct findings *found)
{
    if (found->unwritten == found->wrong)
        return "does the grid cover all sources, and does every row reach V?";
    if (found->nans)
        return "NaN comes in by adding to V before it is cleared, past a matrix, or shared memory "
               "that nobody wrote";
    if (found->wrong == s->m)
        return "look at the exponent, the loop over k, and which targets each sum takes in";
    return "some sources only: look at the last tiles, and for a missing __syncthreads()";
}

static void give_verdict(const struct pairwise_state *s, const struct findings *found,
                         struct lab_check *check)
{
    check->tolerance = s->tolerance;
    check->max_error = found->nans ? (double)NAN : found->max_error;
    check->status = LAB_CHECK_OK;
    if (found->wrong == 0)
        return;
    const struct pairwise_element *expected = &s->expected[found->first];
    if (found->unwritten == found->wrong) {
        check->status = LAB_CHECK_UNWRITTEN;
        snprintf(check->message, sizeof check->message,
                 "V[%d] was never written, %d of %d elements in all; %s", found->first,
                 found->wrong, s->m, advice(s, found));
        return;
    }
    check->status = found->nans ? LAB_CHECK_NAN : LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "V[%d]: expected %.7g, got %.7g; %d of %d elements wrong, here by %.2g and %.2g is "
             "allowed; %s",
             found->first, expected->value, (double)s->got[found->first], found->wrong, s->m,
             fabs(s->got[found->first] - expected->value), expected->allowed, advice(s, found));
}

cudaError_t pairwise_check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct pairwise_state *s = p->state;
    struct findings found = {0};
    cudaError_t status = cudaMemcpy(s->got, p->buffers[PAIRWISE_V].data,
                                    (size_t)s->m * sizeof *s->got, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    for (int i = 0; i < s->m; i++)
        look_at(s, i, &found);
    give_verdict(s, &found, check);
    return cudaSuccess;
}
