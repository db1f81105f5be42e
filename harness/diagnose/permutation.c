/* Rows, columns or tiles that hold what belongs to others. A right sum in the wrong place was
 * computed right: the index of the output is wrong, or the index of all that went into the sum. */
#include "diagnose/hypothesis.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 4096, LEAST_RUN = 4, LARGEST_TILE = 64, LEAST_TILE = 8 };

/* Whether a place holds what belongs in another one, which may be no number. */
static bool is_near(const struct lab_compared *m, size_t place, size_t of_place)
{
    const double got = m->got[place], belongs = m->expected[of_place];
    return isfinite(belongs) ? fabs(got - belongs) <= 2.0 * m->tolerance
           : isnan(belongs)  ? isnan(got)
                             : got == belongs;
}

static bool holds(const struct lab_compared *m, size_t row, size_t column, size_t of_row,
                  size_t of_column)
{
    return is_near(m, row * m->columns + column, of_row * m->columns + of_column);
}

static bool is_right(const struct lab_compared *m, size_t row, size_t column)
{
    return holds(m, row, column, row, column);
}

/* Names the other indices that exchange row and column as the output's own index does. */
static void name_inputs(const struct lab_compared *m, char *text, size_t size)
{
    if (m->row_of && m->column_of)
        snprintf(text, size, "those of a thread where %s and %s, or their tiles, are read",
                 m->row_of, m->column_of);
    else
        snprintf(text, size, "in that of the tile, or of the input, where it is filled or read");
}

/* Says so if the matrix is transposed, or stored column by column in place of row by row. */
static bool say_transposed(const struct lab_compared *m, char *text, size_t size)
{
    bool is_so = m->rows > 1 && m->columns > 1 && m->rows * m->columns > LEAST_RUN;
    for (size_t i = 0; is_so && i < m->rows * m->columns; i++)
        is_so = holds(m, i / m->columns, i % m->columns, i % m->rows, i / m->rows);
    if (is_so && m->rows == m->columns) {
        char inputs[100];
        name_inputs(m, inputs, sizeof inputs);
        snprintf(text, size,
                 "each element holds what belongs in its transposed place: row and column are "
                 "exchanged in %s's index, or %s",
                 m->name, inputs);
    } else if (is_so && m->row_of) {
        snprintf(text, size,
                 "the values are right and stand one column after the other: %s's index is row * "
                 "columns + column",
                 m->name);
    } else if (is_so) {
        snprintf(text, size,
                 "the values are right and stand one column after the other: an index is row * "
                 "columns + column, in %s's own rows and columns and in the input's own",
                 m->name);
    }
    return is_so;
}

/* --- rows and columns --------------------------------------------------------------------------*/

/* The rows of a matrix, or its columns. */
struct lines {
    const struct lab_compared *m;
    const char *what, *of; /* "row"; input that they come of, or NULL */
    size_t count, length;
    size_t apart, step; /* in memory: lines, and elements of a line */
};

static bool line_holds(const struct lines *l, size_t line, size_t of_line)
{
    size_t i = 0;
    while (i < l->length &&
           is_near(l->m, line * l->apart + i * l->step, of_line * l->apart + i * l->step))
        i++;
    return i == l->length;
}

static size_t line_held(const struct lines *l, size_t line)
{
    size_t of_line = 0;
    while (of_line < l->count && !line_holds(l, line, of_line))
        of_line++;
    return of_line;
}

/* Whether nobody has written a line. */
static bool is_blank(const struct lines *l, size_t line)
{
    size_t i = 0;
    while (i < l->length && isnan(l->m->got[line * l->apart + i * l->step]))
        i++;
    return i == l->length;
}

/* What was found in lines that hold what belongs to others. */
struct found {
    size_t wrong, blank, first, source; /* first: of the wrong ones; source: whose it holds */
    size_t distance;                    /* of the last but one from its own; modulo the lines */
    size_t before;                      /* of the last one */
    size_t changes, changed_at;         /* where it is not as far as the one before: how many */
    size_t after;                       /* how many lie before theirs */
    size_t last, last_source;           /* of the wrong ones */
    size_t nearest, farthest;           /* of theirs, if all lie before them; else SIZE_MAX */
    bool is_copied;                     /* some lines are there twice */
    size_t kept;                        /* whose lines stand in their own place, too */
};

static void note_distance(struct found *seen, size_t line, size_t held)
{
    const size_t back = held < line ? line - held : SIZE_MAX;
    seen->after += held > line;
    if (seen->wrong == 1 || back < seen->nearest)
        seen->nearest = back;
    if (seen->wrong == 1 || back > seen->farthest)
        seen->farthest = back;
}

/* False if a line holds no line's values. */
static bool look_at_lines(const struct lines *l, struct found *seen)
{
    size_t times[MOST_LINES] = {0};
    *seen = (struct found){0};
    for (size_t line = 0; line < l->count; line++) {
        const bool is_right = line_holds(l, line, line);
        if (!is_right && is_blank(l, line)) {
            seen->blank++;
            continue;
        }
        const size_t held = is_right ? line : line_held(l, line);
        if (held == l->count)
            return false;
        seen->is_copied |= times[held]++ > 0;
        if (is_right)
            continue;
        seen->kept += line_holds(l, held, held);
        if (seen->wrong++ == 0)
            seen->first = line, seen->source = held;
        const size_t distance = (held + l->count - line) % l->count; /* the ends may wrap around */
        if (seen->wrong > 1 && distance != seen->before)
            seen->changes++, seen->changed_at = seen->wrong;
        seen->distance = seen->before;
        seen->before = distance;
        seen->last = line, seen->last_source = held;
        note_distance(seen, line, held);
    }
    return seen->wrong > 0;
}

/* A sum that is there twice takes in another line's input, or is stored in two places. A sum that
 * is stored elsewhere, and leaves its own place blank, is stored with a wrong index. */
static void say_where_to_look(const struct lines *l, const struct found *seen, char *text,
                              size_t size)
{
    char input[64] = "what goes into it";
    if (l->of)
        snprintf(input, sizeof input, "the %s of %s that is loaded or read for it", l->what, l->of);
    if (seen->is_copied && !seen->blank)
        snprintf(text, size, "%s; look at %s, and at which sum is stored there",
                 seen->kept == seen->wrong
                     ? "stand in their own place, too: they are computed, or stored, twice"
                     : "some are there twice, others nowhere",
                 input);
    else
        snprintf(text, size, "stand elsewhere%s; look at the %s in %s's index%s%s",
                 seen->blank ? ", and others stay empty" : "", l->what, l->m->name,
                 seen->blank ? "" : ", and at ", seen->blank ? "" : input);
}

/* Whether a line holds what belongs behind the last one: nothing, or 0. */
static bool is_from_behind(const struct lines *l, size_t line)
{
    size_t i = 0;
    while (i < l->length && l->m->got[line * l->apart + i * l->step] == 0.0)
        i++;
    return i == l->length || is_blank(l, line);
}

/* Line `apart` * j + i of a tile, where line `side` * i + j belongs. */
static size_t dealt(size_t line, size_t tile, size_t side)
{
    const size_t within = line % tile;
    return line - within + within % side * (tile / side) + within / side;
}

/* Says so if a thread's values are neighbours where sums are computed, and lie apart where they are
 * stored, or the other way round. */
static bool say_dealt(const struct lines *l, char *text, size_t size)
{
    enum { LARGEST = 128 };
    for (size_t tile = LEAST_TILE; tile <= LARGEST; tile *= 2)
        for (size_t side = 2; side < tile; side *= 2) {
            size_t line = 0, wrong = 0;
            for (; line < l->count; line++) {
                const size_t held = dealt(line, tile, side);
                if (held < l->count ? !line_holds(l, line, held)
                                    : !is_from_behind(l, line) && !line_holds(l, line, line))
                    break;
                wrong += held < l->count && !line_holds(l, line, line);
            }
            if (line < l->count || wrong < LEAST_RUN)
                continue;
            snprintf(text, size,
                     "in each tile of %zu %ss, %s %zu * i + j holds what belongs in i + %zu * j: "
                     "which %ss does a thread have? They are neighbours in one place, where they "
                     "are read or stored, and %zu apart in the other",
                     tile, l->what, l->what, tile / side, side, l->what,
                     side > tile / side ? side : tile / side);
            return true;
        }
    return false;
}

/* How far apart a thread's values are taken, and how far apart they belong: value q of a thread
 * lies q times the difference from its place. Of two powers of two no other pair has that
 * difference. False: two values, at least, do not show it. */
static bool find_strides(const struct lines *l, const struct found *seen, size_t *here,
                         size_t *there)
{
    enum { MOST_VALUES = 16, LARGEST = 128 };
    const size_t by = seen->nearest;
    bool is_so = by < SIZE_MAX && seen->farthest < SIZE_MAX && seen->farthest > by &&
                 seen->farthest / by < MOST_VALUES;
    for (size_t line = 0; is_so && line < l->count; line++) {
        const size_t held =
            line_holds(l, line, line) || is_blank(l, line) ? line : line_held(l, line);
        is_so = (line - held) % by == 0;
    }
    for (*there = 1; is_so && *there <= LARGEST; *there *= 2)
        for (*here = 2 * *there; *here <= LARGEST; *here *= 2)
            if (*here - *there == by)
                return true;
    return false;
}

static bool say_lines(const struct lines *l, char *text, size_t size)
{
    struct found seen;
    char look[500];
    size_t here, there;
    if (l->length >= LEAST_RUN && l->count <= MOST_LINES && say_dealt(l, text, size))
        return true;
    if (l->length < LEAST_RUN || l->count > MOST_LINES || !look_at_lines(l, &seen))
        return false;
    const bool is_after = 2 * seen.after > seen.wrong;
    const size_t apart = is_after ? seen.distance : l->count - seen.distance;
    say_where_to_look(l, &seen, look, sizeof look);
    if (seen.blank && find_strides(l, &seen, &here, &there))
        snprintf(look + strlen(look), sizeof look - strlen(look),
                 ": is it of a thread's own values, which are %zu apart there, and %zu apart where "
                 "they are computed?",
                 here, there);
    /* one line may be unlike the others, at an end */
    const bool is_first = seen.changes == 1 && seen.changed_at == 2;
    const bool is_last = seen.changes == 1 && seen.changed_at == seen.wrong;
    char but[160] = "";
    if (is_first || is_last)
        snprintf(but, sizeof but, ", but for %s %zu, which holds what belongs in %zu", l->what,
                 is_first ? seen.first : seen.last, is_first ? seen.source : seen.last_source);
    if (seen.wrong < LEAST_RUN || (seen.changes > 0 && !is_first && !is_last))
        snprintf(text, size, "%s %zu holds what belongs in %s %zu%s: the values are right and %s",
                 l->what, seen.first, l->what, seen.source,
                 seen.wrong > 1 ? ", and the others likewise" : "", look);
    else
        snprintf(text, size,
                 "each of these %ss holds what belongs %zu %s%s %s it%s: the values are right and "
                 "%s",
                 l->what, apart, l->what, apart == 1 ? "" : "s", is_after ? "after" : "before", but,
                 look);
    return true;
}

/* --- tiles -------------------------------------------------------------------------------------*/

/* Whether all of a tile, given by its first row and column, holds what belongs in another tile. */
static bool tile_holds(const struct lab_compared *m, size_t side, size_t row, size_t column,
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

static bool find_tile(const struct lab_compared *m, size_t side, size_t row, size_t column,
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

static bool say_turned(const struct lab_compared *m, size_t side, char *text, size_t size)
{
    char inputs[100];
    for (size_t row = 0; row + side <= m->rows; row += side)
        for (size_t column = 0; column + side <= m->columns; column += side)
            if (!tile_holds(m, side, row, column, row, column, true))
                return false;
    name_inputs(m, inputs, sizeof inputs);
    snprintf(text, size,
             "each tile of %zu x %zu is transposed in its place: row and column within the tile "
             "are exchanged in %s's index, or %s",
             side, side, m->name, inputs);
    return true;
}

/* Whether all elements of tiles hold what belongs where their parts, of `side` by `side`, are
 * transposed. What belongs outside of the matrix is 0, or was never written. */
static bool are_parts_turned(const struct lab_compared *m, size_t tile, size_t side)
{
    size_t moved = 0, wrong = 0;
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        const size_t row = i / m->columns, column = i % m->columns;
        const size_t of_row = row - row % tile + column % tile / side * side + row % side;
        const size_t of_column = column - column % tile + row % tile / side * side + column % side;
        const bool is_inside = of_row < m->rows && of_column < m->columns;
        const double got = m->got[i];
        if (is_inside ? !holds(m, row, column, of_row, of_column)
                      : !isnan(got) && !(fabs(got) <= 2.0 * m->tolerance))
            return false;
        wrong += !is_right(m, row, column);
        moved += is_inside && !is_right(m, row, column);
    }
    return moved >= LEAST_RUN && moved * 4 >= wrong;
}

static bool say_tiles(const struct lab_compared *m, size_t side, char *text, size_t size)
{
    size_t wrong = 0, kept = 0, first[2] = {0, 0}, source[2] = {0, 0}, at[2];
    bool may_be_parts = false;
    char look[200];
    for (size_t tile = 2 * side; tile <= LARGEST_TILE; tile *= 2)
        may_be_parts |= are_parts_turned(m, tile, side);
    for (size_t row = 0; row < m->rows; row += side)
        for (size_t column = 0; column < m->columns; column += side) {
            if (tile_holds(m, side, row, column, row, column, false))
                continue;
            if (!find_tile(m, side, row, column, &at[0], &at[1]))
                return false;
            kept += tile_holds(m, side, at[0], at[1], at[0], at[1], false);
            if (wrong++ == 0)
                first[0] = row, first[1] = column, source[0] = at[0], source[1] = at[1];
        }
    if (kept == wrong)
        snprintf(look, sizeof look,
                 "in their own place, too: they are computed, or stored, twice; look at where a "
                 "tile of %s begins that is loaded, and at which tile is stored",
                 m->row_of ? "an input" : "the input");
    else
        snprintf(look, sizeof look, "elsewhere; look at the block's part of %s's index%s", m->name,
                 may_be_parts ? ", or at the two indices of a thread's values, such as sum[r][q]"
                              : "");
    snprintf(text, size,
             "the tile of %zu x %zu at %s[%zu][%zu] holds what belongs in the one at %s[%zu][%zu]"
             "%s: the sums are right and stand %s",
             side, side, m->name, first[0], first[1], m->name, source[0], source[1],
             wrong > 1 ? ", and others likewise" : "", look);
    return wrong > 0;
}

/* `most`: a matrix of one tile alone does not tell a thread's values from blocks. */
static bool say_parts(const struct lab_compared *m, size_t most, char *text, size_t size)
{
    enum { LEAST = 4 };
    for (size_t tile = LEAST; tile <= most; tile *= 2)
        for (size_t side = tile == LEAST ? 1 : 2; side < tile; side *= 2)
            if (are_parts_turned(m, tile, side)) {
                snprintf(text, size,
                         "in each tile of %zu x %zu what belongs in row %zu * r, column %zu * q, "
                         "and the %s there, stands in row %zu * q, column %zu * r: are the two "
                         "indices of a thread's values, such as sum[r][q], exchanged where they "
                         "are stored, or where they are added up?",
                         tile, tile, side, side, side > 1 ? "part" : "value", side, side);
                return true;
            }
    return false;
}

/* Whether an element holds a value of its tile's same row, or of its tile's same column. */
static bool is_in_line(const struct lab_compared *m, bool is_row, size_t side, size_t row,
                       size_t column)
{
    const size_t first = (is_row ? column : row) / side * side;
    const size_t count = is_row ? m->columns : m->rows;
    for (size_t i = first; i < first + side && i < count; i++)
        if (is_row ? holds(m, row, column, row, i) : holds(m, row, column, i, column))
            return true;
    return false;
}

/* How many elements of an element's row, or column, of its tile hold what belongs in its place. */
static size_t count_holding(const struct lab_compared *m, bool is_row, size_t side, size_t row,
                            size_t column)
{
    const size_t first = (is_row ? column : row) / side * side;
    const size_t count = is_row ? m->columns : m->rows;
    size_t found = 0;
    for (size_t i = first; i < first + side && i < count; i++)
        found += is_row ? holds(m, row, i, row, column) : holds(m, i, column, row, column);
    return found;
}

/* Says so if each row, or column, of a tile has its own elements in another order. Whole lines that
 * are moved have been told before. What is there several times, or not at all, is no order. */
static bool say_within(const struct lab_compared *m, bool is_row, size_t side, char *text,
                       size_t size)
{
    size_t wrong = 0;
    for (size_t row = 0; row < m->rows; row++)
        for (size_t column = 0; column < m->columns; column++) {
            if (!is_in_line(m, is_row, side, row, column) ||
                count_holding(m, is_row, side, row, column) == 0)
                return false;
            wrong += !is_right(m, row, column);
        }
    if (wrong * 4 < m->rows * m->columns) /* few may be so by chance */
        return false;
    snprintf(text, size,
             "in each tile of %zu x %zu the elements of a %s of %s are those that belong there, in "
             "another order: the tile is read in another order than it was filled in; look at the "
             "place in the tile, swizzled or padded, of each store and each load; or the parts of "
             "a vector change places",
             side, side, is_row ? "row" : "column", m->name);
    return true;
}

/* --- vectors -----------------------------------------------------------------------------------*/

/* Which element's value an element of a vector holds. */
enum vector_source { AGAIN, REVERSED, AWAY, SOURCES };

static size_t source_of(enum vector_source source, size_t i, size_t count, size_t by)
{
    return source == AGAIN ? i % by : source == REVERSED ? count - 1 - i : i + by;
}

/* Whether all elements that are wrong hold the value of another by one rule; those that nobody
 * wrote hold none. */
static bool all_hold(const struct lab_compared *m, enum vector_source source, size_t by)
{
    for (size_t i = 0; i < m->columns; i++) {
        const size_t of = source_of(source, i, m->columns, by);
        if (!is_near(m, i, i) && !isnan(m->got[i]) && !(of < m->columns && is_near(m, i, of)))
            return false;
    }
    return true;
}

/* Only if nothing is rounded: then hardly any two elements are alike. */
static bool say_vector(const struct lab_compared *m, char *text, size_t size)
{
    size_t first = 0, of = 0, wrong = 0;
    for (size_t i = 0; i < m->columns; i++)
        wrong += !is_near(m, i, i) && !isnan(m->got[i]);
    while (first < m->columns && (is_near(m, first, first) || isnan(m->got[first])))
        first++;
    while (first < m->columns && of < m->columns && !is_near(m, first, of))
        of++;
    if (m->tolerance > 0.0 || first >= m->columns || of >= m->columns)
        return false;
    if (first > 0 && of == 0 && wrong > 3 && all_hold(m, AGAIN, first))
        snprintf(text, size,
                 "the first %zu elements are there again and again: does the index of what is read "
                 "leave out the block, or the step of the loop?",
                 first);
    else if (all_hold(m, AWAY, of - first)) /* modulo 2^64 if it lies before */
        snprintf(text, size,
                 "%s[%zu] holds what belongs in %s[%zu], and so on: the index of what is read and "
                 "that of what is written are %zu apart",
                 m->name, first, m->name, of, of > first ? of - first : first - of);
    else if (all_hold(m, REVERSED, 0))
        snprintf(text, size,
                 "each holds what belongs as far from the other end: the order is "
                 "reversed");
    else
        return false;
    return true;
}

bool lab_permutation_say(const struct lab_compared *m, char *text, size_t size)
{
    if (m->rows == 1 && m->columns > LEAST_RUN)
        return say_vector(m, text, size);
    if (m->rows < 2 || m->columns < 2)
        return false;
    const struct lines rows = {m, "row", m->row_of, m->rows, m->columns, m->columns, 1};
    const struct lines columns = {m, "column", m->column_of, m->columns, m->rows, 1, m->columns};
    if (say_transposed(m, text, size) || say_lines(&rows, text, size) ||
        say_lines(&columns, text, size))
        return true;
    if (m->rows * m->columns > LARGEST_TILE * LARGEST_TILE &&
        say_parts(m, LARGEST_TILE, text, size))
        return true;
    for (size_t side = LARGEST_TILE; side >= LEAST_TILE; side /= 2)
        if (side < m->rows && side < m->columns &&
            (say_turned(m, side, text, size) || say_tiles(m, side, text, size)))
            return true;
    if (say_parts(m, 2 * LARGEST_TILE, text, size))
        return true;
    for (size_t side = LEAST_TILE; side <= LARGEST_TILE; side *= 2)
        if (side <= m->rows && side <= m->columns &&
            (say_within(m, true, side, text, size) || say_within(m, false, side, text, size)))
            return true;
    return false;
}
