/* Rows, columns or tiles that hold what belongs to others. A sum that is right in the wrong place
 * was computed right: the index of the output is wrong, or that of all that went into it. */
#include "families/moved.h"

#include <math.h>
#include <stdio.h>

enum { MOST = LAB_MOVED_MOST, LEAST_RUN = 4, LARGEST_TILE = 64, LEAST_TILE = 8 };

static double expected[MOST], got[MOST];

struct matrix {
    const char *name;
    size_t rows, columns;
    double tolerance;
};

void lab_moved_keep(size_t index, double is_expected, double is_got)
{
    expected[index] = is_expected;
    got[index] = is_got;
}

static bool holds(const struct matrix *m, size_t row, size_t column, size_t of_row,
                  size_t of_column)
{
    const double is = got[row * m->columns + column];
    return fabs(is - expected[of_row * m->columns + of_column]) <= 2.0 * m->tolerance;
}

static bool is_right(const struct matrix *m, size_t row, size_t column)
{
    return holds(m, row, column, row, column);
}

/* Stored one column behind the other, in place of one row behind the other. */
static bool say_transposed(const struct matrix *m, char *text, size_t size)
{
    bool is_so = m->rows >= LEAST_RUN && m->columns >= LEAST_RUN;
    for (size_t i = 0; is_so && i < m->rows * m->columns; i++)
        is_so = holds(m, i / m->columns, i % m->columns, i % m->rows, i / m->rows);
    if (is_so)
        snprintf(text, size,
                 m->rows == m->columns
                     ? "each element holds what belongs in its transposed place: row and column of "
                       "%s's index are exchanged"
                     : "the values are right and stand one column behind the other: %s's index is "
                       "row * columns + column",
                 m->name);
    return is_so;
}

/* --- rows and columns --------------------------------------------------------------------------*/

/* Line i is row i, or column i where lines are columns. */
static bool line_holds(const struct matrix *m, bool is_row, size_t line, size_t of_line)
{
    const size_t length = is_row ? m->columns : m->rows;
    for (size_t i = 0; i < length; i++)
        if (!(is_row ? holds(m, line, i, of_line, i) : holds(m, i, line, i, of_line)))
            return false;
    return true;
}

static size_t line_held(const struct matrix *m, bool is_row, size_t line)
{
    const size_t count = is_row ? m->rows : m->columns;
    for (size_t of_line = 0; of_line < count; of_line++)
        if (line_holds(m, is_row, line, of_line))
            return of_line;
    return count;
}

static bool say_lines(const struct matrix *m, bool is_row, char *text, size_t size)
{
    const size_t count = is_row ? m->rows : m->columns, length = is_row ? m->columns : m->rows;
    const char *const what = is_row ? "row" : "column";
    size_t wrong = 0, first = 0, source = 0, alike = 0, before = 0;
    for (size_t line = 0; length >= LEAST_RUN && line < count; line++) {
        if (line_holds(m, is_row, line, line))
            continue;
        const size_t held = line_held(m, is_row, line);
        if (held == count)
            return false;
        if (wrong++ == 0)
            first = line, source = held;
        alike += wrong > 1 && held - line == before;
        before = held - line;
    }
    if (wrong == 0)
        return false;
    if (wrong < LEAST_RUN || alike + 2 < wrong) /* the first or the last may come round */
        snprintf(text, size,
                 "%s %zu holds what belongs in %s %zu%s: the values are right and stand elsewhere; "
                 "look at the %s in %s's index",
                 what, first, what, source, wrong > 1 ? ", and the others likewise" : "", what,
                 m->name);
    else
        snprintf(text, size,
                 "each of these %ss holds what belongs %zu %s%s %s it: the values are right and "
                 "are shifted; look at the %s in %s's index",
                 what, before < count ? before : -before, what,
                 before == 1 || before == (size_t)-1 ? "" : "s",
                 before < count ? "behind" : "before", what, m->name);
    return true;
}

/* --- tiles -------------------------------------------------------------------------------------*/

/* Whether all of a tile, by its first row and column, holds what belongs in another one. */
static bool tile_holds(const struct matrix *m, size_t side, size_t row, size_t column,
                       size_t of_row, size_t of_column, bool is_turned)
{
    for (size_t i = 0; i < side && row + i < m->rows; i++)
        for (size_t j = 0; j < side && column + j < m->columns; j++) {
            const size_t from_row = of_row + (is_turned ? j : i);
            const size_t from_column = of_column + (is_turned ? i : j);
            if (from_row >= m->rows || from_column >= m->columns ||
                !holds(m, row + i, column + j, from_row, from_column))
                return false;
        }
    return true;
}

static bool tile_is_right(const struct matrix *m, size_t side, size_t row, size_t column)
{
    for (size_t i = row; i < row + side && i < m->rows; i++)
        for (size_t j = column; j < column + side && j < m->columns; j++)
            if (!is_right(m, i, j))
                return false;
    return true;
}

static bool find_tile(const struct matrix *m, size_t side, size_t row, size_t column,
                      size_t *of_row, size_t *of_column)
{
    for (size_t i = 0; i < m->rows; i += side)
        for (size_t j = 0; j < m->columns; j += side)
            if (tile_holds(m, side, row, column, i, j, false)) {
                *of_row = i;
                *of_column = j;
                return true;
            }
    return false;
}

static bool say_turned(const struct matrix *m, size_t side, char *text, size_t size)
{
    for (size_t row = 0; row + side <= m->rows; row += side)
        for (size_t column = 0; column + side <= m->columns; column += side)
            if (!tile_holds(m, side, row, column, row, column, true))
                return false;
    snprintf(text, size,
             "each tile of %zu x %zu is transposed in its place: row and column within the tile "
             "are exchanged in %s's index",
             side, side, m->name);
    return true;
}

static bool say_tiles(const struct matrix *m, size_t side, char *text, size_t size)
{
    size_t wrong = 0, first[2] = {0, 0}, source[2] = {0, 0}, at[2];
    for (size_t row = 0; row < m->rows; row += side)
        for (size_t column = 0; column < m->columns; column += side) {
            if (tile_is_right(m, side, row, column))
                continue;
            if (!find_tile(m, side, row, column, &at[0], &at[1]))
                return false;
            if (wrong++ == 0)
                first[0] = row, first[1] = column, source[0] = at[0], source[1] = at[1];
        }
    snprintf(text, size,
             "the tile of %zu x %zu at %s[%zu][%zu] holds what belongs in the one at %s[%zu][%zu]"
             "%s: the sums are right and stand elsewhere; look at the block's part of %s's index",
             side, side, m->name, first[0], first[1], m->name, source[0], source[1],
             wrong > 1 ? ", and others likewise" : "", m->name);
    return wrong > 0;
}

bool lab_moved_say(const char *name, size_t rows, size_t columns, size_t counted, double tolerance,
                   char *text, size_t size)
{
    const struct matrix m = {name, rows, columns, tolerance};
    text[0] = '\0';
    if (rows < 2 || columns < 2 || counted != rows * columns || counted > MOST)
        return false;
    if (say_transposed(&m, text, size) || say_lines(&m, true, text, size) ||
        say_lines(&m, false, text, size))
        return true;
    for (size_t side = LARGEST_TILE; side >= LEAST_TILE; side /= 2)
        if (side < rows && side < columns &&
            (say_turned(&m, side, text, size) || say_tiles(&m, side, text, size)))
            return true;
    text[0] = '\0';
    return false;
}
