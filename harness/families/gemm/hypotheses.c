/* Hypotheses on a wrong C: what it would be if a tile were stale, a factor or products left out,
 * and which neighbouring k it lacks, or has twice, or has from another element instead. One element
 * may look so by chance, but its neighbours hardly do so for the same k. */
#include "families/gemm/state.h"

#include "base/simulator.h"
#include "diagnose/explanation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double gemm_expected(const struct lab_problem *p, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    const char *const values = gemm_state_of(p)->expected;
    return lab_element_value(p->arrays[GEMM_C].element,
                             values + (row * (size_t)g->n + column) * gemm_element_bytes(g));
}

double gemm_old_of(const void *problem, size_t row, size_t column)
{
    const struct lab_problem *const p = problem;
    const struct lab_gemm *g = gemm_of(p);
    return g->beta == 0.0f
               ? 0.0
               : g->beta_double * gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, row, column));
}

static double product(const struct lab_problem *p, size_t row, size_t column, int i)
{
    const struct lab_gemm *g = gemm_of(p);
    return gemm_input(p, GEMM_A, gemm_place(g, GEMM_A, row, (size_t)i)) *
           gemm_input(p, GEMM_B, gemm_place(g, GEMM_B, (size_t)i, column));
}

/* Whether a value is what was got, but for the rounding of sums in another order. */
static bool is_near(const struct lab_problem *p, double value, double got)
{
    return fabs(value - got) <= 2.0 * gemm_tolerance(p);
}

/* False if the element is right, or cannot be compared. */
static bool is_wrong(const struct lab_problem *p, size_t row, size_t column,
                     struct lab_mismatch *wrong)
{
    const size_t each = gemm_element_bytes(gemm_of(p));
    const size_t place = gemm_place(gemm_of(p), GEMM_C, row, column);
    union {
        float of_float;
        double of_double;
    } got;
    if (gemm_exponent(p, row, column) != 0 ||
        cudaMemcpy(&got, (const char *)p->buffers[GEMM_C].data + place * each, each,
                   cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    *wrong = (struct lab_mismatch){row, column, gemm_expected(p, row, column),
                                   lab_element_value(p->arrays[GEMM_C].element, &got)};
    return lab_explain_counts(wrong, gemm_tolerance(p));
}

/* A few wrong elements, with the first of all. A cause that explains only one of them does so by
 * chance, or is not the only one. */
struct few {
    int count;
    struct lab_mismatch list[4];
};

/* Looks in the row and the column of the first wrong element. */
static struct few find_few(const struct lab_evidence *e)
{
    enum { FAR = 300 };
    const struct lab_problem *const p = e->advice->family;
    const struct lab_gemm *g = gemm_of(p);
    const struct lab_mismatch *first = &e->mismatches->first;
    struct few few = {0};
    few.count += is_wrong(p, first->row, first->column, &few.list[0]);
    for (size_t i = 1; i < FAR; i++) {
        if (few.count < 3 && first->column + i < (size_t)g->n)
            few.count += is_wrong(p, first->row, first->column + i, &few.list[few.count]);
        if (few.count < 4 && first->row + i < (size_t)g->m)
            few.count += is_wrong(p, first->row + i, first->column, &few.list[few.count]);
    }
    return few;
}

static bool has_no_product(const struct lab_problem *p, const struct lab_mismatch *wrong)
{
    return is_near(p, gemm_old_of(p, wrong->row, wrong->column), wrong->got);
}

/* Whether one of the wrong elements, spread over all, has products. */
static bool has_other_product(const struct lab_evidence *e)
{
    enum { MOST = 1024 };
    const struct lab_problem *const p = e->advice->family;
    const size_t n = (size_t)gemm_of(p)->n, all = (size_t)gemm_of(p)->m * n;
    for (size_t i = 0; i < all; i += 1 + all / MOST) {
        struct lab_mismatch wrong;
        if (is_wrong(p, i / n, i % n, &wrong) && !has_no_product(p, &wrong))
            return true;
    }
    return false;
}

static bool have_no_product(const struct lab_evidence *e)
{
    const struct few few = find_few(e);
    for (int i = 0; i < few.count; i++)
        if (!has_no_product(e->advice->family, &few.list[i]))
            return false;
    return few.count > 0 && !has_other_product(e);
}

/* --- what C held before ------------------------------------------------------------------------*/

/* Whether the simulator saw the last launch store an element, and how. */
static bool is_seen_stored(const struct lab_problem *p, size_t row, size_t column, char text[400])
{
    const char *const data = p->buffers[GEMM_C].data;
    const size_t place = gemm_place(gemm_of(p), GEMM_C, row, column);
    return lab_simulator() &&
           lab_simulator()->writer(data + place * gemm_element_bytes(gemm_of(p)), text, 400);
}

/* Unless the simulator saw no store of the element, but saw the store of a corner. */
bool gemm_may_be_stored(const struct lab_problem *p, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    char text[400];
    return g->beta == 1.0f && g->alpha != 0.0f &&
           (is_seen_stored(p, row, column, text) ||
            (!is_seen_stored(p, 0, 0, text) &&
             !is_seen_stored(p, (size_t)g->m - 1, (size_t)g->n - 1, text)));
}

static bool are_unstored(struct lab_evidence *e, char *text, size_t size)
{
    snprintf(text, size, "each of these is what C held before, so that nobody has stored it%s%s",
             *e->where ? "" : "; ", *e->where ? "" : GEMM_OF_UNWRITTEN);
    return e->mismatches->is_unstored;
}

static bool are_untouched(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const struct lab_mismatch *const first = &e->mismatches->first;
    char stored[400];
    snprintf(text, size, "each of these is what C held before: %s%s",
             is_seen_stored(p, first->row, first->column, stored) ? ""
                                                                  : "nobody has stored it, or ",
             gemm_of(p)->alpha == 0.0f ? "beta is left out" : "its sum of products is 0");
    return e->mismatches->is_untouched;
}

/* --- no product ------------------------------------------------------------------------------- */

/* Whether nearly all of the rows or columns from `first` on are wrong, and none before. */
static bool is_all_behind(const struct lab_pattern *pattern, bool in_columns)
{
    const struct lab_pattern_side *const side = in_columns ? &pattern->column : &pattern->row;
    const size_t count = in_columns ? pattern->columns : pattern->rows;
    const size_t across = in_columns ? pattern->rows : pattern->columns;
    return side->first > 0 && side->last + 1 == count &&
           pattern->wrong * 10 >= (count - side->first) * across * 9;
}

/* Whether the wrong rows or columns begin with the first tile after a size. */
static bool begins_behind(const struct lab_pattern_side *side, int size)
{
    enum { LEAST = 8, LARGEST = 128 };
    for (size_t tile = LEAST; tile <= LARGEST; tile *= 2)
        if (side->first == ((size_t)size + tile - 1) / tile * tile && side->last > side->first)
            return true;
    return side->first == (size_t)size;
}

/* Whether elements outside of the first tile have no product, and those inside are right. Of a tile
 * that a matrix ends in, one side is enough. 0: no; else the tile's side. */
static size_t only_first_tile(const struct lab_evidence *e)
{
    enum { LEAST = 16, LARGEST = 128 };
    const struct lab_problem *const p = e->advice->family;
    const size_t m = (size_t)gemm_of(p)->m, n = (size_t)gemm_of(p)->n;
    struct lab_mismatch wrong;
    for (size_t tile = LEAST; tile <= LARGEST; tile *= 2) {
        const size_t rows = m < tile ? m : tile, columns = n < tile ? n : tile;
        const bool is_right_inside =
            !is_wrong(p, 0, 0, &wrong) && !is_wrong(p, rows - 1, columns - 1, &wrong) &&
            !is_wrong(p, 0, columns - 1, &wrong) && !is_wrong(p, rows - 1, 0, &wrong);
        if (is_right_inside && (m > tile || n > tile) &&
            e->mismatches->pattern.wrong * 10 >= (m * n - rows * columns) * 9 &&
            (m == rows || is_wrong(p, tile, 0, &wrong)) &&
            (n == columns || is_wrong(p, 0, tile, &wrong)))
            return tile;
    }
    return 0;
}

/* Whether the simulator saw one warp store both elements, at the same place of the program. */
static bool are_of_one_warp(const struct lab_problem *p, size_t row, size_t column,
                            size_t other_row, size_t other_column)
{
    char text[400], other[400];
    return is_seen_stored(p, row, column, text) &&
           is_seen_stored(p, other_row, other_column, other) && strcmp(text, other) == 0;
}

/* Whether the first wrong element has a right one of the same warp in the first column, or in the
 * first row. */
static bool has_right_of_warp(const struct lab_evidence *e, bool in_columns)
{
    const struct lab_problem *const p = e->advice->family;
    const struct lab_mismatch *const first = &e->mismatches->first;
    const size_t row = in_columns ? first->row : 0, column = in_columns ? 0 : first->column;
    struct lab_mismatch wrong;
    return (in_columns ? first->column : first->row) > 0 && !is_wrong(p, row, column, &wrong) &&
           are_of_one_warp(p, first->row, first->column, row, column);
}

/* Of the columns, or rows, of a thread the first have their products and the others none. A guard
 * of single elements would begin at a size. Past a single row of A, or column of B, 0 may be read.
 */
static bool have_none_of_thread(struct lab_evidence *e, char *text, size_t size)
{
    enum { LEAST = 8 };
    const struct lab_gemm *const g = gemm_of(e->advice->family);
    const struct lab_pattern *const pattern = &e->mismatches->pattern;
    for (int in_columns = 1; in_columns >= 0; in_columns--) {
        const struct lab_pattern_side *const side = in_columns ? &pattern->column : &pattern->row;
        const size_t first = side->first;
        if (first == 0 || first % LEAST || first == side->last || first == (size_t)g->k ||
            first == (size_t)(in_columns ? g->m : g->n) || (in_columns ? g->m : g->n) == 1 ||
            !has_right_of_warp(e, in_columns) || !have_no_product(e))
            continue;
        snprintf(text, size,
                 "no product is in %s %zu, and the warp that stores it stores %s 0, too, which is "
                 "right: does a loop over a thread's %ss end too soon?",
                 in_columns ? "column" : "row", first, in_columns ? "column" : "row",
                 in_columns ? "column" : "row");
        return true;
    }
    return false;
}

/* Says why elements have no product that begin at a size of another index, or are at the very end:
 * a load takes 0 there for what it should have read. */
static bool is_guarded(const struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_gemm *g = gemm_of(e->advice->family);
    const struct lab_pattern *pattern = &e->mismatches->pattern;
    for (int in_columns = 1; in_columns >= 0; in_columns--) {
        const struct lab_pattern_side *const side = in_columns ? &pattern->column : &pattern->row;
        const char *const line = in_columns ? "column" : "row";
        const int sizes[] = {g->k, in_columns ? g->m : g->n};
        const char *const of_sizes[] = {"k", in_columns ? "m" : "n"};
        if (!is_all_behind(pattern, in_columns))
            continue;
        const bool is_k = side->first == (size_t)sizes[0]; /* a guard of single elements */
        const bool is_other = begins_behind(side, sizes[1]);
        /* Of two tiles the second: then nothing tells a guard from a tile that adds nothing. */
        const bool may_be_of_thread = side->first % 8 == 0 && has_right_of_warp(e, in_columns);
        const char *const or_tile =
            may_be_of_thread ? " Or does a loop over a thread's own values end too soon?"
            : only_first_tile(e) == side->first
                ? " Or where a count goes on from tile to tile, is k taken from it without the "
                  "remainder by a tile's iterations?"
                : "";
        if (is_k || is_other)
            snprintf(text, size, "no product is in %ss from %zu on, and %s is %d: %s%s%s%s%s%s",
                     line, side->first, of_sizes[!is_k], sizes[!is_k],
                     is_k ? "perhaps a load compares the " : "", is_k ? line : "",
                     is_k ? " with k, which bounds another index" : "",
                     is_k && is_other ? ", or " : "",
                     !is_other    ? ""
                     : in_columns ? "does a guard compare the column with m, or is A read past its "
                                    "last row, as with the column of a block, or of a "
                                    "thread, in place of its row?"
                                  : "does a guard compare the row with n, or is B read past its "
                                    "last column, as with the row of a block, or of a "
                                    "thread, in place of its column?",
                     or_tile);
        else if (side->first == side->last)
            snprintf(
                text, size,
                "no product is in the last %s, and all others are right: is the last %s of %c, "
                "or all of %c in its blocks, taken as 0, by a guard or a count that is one too "
                "small, or an index that leads past its end, or is a thread's last value left "
                "out?%s",
                line, line, in_columns ? 'B' : 'A', in_columns ? 'A' : 'B', or_tile);
        else
            continue;
        return true;
    }
    return false;
}

static bool has_only_first_tile(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_gemm *const g = gemm_of(e->advice->family);
    const size_t tile = g->alpha != 0.0f ? only_first_tile(e) : 0;
    const bool is_two_sided = tile && (size_t)g->m > tile && (size_t)g->n > tile;
    if (!is_two_sided || e->mismatches->is_unstored || !have_no_product(e))
        return false;
    snprintf(
        text, size,
        "only the first tile, of %zu x %zu elements, has a product: where a count goes on from "
        "tile to tile, is k taken from it without the remainder by a tile's iterations?",
        tile, tile);
    return true;
}

static bool are_untouched_by_guard(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->is_untouched && !e->mismatches->is_unstored &&
           gemm_of(e->advice->family)->alpha != 0.0f && is_guarded(e, text, size);
}

static bool have_none_by_guard(struct lab_evidence *e, char *text, size_t size)
{
    return have_no_product(e) && is_guarded(e, text, size);
}

/* Nearly all elements have none, wherever they are. */
static bool have_none(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    char stored[400];
    if (!have_no_product(e) || m->pattern.wrong * 10 < e->counted * 9)
        return false;
    const bool has_several =
        is_seen_stored(e->advice->family, m->first.row, m->first.column, stored) &&
        strstr(stored, "stored last");
    /* Where a size is so small, any index that is wrong leads past the matrix, where 0 is read. */
    const struct lab_gemm *const g = gemm_of(e->advice->family);
    const bool is_small = g->m == 1 || g->n == 1 || g->k < 4;
    snprintf(
        text, size, "%s",
        is_small && !has_several ? "no product is in it: of larger sizes more can be said"
        : has_several
            ? "several values were stored to the first of these, and no product is in the "
              "last one: has each of a thread's values an element of its own in the store?"
            : "no product is in it: is each added by += to a float (by = the last stays alone, "
              "and that is 0 where k ends within a tile)? Else no iteration is taken, or a "
              "guard loads 0 for all");
    return true;
}

/* Nearly all elements are wrong and have hardly a product: what splits operands for tensor cores
 * may multiply small parts alone. */
static bool have_small_part(struct lab_evidence *e, char *text, size_t size)
{
    enum { MOST = 256, LEAST = 4, TIMES = 64 };
    const struct lab_problem *const p = e->advice->family;
    const size_t n = (size_t)gemm_of(p)->n, all = (size_t)gemm_of(p)->m * n;
    double of_got = 0.0, of_expected = 0.0;
    for (size_t i = 0; i < all; i += 1 + all / MOST) {
        struct lab_mismatch wrong;
        if (!is_wrong(p, i / n, i % n, &wrong))
            continue;
        const double old = gemm_old_of(p, wrong.row, wrong.column);
        of_got += (wrong.got - old) * (wrong.got - old);
        of_expected += (wrong.expected - old) * (wrong.expected - old);
    }
    snprintf(text, size,
             "each of these has less than a %dth of its sum of products: where an operand is split "
             "into a "
             "large and a small part, is the product of the two large parts left out?",
             TIMES);
    return e->mismatches->pattern.wrong >= LEAST &&
           e->mismatches->pattern.wrong * 10 >= e->counted * 9 &&
           of_got * TIMES * TIMES < of_expected;
}

/* The first wrong element alone has none, and others are wrong in another way. The row of its
 * tile's first column may lie past A, or the column of its first row past B. A load that confuses
 * row and column then fills the tile with 0. */
static bool is_past_the_end(struct lab_evidence *e, char *text, size_t size)
{
    enum { LEAST_TILE = 8 };
    const struct lab_gemm *g = gemm_of(e->advice->family);
    const struct lab_mismatch *first = &e->mismatches->first;
    const bool is_past_a = first->column >= (size_t)g->m && first->column % LEAST_TILE == 0;
    const bool is_past_b = first->row >= (size_t)g->n && first->row % LEAST_TILE == 0;
    if (is_past_a == is_past_b || e->mismatches->pattern.wrong < 2 ||
        !has_no_product(e->advice->family, first))
        return false;
    snprintf(
        text, size,
        "the first of these has no product in it: are they not added up, or is %s, as with the "
        "%s of a block, or of a thread, in place of its %s?",
        is_past_a ? "A read past its last row" : "B read past its last column",
        is_past_a ? "column" : "row", is_past_a ? "row" : "column");
    return true;
}

/* --- a factor, or the old C --------------------------------------------------------------------*/

#define CAUSE(needs, value, words) {needs, words},
static const struct {
    bool needs_old;
    const char *text;
} causes[] = {
#include "families/gemm/causes.def"
};
#undef CAUSE
enum { CAUSES = sizeof causes / sizeof *causes };

/* What an element would be by each cause. */
static void find_values(const struct lab_problem *p, const struct lab_mismatch *wrong,
                        double values[CAUSES])
{
    const struct lab_gemm *g = gemm_of(p);
    const size_t row = wrong->row, column = wrong->column;
    const double stored = gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, row, column));
    const double old = gemm_old_of(p, row, column);
    const double sum = wrong->expected - old; /* times alpha */
    double of_a = 0.0, of_b = 0.0;            /* the row of A, and the column of B, added up */
    for (size_t i = 0; i < (size_t)g->k; i++) {
        of_a += gemm_input(p, GEMM_A, gemm_place(g, GEMM_A, row, i));
        of_b += gemm_input(p, GEMM_B, gemm_place(g, GEMM_B, i, column));
    }
#define CAUSE(needs_old, value, words) value,
    const double all[CAUSES] = {
#include "families/gemm/causes.def"
    };
#undef CAUSE
    memcpy(values, all, sizeof all);
}

/* What wrong elements lack, or have too much of: a factor, or the old C. */
static bool have_factor(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const struct few few = find_few(e);
    for (int i = 0; i < CAUSES; i++) {
        bool fits = few.count > 0;
        for (int w = 0; w < few.count && fits; w++) {
            const struct lab_mismatch *const wrong = &few.list[w];
            double values[CAUSES];
            find_values(p, wrong, values);
            fits = is_near(p, values[i], wrong->got) &&
                   !(causes[i].needs_old &&
                     is_near(p, gemm_old_of(p, wrong->row, wrong->column), 0.0));
        }
        if (!fits)
            continue;
        snprintf(text, size, "%s",
                 i == 0 && gemm_of(p)->alpha == 0.0f
                     ? "beta times the old C is left out, and is all there is where alpha is 0"
                     : causes[i].text);
        return true;
    }
    return false;
}

/* --- all products several times ---------------------------------------------------------------*/

/* What elements have besides the old C, as it is got and as it is expected, of the wrong ones. */
struct likeness {
    size_t count;
    double got_squares, expected_squares, both;
};

/* Without an old C, the sums over all mismatches are these. A hypothesis that was tried before may
 * have taken the old C off the values. */
static struct likeness compare_products(const struct lab_evidence *e)
{
    const struct lab_mismatches *const m = e->mismatches;
    const struct lab_compared *const v = e->values;
    const struct lab_problem *const p = e->advice->family;
    struct likeness found = {0};
    if (gemm_of(p)->beta == 0.0f)
        return (struct likeness){m->pattern.wrong, m->got_squares, m->expected_squares,
                                 m->products};
    for (size_t i = 0; v && i < v->rows * v->columns; i++) {
        const size_t row = i / v->columns, column = i % v->columns;
        const double old = gemm_old_of(p, row, column) - gemm_expected(p, row, column);
        const double got = v->got[i] - v->expected[i] - old;
        const double expected = -old;
        if (fabs(got - expected) <= v->tolerance)
            continue;
        found.count++;
        found.got_squares += got * got;
        found.expected_squares += expected * expected;
        found.both += got * expected;
    }
    return found;
}

/* Each product is in each wrong element some whole number of times, but for what a narrower type
 * rounds off: then no factor explains the elements, and no k lacks. */
static bool have_products_again(struct lab_evidence *e, char *text, size_t size)
{
    enum { LEAST = 4, MOST_TIMES = 16 };
    static const double OFF = 0.01;
    const struct gemm_state *const state = gemm_state_of(e->advice->family);
    const bool has_old = gemm_of(e->advice->family)->beta != 0.0f;
    if (e->mismatches->unwritten + e->mismatches->nans > 0 ||
        state->values == GEMM_VALUES_SPECIAL || (has_old && state->values == GEMM_VALUES_SPREAD))
        return false;
    const struct likeness l = compare_products(e);
    const double factor = l.both / l.expected_squares, times = rint(factor);
    const double rest = l.got_squares - l.both * factor; /* squares of what the factor leaves */
    const double rounded = 4.0 * gemm_tolerance(e->advice->family);
    snprintf(
        text, size,
        "each product is in these %.0f times, but for rounding: is something added %s, such as "
        "a whole operand where its small part belongs?",
        times, times == 2.0 ? "twice" : "several times");
    return l.count >= LEAST && times >= 2.0 && times <= MOST_TIMES &&
           fabs(factor - times) <= OFF * times && rest <= OFF * OFF * l.got_squares &&
           rest > rounded * rounded * (double)l.count;
}

/* --- runs of k ---------------------------------------------------------------------------------*/

/* What a stale tile of `side` along k adds: its part beyond k still holds what the tile before, in
 * the same buffer, held there. */
static double stale_part(const struct lab_problem *p, int side, int buffers,
                         const struct lab_mismatch *wrong)
{
    const struct lab_gemm *g = gemm_of(p);
    const int rest = g->k % side, before = g->k - rest - buffers * side;
    double sum = 0.0;
    for (int i = rest; i < side && before >= 0; i++)
        sum += product(p, wrong->row, wrong->column, before + i);
    return g->alpha_double * sum;
}

/* The first wrong element is what it would be if nothing filled the last tile's end. */
static bool is_stale(struct lab_evidence *e, char *text, size_t size)
{
    enum { LEAST = 4, LARGEST = 128, MOST_BUFFERS = 3 };
    const struct lab_problem *const p = e->advice->family;
    const int k = gemm_of(p)->k;
    const struct lab_mismatch *first = &e->mismatches->first;
    if (gemm_exponent(p, first->row, first->column) != 0)
        return false;
    for (int buffers = 1; buffers <= MOST_BUFFERS; buffers++)
        for (int side = LEAST; side <= LARGEST && side <= k; side *= 2) {
            const double stale = k % side ? stale_part(p, side, buffers, first) : 0.0;
            if (!is_near(p, first->expected + stale, first->got) ||
                !(fabs(stale) > 4.0 * gemm_tolerance(p)))
                continue;
            snprintf(text, size,
                     "stale tile beyond the edge: %d is no multiple of %d, and the part of the "
                     "last tile beyond k holds what it held the iteration before; fill it with 0 "
                     "where the matrix ends",
                     k, side);
            return true;
        }
    return false;
}

/* Up to the first k a neighbouring tile is tried, up to the second only runs at an end of k. */
enum { ELEMENTS = 4, LARGEST_K = 2048, LARGEST_OF_ENDS = 1 << 16 };

/* Elements in a square, or in a rectangle, and the sums of their products. */
struct square {
    const struct lab_problem *p;
    size_t row, column, columns; /* of the first element; in a row */
    struct lab_sums sums;
};

/* Beyond the edge a tile holds 0. */
static double term(const void *context, int element, int i)
{
    const struct square *s = context;
    const struct lab_gemm *g = gemm_of(s->p);
    const size_t row = s->row + (size_t)element / s->columns;
    const size_t column = s->column + (size_t)element % s->columns;
    return row < (size_t)g->m && column < (size_t)g->n
               ? g->alpha_double * product(s->p, row, column, i)
               : 0.0;
}

/* Whether an element is too large by this. */
static bool is_off(const struct square *s, int element, double by)
{
    return fabs(s->sums.error[element] - by) <= 2.0 * s->sums.tolerance[element];
}

static bool lacks_of_each_tile(const struct square *s, int tile, int from, int length)
{
    const int k = s->sums.count;
    for (int e = 0; e < s->sums.elements; e++) {
        double missing = 0.0;
        for (int begin = from; begin < k; begin += tile)
            missing += lab_sums_part(&s->sums, e, begin, begin + length < k ? begin + length : k);
        if (!is_off(s, e, -missing))
            return false;
    }
    return true;
}

/* The first or last few products of each tile of k are missing. In small tiles other mistakes look
 * the same. */
static bool say_part_of_tiles(const struct square *s, char *text, size_t size)
{
    enum { LEAST = 8, LARGEST = 256, MOST = 8 };
    for (int tile = LEAST; tile <= LARGEST && tile < s->sums.count; tile++)
        for (int length = 1; length <= MOST && 2 * length <= tile; length++)
            for (int from = 0; from < tile; from += tile - length) {
                if (!lacks_of_each_tile(s, tile, from, length))
                    continue;
                snprintf(text, size,
                         "of each tile of %d products along k the %s %d (k = %d, %d, ...) %s "
                         "missing from the first of these: does the loop over a tile %s?",
                         tile, from ? "last" : "first", length, from, from + tile,
                         length > 1 ? "are" : "is", from ? "end too soon" : "begin too late");
                return true;
            }
    return false;
}

/* Only the first product of each tile is there. In a single row, or column, several mistakes leave
 * this. */
static bool say_first_of_tiles(const struct square *s, char *text, size_t size)
{
    enum { LARGEST = 128 };
    for (int tile = 4; tile <= LARGEST && tile < s->sums.count; tile *= 2)
        if (lacks_of_each_tile(s, tile, 1, tile - 1)) {
            snprintf(
                text, size,
                "of each %d products along k the first (k = 0, %d, ...) alone is in the first "
                "of these: does the loop over a tile take one iteration, is a sum's index the k "
                "in place of the row or the column, or are those of a tile exchanged?",
                tile, tile);
            return true;
        }
    return false;
}

static bool has_panel_twice(const struct square *s, int tile, int twice, int missing)
{
    const int k = s->sums.count;
    for (int e = 0; e < s->sums.elements; e++)
        if (!is_off(
                s, e,
                lab_sums_part(&s->sums, e, twice, twice + tile < k ? twice + tile : k) -
                    lab_sums_part(&s->sums, e, missing, missing + tile < k ? missing + tile : k)))
            return false;
    return true;
}

/* The products of one panel are there twice, and another panel's, often the last one's, are not. */
static bool say_panel_twice(const struct square *s, char *text, size_t size)
{
    enum { LEAST = 4, LARGEST = 128 };
    for (int tile = LEAST; tile <= LARGEST && tile < s->sums.count; tile *= 2)
        for (int twice = 0; twice < s->sums.count; twice += tile)
            for (int missing = 0; missing < s->sums.count; missing += tile) {
                if (twice == missing || !has_panel_twice(s, tile, twice, missing))
                    continue;
                char last[16] = "";
                if (missing + 1 < s->sums.count)
                    snprintf(last, sizeof last, " to %d",
                             missing + tile < s->sums.count ? missing + tile - 1
                                                            : s->sums.count - 1);
                snprintf(text, size,
                         "the products of k = %d to %d are in the first of these twice, and those "
                         "of k = %d%s are not: which panel does an iteration load, and into which "
                         "buffer, and which does it read?",
                         twice, twice + tile - 1, missing, last);
                return true;
            }
    return false;
}

/* The last k of each element are missing, and the first k of other elements are in their place. */
static bool say_taken(const struct square *s, const struct square *other, char *text, size_t size)
{
    const int k = s->sums.count;
    for (int from = 1; from < k; from++)
        for (int to = 1; to < k; to++) {
            bool is_so = true;
            for (int e = 0; e < s->sums.elements && is_so; e++)
                is_so = is_off(s, e,
                               lab_sums_part(&other->sums, e, 0, to) -
                                   lab_sums_part(&s->sums, e, from, k));
            if (!is_so)
                continue;
            snprintf(text, size,
                     "the products of k = %d to %d are missing from the first of these, and those "
                     "of k = 0 to %d of C[%zu][%zu] are there in their place: do two parts have "
                     "the same place in scratch memory?",
                     from, k - 1, to - 1, other->row, other->column);
            return true;
        }
    return false;
}

/* All products are there, and those of a part of k of another element besides. Parts begin and end
 * with a panel. */
static bool say_added(const struct square *s, const struct square *other, char *text, size_t size)
{
    enum { PANEL = 4 };
    const int k = s->sums.count;
    for (int from = 0; from < k; from += PANEL)
        for (int to = from + PANEL < k ? from + PANEL : k; to <= k;
             to += to < k && to + PANEL > k ? k - to : PANEL) {
            bool is_so = true;
            for (int e = 0; e < s->sums.elements && is_so; e++)
                is_so = is_off(s, e, lab_sums_part(&other->sums, e, from, to));
            if (!is_so)
                continue;
            snprintf(text, size,
                     "the first of these has all of its products, and besides those of k = %d to "
                     "%d of C[%zu][%zu], which belong to another tile: which parts does the sum of "
                     "a tile begin and end with?",
                     from, to - 1, other->row, other->column);
            return true;
        }
    return false;
}

/* Compares with tiles to the right and below, of each size that tiles have. */
static bool say_other_tile(const struct square *s, char *text, size_t size)
{
    enum { LEAST = 4, LARGEST = 128, WAYS = 4 };
    const struct lab_gemm *g = gemm_of(s->p);
    bool is_said = false;
    for (size_t tile = WAYS; !is_said && tile < WAYS * (LARGEST / LEAST + 1); tile++) {
        const size_t side = tile / WAYS * LEAST;
        struct square other = *s;
        const bool is_before = tile % WAYS >= 2;
        size_t *const at = tile % 2 ? &other.row : &other.column;
        if ((is_before && (*at < side || !s->sums.has_scratch)))
            continue;
        *at = is_before ? *at - side : *at + side;
        if (other.row >= (size_t)g->m || other.column >= (size_t)g->n)
            continue;
        const bool is_within = other.row + 1 < (size_t)g->m && other.column + 1 < (size_t)g->n;
        is_said = lab_sums_add(&other.sums, term, &other) &&
                  ((s->sums.elements == ELEMENTS && !is_before &&
                    (is_within || s->sums.has_scratch) && say_taken(s, &other, text, size)) ||
                   (s->sums.has_scratch && say_added(s, &other, text, size)));
        free(other.sums.sums);
    }
    return is_said;
}

/* Whether each element of the square has the first `end` products of `parts` neighbours in its row,
 * beginning with itself. `row`: both rows of them. */
static bool has_neighbours(const struct square *s, const struct square *rows, int parts, int end)
{
    const int across = (int)s->columns;
    for (int e = 0; e < s->sums.elements; e++) {
        double sum = -lab_sums_part(&s->sums, e, 0, s->sums.count);
        for (int i = 0; i < parts; i++)
            sum += lab_sums_part(&rows->sums, e / across * (int)rows->columns + e % across + i, 0,
                                 end);
        if (!is_off(s, e, sum))
            return false;
    }
    return true;
}

/* Says that parts of a tile overlap in scratch memory: each begins one element after another. */
static bool say_overlap(const struct square *s, char *text, size_t size)
{
    enum { MOST_PARTS = 16, ACROSS = MOST_PARTS + 1 };
    struct square rows = {
        s->p, s->row, s->column, ACROSS, {.count = s->sums.count, .elements = 2 * ACROSS}};
    const bool has_sums = lab_sums_add(&rows.sums, term, &rows);
    bool is_said = false;
    for (int parts = 2; has_sums && parts <= MOST_PARTS && !is_said; parts++)
        for (int end = 1; end < s->sums.count && !is_said; end++) {
            is_said = has_neighbours(s, &rows, parts, end);
            snprintf(text, size,
                     "the first of these has the products of k = 0 to %d of C[%zu][%zu] to "
                     "C[%zu][%zu], in place of all of its own: do the parts in scratch memory "
                     "overlap, %d of them one element apart, where each takes a whole tile?",
                     end - 1, s->row, s->column, s->row, s->column + (size_t)parts - 1, parts);
        }
    free(rows.sums.sums);
    return is_said;
}

/* The first wrong element and its neighbours lack the same products, or have others. */
static bool have_run(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const struct lab_gemm *g = gemm_of(p);
    const struct lab_mismatch *first = &e->mismatches->first;
    const bool has_scratch = lab_problem_scratch(p) != NULL;
    struct lab_mismatch below;
    const size_t rows = first->row + 1 < (size_t)g->m &&
                                (!has_scratch || is_wrong(p, first->row + 1, first->column, &below))
                            ? 2
                            : 1;
    const size_t columns = first->column + 1 < (size_t)g->n ? 2 : 1;
    struct square s = {p,
                       first->row,
                       first->column,
                       columns,
                       {.index = "k",
                        .terms = "products",
                        .count = g->k,
                        .elements = (int)(rows * columns),
                        .other_sizes = {g->m, g->n},
                        .other_names = "mn",
                        .has_scratch = has_scratch}};
    /* If all errors are smaller than a product, rounding has made them. */
    bool is_said = g->k <= LARGEST_OF_ENDS && rows * columns > 1 &&
                   e->mismatches->pattern.wrong > 1 && !(e->mismatches->worst < e->advice->term);
    for (int i = 0; is_said && i < s.sums.elements; i++) {
        struct lab_mismatch wrong = {0};
        is_said = is_wrong(p, s.row + (size_t)i / columns, s.column + (size_t)i % columns, &wrong);
        s.sums.error[i] = wrong.got - wrong.expected;
        s.sums.tolerance[i] = gemm_tolerance(p);
    }
    if (!is_said || !lab_sums_add(&s.sums, term, &s))
        return false;
    const bool is_square = (s.sums.elements == ELEMENTS || has_scratch) && g->k <= LARGEST_K;
    is_said =
        lab_sums_say_run(&s.sums, text, size) || say_part_of_tiles(&s, text, size) ||
        say_first_of_tiles(&s, text, size) || say_panel_twice(&s, text, size) ||
        (is_square && say_other_tile(&s, text, size)) ||
        (s.sums.elements == ELEMENTS && is_square && has_scratch && say_overlap(&s, text, size));
    free(s.sums.sums);
    return is_said;
}

/* --- the table ---------------------------------------------------------------------------------*/

const struct lab_hypothesis gemm_hypotheses[] = {
    {"only the first tile", has_only_first_tile, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
    {"untouched, by a guard", are_untouched_by_guard, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
    {"unstored", are_unstored, LAB_CAUSE_SEEN, LAB_PLACE_FIRST, false},
    {"untouched", are_untouched, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
    {"stale tile", is_stale, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"factor", have_factor, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"products again, rounded", have_products_again, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"no product of a thread's last", have_none_of_thread, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
    {"no product, by a guard", have_none_by_guard, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"no product", have_none, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
    {"small part", have_small_part, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"run of k", have_run, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"past the end", is_past_the_end, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {NULL, NULL, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
};
