/* Check of family md: every element of every array against what is expected, each with a bound of
 * its own, and that gaps between rows are as they were. */
#include "families/md/md.h"

#include "base/array.h"
#include "families/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array under check. */
struct output {
    const struct md *md;
    const struct lab_array *array;
    int which;
    struct lab_mismatches mismatches;
    double error, bound; /* of the element that is worst relative to its bound */
    bool is_changed;
    size_t changed;   /* a changed element of a gap */
    double totals[2]; /* of sums, by row: only these are compared */
    double *got;      /* all that counts, if there is memory for it */
};

static void look_at(struct output *found, size_t row, size_t column, double got, bool is_unwritten)
{
    const struct md_expected *expected = &found->md->expected[found->which];
    const size_t columns = md_columns(found->md, found->which), at = row * columns + column;
    const double bound = expected->bound[found->which == MD_ENERGIES ? at : column];
    const double value = expected->value[at], error = fabs(got - value);
    if (found->got)
        found->got[at] = got;
    if (error * found->bound >= found->error * bound) {
        found->error = error;
        found->bound = bound;
    }
    /* what has no error must be what it is; of other values false of NaN, too */
    if (isfinite(value) ? error <= bound : got == value || (isnan(got) && isnan(value)))
        return;
    lab_mismatch_note(&found->mismatches, (struct lab_mismatch){row, column, value, got},
                      fabs(value), is_unwritten);
}

static void look_at_run(struct output *found, const struct lab_run *run)
{
    const enum lab_element element = found->array->element;
    for (size_t i = 0; i < run->count; i++) {
        const char *value = run->got + i * lab_element_bytes(element);
        if (found->which == MD_SUMS)
            found->totals[run->row] += lab_element_value(element, value);
        else
            look_at(found, run->row, run->column + i, lab_element_value(element, value),
                    lab_element_is_poison(element, value));
    }
}

static cudaError_t compare(struct lab_problem *p, struct output *found)
{
    struct lab_run run = {
        .problem = p, .which = found->which, .data = p->buffers[found->which].data};
    while (lab_run_next(&run))
        if (run.counts)
            look_at_run(found, &run);
        else if (!found->is_changed)
            found->is_changed = lab_run_is_changed(&run, &found->changed);
    for (size_t kind = 0; kind < 2 && found->which == MD_SUMS; kind++)
        look_at(found, 0, kind, found->totals[kind], false);
    return run.status;
}

/* "force x of particle 17", "kinetic energy of step 2", "all sums of the kinetic energy". */
static void name_element(const struct output *found, size_t row, size_t column, char *text,
                         size_t size)
{
    static const char *const energies[] = {"potential", "kinetic"};
    if (found->which == MD_ENERGIES)
        snprintf(text, size, "%s energy of step %zu", energies[column], row);
    else if (found->which == MD_SUMS)
        snprintf(text, size, "all sums of the %s energy", energies[column]);
    else if (found->which == MD_POTENTIAL)
        snprintf(text, size, "potential of particle %zu", column);
    else
        snprintf(text, size, "%s %c of particle %zu", found->array->name, "xyz"[row], column);
}

static const char *const parts[] = {
    [MD_POSITION] = "K5 is x += v dt + a dt^2 / 2, with v and a as they were before the step",
    [MD_VELOCITY] = "K6 is v += dt (f / m + a) / 2, with a as it was before the step",
    [MD_ACCELERATION] = "K7 is a = f / m, with this step's force",
    [MD_FORCE] = "does every pair count once for each of its particles, none with itself, and "
                 "none beyond the cut-off?",
    [MD_POTENTIAL] = "does every pair count, half of its potential for each of its particles?",
    [MD_ENERGIES] = "K2 and K3 add every particle once, with v as it was before the step, and "
                    "K4 the sums of all blocks",
    [MD_SUMS] = "does every particle count once, its potential energy in row 0 (K2) and its "
                "kinetic energy in row 1 (K3), each block with a place of its own?",
};

static bool are_explained(struct lab_evidence *e, char *text, size_t size)
{
    const struct output *found = e->advice->family;
    return found->got && md_explain(found->md, found->which, found->got, text, size);
}

/* Of a short formula that is all of it. */
static bool is_formula(struct lab_evidence *e, char *text, size_t size)
{
    const struct output *found = e->advice->family;
    snprintf(text, size, "%s", parts[found->which]);
    return found->which != MD_FORCE && found->which != MD_POTENTIAL;
}

static const struct lab_hypothesis hypotheses[] = {
    {"mistakes of mistakes.def", are_explained, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"the part's formula", is_formula, LAB_CAUSE_SUSPECTED, LAB_PLACE_INSTEAD, false},
    {.name = NULL},
};

static void give_verdict(struct output *found, struct lab_check *check)
{
    const struct lab_mismatches *m = &found->mismatches;
    const struct lab_advice advice = {
        .of_unwritten = "does the grid cover all particles, and does every thread reach its store?",
        .of_nans = "NaN comes of a particle with itself, at distance 0, of what is after the last "
                   "particle, and of memory that nobody wrote",
        .of_most = parts[found->which],
        .of_some = parts[found->which],
        .hypotheses = hypotheses,
        .family = found};
    char name[64];
    struct lab_evidence evidence = {.mismatches = m,
                                    .counted = md_rows(found->md, found->which) *
                                               md_columns(found->md, found->which),
                                    .advice = &advice,
                                    .name = name,
                                    .digits = 9,
                                    .noun = ""};
    const struct lab_mismatch *shown = lab_mismatch_shown(m);
    if (m->pattern.wrong == 0 && !found->is_changed)
        return;
    check->tolerance = found->bound;
    check->max_error = m->unwritten + m->nans ? (double)NAN : found->error;
    if (found->is_changed) {
        const size_t row = found->changed / found->array->row;
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        name_element(found, row, found->changed - row * found->array->row, name, sizeof name);
        snprintf(check->message, sizeof check->message,
                 "%s was written, of %d particles: what is after the last one must stay as it is",
                 name, found->md->problem->n);
        return;
    }
    name_element(found, shown->row, shown->column, name, sizeof name);
    lab_diagnose(&evidence, check);
}

/* Checks in the order of the kernels, so that the first wrong one is named: after several steps all
 * that follows is wrong, too. The sum of all forces needs no check: the expected forces add to 0,
 * so the forces found do so within the sum of their bounds. */
cudaError_t md_check_output(struct lab_problem *p, struct lab_check *check)
{
    static const int order[] = {MD_FORCE,    MD_POTENTIAL, MD_SUMS,        MD_ENERGIES,
                                MD_POSITION, MD_VELOCITY,  MD_ACCELERATION};
    check->status = LAB_CHECK_OK;
    check->tolerance = check->max_error = 0.0;
    for (size_t i = 0; i < sizeof order / sizeof *order && check->status == LAB_CHECK_OK; i++) {
        struct output found = {.md = p->state, .array = &p->arrays[order[i]], .which = order[i]};
        if (!found.array->count || found.array->role != LAB_ROLE_OUTPUT)
            continue; /* the problem has only parts of a step */
        if (order[i] != MD_ENERGIES &&
            order[i] != MD_SUMS) { /* their places say nothing of threads */
            found.mismatches.pattern.rows = md_rows(found.md, order[i]);
            found.mismatches.pattern.columns = md_columns(found.md, order[i]);
            found.mismatches.pattern.what = "particle";
        }
        found.got = malloc(md_rows(found.md, order[i]) * md_columns(found.md, order[i]) *
                           sizeof *found.got);
        cudaError_t status = compare(p, &found);
        if (status != cudaSuccess) {
            free(found.got);
            return status;
        }
        if (found.error * check->tolerance >= check->max_error * found.bound) {
            check->max_error = found.error;
            check->tolerance = found.bound;
        }
        give_verdict(&found, check);
        free(found.got);
    }
    const struct md *const md = p->state;
    const size_t used = strlen(check->message);
    if (check->status != LAB_CHECK_OK && md->problem->steps > 1)
        snprintf(check->message + used, sizeof check->message - used,
                 "; after several steps all parts are: --steps 1 says which is wrong by itself");
    return cudaSuccess;
}
