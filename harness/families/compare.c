/* Compares element by element: fast while all is right, thoroughly when something is wrong. */
#include "families/compare.h"

#include "families/elements.h"
#include "families/moved.h"
#include "families/runs.h"

#include <math.h>
#include <stdio.h>

/* Largest error of a piece without a wrong element; -1 as soon as there may be one. It has no
 * branches, so that the compiler vectorises it. */
static float quick_error(const float *expected, const float *got, size_t count, float tolerance)
{
    float worst = 0.0f;
    int doubtful = 0;
    for (size_t i = 0; i < count; i++) {
        float error = fabsf(got[i] - expected[i]);
        doubtful |= !(error <= tolerance);
        worst = error > worst ? error : worst;
    }
    return doubtful ? -1.0f : worst;
}

/* The same of doubles. */
static double quick_error_of_doubles(const double *expected, const double *got, size_t count,
                                     double tolerance)
{
    double worst = 0.0;
    int doubtful = 0;
    for (size_t i = 0; i < count; i++) {
        double error = fabs(got[i] - expected[i]);
        doubtful |= !(error <= tolerance);
        worst = error > worst ? error : worst;
    }
    return doubtful ? -1.0 : worst;
}

static void note_wrong(struct lab_comparison *c, size_t index, double expected, double got,
                       bool is_poison)
{
    const struct lab_finding finding = {index / c->columns, index % c->columns, expected, got};
    c->findings.pattern.rows = c->rows;
    c->findings.pattern.columns = c->columns;
    lab_findings_note(&c->findings, finding, fabs(expected), is_poison);
}

static void compare_one(struct lab_comparison *c, size_t index, double expected, double got,
                        bool is_poison)
{
    if (isnan(expected)) { /* a NaN that the inputs bring; negated, it has the bits of the poison */
        if (!isnan(got))
            note_wrong(c, index, expected, got, is_poison);
        return;
    }
    if (isinf(expected) || isinf(got)) {
        if (expected != got)
            note_wrong(c, index, expected, got, is_poison);
        return;
    }
    double error = fabs(got - expected);
    if (!(error <= c->tolerance))
        note_wrong(c, index, expected, got, is_poison);
    if (error > c->max_error)
        c->max_error = error;
}

enum { PIECE = 4096 }; /* elements that are compared fast together, or else one by one */

/* Whether values are kept, to find right ones in wrong places. */
static bool is_kept(const struct lab_comparison *c, size_t count)
{
    return c->rows > 1 && c->rows * c->columns <= LAB_MOVED_MOST &&
           c->at + count <= c->rows * c->columns;
}

void lab_compare(struct lab_comparison *c, const void *expected_bytes, const void *got_bytes,
                 size_t count)
{
    const size_t each = lab_element_bytes(c->element);
    const char *expected = expected_bytes, *got = got_bytes;
    for (size_t done = 0; done < count;) {
        const size_t piece = count - done < PIECE ? count - done : PIECE;
        const void *of_piece = expected + done * each, *got_of_piece = got + done * each;
        const double worst =
            c->element == LAB_ELEMENT_F64
                ? quick_error_of_doubles(of_piece, got_of_piece, piece, c->tolerance)
                : (double)quick_error(of_piece, got_of_piece, piece, (float)c->tolerance);
        if (worst >= 0.0)
            c->max_error = worst > c->max_error ? worst : c->max_error;
        else
            for (size_t i = done; i < done + piece; i++)
                compare_one(c, c->at + i, lab_element_value(c->element, expected + i * each),
                            lab_element_value(c->element, got + i * each),
                            lab_element_is_poison(c->element, got + i * each));
        done += piece;
    }
    for (size_t i = 0; i < count && is_kept(c, count); i++)
        lab_moved_keep(c->at + i, lab_element_value(c->element, expected + i * each),
                       lab_element_value(c->element, got + i * each));
    c->at += count;
    c->seen += count;
}

void lab_compare_verdict(const struct lab_comparison *c, const char *name, struct lab_check *check)
{
    const struct lab_findings *f = &c->findings;
    const size_t wrong = f->pattern.wrong;
    const struct lab_finding *shown = lab_findings_shown(f);
    const int digits = c->element == LAB_ELEMENT_F64 ? 15 : 7;
    char place[48] = "";
    if (c->is_vector)
        snprintf(place, sizeof place, "[%zu]", shown->column);
    else if (!c->is_one)
        snprintf(place, sizeof place, "[%zu][%zu]", shown->row, shown->column);
    check->tolerance = c->tolerance;
    check->max_error = f->unwritten + f->nans ? (double)NAN : c->max_error;
    if (c->at == c->rows * c->columns && wrong == 0) {
        check->status = LAB_CHECK_OK;
        return;
    }
    if (c->is_one && f->unwritten)
        snprintf(check->message, sizeof check->message, "%s was never written", name);
    else if (c->is_one)
        snprintf(check->message, sizeof check->message,
                 "%s: expected %.*g, got %.*g; tolerance %.2g", name, digits, shown->expected,
                 digits, shown->got, c->tolerance);
    else if (f->unwritten)
        snprintf(check->message, sizeof check->message,
                 "%s%s was never written, %zu of %zu elements in all", name, place, f->unwritten,
                 c->seen);
    else
        snprintf(check->message, sizeof check->message,
                 "%s%s: expected %.*g, got %.*g; %zu of %zu elements wrong, tolerance %.2g", name,
                 place, digits, shown->expected, digits, shown->got, wrong, c->seen, c->tolerance);
    struct lab_advice advice = c->advice;
    char moved[500];
    if (lab_moved_say(name, c->rows, c->columns, c->seen, c->tolerance, advice.row_of,
                      advice.column_of, moved, sizeof moved))
        advice.of_moved = moved;
    lab_findings_conclude(f, c->seen, &advice, check);
    if (wrong == 0)
        check->status = LAB_CHECK_WRONG; /* only a part was compared: this is no verdict */
}

/* The expected values overwrite the copy of what was there before; nobody needs that copy. */
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
