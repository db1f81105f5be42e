/* Every element of V against what is expected of it. */
#include "families/pairwise/pairwise.h"

#include "base/array.h"

#include <math.h>
#include <stdio.h>

struct output {
    struct lab_mismatches mismatches; /* errors relative to their element's scale */
    double max_error;                 /* in units of the scale */
};

static void look_at(const struct pairwise_state *s, int i, struct output *found)
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
    lab_mismatch_note(&found->mismatches,
                      (struct lab_mismatch){0, (size_t)i, expected->value, (double)s->got[i]},
                      expected->scale, lab_element_is_poison(LAB_ELEMENT_F32, &s->got[i]));
    if (expected->scale > 0.0 && error / expected->scale > found->max_error)
        found->max_error = error / expected->scale;
}

cudaError_t pairwise_check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct pairwise_state *s = p->state;
    struct output found = {.mismatches.pattern = {.rows = 1, .columns = (size_t)s->m}};
    cudaError_t status = cudaMemcpy(s->got, p->buffers[PAIRWISE_V].data,
                                    (size_t)s->m * sizeof *s->got, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    for (int i = 0; i < s->m; i++)
        look_at(s, i, &found);
    static const char *const other_names[] = {"n", "k", NULL};
    const int other_sizes[] = {s->n, s->k};
    const struct lab_advice advice = {
        .length = "m",
        .other_names = other_names,
        .other_sizes = other_sizes,
        .of_unwritten = "does the grid cover all sources, and does every row reach V?",
        .of_nans = "NaN comes in by 0 times infinity, where two points coincide and the square of "
                   "h is 0 in a float; by adding to V before it is cleared, past a matrix, or "
                   "shared memory that nobody wrote",
        .of_most = s->kernel.look_at,
        .hypotheses = pairwise_hypotheses,
        .family = p};
    const struct lab_mismatch *const shown = lab_mismatch_shown(&found.mismatches);
    struct lab_evidence evidence = {.mismatches = &found.mismatches,
                                    .counted = (size_t)s->m,
                                    .advice = &advice,
                                    .name = "V",
                                    .indices = 1,
                                    .digits = 7,
                                    .noun = " elements"};
    snprintf(evidence.behind, sizeof evidence.behind, ", here by %.2g and %.2g is allowed",
             fabs(shown->got - shown->expected), s->expected[shown->column].allowed);
    check->tolerance = s->tolerance;
    check->max_error = found.max_error;
    lab_diagnose(&evidence, check);
    return cudaSuccess;
}
