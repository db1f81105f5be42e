/* Shapes of wrong elements. They are counted by row and column modulo a power of two, since tiles,
 * vectors and the values of a thread repeat with such a period. */
#include "diagnose/pattern.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_TILE = 8, NOT_AT_EDGE_ABOVE = 32, VECTOR = 4 };

static bool is_at_edge(size_t index, size_t count, size_t tile)
{
    return count > tile && index >= count / tile * tile;
}

static void note_side(struct lab_pattern_side *side, size_t index, bool is_first)
{
    if (is_first || index < side->first)
        side->first = index;
    if (is_first || index > side->last)
        side->last = index;
    side->residues[index % LAB_PATTERN_PERIOD]++;
}

/* One cell for each index, if there are enough cells. */
static size_t cell_of(size_t index, size_t count)
{
    const size_t cell = count <= LAB_PATTERN_CELLS ? index : index * LAB_PATTERN_CELLS / count;
    return cell < LAB_PATTERN_CELLS ? cell : LAB_PATTERN_CELLS - 1;
}

/* Whether an element is in a whole vector: 4 elements of a row that begin where a vector may. */
static bool is_in_vector(const struct lab_pattern *p, size_t row, size_t column)
{
    const size_t first = column / VECTOR * VECTOR;
    return first + VECTOR <= p->columns && (row * p->columns + first) % VECTOR == 0;
}

void lab_pattern_note(struct lab_pattern *p, size_t row, size_t column)
{
    const size_t place = row * p->columns + column;
    if (p->wrong == 0 || place < p->first_place)
        p->first_place = place;
    if (p->wrong == 0 || place > p->last_place)
        p->last_place = place;
    p->places[place % LAB_PATTERN_BLOCK]++;
    p->in_vectors += p->columns > 0 && is_in_vector(p, row, column);
    note_side(&p->row, row, p->wrong == 0);
    note_side(&p->column, column, p->wrong == 0);
    for (int i = 0; i < LAB_PATTERN_TILES; i++) {
        const size_t tile = (size_t)LEAST_TILE << i;
        const bool in_rows = is_at_edge(row, p->rows, tile);
        const bool in_columns = is_at_edge(column, p->columns, tile);
        p->row.at_edge[i] += in_rows;
        p->column.at_edge[i] += in_columns;
        p->either_edge[i] += in_rows || in_columns;
        p->on_tiles[i] += row / tile == column / tile;
    }
    p->cells[cell_of(row, p->rows)][cell_of(column, p->columns)]++;
    p->on_diagonal += row == column;
    p->below += row > column;
    p->wrong++;
}

/* The word for an index along a row, which is the only index of a vector. */
static const char *one_across(const struct lab_pattern *p)
{
    return p->what ? p->what : p->rows > 1 ? "column" : "element";
}

/* --- the edge ----------------------------------------------------------------------------------*/

/* A part of the matrix that happens to lie past the last whole tile is no edge. So with large tiles
 * the wrong elements must reach the last row or column. */
static bool reaches_end(const struct lab_pattern *p, int i)
{
    return (LEAST_TILE << i) <= NOT_AT_EDGE_ABOVE ||
           (p->row.at_edge[i] && p->row.last + 1 == p->rows) ||
           (p->column.at_edge[i] && p->column.last + 1 == p->columns);
}

static size_t extent(const struct lab_pattern_side *side)
{
    return side->last - side->first + 1;
}

/* Wrong elements at an edge go along much of it; in a corner some other index ends. */
static bool goes_along(const struct lab_pattern_side *side, size_t count)
{
    return 2 * extent(side) >= count;
}

/* Whether these may be all blocks but the first: they begin where the second block does, and the
 * matrix ends within it. */
static bool is_second_block(const struct lab_pattern_side *side, size_t count)
{
    for (size_t tile = 2 * LEAST_TILE; tile < count; tile *= 2)
        if (side->first == tile && count < 2 * tile)
            return true;
    return false;
}

/* What usually goes wrong after the last whole tile; in a vector, which has no tiles, after the
 * last group of elements. */
static const char *cause_at_edge(const struct lab_pattern *p)
{
    if (p->rows > 1)
        return p->is_unwritten ? "does the grid cover sizes that the tile does not divide, with "
                                 "tiles counted as the kernel counts them?"
                               : "look at what happens where the tile does not divide the size";
    return p->is_unwritten ? "does anything take those after the last whole vector, warp or block?"
                           : "look at those after the last whole vector, warp or block";
}

/* For a vector: a part of what is after the last whole tile is wrong, but not its end. */
static bool say_before_end(const struct lab_pattern *p, char *text, size_t size)
{
    if (p->rows > 1 || p->column.last + 1 == p->columns || p->wrong != extent(&p->column) ||
        p->wrong < 2)
        return false;
    snprintf(text, size,
             "only %ss %zu to %zu, and those after are right: does a loop over whole vectors, "
             "warps or blocks take too large a step, or end too soon, as at a fixed number?",
             one_across(p), p->column.first, p->column.last);
    return true;
}

/* The same for wrong elements that begin earlier and end with the last whole vector, warp or
 * block. */
static bool say_up_to_rest(const struct lab_pattern *p, char *text, size_t size)
{
    for (size_t tile = VECTOR; p->is_unwritten && tile <= LAB_PATTERN_BLOCK; tile *= 2)
        if (p->column.first > 0 && p->column.last + 1 == p->columns / tile * tile)
            return say_before_end(p, text, size);
    return false;
}

/* For a vector: its last element alone. */
static bool say_last_element(const struct lab_pattern *p, char *text, size_t size)
{
    enum { WARP = 32 };
    const size_t last = p->columns - 1;
    if (!p->is_unwritten || p->rows > 1 || p->what || p->wrong > 1 || last == 0 ||
        p->column.first != last)
        return false;
    snprintf(text, size,
             "the last element alone: does a guard or a loop end one too soon, as by < "
             "n - 1?");
    if (last % VECTOR == 0)
        snprintf(
            text + strlen(text), size - strlen(text),
            " Or, if vectors of %d are stored, does anything take what is after the last whole "
            "one, and does that begin at element n / %d * %d, here %zu?",
            VECTOR, VECTOR, VECTOR, last);
    else
        snprintf(text + strlen(text), size - strlen(text),
                 " Or, if vectors of %d are stored, are all taken that are after the last whole "
                 "one, here %zu?",
                 VECTOR, last % VECTOR + 1);
    if (last % WARP == 0)
        snprintf(text + strlen(text), size - strlen(text),
                 " Or is a number of blocks rounded down, or made of another size?");
    return true;
}

/* For a vector: the first element after the last whole vector alone, and not the others there. */
static bool say_first_of_rest(const struct lab_pattern *p, char *text, size_t size)
{
    const size_t whole = p->columns / VECTOR * VECTOR;
    if (!p->is_unwritten || p->rows > 1 || p->what || p->wrong > 1 || whole == 0 ||
        p->column.first != whole || whole + 1 >= p->columns)
        return false;
    snprintf(text, size,
             "the first element after the last whole vector of %d alone, and those behind it are "
             "right: where do those begin that are taken one by one? It is to be n / %d * %d, "
             "here %zu",
             VECTOR, VECTOR, VECTOR, whole);
    return true;
}

/* For a vector: its first element alone. */
static bool say_first_element(const struct lab_pattern *p, char *text, size_t size)
{
    snprintf(text, size,
             "the first element alone: does an index begin one too high? Elements begin at 0");
    return p->is_unwritten && p->rows == 1 && !p->what && p->wrong == 1 && p->columns > 1 &&
           p->column.first == 0;
}

/* For a vector: all elements after a whole number of blocks, warps or vectors are unwritten, and no
 * others. */
static bool say_rest_of_blocks(const struct lab_pattern *p, char *text, size_t size)
{
    const size_t first = p->column.first, rest = p->columns - first;
    size_t block = LAB_PATTERN_BLOCK;
    if (!p->is_unwritten || p->rows > 1 || p->what || first == 0 || p->wrong != rest)
        return false;
    while (block >= VECTOR && first != p->columns / block * block)
        block /= 2;
    if (block < VECTOR)
        return false;
    if (rest < VECTOR)
        snprintf(text, size,
                 "only the last %zu, those after the last whole vector of %d: does anything take "
                 "them, one by one, from element n / %d * %d on, here %zu?",
                 rest, VECTOR, VECTOR, VECTOR, first);
    else
        snprintf(text, size,
                 "only the last %zu, all from element %zu on, a multiple of %zu: is a number of "
                 "blocks, or of iterations, rounded down, or made of another size?",
                 rest, first, block);
    return true;
}

/* Only the edge is wrong, and the matrix also has whole tiles, which are right. */
static bool say_edge(const struct lab_pattern *p, char *text, size_t size)
{
    for (int i = 0; i < LAB_PATTERN_TILES; i++) {
        if (p->either_edge[i] < p->wrong || !reaches_end(p, i))
            continue;
        const bool rows = p->row.at_edge[i] == p->wrong, columns = p->column.at_edge[i] == p->wrong;
        const bool either = p->rows > 1 && rows == columns;
        if (p->rows > 1 && !either &&
            !(rows ? goes_along(&p->column, p->columns) : goes_along(&p->row, p->rows)))
            continue;
        if (say_before_end(p, text, size))
            return true;
        const bool is_second =
            p->rows > 1 && ((rows && is_second_block(&p->row, p->rows)) ||
                            (columns && is_second_block(&p->column, p->columns)));
        snprintf(text, size, "only at the last %s%ss: %s%s%s", either ? "rows or " : "",
                 rows && !either ? "row" : one_across(p), cause_at_edge(p),
                 p->is_unwritten
                     ? ""
                     : ", and at what the last blocks, or iterations of a loop, do unlike the "
                       "first",
                 !is_second ? ""
                 : p->is_unwritten
                     ? " And does each thread store all of its values, or only the "
                       "first half of a tile's?"
                     : ", such as where a block's first row and column count; or are "
                       "these the second half of a tile, and of each thread's values?");
        return true;
    }
    return false;
}

/* The last row or column alone, which is no tile by itself and does not end a vector. */
static bool say_last(const struct lab_pattern *p, char *text, size_t size)
{
    const bool is_row = p->row.first + 1 == p->rows && p->wrong == p->columns;
    const bool is_column = p->column.first + 1 == p->columns && p->wrong == p->rows;
    const size_t at = is_row ? p->row.first : p->column.first;
    if (p->rows == 1 || p->columns == 1 || is_row == is_column || at % LEAST_TILE == 0 ||
        (at + 1) % VECTOR == 0)
        return false;
    snprintf(text, size, "only the last %s: does a guard, a count or a loop %s?",
             is_row ? "row" : "column",
             p->is_unwritten ? "end one too soon" : "end one too soon, or too late");
    return true;
}

/* Blocks take consecutive elements of memory, whatever their rows, and do not reach the end of
 * the matrix. */
static bool say_flat_end(const struct lab_pattern *p, char *text, size_t size)
{
    enum { LEAST = 16, WARP = 32 };
    if (!p->is_unwritten || p->wrong < LEAST || p->first_place < WARP ||
        (p->rows == 1 && p->first_place % LEAST_TILE == 0))
        return false;
    if (p->first_place % p->columns == 0 || p->last_place + 1 != p->rows * p->columns ||
        p->wrong != p->last_place - p->first_place + 1)
        return false;
    snprintf(text, size,
             "all from element %zu on in the order of memory, and none before: are there enough "
             "blocks, and does each begin where the one before it ends, at blockIdx.x times the "
             "threads of a block?",
             p->first_place);
    return true;
}

/* For a vector: as many elements are written as it has vectors, and perhaps those after the last
 * whole vector. If these are whole warps, there may also be threads for no more elements. */
static bool say_one_of_each_vector(const struct lab_pattern *p, char *text, size_t size)
{
    enum { LEAST = 8, WIDEST = 4, WARP = 32 };
    const size_t written = p->first_place, behind = p->last_place + 1;
    for (size_t width = 2; width <= WIDEST; width *= 2) {
        if (!p->is_unwritten || p->rows > 1 || p->what || written < LEAST ||
            written != p->columns / width || p->wrong != behind - written ||
            (behind != p->columns && behind != written * width))
            continue;
        snprintf(
            text, size,
            "%sn / %zu elements are written, the first %zu, one for each vector of %zu: does "
            "each iteration of the loop store all %zu elements of its vector, which begins at %zu "
            "times its index?",
            written % WARP ? "" : "are there threads, or iterations, for no more elements? Or, as ",
            width, written, width, width, width);
        return true;
    }
    return false;
}

/* All elements of whole vectors are wrong and no others, or the reverse: one branch is to blame. */
static bool say_vectors(const struct lab_pattern *p, char *text, size_t size)
{
    enum { LEAST = 4 * VECTOR };
    const size_t apart = p->columns % 2 ? 4 : 2; /* rows that begin at a multiple of 4 */
    const size_t in_all = ((p->rows - 1) / apart + 1) * (p->columns / VECTOR * VECTOR);
    const bool is_vectors = p->wrong == in_all && p->in_vectors == in_all;
    const bool is_rest =
        p->rows > apart && p->in_vectors == 0 && in_all > 0 && p->wrong + in_all == p->counted;
    if (p->columns % VECTOR == 0 || p->counted != p->rows * p->columns || p->wrong < LEAST ||
        (!is_vectors && !is_rest))
        return false;
    snprintf(text, size, "%s whole vectors of %d, at a multiple of %d elements in memory%s",
             is_vectors ? "only" : "all but the", VECTOR, VECTOR,
             !p->is_unwritten ? is_vectors
                                    ? ", and all of these: look at the branch that takes them"
                                    : ": look at the branch that takes the others"
             : is_vectors     ? ", and all of these: are vectors stored?"
                              : ": does anything store the others, one by one?");
    return true;
}

/* How many of the first `count` places have a remainder of at least `first` modulo a period. */
static size_t places_behind(size_t count, size_t period, size_t first)
{
    const size_t rest = count % period;
    return count / period * (period - first) + (rest > first ? rest - first : 0);
}

/* The end of each block's elements in memory, whatever their rows: all of these are wrong, and
 * nothing else. */
static bool say_flat_blocks(const struct lab_pattern *p, char *text, size_t size)
{
    enum { LEAST_BLOCK = 32 };
    const size_t count = p->rows * p->columns, first = p->first_place;
    for (size_t block = LEAST_BLOCK; p->is_unwritten && block <= LAB_PATTERN_BLOCK; block *= 2) {
        size_t behind = 0;
        if (first == 0 || first >= block || p->last_place < block + first ||
            p->columns % block == 0 || block % p->columns == 0 ||
            p->wrong != places_behind(count, block, first))
            continue;
        for (size_t i = 0; i < LAB_PATTERN_BLOCK; i++)
            behind += i % block >= first ? p->places[i] : 0;
        if (behind < p->wrong)
            continue;
        snprintf(
            text, size,
            "elements %zu to %zu of each %zu in the order of memory: has the block in the "
            "launch as many threads as the kernel counts for a block, and does each store all of "
            "its values?",
            first, block - 1, block);
        return true;
    }
    return false;
}

/* Adds a question to the text's own: before it, if the question fits this size alone; after it, if
 * a single line may as well be the last of a loop. */
static void ask(const char *question, bool is_first, char *text, size_t size)
{
    char before[400];
    const size_t place = strcspn(text, ":"), length = strlen(text);
    snprintf(before, sizeof before, "%s", text);
    if (!is_first)
        snprintf(text + length, size - length, " Or is %s", question);
    else if (before[place])
        snprintf(text + place, size - place, ": is %s Or%s", question, before + place + 1);
}

/* Whether this is where the rest after the last whole tile begins, which is missed more often. */
static bool is_first_of_rest(size_t first, size_t count)
{
    for (size_t tile = LEAST_TILE; tile <= LAB_PATTERN_PERIOD; tile *= 2)
        if (first == count / tile * tile)
            return true;
    return false;
}

/* If all from one row or column on are unwritten, and its number is the other size, or the size of
 * the other side's tiles, one size may have been taken for the other. */
static void ask_for_other_size(const struct lab_pattern *p, char *text, size_t size)
{
    char question[300];
    for (int in_columns = 0; p->rows > 1 && p->columns > 1 && in_columns < 2; in_columns++) {
        const struct lab_pattern_side *const side = in_columns ? &p->column : &p->row;
        const size_t count = in_columns ? p->columns : p->rows;
        const size_t other = in_columns ? p->rows : p->columns;
        size_t tile = 1;
        if (side->first == 0 || side->last + 1 < count || p->wrong != (count - side->first) * other)
            continue;
        while (tile <= LAB_PATTERN_PERIOD && (other + tile - 1) / tile * tile != side->first)
            tile *= tile == 1 ? LEAST_TILE : 2;
        if (tile > LAB_PATTERN_PERIOD)
            continue;
        snprintf(question, sizeof question,
                 "the number of %s, %zu, taken for that of %s, in an index, a guard or the number "
                 "of tiles%s?",
                 in_columns ? "rows" : "columns", other, in_columns ? "columns" : "rows",
                 tile > 1 ? ", or a block's / for its %, where it finds its tile" : "");
        ask(question, tile > 1 ? !is_first_of_rest(side->first, count) : side->last > side->first,
            text, size);
        return;
    }
}

/* --- where 16 bits end -------------------------------------------------------------------------*/

static bool is_all_from(const struct lab_pattern *p, const struct lab_pattern_side *side,
                        size_t count, size_t across)
{
    const bool ends = side->first == 1 << 15 || side->first == 1 << 16 ||
                      side->first == (1 << 16) - 1; /* the largest grid in y and z */
    return ends && count > side->first && p->wrong == (count - side->first) * across;
}

/* A large tile may end there, too. */
static bool say_wrap(const struct lab_pattern *p, char *text, size_t size)
{
    const bool rows = is_all_from(p, &p->row, p->rows, p->columns);
    char also[400];
    if (!rows && !is_all_from(p, &p->column, p->columns, p->rows))
        return false;
    const bool is_edge = say_edge(p, also, sizeof also);
    snprintf(text, size,
             "all from %s %zu on, and none before: an index of 16 bits ends there, such as a short "
             "or the y and z of a grid%s%s",
             rows ? "row" : one_across(p), rows ? p->row.first : p->column.first,
             !is_edge          ? ""
             : p->is_unwritten ? "; else, "
                               : "; else ",
             is_edge ? cause_at_edge(p) : "");
    return true;
}

/* --- where tiles begin -------------------------------------------------------------------------*/

/* If all rows, or columns, from one on are unwritten, which is where tiles would end if each began
 * one after the one before it: the side of these tiles; else 0. */
static size_t find_close_tiles(const struct lab_pattern *p, bool in_columns)
{
    const struct lab_pattern_side *const side = in_columns ? &p->column : &p->row;
    const size_t count = in_columns ? p->columns : p->rows;
    const size_t across = in_columns ? p->rows : p->columns;
    size_t tile = LEAST_TILE;
    if (!p->is_unwritten || p->counted != p->rows * p->columns || side->first == 0 ||
        p->wrong != (count - side->first) * across)
        return 0;
    while (tile < count && side->first != (count - 1) / tile + tile)
        tile *= 2;
    return tile < count ? tile : 0;
}

/* Other mistakes end where a multiple of a tile does: then this is one question of two. */
static bool say_close_tiles(const struct lab_pattern *p, char *text, size_t size)
{
    for (int in_columns = 0; in_columns < 2; in_columns++) {
        const size_t first = in_columns ? p->column.first : p->row.first;
        const size_t count = in_columns ? p->columns : p->rows;
        const size_t tile = find_close_tiles(p, in_columns);
        const char *const line = in_columns ? one_across(p) : "row";
        if (tile == 0 || first % LEAST_TILE == 0)
            continue;
        snprintf(text, size,
                 "only %ss %zu to %zu: %zu tiles of %zu end there if each begins one %s after the "
                 "one before it: is a block's number taken for its first %s, and not multiplied by "
                 "the %zu %ss of a tile?",
                 line, first, count - 1, (count - 1) / tile + 1, tile, line, line, tile, line);
        return true;
    }
    return false;
}

static void ask_for_close_tiles(const struct lab_pattern *p, char *text, size_t size)
{
    for (int in_columns = 0; p->rows > 1 && p->columns > 1 && in_columns < 2; in_columns++) {
        const size_t length = strlen(text), tile = find_close_tiles(p, in_columns);
        const size_t first = in_columns ? p->column.first : p->row.first;
        const char *const line = in_columns ? one_across(p) : "row";
        if (tile && first % LEAST_TILE == 0)
            snprintf(
                text + length, size - length,
                " Or is a block's number taken for its first %s, and not multiplied by the %zu "
                "%ss of a tile?",
                line, tile, line);
    }
}

/* --- rectangles --------------------------------------------------------------------------------*/

/* Whether this is the first or second half; the element in the middle may be of either. */
static bool is_half(const struct lab_pattern_side *side, size_t count)
{
    return count >= 4 && ((side->first == 0 && side->last + 1 >= count / 2 &&
                           side->last + 1 <= (count + 1) / 2) ||
                          (side->last + 1 == count && side->first >= count / 2 &&
                           side->first <= (count + 1) / 2));
}

static void name_range(const struct lab_pattern_side *side, const char *what, char *text,
                       size_t size)
{
    if (side->first == side->last)
        snprintf(text, size, "%s %zu", what, side->first);
    else
        snprintf(text, size, "%ss %zu to %zu", what, side->first, side->last);
}

/* Whether these are all rows, or columns, after the first tile's, however many they are. */
static bool is_all_behind_first(const struct lab_pattern *p)
{
    const bool in_rows = p->row.first > 0;
    const struct lab_pattern_side *const side = in_rows ? &p->row : &p->column;
    const size_t count = in_rows ? p->rows : p->columns;
    return p->row.first * p->column.first == 0 && side->first >= LEAST_TILE &&
           side->first % LEAST_TILE == 0 && side->last + 1 == count &&
           p->wrong == (count - side->first) * (in_rows ? p->columns : p->rows);
}

/* Most of a rectangle is wrong, which may be a single row or column. */
static bool say_part(const struct lab_pattern *p, char *text, size_t size)
{
    char rows[64], columns[64];
    const size_t height = extent(&p->row), width = extent(&p->column);
    const bool all_rows = height == p->rows, all_columns = width == p->columns;
    const bool is_quadrant = is_half(&p->row, p->rows) && is_half(&p->column, p->columns);
    if (p->wrong < 4 || p->wrong * 10 < height * width * 9 ||
        (p->wrong * 4 > p->counted * 3 && !is_all_behind_first(p)))
        return false;
    name_range(&p->row, "row", rows, sizeof rows);
    name_range(&p->column, one_across(p), columns, sizeof columns);
    if (all_rows || all_columns) {
        const struct lab_pattern_side *const side = all_rows ? &p->column : &p->row;
        const bool half = is_half(side, all_rows ? p->columns : p->rows);
        const bool of_tile = side->first >= LEAST_TILE && side->last + 1 == 2 * side->first &&
                             side->last + 1 < (all_rows ? p->columns : p->rows) &&
                             (side->first & (side->first - 1)) == 0;
        if (of_tile) {
            snprintf(text, size, "only in %s, the second half of a tile of %zu: %s",
                     all_rows ? columns : rows, 2 * side->first,
                     p->is_unwritten
                         ? "does each thread store all of its values, and is each thread there?"
                         : "is half of each thread's values left out, or half of the threads? "
                           "Look at the loops over them");
            return true;
        }
        snprintf(text, size, "only in %s%s: %s", all_rows ? columns : rows,
                 half ? ", one half" : "",
                 p->is_unwritten
                     ? "does each thread store all of its values, and is there a block, and in it "
                       "a thread, for these?"
                     : "look at the blocks and threads that compute these, and at their indices");
        return true;
    }
    snprintf(text, size, "only in %s of %s%s: %s", columns, rows,
             is_quadrant ? ", one quadrant" : ", one tile",
             is_quadrant && p->is_unwritten
                 ? "does the grid have blocks for it, or each thread a store for it?"
             : is_quadrant     ? "look at the half of the grid, or of each thread's values, that "
                                 "computes it"
             : p->is_unwritten ? "which block or warp leaves early, or is not there?"
                               : "look at what the block or warp there does unlike the others");
    return true;
}

/* Elements of one row or column, but not all of them: say_part() has told whole ones. */
static bool say_line(const struct lab_pattern *p, char *text, size_t size)
{
    const bool in_row = p->rows > 1 && extent(&p->row) == 1;
    if (!in_row && extent(&p->column) > 1)
        return false;
    snprintf(text, size, "only in %s %zu%s: look at how threads find their row and column",
             in_row ? "row" : "column", in_row ? p->row.first : p->column.first,
             p->wrong < (in_row ? p->columns : p->rows) ? ", but not all of it" : "");
    return true;
}

/* --- every p-th --------------------------------------------------------------------------------*/

/* Indices that repeat: those with `first` .. `first + width - 1` modulo the period. */
struct repetition {
    size_t period, first, width; /* period 1: all of them */
};

/* Whether something is wrong in every period that has all of these
 * residues. */
static bool is_in_each(const struct lab_pattern_side *side, size_t count, struct repetition r)
{
    const size_t end = count < LAB_PATTERN_PERIOD ? count : LAB_PATTERN_PERIOD;
    for (size_t at = r.first; at + r.width <= end; at += r.period) {
        bool occurs = false;
        for (size_t i = 0; i < r.width; i++)
            occurs |= side->residues[at + i] != 0;
        if (!occurs)
            return false;
    }
    return true;
}

/* Finds the residues modulo `period` that occur; false if they are not consecutive. */
static bool find_run(const struct lab_pattern_side *side, size_t period, struct repetition *found)
{
    bool occurs[LAB_PATTERN_PERIOD] = {false};
    size_t starts = 0, width = 0, first = 0;
    for (size_t i = 0; i < LAB_PATTERN_PERIOD; i++)
        occurs[i % period] |= side->residues[i] != 0;
    for (size_t i = 0; i < period; i++) {
        width += occurs[i];
        if (occurs[i] && !occurs[(i + period - 1) % period]) {
            first = i;
            starts++;
        }
    }
    *found = (struct repetition){period, first, width};
    return starts == 1;
}

/* The shortest period whose residues leave the fewest elements. It must show in two periods. */
static struct repetition find_repetition(const struct lab_pattern_side *side, size_t count)
{
    struct repetition best = {1, 0, 1}, next;
    for (size_t period = 2; period <= LAB_PATTERN_PERIOD && period + period / 2 <= count;
         period *= 2)
        if (extent(side) > period && find_run(side, period, &next) &&
            is_in_each(side, count, next) && 4 * next.width <= 3 * period &&
            next.width * best.period < best.width * period)
            best = next;
    return best;
}

static void name_repetition(const struct repetition *r, const char *what, char *text, size_t size)
{
    static const char *const ordinals[] = {"", "", "second", "", "fourth"};
    const size_t last = (r->first + r->width - 1) % r->period;
    if (r->period == 1)
        snprintf(text, size, "all %ss", what);
    else if (r->width == 1 && r->period <= 4)
        snprintf(text, size, "every %s %s, from %zu on", ordinals[r->period], what, r->first);
    else if (r->width == 1)
        snprintf(text, size, "every %zu%s %s, from %zu on", r->period,
                 r->period == 32 ? "nd" : "th", what, r->first);
    else
        snprintf(text, size, "%ss %zu to %zu of every %zu", what, r->first, last, r->period);
}

/* Asks of what is unwritten behind the first part of each period, if that may be a tile. */
static void ask_for_wide_steps(const struct repetition *r, const char *what, char *text,
                               size_t size)
{
    const size_t length = strlen(text);
    if (r->first >= LEAST_TILE && r->first + r->width == r->period)
        snprintf(text + length, size - length, " Or do tiles of %zu %ss begin %zu apart?", r->first,
                 what, r->period);
}

static bool say_every(const struct lab_pattern *p, char *text, size_t size)
{
    const struct repetition row = find_repetition(&p->row, p->rows);
    const struct repetition column = find_repetition(&p->column, p->columns);
    const double share = (double)(row.width * column.width) / (double)(row.period * column.period);
    char rows[64], columns[64];
    const bool both = row.period > 1 && column.period > 1;
    if (row.period * column.period == 1 || (double)p->wrong < 0.7 * share * (double)p->counted)
        return false;
    name_repetition(&row, "row", rows, sizeof rows);
    name_repetition(&column, one_across(p), columns, sizeof columns);
    snprintf(text, size, "%s%s%s: %s", column.period > 1 ? columns : "", both ? ", in " : "",
             row.period > 1 ? rows : "",
             p->is_unwritten
                 ? "does each thread store all of its values, as far apart as they lie, and "
                   "is each thread there?"
                 : "look at the one of a thread's values, or of a block's threads, that "
                   "these belong to");
    if (p->is_unwritten && row.period == 1)
        ask_for_wide_steps(&column, one_across(p), text, size);
    if (p->is_unwritten && column.period == 1)
        ask_for_wide_steps(&row, "row", text, size);
    return true;
}

/* --- the diagonal ------------------------------------------------------------------------------*/

static bool say_diagonal(const struct lab_pattern *p, char *text, size_t size)
{
    const size_t side = p->rows < p->columns ? p->rows : p->columns;
    const size_t above = p->wrong - p->on_diagonal - p->below;
    if (p->rows != p->columns || p->rows < 4)
        return false;
    if (p->on_diagonal == p->wrong && p->wrong * 10 >= side * 9)
        snprintf(text, size,
                 "only on the diagonal: look at conditions that compare row and "
                 "column");
    else if (p->on_diagonal == 0 && p->wrong + side == p->counted &&
             (p->is_permuted || !above || !p->below))
        snprintf(text, size, "all but the diagonal: %s",
                 above && p->below
                     ? "are rows and columns exchanged?"
                     : "what do these sums have that those of the diagonal have not?");
    else if ((p->below == 0 || above + p->on_diagonal == 0) &&
             p->wrong * 10 >= (p->rows * (p->rows - 1) / 2) * 9 && p->wrong * 4 < p->counted * 3)
        snprintf(text, size, "only %s the diagonal: look at conditions that compare row and column",
                 p->below == 0 ? "on and above" : "below");
    else
        return false;
    return true;
}

/* Much of several tiles on the diagonal is wrong, at least one half of each, and nothing beside
 * them. The elements on the diagonal alone are no tiles. */
static bool say_tiles_on_diagonal(const struct lab_pattern *p, char *text, size_t size)
{
    for (int i = 0; i < LAB_PATTERN_TILES && p->rows == p->columns; i++) {
        const size_t tile = (size_t)LEAST_TILE << i, whole = p->rows / tile;
        const size_t tiles = whole + (p->rows % tile > 1); /* one element is no half of a tile */
        if (tile >= p->rows || p->on_tiles[i] < p->wrong || p->on_diagonal == p->wrong ||
            p->row.first >= tile || p->row.last / tile == 0 || p->row.last / tile + 1 < tiles ||
            p->wrong < whole * tile * (tile - 1) / 2 * 9 / 10)
            continue;
        snprintf(text, size,
                 "only in the tiles of %zu x %zu on the diagonal: look at what is done there "
                 "unlike beside it",
                 tile, tile);
        return true;
    }
    return false;
}

/* Of a triangle, all that is beside the tiles on the diagonal, and none of these. */
static bool say_tiles_beside_diagonal(const struct lab_pattern *p, char *text, size_t size)
{
    const size_t side = p->rows, counted = side * (side + 1) / 2;
    for (int i = 0; i < LAB_PATTERN_TILES && side == p->columns && p->counted == counted; i++) {
        const size_t tile = (size_t)LEAST_TILE << i, rest = side % tile;
        const size_t inside = side / tile * tile * (tile + 1) / 2 + rest * (rest + 1) / 2;
        if (tile >= side || p->on_tiles[i] > 0 || p->wrong + inside != counted)
            continue;
        snprintf(text, size,
                 "all beside the tiles of %zu x %zu on the diagonal, and these are right: look at "
                 "what is done where a tile's rows and its columns are not the same",
                 tile, tile);
        return true;
    }
    return false;
}

/* --- the table ---------------------------------------------------------------------------------*/

static bool say_all(const struct lab_pattern *p, char *text, size_t size)
{
    return p->wrong == p->counted && snprintf(text, size, "%s", "") == 0;
}

static bool say_one(const struct lab_pattern *p, char *text, size_t size)
{
    snprintf(text, size, "this one alone: look at what its thread does unlike the others");
    return p->wrong == 1;
}

static bool say_most(const struct lab_pattern *p, char *text, size_t size)
{
    return p->wrong * 2 >= p->counted && snprintf(text, size, "%s", "") == 0;
}

static bool say_scattered(const struct lab_pattern *p, char *text, size_t size)
{
    if (p->rows == 1)
        snprintf(text, size, "some %ss only, in no order: look at conditions on values",
                 one_across(p));
    else
        snprintf(text, size,
                 "some elements only, in no rows, columns or tile of their own: look at "
                 "conditions on values and on several indices");
    return true;
}

/* Places tell nothing. */
static bool say_nowhere(const struct lab_pattern *p, char *text, size_t size)
{
    return p->columns == 0 && snprintf(text, size, "%s", "") == 0;
}

static const struct {
    enum lab_pattern_kind kind;
    bool (*say)(const struct lab_pattern *pattern, char *text, size_t size);
} shapes[] = {
    {LAB_PATTERN_ALL, say_all},
    {LAB_PATTERN_SCATTERED, say_nowhere},
    {LAB_PATTERN_WRAP, say_wrap},
    {LAB_PATTERN_DIAGONAL, say_tiles_on_diagonal},
    {LAB_PATTERN_DIAGONAL, say_tiles_beside_diagonal},
    {LAB_PATTERN_EDGE, say_last},
    {LAB_PATTERN_EDGE, say_last_element},
    {LAB_PATTERN_EDGE, say_first_of_rest},
    {LAB_PATTERN_EDGE, say_first_element},
    {LAB_PATTERN_EDGE, say_one_of_each_vector},
    {LAB_PATTERN_EDGE, say_rest_of_blocks},
    {LAB_PATTERN_EDGE, say_close_tiles},
    {LAB_PATTERN_EDGE, say_flat_end},
    {LAB_PATTERN_EVERY, say_flat_blocks},
    {LAB_PATTERN_EVERY, say_vectors},
    {LAB_PATTERN_EDGE, say_edge},
    {LAB_PATTERN_ONE, say_one},
    {LAB_PATTERN_PART, say_up_to_rest},
    {LAB_PATTERN_PART, say_part},
    {LAB_PATTERN_DIAGONAL, say_diagonal},
    {LAB_PATTERN_EVERY, say_every},
    {LAB_PATTERN_MOST, say_most},
    {LAB_PATTERN_PART, say_line},
    {LAB_PATTERN_SCATTERED, say_scattered},
};

enum lab_pattern_kind lab_pattern_say(const struct lab_pattern *p, char *text, size_t size)
{
    size_t i = 0;
    while (!shapes[i].say(p, text, size)) /* the last one is any shape */
        i++;
    if (p->is_unwritten &&
        (shapes[i].kind == LAB_PATTERN_EDGE || shapes[i].kind == LAB_PATTERN_PART))
        ask_for_other_size(p, text, size), ask_for_close_tiles(p, text, size);
    return shapes[i].kind;
}
