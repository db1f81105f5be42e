/* Checks what a launch of family gemm left in C: every element must be as expected, and the gaps
 * between rows must be unchanged. */
#include "families/gemm/state.h"

#include "base/simulator.h"
#include "families/compare.h"
#include "families/elements.h"
#include "families/moved.h"
#include "families/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A check that goes through C row by row. */
struct checking {
    const struct lab_problem *p;
    struct lab_comparison comparison;
    size_t untouched;    /* wrong elements that hold what C held before */
    bool is_open;        /* the cause that is said may come of several mistakes */
    bool gap_is_changed; /* `changed`: the first changed place */
    size_t changed;
};

static double expected_at(const struct checking *c, size_t i)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const char *const expected = gemm_state_of(c->p)->expected;
    return lab_element_value(c->comparison.element, expected + i * gemm_element_bytes(g));
}

/* If beta counts and something is wrong, counts the elements that still hold what C held. */
static void count_untouched(struct checking *c, struct lab_run *run)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const size_t first = run->row * (size_t)g->n + run->column, each = gemm_element_bytes(g);
    char *const before = lab_run_before(run);
    gemm_unspread(c->p, before, run->row, run->column, run->count);
    for (size_t i = 0; i < run->count; i++) {
        const double is = lab_element_value(c->comparison.element, run->got + i * each);
        c->untouched += is == lab_element_value(c->comparison.element, before + i * each) &&
                        !(fabs(is - expected_at(c, first + i)) <= c->comparison.tolerance);
    }
}

static void check_run(struct checking *c, struct lab_run *run)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const size_t first = run->row * (size_t)g->n + run->column;
    const char *expected = gemm_state_of(c->p)->expected;
    gemm_unspread(c->p, run->got, run->row, run->column, run->count);
    lab_compare(&c->comparison, expected + first * gemm_element_bytes(g), run->got, run->count);
    if (g->beta != 0.0f && c->comparison.findings.pattern.wrong > 0)
        count_untouched(c, run);
}

static bool has_gap(const struct lab_gemm *g, enum gemm_matrix which)
{
    const struct gemm_stored stored = gemm_stored(g, which);
    return stored.row > stored.columns;
}

static struct lab_advice advice_of(const struct lab_gemm *g)
{
    return (struct lab_advice){
        .of_unwritten = "does the grid cover the whole matrix, and does every thread reach its "
                        "store?",
        .of_nans = has_gap(g, GEMM_A) || has_gap(g, GEMM_B)
                       ? "NaN comes in from the gap between rows, which lie further apart than "
                         "they are long (row_a, row_b), past a matrix, by reading C where beta is "
                         "0, or by shared memory that nobody wrote"
                   : g->beta == 0.0f ? "NaN comes in by reading C, for beta is 0, past a matrix, "
                                       "or shared memory that nobody wrote"
                                     : "NaN comes in past a matrix, or by shared memory that "
                                       "nobody wrote",
        .of_most = g->alpha == 0.0f
                       ? "alpha is 0, so that no product is to be in it: look at alpha and beta"
                       : "look at the indices of A and B, the loop over k, and alpha and beta",
        .of_special = "a NaN or an infinity of A or B must come through: no product may be "
                      "left out, and fminf() and fmaxf() drop a NaN",
        .row_of = "A",
        .column_of = "B",
        .term = fabs(g->alpha) / 4.0};
}

/* What a stale tile of `side` along k adds: its part beyond k still holds what the tile before, in
 * the same buffer, held there. */
static double stale_part(const struct checking *c, int side, int buffers, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const int rest = g->k % side, before = g->k - rest - buffers * side;
    double sum = 0.0;
    for (int i = rest; i < side && before >= 0; i++)
        sum += gemm_input(c->p, GEMM_A, gemm_place(g, GEMM_A, row, (size_t)(before + i))) *
               gemm_input(c->p, GEMM_B, gemm_place(g, GEMM_B, (size_t)(before + i), column));
    return g->alpha * sum;
}

/* The tile that explains the first wrong element if nothing fills the tile's end, or 0. */
static int stale_tile(const struct checking *c)
{
    enum { LEAST = 4, LARGEST = 128, MOST_BUFFERS = 3 };
    const struct lab_gemm *g = gemm_of(c->p);
    const struct lab_finding *first = &c->comparison.findings.first;
    if (gemm_exponent(c->p, first->row, first->column) != 0)
        return 0;
    for (int buffers = 1; buffers <= MOST_BUFFERS; buffers++)
        for (int side = LEAST; side <= LARGEST && side <= g->k; side *= 2) {
            if (g->k % side == 0)
                continue;
            const double stale = stale_part(c, side, buffers, first->row, first->column);
            if (fabs(first->got - first->expected - stale) <= 2.0 * c->comparison.tolerance &&
                fabs(stale) > 4.0 * c->comparison.tolerance)
                return side;
        }
    return 0;
}

/* A few wrong elements, with the first of all. A cause that explains only one of them does so by
 * chance, or is not the only one. */
struct few {
    int count;
    struct lab_finding list[4];
};

static void add_if_wrong(const struct checking *c, size_t row, size_t column, struct few *few)
{
    const struct lab_gemm *g = gemm_of(c->p);
    struct lab_finding finding = {row, column, expected_at(c, row * (size_t)g->n + column), 0.0};
    if (few->count < 4 && gemm_exponent(c->p, row, column) == 0 &&
        gemm_copy_of_c(c->p, row, column, &finding.got) &&
        fabs(finding.got - finding.expected) > 4.0 * c->comparison.tolerance)
        few->list[few->count++] = finding;
}

/* Looks in the row and the column of the first wrong element. */
static struct few find_few(const struct checking *c)
{
    enum { FAR = 300 };
    const struct lab_gemm *g = gemm_of(c->p);
    const struct lab_finding *first = &c->comparison.findings.first;
    struct few few = {0};
    add_if_wrong(c, first->row, first->column, &few);
    for (size_t i = 1; i < FAR; i++) {
        if (few.count < 3 && first->column + i < (size_t)g->n)
            add_if_wrong(c, first->row, first->column + i, &few);
        if (first->row + i < (size_t)g->m)
            add_if_wrong(c, first->row + i, first->column, &few);
    }
    return few;
}

/* Whether a value is what was got, but for the rounding of sums in another order. */
static bool is_near(const struct checking *c, double value, double got)
{
    return fabs(value - got) <= 2.0 * c->comparison.tolerance;
}

static double old_of(const struct checking *c, const struct lab_finding *finding)
{
    const struct lab_gemm *g = gemm_of(c->p);
    return g->beta == 0.0f
               ? 0.0
               : g->beta *
                     gemm_input(c->p, GEMM_C, gemm_place(g, GEMM_C, finding->row, finding->column));
}

/* --- no product ------------------------------------------------------------------------------- */

static bool has_no_product(const struct checking *c, const struct few *few)
{
    for (int i = 0; i < few->count; i++)
        if (!is_near(c, old_of(c, &few->list[i]), few->list[i].got))
            return false;
    return few->count > 0;
}

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

/* Says why elements have no product that begin at a size of another index, or are at the very end:
 * a load takes 0 there for what it should have read. */
static bool say_guard(const struct checking *c, char *text, size_t size)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const struct lab_pattern *pattern = &c->comparison.findings.pattern;
    for (int in_columns = 1; in_columns >= 0; in_columns--) {
        const struct lab_pattern_side *const side = in_columns ? &pattern->column : &pattern->row;
        const char *const line = in_columns ? "column" : "row";
        const int sizes[] = {g->k, in_columns ? g->m : g->n};
        const char *const of_sizes[] = {"k", in_columns ? "m" : "n"};
        if (!is_all_behind(pattern, in_columns))
            continue;
        const bool is_k = side->first == (size_t)sizes[0]; /* a guard of single elements */
        const bool is_other = begins_behind(side, sizes[1]);
        if (is_k || is_other)
            snprintf(text, size,
                     "no product is in %ss from %zu on, and %s is %d: perhaps %s%s%s%s%s", line,
                     side->first, of_sizes[!is_k], sizes[!is_k], is_k ? "a load compares the " : "",
                     is_k ? line : "", is_k ? " with k, which bounds another index" : "",
                     is_k && is_other ? ", or " : "",
                     !is_other ? ""
                     : in_columns
                         ? "is A read past its last row, as with the column of a block, or of a "
                           "thread, in place of its row?"
                         : "is B read past its last column, as with the row of a block, or of a "
                           "thread, in place of its column?");
        else if (side->first == side->last)
            snprintf(
                text, size,
                "no product is in the last %s, and all others are right: is the last %s of %c, "
                "or all of %c in its blocks, taken as 0, by a guard or a count that is one too "
                "small?",
                line, line, in_columns ? 'B' : 'A', in_columns ? 'A' : 'B');
        else
            continue;
        return true;
    }
    return false;
}

/* The same for the first wrong element alone, if others are wrong in another way. The row of its
 * tile's first column may lie past A, or the column of its first row past B. A load that confuses
 * row and column then fills the tile with 0. */
static bool say_past_the_end(const struct checking *c, char *text, size_t size)
{
    enum { LEAST_TILE = 8 };
    const struct lab_gemm *g = gemm_of(c->p);
    const struct lab_finding *first = &c->comparison.findings.first;
    const bool is_past_a = first->column >= (size_t)g->m && first->column % LEAST_TILE == 0;
    const bool is_past_b = first->row >= (size_t)g->n && first->row % LEAST_TILE == 0;
    if (is_past_a == is_past_b || !is_near(c, old_of(c, first), first->got))
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

enum { CAUSES = 10 };

/* The sum of the row of A, and of the column of B, that go into an element. */
static void add_operands(const struct checking *c, const struct lab_finding *finding, double *of_a,
                         double *of_b)
{
    const struct lab_gemm *g = gemm_of(c->p);
    *of_a = *of_b = 0.0;
    for (size_t i = 0; i < (size_t)g->k; i++) {
        *of_a += gemm_input(c->p, GEMM_A, gemm_place(g, GEMM_A, finding->row, i));
        *of_b += gemm_input(c->p, GEMM_B, gemm_place(g, GEMM_B, i, finding->column));
    }
}

/* What an element would be by each cause. */
static void find_values(const struct checking *c, const struct lab_finding *finding,
                        double values[CAUSES])
{
    const struct lab_gemm *g = gemm_of(c->p);
    const double stored =
        gemm_input(c->p, GEMM_C, gemm_place(g, GEMM_C, finding->row, finding->column));
    const double old = old_of(c, finding), sum = finding->expected - old; /* times alpha */
    double of_a, of_b;
    add_operands(c, finding, &of_a, &of_b);
    const double all[CAUSES] = {sum,
                                sum / g->alpha + old,
                                sum + stored,
                                sum - old,
                                sum + g->alpha * old,
                                sum * g->alpha + old,
                                sum / g->alpha,
                                g->alpha * (of_a + of_b) + old,
                                g->alpha * of_a + old,
                                g->alpha * of_b + old};
    memcpy(values, all, sizeof all);
}

/* What wrong elements lack, or have too much of: a factor, or the old C. */
static bool say_factor(const struct checking *c, const struct few *few, char *text, size_t size)
{
    const struct lab_gemm *g = gemm_of(c->p);
    static const struct {
        bool needs_old; /* without an old C a factor explains as much */
        const char *text;
    } causes[CAUSES] = {
        {true, "beta times the old C is left out: all the rest is there"},
        {true, "alpha is left out: all the rest is there"},
        {true, "beta is left out: all the rest is there"},
        {true, "beta times the old C is subtracted: it is to be added"},
        {true, "beta times the old C is multiplied by alpha, too: only the sum of products is to "
               "be"},
        {false, "alpha is multiplied by twice: all the rest is there"},
        {false,
         "that is without alpha: is it left out, made an int, or each product counted several "
         "times?"},
        {false, "each value of A and that of B are added, where they are to be multiplied"},
        {false, "that is A's row added up: the factor of B is left out"},
        {false, "that is B's column added up: the factor of A is left out"},
    };
    for (int i = 0; i < CAUSES; i++) {
        bool fits = few->count > 0;
        for (int e = 0; e < few->count && fits; e++) {
            double values[CAUSES];
            find_values(c, &few->list[e], values);
            fits = is_near(c, values[i], few->list[e].got) &&
                   !(causes[i].needs_old && is_near(c, old_of(c, &few->list[e]), 0.0));
        }
        if (!fits)
            continue;
        snprintf(text, size, "%s",
                 i == 0 && g->alpha == 0.0f
                     ? "beta times the old C is left out, and is all there is where alpha is 0"
                     : causes[i].text);
        return true;
    }
    return false;
}

/* Whether the simulator saw the last launch store an element, and how. */
static bool is_seen_stored(const struct checking *c, size_t row, size_t column, char text[400])
{
    const struct lab_gemm *g = gemm_of(c->p);
    const char *const data = c->p->buffers[GEMM_C].data;
    const size_t place = gemm_place(g, GEMM_C, row, column);
    return lab_simulator() &&
           lab_simulator()->writer(data + place * gemm_element_bytes(g), text, 400);
}

static bool has_several_stores(const struct checking *c, const struct lab_finding *finding)
{
    char text[400];
    return is_seen_stored(c, finding->row, finding->column, text) && strstr(text, "stored last");
}

/* Whether the simulator saw no store of an element, but saw the store of a corner. */
static bool is_seen_unstored(const struct checking *c, const struct lab_finding *finding)
{
    const struct lab_gemm *g = gemm_of(c->p);
    char text[400];
    return !is_seen_stored(c, finding->row, finding->column, text) &&
           (is_seen_stored(c, 0, 0, text) ||
            is_seen_stored(c, (size_t)g->m - 1, (size_t)g->n - 1, text));
}

/* Says what elements lack: by their values, by their places, or because nearly all lack it. */
static bool say_lacking(struct checking *c, char *text, size_t size)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const struct few few = find_few(c);
    if (say_factor(c, &few, text, size))
        return true;
    if (!has_no_product(c, &few))
        return false;
    if (say_guard(c, text, size))
        return true;
    if (c->comparison.findings.pattern.wrong * 10 < (size_t)g->m * (size_t)g->n * 9)
        return false;
    c->is_open = true;
    snprintf(text, size, "%s",
             has_several_stores(c, &c->comparison.findings.first)
                 ? "several values were stored to the first of these, and no product is in the "
                   "last one: has each of a thread's values an element of its own in the store?"
                 : "no product is in it: does the loop over k take an iteration, add (+=) to a "
                   "float, put "
                   "none there by =, and load no 0 by a guard?");
    return true;
}

/* A store adds the old C of the place that it stores to. So the old C of each place is taken off
 * before right sums are looked for in wrong places. */
static void take_off_old(const struct checking *c)
{
    const struct lab_gemm *g = gemm_of(c->p);
    const size_t m = (size_t)g->m, n = (size_t)g->n;
    const struct lab_comparison *const all = &c->comparison;
    char text[500];
    if (g->beta == 0.0f || m * n > LAB_MOVED_MOST ||
        gemm_state_of(c->p)->values == GEMM_VALUES_SPREAD ||
        lab_moved_say("C", m, n, all->seen, all->tolerance, "A", "B", text, sizeof text))
        return;
    for (size_t i = 0; i < m * n; i++)
        lab_moved_take_off(i,
                           g->beta * gemm_input(c->p, GEMM_C, gemm_place(g, GEMM_C, i / n, i % n)));
}

static void give_verdict(struct checking *c, struct lab_check *check)
{
    const struct lab_gemm *g = gemm_of(c->p);
    if (c->gap_is_changed) {
        const size_t row_c = (size_t)g->row_c, column = c->changed % row_c;
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        snprintf(check->message, sizeof check->message,
                 "written past the end of row %zu of C, into the gap before the next row: place "
                 "%zu, and C has %d columns (row_c is %zu)",
                 c->changed / row_c, column, g->n, row_c);
        return;
    }
    const size_t wrong = c->comparison.findings.pattern.wrong;
    char stale[400], run[400];
    const bool is_untouched = c->untouched > 0 && c->untouched == wrong;
    const bool may_be_stored = is_untouched && g->beta == 1.0f && g->alpha != 0.0f &&
                               !is_seen_unstored(c, &c->comparison.findings.first);
    if (may_be_stored && say_guard(c, stale, sizeof stale))
        c->comparison.advice.cause = stale;
    else if (is_untouched)
        c->comparison.advice.cause =
            g->alpha == 0.0f
                ? "each of these is what C held before: nobody has stored it, or beta is left out"
            : may_be_stored ? "each of these is what C held before: nobody has stored it, or its "
                              "sum of products is 0"
                            : "each of these is what C held before, so that nobody has stored it";
    c->comparison.advice.is_untouched = is_untouched && g->alpha != 0.0f && !may_be_stored;
    const int side = !c->comparison.advice.cause && wrong > 0 ? stale_tile(c) : 0;
    if (side)
        snprintf(
            stale, sizeof stale,
            "stale tile beyond the edge: %d is no multiple of %d, and the part of the last tile "
            "beyond k holds what it held the iteration before; fill it with 0 where the matrix "
            "ends",
            g->k, side);
    if (side || (!c->comparison.advice.cause && wrong > 0 && say_lacking(c, stale, sizeof stale)))
        c->comparison.advice.cause = stale;
    else if (!c->comparison.advice.cause && wrong > 1 &&
             (gemm_say_run_of_k(c->p, &c->comparison.findings.first, run, sizeof run) ||
              say_past_the_end(c, run, sizeof run)))
        c->comparison.advice.cause = run;
    c->comparison.advice.is_seen = c->comparison.advice.cause != NULL;
    c->comparison.advice.is_open = c->is_open || is_untouched;
    const bool is_special = gemm_state_of(c->p)->values == GEMM_VALUES_SPECIAL;
    c->comparison.advice.nans_are_of_memory = !is_special;
    if (is_special)
        c->comparison.advice.of_nans =
            c->comparison.advice.cause
                ? c->comparison.advice.cause
                : "A holds an infinity and B a NaN here, which belong in one row and one column of "
                  "C: look at the indices of A and B; else NaN comes in past a matrix, or by "
                  "memory that nobody wrote";
    if (wrong > 0)
        take_off_old(c);
    lab_compare_verdict(&c->comparison, "C", check);
}

cudaError_t gemm_check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_gemm *g = gemm_of(p);
    struct checking c = {.p = p,
                         .comparison = {.rows = (size_t)g->m,
                                        .columns = (size_t)g->n,
                                        .element = p->arrays[GEMM_C].element,
                                        .tolerance = gemm_tolerance(p),
                                        .advice = advice_of(g)}};
    struct lab_run run = {.problem = p, .which = GEMM_C, .data = p->buffers[GEMM_C].data};
    while (lab_run_next(&run))
        if (run.counts)
            check_run(&c, &run);
        else if (!c.gap_is_changed)
            c.gap_is_changed = lab_run_is_changed(&run, &c.changed);
    if (run.status == cudaSuccess)
        give_verdict(&c, check);
    return run.status;
}
