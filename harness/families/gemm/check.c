/* Checks what a launch of family gemm left in C: every element must be as expected, and the gaps
 * between rows must be unchanged. */
#include "families/gemm/state.h"

#include "base/simulator.h"
#include "families/runs.h"

#include <math.h>
#include <stdio.h>

/* If beta counts and something is wrong, counts the elements that still hold what C held. */
static size_t count_untouched(const struct lab_comparison *c, struct lab_run *run)
{
    const struct lab_problem *const p = run->problem;
    const size_t each = lab_element_bytes(c->element);
    char *const before = lab_run_before(run);
    size_t count = 0;
    gemm_unspread(p, before, run->row, run->column, run->count);
    for (size_t i = 0; i < run->count; i++) {
        const double is = lab_element_value(c->element, run->got + i * each);
        count += is == lab_element_value(c->element, before + i * each) &&
                 !(fabs(is - gemm_expected(p, run->row, run->column + i)) <= c->tolerance);
    }
    return count;
}

/* The largest error of the samples in a run, in units of the tolerance of the type. Samples that
 * are infinite or NaN have none. */
static double error_of_samples(const struct lab_run *run)
{
    const struct lab_gemm *g = gemm_of(run->problem);
    const struct gemm_state *s = gemm_state_of(run->problem);
    double worst = 0.0;
    for (size_t i = 0; i < s->sample_count; i++) {
        const struct gemm_sample *sample = &s->samples[i];
        if (sample->row != run->row || sample->column - run->column >= run->count ||
            !isfinite((float)sample->exact))
            continue;
        const char *const at = run->got + (sample->column - run->column) * gemm_element_bytes(g);
        const double got = lab_element_value(run->problem->arrays[GEMM_C].element, at);
        worst = fmax(worst, fabs(got - sample->exact));
    }
    return worst / gemm_type_tolerance(run->problem);
}

/* Returns how many wrong elements hold what C held before. */
static size_t check_run(struct lab_comparison *c, struct lab_run *run)
{
    const struct lab_gemm *g = gemm_of(run->problem);
    const size_t first = run->row * (size_t)g->n + run->column;
    const char *const expected = gemm_state_of(run->problem)->expected;
    gemm_unspread(run->problem, run->got, run->row, run->column, run->count);
    lab_compare(c, expected + first * gemm_element_bytes(g), run->got, run->count);
    return g->beta != 0.0f && c->mismatches.pattern.wrong > 0 ? count_untouched(c, run) : 0;
}

static bool has_gap(const struct lab_gemm *g, enum gemm_matrix which)
{
    const struct gemm_stored stored = gemm_stored(g, which);
    return stored.row > stored.columns;
}

/* Whether a place of C has the product that belongs there if rows lie n apart. The old C is that of
 * the place. */
static bool is_of_dense(const struct lab_problem *p, size_t place)
{
    const struct lab_gemm *const g = gemm_of(p);
    const size_t each = gemm_element_bytes(g), row = place / (size_t)g->n,
                 column = place % (size_t)g->n;
    double got[1];
    if (g->beta != 0.0f || row >= (size_t)g->m || gemm_exponent(p, row, column) != 0 ||
        cudaMemcpy(got, (const char *)p->buffers[GEMM_C].data + place * each, each,
                   cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    return fabs(lab_element_value(p->arrays[GEMM_C].element, got) -
                gemm_expected(p, row, column)) <= gemm_tolerance(p);
}

static struct lab_advice advice_of(struct lab_problem *p)
{
    const struct lab_gemm *g = gemm_of(p);
    const enum gemm_values values = gemm_state_of(p)->values;
    return (struct lab_advice){
        .of_unwritten = GEMM_OF_UNWRITTEN,
        .of_nans =
            values == GEMM_VALUES_SPECIAL
                ? "A holds an infinity and B a NaN here, which belong in one row and one column of "
                  "C: look at the indices of A and B; else NaN comes in past a matrix, or by "
                  "memory that nobody wrote"
            : has_gap(g, GEMM_A) || has_gap(g, GEMM_B)
                ? "NaN comes in from the gap between rows, which lie further apart than "
                  "they are long (row_a, row_b), past a matrix, by reading C where beta is "
                  "0, or by shared memory that nobody wrote"
            : g->beta == 0.0f ? "NaN comes in by reading C, for beta is 0, past a matrix, "
                                "or shared memory that nobody wrote"
                              : "NaN comes in past a matrix, or by shared memory that "
                                "nobody wrote",
        .nans_are_of_memory = values != GEMM_VALUES_SPECIAL,
        .nans_are_expected = values == GEMM_VALUES_SPECIAL,
        .of_most = g->alpha == 0.0f
                       ? "alpha is 0, so that no product is to be in it: look at alpha and beta"
                   : lab_problem_scratch(p)
                       ? "look at the indices of A and B, the loop over k, alpha and beta, and "
                         "where each part of a sum is stored and read in scratch memory"
                       : "look at the indices of A and B, the loop over k, and alpha and beta",
        .of_special = "a NaN or an infinity of A or B must come through: no product may be "
                      "left out, and fminf() and fmaxf() drop a NaN",
        .row_of = "A",
        .column_of = "B",
        .term = fabs(g->alpha) / 4.0,
        .hypotheses = gemm_hypotheses,
        .family = p,
        .of_place = g->beta != 0.0f && values != GEMM_VALUES_SPREAD ? gemm_old_of : NULL};
}

cudaError_t gemm_check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_gemm *g = gemm_of(p);
    const struct lab_advice advice = advice_of(p);
    struct lab_comparison c = {.rows = (size_t)g->m,
                               .columns = (size_t)g->n,
                               .element = p->arrays[GEMM_C].element,
                               .tolerance = gemm_tolerance(p)};
    struct lab_mismatches *const m = &c.mismatches;
    struct lab_run run = {.problem = p, .which = GEMM_C, .data = p->buffers[GEMM_C].data};
    size_t changed = 0, untouched = 0;
    bool gap_is_changed = false;
    gemm_take_samples(p);
    while (lab_run_next(&run))
        if (run.counts) {
            untouched += check_run(&c, &run);
            check->exact_error = fmax(check->exact_error, error_of_samples(&run));
        } else if (!gap_is_changed)
            gap_is_changed = lab_run_is_changed(&run, &changed);
    m->is_untouched = untouched > 0 && untouched == m->pattern.wrong;
    m->is_unstored = m->is_untouched && g->alpha != 0.0f &&
                     !gemm_may_be_stored(p, m->first.row, m->first.column);
    if (run.status == cudaSuccess && gap_is_changed) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        snprintf(check->message, sizeof check->message,
                 "written past the end of row %zu of C, into the gap before the next row: place "
                 "%zu, and C has %d columns (row_c is %zu)%s",
                 changed / (size_t)g->row_c, changed % (size_t)g->row_c, g->n, (size_t)g->row_c,
                 is_of_dense(p, changed)
                     ? "; what is there belongs where this place is if rows lie "
                       "n apart: is the row multiplied by n, in place of row_c?"
                     : "");
    } else if (run.status == cudaSuccess) {
        lab_compare_verdict(&c, "C", &advice, check);
    }
    lab_comparison_end(&c);
    return run.status;
}
