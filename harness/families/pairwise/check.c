/* Every element of V against what is expected of it. */
#include "families/pairwise/pairwise.h"

#include "families/elements.h"
#include "families/findings.h"

#include <math.h>
#include <stdio.h>

struct output {
    struct lab_findings findings; /* errors relative to their element's scale */
    double max_error;             /* in units of the scale */
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
    lab_findings_note(&found->findings,
                      (struct lab_finding){0, (size_t)i, expected->value, (double)s->got[i]},
                      expected->scale, lab_element_is_poison(LAB_ELEMENT_F32, &s->got[i]));
    if (expected->scale > 0.0 && error / expected->scale > found->max_error)
        found->max_error = error / expected->scale;
}

static void give_verdict(const struct pairwise_state *s, const struct output *found,
                         const char *cause, struct lab_check *check)
{
    const struct lab_findings *f = &found->findings;
    const struct lab_finding *shown = lab_findings_shown(f);
    const struct lab_advice advice = {
        .of_unwritten = "does the grid cover all sources, and does every row reach V?",
        .of_nans = "NaN comes in by 0 times infinity, where two points coincide and the square of "
                   "h is 0 in a float; by adding to V before it is cleared, past a matrix, or "
                   "shared memory that nobody wrote",
        .cause = cause,
        .is_seen = cause != NULL,
        .of_most = s->kernel.look_at};
    check->tolerance = s->tolerance;
    check->max_error = f->unwritten + f->nans ? (double)NAN : found->max_error;
    check->status = LAB_CHECK_OK;
    if (f->pattern.wrong == 0)
        return;
    if (f->unwritten)
        snprintf(check->message, sizeof check->message,
                 "V[%zu] was never written, %zu of %d elements in all", shown->column, f->unwritten,
                 s->m);
    else
        snprintf(check->message, sizeof check->message,
                 "V[%zu]: expected %.7g, got %.7g; %zu of %d elements wrong, here by %.2g and "
                 "%.2g is allowed",
                 shown->column, shown->expected, shown->got, f->pattern.wrong, s->m,
                 fabs(shown->got - shown->expected), s->expected[shown->column].allowed);
    lab_findings_conclude(f, (size_t)s->m, &advice, check);
}

cudaError_t pairwise_check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct pairwise_state *s = p->state;
    struct output found = {.findings.pattern = {.rows = 1, .columns = (size_t)s->m}};
    cudaError_t status = cudaMemcpy(s->got, p->buffers[PAIRWISE_V].data,
                                    (size_t)s->m * sizeof *s->got, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    for (int i = 0; i < s->m; i++)
        look_at(s, i, &found);
    const struct lab_findings *const f = &found.findings;
    char cause[500];
    const bool is_said = f->pattern.wrong > 0 && f->unwritten + f->nans == 0 &&
                         pairwise_explain(p, cause, sizeof cause);
    give_verdict(s, &found, is_said ? cause : NULL, check);
    return cudaSuccess;
}
