/* Element-by-element comparison, fast while everything is right, thorough when something is not. */
#include "families/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Largest error of a piece with no wrong element; -1 as soon as there may be one. Branch-free, so
 * that the compiler vectorises it. */
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

static void note_wrong(struct lab_comparison *c, size_t index, float expected, float got)
{
    const struct lab_finding finding = {index / c->columns, index % c->columns, expected, got};
    c->findings.pattern.rows = c->rows;
    c->findings.pattern.columns = c->columns;
    lab_findings_note(&c->findings, finding, fabs((double)expected), bits_of(got) == 0xFFFFFFFFu);
}

static void compare_one(struct lab_comparison *c, size_t index, float expected, float got)
{
    if (isnan(expected)) { /* NaN that comes from the inputs; what was never written is none */
        if (!isnan(got) || bits_of(got) == 0xFFFFFFFFu)
            note_wrong(c, index, expected, got);
        return;
    }
    if (isinf(expected) || isinf(got)) {
        if (expected != got)
            note_wrong(c, index, expected, got);
        return;
    }
    double error = fabs((double)got - (double)expected);
    if (!(error <= c->tolerance))
        note_wrong(c, index, expected, got);
    if (error > c->max_error)
        c->max_error = error;
}

void lab_compare(struct lab_comparison *c, const float *expected, const float *got, size_t count)
{
    enum { PIECE = 4096 };
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        float worst = quick_error(expected + done, got + done, piece, (float)c->tolerance);
        if (worst >= 0.0f)
            c->max_error = worst > c->max_error ? worst : c->max_error;
        else
            for (size_t i = done; i < done + piece; i++)
                compare_one(c, c->seen + i, expected[i], got[i]);
        done += piece;
    }
    c->seen += count;
}

void lab_compare_verdict(const struct lab_comparison *c, const char *name, struct lab_check *check)
{
    const struct lab_findings *f = &c->findings;
    const size_t wrong = f->pattern.wrong;
    const struct lab_finding *shown = lab_findings_shown(f);
    char place[48] = "";
    if (c->is_vector)
        snprintf(place, sizeof place, "[%zu]", shown->column);
    else if (!c->is_one)
        snprintf(place, sizeof place, "[%zu][%zu]", shown->row, shown->column);
    check->tolerance = c->tolerance;
    check->max_error = f->unwritten + f->nans ? (double)NAN : c->max_error;
    if (c->seen == c->rows * c->columns && wrong == 0) {
        check->status = LAB_CHECK_OK;
        return;
    }
    if (c->is_one && f->unwritten)
        snprintf(check->message, sizeof check->message, "%s was never written", name);
    else if (c->is_one)
        snprintf(check->message, sizeof check->message,
                 "%s: expected %.7g, got %.7g; tolerance %.2g", name, shown->expected, shown->got,
                 c->tolerance);
    else if (f->unwritten)
        snprintf(check->message, sizeof check->message,
                 "%s%s was never written, %zu of %zu elements in all", name, place, f->unwritten,
                 c->seen);
    else
        snprintf(check->message, sizeof check->message,
                 "%s%s: expected %.7g, got %.7g; %zu of %zu elements wrong, tolerance %.2g", name,
                 place, shown->expected, shown->got, wrong, c->seen, c->tolerance);
    lab_findings_conclude(f, c->seen, &c->advice, check);
    if (wrong == 0)
        check->status = LAB_CHECK_WRONG; /* a part is no verdict */
}
