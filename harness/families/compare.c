/* Element-by-element comparison, fast while everything is right, thorough when something is not. */
#include "families/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { EDGE = 32 };

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
    size_t row = index / c->columns, column = index % c->columns;
    if (c->wrong++ == 0) {
        c->first = index;
        c->expected = expected;
        c->got = got;
    }
    c->unwritten += bits_of(got) == 0xFFFFFFFFu;
    c->nans += isnan(got) != 0;
    c->wrong_edge += (c->rows > EDGE && row >= c->rows / EDGE * EDGE) ||
                     (c->columns > EDGE && column >= c->columns / EDGE * EDGE);
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

static const char *advice(const struct lab_comparison *c)
{
    if (c->unwritten == c->wrong)
        return c->wrong_edge == c->wrong && c->wrong < c->seen
                   ? "only at the last rows or columns: does the grid cover sizes that the tile "
                     "does not divide?"
                   : "does the grid cover the whole matrix, and does every thread reach its store?";
    if (c->nans)
        return c->of_nans;
    if (c->wrong_edge == c->wrong && c->wrong < c->seen)
        return "only at the last rows or columns: look at what happens where the tile does not "
               "divide the size";
    if (c->wrong < c->seen / 2)
        return "some elements only: look for a missing __syncthreads() or a last partial tile";
    return c->of_most;
}

void lab_compare_verdict(const struct lab_comparison *c, const char *name, struct lab_check *check)
{
    check->tolerance = c->tolerance;
    check->max_error = c->nans ? (double)NAN : c->max_error;
    if (c->seen == c->rows * c->columns && c->wrong == 0) {
        check->status = LAB_CHECK_OK;
        return;
    }
    size_t row = c->first / c->columns, column = c->first % c->columns;
    if (c->unwritten == c->wrong) {
        check->status = LAB_CHECK_UNWRITTEN;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu] was never written, %zu of %zu elements in all; %s", name, row,
                 column, c->wrong, c->seen, advice(c));
        return;
    }
    check->status = c->nans ? LAB_CHECK_NAN : LAB_CHECK_WRONG;
    snprintf(check->message, sizeof check->message,
             "%s[%zu][%zu]: expected %.7g, got %.7g; %zu of %zu elements wrong, tolerance %.2g; %s",
             name, row, column, (double)c->expected, (double)c->got, c->wrong, c->seen,
             c->tolerance, advice(c));
}
