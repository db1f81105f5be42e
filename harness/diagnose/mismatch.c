/* Compares element by element: fast while all is right, thoroughly when something is wrong. */
#include "diagnose/mismatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note_range(struct lab_mismatches *m, const struct lab_mismatch *wrong, bool is_first)
{
    const double expected = wrong->expected, error = wrong->got - expected;
    const double ratio = expected != 0.0 ? wrong->got / expected : (double)NAN;
    m->least_ratio = is_first || !(ratio >= m->least_ratio) ? ratio : m->least_ratio;
    m->most_ratio = is_first || !(ratio <= m->most_ratio) ? ratio : m->most_ratio;
    m->least_error = is_first || !(error >= m->least_error) ? error : m->least_error;
    m->most_error = is_first || !(error <= m->most_error) ? error : m->most_error;
    m->least = is_first || expected < m->least ? expected : m->least;
    m->most = is_first || expected > m->most ? expected : m->most;
}

void lab_mismatch_note(struct lab_mismatches *m, struct lab_mismatch wrong, double scale,
                       bool is_unwritten)
{
    const double error = fabs(wrong.got - wrong.expected);
    if (isnan(wrong.got))
        wrong.got = NAN; /* its sign says nothing, and would be shown */
    if (m->pattern.wrong == 0)
        m->first = wrong;
    note_range(m, &wrong, m->pattern.wrong == 0);
    lab_pattern_note(&m->pattern, wrong.row, wrong.column);
    m->specials += !isfinite(wrong.expected);
    m->unsigned_zeros += wrong.got == 0.0 && wrong.expected == 0.0;
    m->flushed += wrong.got == 0.0 && wrong.expected != 0.0 && fabs(wrong.expected) < 0x1p-126;
    m->whole += wrong.got == rint(wrong.got) && wrong.expected != rint(wrong.expected);
    m->zero += wrong.got == 0.0;
    m->got_squares += wrong.got * wrong.got;
    m->expected += wrong.expected;
    m->expected_squares += wrong.expected * wrong.expected;
    m->products += wrong.got * wrong.expected;
    m->errors += wrong.got - wrong.expected;
    if (is_unwritten) {
        m->of_unwritten.rows = m->pattern.rows;
        m->of_unwritten.columns = m->pattern.columns;
        m->of_unwritten.what = m->pattern.what;
        lab_pattern_note(&m->of_unwritten, wrong.row, wrong.column);
        if (m->unwritten++ == 0)
            m->first_unwritten = wrong;
    } else if (isnan(wrong.got)) {
        if (m->nans++ == 0)
            m->first_nan = wrong;
    } else if (!(error <= m->worst)) {
        m->worst = error;
    }
    if (isfinite(scale) && scale > m->scale)
        m->scale = scale;
}

const struct lab_mismatch *lab_mismatch_shown(const struct lab_mismatches *m)
{
    return m->unwritten ? &m->first_unwritten : m->nans ? &m->first_nan : &m->first;
}

/* --- comparison --------------------------------------------------------------------------------*/

/* Largest error of a piece without a wrong element; -1 as soon as there may be one. It has no
 * branches, so that the compiler vectorises it. */
#define QUICK_ERROR(name, number, magnitude)                                                       \
    static double name(const number *expected, const number *got, size_t count, number tolerance)  \
    {                                                                                              \
        number worst = 0;                                                                          \
        int doubtful = 0;                                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            const number error = magnitude(got[i] - expected[i]);                                  \
            doubtful |= !(error <= tolerance);                                                     \
            worst = error > worst ? error : worst;                                                 \
        }                                                                                          \
        return doubtful ? -1.0 : (double)worst;                                                    \
    }
QUICK_ERROR(quick_error, float, fabsf)
QUICK_ERROR(quick_error_of_doubles, double, fabs)

/* A NaN that the inputs bring is right if it is one; negated, it has the bits of the poison. */
static void compare_one(struct lab_comparison *c, size_t index, double expected, double got,
                        bool is_poison)
{
    const bool is_special = !isfinite(expected) || isinf(got);
    const double error = fabs(got - expected);
    const bool is_right = isnan(expected) ? isnan(got)
                          : is_special    ? got == expected
                          : c->has_signs && got == 0.0 && expected == 0.0
                              ? signbit(got) == signbit(expected)
                              : error <= c->tolerance;
    c->mismatches.pattern.rows = c->rows;
    c->mismatches.pattern.columns = c->columns;
    if (!is_right)
        lab_mismatch_note(
            &c->mismatches,
            (struct lab_mismatch){index / c->columns, index % c->columns, expected, got},
            fabs(expected), is_poison);
    if (!is_special && error > c->max_error)
        c->max_error = error;
}

enum { PIECE = 4096 }; /* elements that are compared fast together, or else one by one */

/* Keeps the values, in which right ones may be found in wrong places. */
static void keep(struct lab_comparison *c, const char *expected, const char *got, size_t count)
{
    const size_t all = c->rows * c->columns, each = lab_element_bytes(c->element);
    if ((c->rows < 2 && !c->is_vector) || all > LAB_COMPARISON_KEEPS || c->at + count > all)
        return;
    if (!c->expected && (c->expected = calloc(2 * all, sizeof *c->expected)))
        c->got = c->expected + all;
    for (size_t i = 0; i < count && c->expected; i++) {
        c->expected[c->at + i] = lab_element_value(c->element, expected + i * each);
        c->got[c->at + i] = lab_element_value(c->element, got + i * each);
    }
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
            c->has_signs && memcmp(of_piece, got_of_piece, piece * each) != 0 ? -1.0
            : c->element == LAB_ELEMENT_F64
                ? quick_error_of_doubles(of_piece, got_of_piece, piece, c->tolerance)
                : quick_error(of_piece, got_of_piece, piece, (float)c->tolerance);
        if (worst >= 0.0)
            c->max_error = worst > c->max_error ? worst : c->max_error;
        else
            for (size_t i = done; i < done + piece; i++)
                compare_one(c, c->at + i, lab_element_value(c->element, expected + i * each),
                            lab_element_value(c->element, got + i * each),
                            lab_element_is_poison(c->element, got + i * each));
        done += piece;
    }
    keep(c, expected, got, count);
    c->at += count;
    c->seen += count;
}

void lab_comparison_end(struct lab_comparison *c)
{
    free(c->expected);
    c->expected = c->got = NULL;
}
