/* From wrong elements to a status and advice. A cause is named only where what was seen speaks for
 * it: a wrong hint costs a learner more than none. */
#include "diagnose/hypothesis.h"

#include "base/simulator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool put(const char *words, char *text, size_t size)
{
    return words && snprintf(text, size, "%s", words) > 0;
}

/* "this is", or "each of these is". */
static const char *each_is(const struct lab_evidence *e)
{
    return e->mismatches->pattern.wrong == 1 ? "this is" : "each of these is";
}

static bool has_shape(const struct lab_evidence *e)
{
    return e->kind != LAB_PATTERN_ONE && e->kind != LAB_PATTERN_SCATTERED;
}

/* --- right values in wrong places --------------------------------------------------------------*/

/* What an element has of its own place is taken off, where it hides what is moved. */
static bool are_moved(struct lab_evidence *e, char *text, size_t size)
{
    struct lab_compared *const v = e->values;
    if (!v || lab_permutation_say(v, text, size))
        return v;
    for (size_t i = 0; e->advice->of_place && i < v->rows * v->columns; i++) {
        const double own = e->advice->of_place(e->advice->family, i / v->columns, i % v->columns);
        v->expected[i] -= own;
        v->got[i] -= own;
    }
    return e->advice->of_place && lab_permutation_say(v, text, size);
}

/* --- another index ----------------------------------------------------------------------------*/

/* Whether the simulator knows who alone stored an element of a vector. */
static bool is_of_one(const struct lab_evidence *e, size_t element, char text[400])
{
    return e->advice->stored && lab_simulator() &&
           lab_simulator()->writer(e->advice->stored + element, text, 400);
}

/* An element that several threads take is not stored by one alone: else a guard keeps them out. */
static bool are_written(const void *evidence, const unsigned *times)
{
    const struct lab_evidence *const e = evidence;
    const struct lab_compared *const v = e->values;
    char writer[400];
    size_t several = 0;
    for (size_t i = 0; i < v->rows * v->columns; i++)
        if (!isnan(v->expected[i]) && (times[i] > 0) == isnan(v->got[i]))
            return false;
    while (several < v->rows * v->columns && times[several] < 2)
        several++;
    return several == v->rows * v->columns || !is_of_one(e, several, writer) ||
           strstr(writer, "stored last");
}

/* The elements that are written are those of another index than that of all threads. */
static bool have_other_index(struct lab_evidence *e, char *text, size_t size)
{
    char index[400];
    const char *hint;
    const struct lab_mismatches *const m = e->mismatches;
    if (!e->values || e->values->rows > 1 || m->unwritten < m->pattern.wrong ||
        m->unwritten == e->counted ||
        !lab_threads_say(e->advice->grid, e->values->columns, are_written, e, index, sizeof index,
                         &hint))
        return false;
    snprintf(text, size, "this is as if %s%s%s", index, hint ? ": " : "", hint ? hint : "");
    return true;
}

/* Besides, what one thread alone takes is stored by one, where the simulator looks at that. */
static bool are_written_as_often(const void *evidence, const unsigned *times)
{
    const struct lab_evidence *const e = evidence;
    const size_t all = e->values->rows * e->values->columns;
    const bool is_seen =
        e->advice->stored && lab_simulator() && lab_simulator()->checks_for("race");
    char writer[400];
    size_t one = 0;
    while (one < all && times[one] != 1)
        one++;
    return are_written(e, times) && (one == all || !is_seen ||
                                     (is_of_one(e, one, writer) && !strstr(writer, "stored last")));
}

/* The same for blocks of two dimensions. */
static bool have_other_tiles(struct lab_evidence *e, char *text, size_t size)
{
    char index[400];
    const struct lab_mismatches *const m = e->mismatches;
    if (!e->values || m->unwritten < m->pattern.wrong || m->unwritten == e->counted)
        return false;
    int found = 0;
    for (int is_turned = 0; is_turned < 2; is_turned++)
        found += lab_threads_say_tiles(e->advice->grid, e->values->rows, e->values->columns,
                                       is_turned, are_written_as_often, e, index, sizeof index);
    if (found == 1)
        snprintf(text, size, "this is as if %s", index);
    return found == 1;
}

enum { VECTOR = 4, WARP = 32 };

/* Whether the first lanes of a warp have stored vectors; if not, *is_single: elements. */
static bool are_vectors(const struct lab_evidence *e, bool *is_single)
{
    char first[400], other[400];
    const bool is_known = e->mismatches->pattern.first_place > WARP && is_of_one(e, 0, first) &&
                          is_of_one(e, WARP, other);
    *is_single = is_known && strcmp(first, other) != 0;
    return is_known && !*is_single;
}

/* Whether the elements from `first` up to `end`, and no others, are unwritten in a vector. */
static bool is_gap(const struct lab_evidence *e, size_t end)
{
    const struct lab_mismatches *const m = e->mismatches;
    return m->pattern.rows == 1 && m->unwritten == m->pattern.wrong &&
           m->pattern.last_place + 1 == end && m->pattern.wrong == end - m->pattern.first_place;
}

/* Whole vectors are stored, of which there are n / 4, and no more than n / 16 of them. */
static bool have_few_vectors(struct lab_evidence *e, char *text, size_t size)
{
    const size_t n = e->mismatches->pattern.columns, first = e->mismatches->pattern.first_place;
    bool is_single;
    snprintf(text, size,
             "vectors of %d are stored, and n / %d of them, of n / %d: n / sizeof(float4) counts "
             "bytes, and n / %d the vectors, where the loop is to end",
             VECTOR, VECTOR * VECTOR, VECTOR, VECTOR);
    return first > 0 && first == n / (VECTOR * VECTOR) * VECTOR &&
           (is_gap(e, n) || is_gap(e, n / VECTOR * VECTOR)) &&
           (are_vectors(e, &is_single) || (!is_single && first != n / VECTOR));
}

/* The last elements are unwritten, since blocks begin closer together than they are long: then some
 * elements before them are of two blocks. */
static bool have_close_blocks(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_grid grid = e->advice->grid;
    const size_t n = e->mismatches->pattern.columns, first = e->mismatches->pattern.first_place;
    char writer[400];
    if (grid.blocks < 2 || first <= grid.threads || !is_gap(e, n))
        return false;
    const size_t apart = (first - grid.threads) / (grid.blocks - 1);
    if (apart == 0 || apart >= grid.threads || first != apart * (grid.blocks - 1) + grid.threads ||
        !is_of_one(e, 0, writer) || strstr(writer, "stored last"))
        return false;
    snprintf(text, size,
             "all from element %zu on, where %u blocks of %u end that begin %zu elements apart: is "
             "the block's number multiplied by the %u threads of a block?",
             first, grid.blocks, grid.threads, apart, grid.threads);
    return !is_of_one(e, apart, writer) || strstr(writer, "stored last");
}

/* The last elements are unwritten, though the grid has a thread for each. Where the kernel counts
 * on other blocks than the launch has, some elements before them are of several threads. */
static bool are_kept_out(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_grid grid = e->advice->grid;
    const size_t n = e->mismatches->pattern.columns, first = e->mismatches->pattern.first_place;
    bool is_single;
    char writer[400];
    for (size_t i = WARP; i < first; i *= 2)
        if (!is_of_one(e, i, writer) || strstr(writer, "stored last"))
            return false;
    snprintf(text, size,
             "all from element %zu on, and the launch has a thread for each, which stores nothing: "
             "the condition that is to keep out the threads whose index is n or more keeps out "
             "these, too",
             first);
    return first + 1 < n && is_gap(e, n) && grid.threads > 0 &&
           grid.blocks == (n - 1) / grid.threads + 1 && !are_vectors(e, &is_single) && is_single;
}

/* --- not written, or no number -----------------------------------------------------------------*/

static bool some_are_moved(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    return m->unwritten > 0 && m->unwritten < m->pattern.wrong && are_moved(e, text, size);
}

static bool others_are_written(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    struct lab_pattern unwritten = m->of_unwritten;
    char where[sizeof e->where];
    unwritten.counted = e->counted;
    unwritten.is_unwritten = true;
    if (m->unwritten == 0 || m->unwritten == m->pattern.wrong)
        return false;
    const bool is_every = lab_pattern_say(&unwritten, where, sizeof where) == LAB_PATTERN_EVERY;
    snprintf(text, size, "%zu more are wrong or NaN, which may come of it; %s",
             m->pattern.wrong - m->unwritten, is_every ? where : e->advice->of_unwritten);
    return true;
}

/* A vector is written up to another of the problem's sizes. If that is a tile's side, too, it tells
 * nothing. */
static bool end_at_other_size(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    const size_t written = m->first_unwritten.column;
    int i = 0;
    if (!e->advice->length || m->unwritten != m->pattern.wrong || written % 8 == 0 ||
        written + m->unwritten != e->counted)
        return false;
    while (e->advice->other_names[i] && (size_t)e->advice->other_sizes[i] != written)
        i++;
    const char *const name = e->advice->other_names[i];
    snprintf(
        text, size,
        "the first %zu are written and none after, and %s is %zu: is %s taken for %s in a guard, "
        "or where a loop ends?",
        written, name ? name : "", written, name ? name : "", e->advice->length);
    return name;
}

static bool none_are_written(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->unwritten > 0 &&
           put(*e->where ? e->where : e->advice->of_unwritten, text, size);
}

static bool ends_are_unwritten(struct lab_evidence *e, char *text, size_t size)
{
    return (e->kind == LAB_PATTERN_EDGE || e->kind == LAB_PATTERN_EVERY) &&
           none_are_written(e, text, size);
}

/* Whether the inputs have values that are no numbers: then a NaN may be one of those, elsewhere. */
static bool has_specials(const struct lab_evidence *e)
{
    const struct lab_compared *const v = e->values;
    size_t i = 0;
    while (v && i < v->rows * v->columns && isfinite(v->expected[i]))
        i++;
    return e->mismatches->specials > 0 || (v && i < v->rows * v->columns);
}

/* If every read of memory was checked, and each found a value, no read of memory brought the
 * NaN. */
static bool are_nans(struct lab_evidence *e, char *text, size_t size)
{
    if (e->advice->nans_are_of_memory && !e->advice->nans_are_expected && has_specials(e))
        return false;
    const bool is_seen = lab_simulator() && lab_simulator()->checks_for("uninitialized");
    return e->mismatches->nans > 0 &&
           put(!e->advice->nans_are_of_memory || !is_seen
                   ? e->advice->of_nans
                   : "no read of memory brings NaN in, for each found a value there: is there a "
                     "variable, or an element of a thread's own array, that is read and was never "
                     "set? Does the loop that sets them reach as far as the one that reads them? "
                     "Or "
                     "are bits taken for a float that are of no float, such as halves of two?",
               text, size);
}

static bool may_be_of_inputs(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->nans > 0 && has_specials(e) &&
           put("NaN may come of infinities and NaN among the inputs, which an element reads that "
               "should not: look first at a test without them",
               text, size);
}

/* The first of the family's hypotheses that explains the wrong elements. */
static const struct lab_hypothesis *of_family(struct lab_evidence *e, bool is_seen, char *text,
                                              size_t size)
{
    for (const struct lab_hypothesis *h = e->advice->hypotheses; h && h->name; h++)
        if ((h->certainty >= LAB_CAUSE_SEEN) == is_seen && h->explains(e, text, size))
            return h;
    return NULL;
}

/* Some are NaN, and the values of others have a cause. */
static bool are_nans_of_cause(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->nans > 0 && of_family(e, true, text, size) &&
           (e->advice->nans_are_expected || are_nans(e, text, size));
}

/* --- sums and factors --------------------------------------------------------------------------*/

/* The factor between all wrong elements and the expected ones, but for rounding; 0: none. Equality
 * in the inequality of Cauchy and Schwarz shows it, unless all expected values are alike. */
static double common_factor(const struct lab_evidence *e)
{
    const struct lab_mismatches *const m = e->mismatches;
    const double both = m->got_squares * m->expected_squares;
    const double factor = m->products / m->expected_squares;
    const double wrong = (double)m->pattern.wrong, squares = wrong * m->expected_squares;
    const bool is_scaled = both - m->products * m->products < 1e-9 * both; /* false of NaN, too */
    const bool differ = squares - m->expected * m->expected > 1e-3 * squares;
    return !e->advice->is_exact && wrong >= 4.0 && is_scaled && differ && fabs(factor - 1.0) > 0.01
               ? factor
               : 0.0;
}

static bool have_factor(struct lab_evidence *e, char *text, size_t size)
{
    const double factor = common_factor(e);
    snprintf(text, size,
             "each of these is %.4g times what is expected: look at the factors of the sum, and "
             "whether it is added more than once",
             factor);
    return factor != 0.0;
}

/* How many times what is expected the elements are, if that is a small whole number. A few
 * elements, or equal ones, may be multiples by chance. */
static bool are_several_times(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    const double common = common_factor(e), whole = round(common != 0.0 ? common : m->least_ratio);
    const double off = e->advice->is_exact ? 0.0 : 1e-4 * whole;
    const bool is_each = m->least_ratio >= whole - off && m->most_ratio <= whole + off;
    const bool may_chance = e->advice->is_exact && (m->pattern.wrong < 4 || m->least == m->most);
    if (!(whole >= 2.0 && whole <= 1024.0) ||
        !(fabs(common - whole) <= 1e-3 || (is_each && !may_chance)))
        return false;
    const char *const more = e->advice->of_several ? e->advice->of_several(whole) : NULL;
    snprintf(text, size,
             "%s %.0f times what is expected: counted %.0f times? Look for what is added more than "
             "once, and for parts that several threads or blocks all take%s%s",
             each_is(e), whole, whole, more ? "; " : "", more ? more : "");
    return true;
}

/* Whether sums of fractions are all whole numbers, and some are not 0, which is there where nothing
 * was added. A large float has no fraction. */
static bool are_ints(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    snprintf(text, size, "%s a whole number: is a sum, or what it adds, kept in an int?",
             each_is(e));
    return !e->advice->is_exact && m->whole == m->pattern.wrong && m->zero < m->whole &&
           m->worst < 1e6;
}

/* All elements, right ones included, are 0. */
static bool are_zero(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    return !e->advice->is_exact && m->whole == m->pattern.wrong && m->zero == m->whole &&
           m->whole == e->counted &&
           put("0 is all that is there: is anything added, by += and not put there by =, and is a "
               "sum, or what it adds, kept in an int? Or does a thread store it that does not have "
               "it?",
               text, size);
}

/* Of what is to be moved as it is: whether each wrong element is what `made` makes of its place. */
static bool are_made(const struct lab_evidence *e,
                     double (*made)(const struct lab_compared *v, size_t place))
{
    const struct lab_compared *const v = e->values;
    size_t i = 0;
    while (v && i < v->rows * v->columns &&
           (v->got[i] == v->expected[i] || v->got[i] == made(v, i)))
        i++;
    return e->advice->is_exact && v && i == v->rows * v->columns;
}

static double index_of(const struct lab_compared *v, size_t place)
{
    return (void)v, (double)place;
}

static double turned_index_of(const struct lab_compared *v, size_t place)
{
    return (double)(place % v->columns * v->rows + place / v->columns);
}

static double cut_off(const struct lab_compared *v, size_t place)
{
    return trunc(v->expected[place]);
}

static bool are_indices(struct lab_evidence *e, char *text, size_t size)
{
    return (are_made(e, index_of) || are_made(e, turned_index_of)) &&
           e->mismatches->zero < e->mismatches->pattern.wrong &&
           put("each of these holds an index: it is stored in place of what is there", text, size);
}

static bool are_cut_off(struct lab_evidence *e, char *text, size_t size)
{
    enum { LEAST = 4 };
    return e->mismatches->pattern.wrong >= LEAST && are_made(e, cut_off) &&
           put("each of these is what is expected without its fraction: is it kept in an int on "
               "its way?",
               text, size);
}

/* All differ by the same, though what is expected does not. Of scattered ones it may be what a race
 * has lost of a count. */
static bool are_shifted(struct lab_evidence *e, char *text, size_t size)
{
    enum { LEAST = 4 };
    const struct lab_mismatches *const m = e->mismatches;
    const double by = fabs(m->least_error);
    snprintf(
        text, size,
        "all of these are %s by the same, %.4g: does each sum begin at 0, or is something that "
        "all have added once too often, or left out?",
        m->least_error > 0.0 ? "larger" : "smaller", by);
    return has_shape(e) && m->pattern.wrong >= LEAST &&
           m->most_error - m->least_error <= 1e-3 * by && m->most - m->least > by;
}

static bool are_special(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->specials == e->mismatches->pattern.wrong &&
           put(e->advice->of_special, text, size);
}

static bool have_no_sign(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->unsigned_zeros == e->mismatches->pattern.wrong &&
           put("0 is stored for -0, or -0 for 0, and all else is right: is a value computed with, "
               "such as added to 0, where it is to be moved as it is?",
               text, size);
}

static bool are_flushed(struct lab_evidence *e, char *text, size_t size)
{
    return e->mismatches->flushed == e->mismatches->pattern.wrong &&
           put("0 is stored for subnormal numbers, those below 2^-126, and all else is right: does "
               "an operation flush them to 0, as those with .ftz do?",
               text, size);
}

/* --- precision ---------------------------------------------------------------------------------*/

/* Whether wrong elements follow the expected ones but for a little noise of both signs. The values
 * of another element do not, nor do sums that all leave the same term out. */
static bool follow(const struct lab_mismatches *m)
{
    const double both = m->got_squares * m->expected_squares;
    const double squares = m->got_squares - 2.0 * m->products + m->expected_squares;
    return m->pattern.wrong >= 64 && both - m->products * m->products < 1e-3 * both &&
           m->errors * m->errors < 16.0 * squares;
}

/* Below LEAST, rounding in single precision explains nothing. Above MOST, hardly any type is that
 * coarse. Sums in a bfloat16 are, up to MOST_OF_COARSE, and still follow what is expected. Few
 * types are coarser than OF_HALVES. */
static bool are_imprecise(struct lab_evidence *e, char *text, size_t size)
{
    static const double LEAST = 1e-8, OF_PARTS = 1e-5, OF_HALVES = 2e-3, MOST = 1e-2;
    static const double MOST_OF_COARSE = 0.1;
    const struct lab_mismatches *const m = e->mismatches;
    const double relative = m->scale > 0.0 ? m->worst / m->scale : INFINITY;
    const double term = e->advice->term;
    const bool is_below_term = term > 0.0 && m->worst < term; /* than any missing term makes */
    snprintf(text, size,
             "errors of at most %.1g of the largest value suggest precision: sums or operands in a "
             "narrower type, or fast functions%s%s%s",
             relative,
             e->advice->row_of && relative > OF_PARTS
                 ? ", or what such a type leaves out of an operand, if that is multiplied, too"
                 : "",
             is_below_term ? "" : "; else a small term is missing",
             relative > OF_HALVES
                 ? ", or an index takes a neighbour's value, where these differ little"
                 : "");
    return !e->advice->is_exact && relative > LEAST &&
           (follow(m) ? relative < MOST_OF_COARSE
                      : relative < MOST && (term <= 0.0 || is_below_term));
}

/* --- places alone ------------------------------------------------------------------------------*/

static bool have_shape(struct lab_evidence *e, char *text, size_t size)
{
    snprintf(text, size, "%s", "");
    return has_shape(e) && *e->where;
}

static bool have_no_shape(struct lab_evidence *e, char *text, size_t size)
{
    const bool has_words = !has_shape(e) && e->advice->of_some;
    snprintf(text, size, "%s",
             has_words   ? e->advice->of_some
             : *e->where ? e->where
                         : e->advice->of_most);
    return true;
}

/* --- the table ---------------------------------------------------------------------------------*/

/* Tried in this order. In place of one without a function those of the family are tried that are as
 * certain. */
static const struct lab_hypothesis hypotheses[] = {
    {"another size", end_at_other_size, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"another index", have_other_index, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"other tiles", have_other_tiles, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"few vectors", have_few_vectors, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"close blocks", have_close_blocks, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"kept out", are_kept_out, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"unwritten, and others moved", some_are_moved, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"unwritten, and others wrong", others_are_written, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"unwritten ends", ends_are_unwritten, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"unwritten", none_are_written, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"NaN, and a cause", are_nans_of_cause, LAB_CAUSE_SUSPECTED, LAB_PLACE_UNSAID, false},
    {"NaN", are_nans, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"permutation", are_moved, LAB_CAUSE_PROVED, LAB_PLACE_OF_PART, true},
    {"the family's", NULL, LAB_CAUSE_SEEN, LAB_PLACE_UNSAID, false},
    {"indices", are_indices, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"without fractions", are_cut_off, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"sign of 0", have_no_sign, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"subnormal", are_flushed, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"several times", are_several_times, LAB_CAUSE_UNKNOWN, LAB_PLACE_FIRST, false},
    {"the family's", NULL, LAB_CAUSE_SUSPECTED, LAB_PLACE_UNSAID, false},
    {"ints", are_ints, LAB_CAUSE_UNKNOWN, LAB_PLACE_FIRST, false},
    {"nothing", are_zero, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"shifted", are_shifted, LAB_CAUSE_PROVED, LAB_PLACE_FIRST, false},
    {"special", are_special, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"factor", have_factor, LAB_CAUSE_UNKNOWN, LAB_PLACE_FIRST, false},
    {"precision", are_imprecise, LAB_CAUSE_UNKNOWN, LAB_PLACE_FIRST, false},
    {"NaN of the inputs", may_be_of_inputs, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, false},
    {"shape", have_shape, LAB_CAUSE_UNKNOWN, LAB_PLACE_FIRST, true},
    {"no shape", have_no_shape, LAB_CAUSE_UNKNOWN, LAB_PLACE_UNSAID, true},
};

static const struct lab_hypothesis *find(struct lab_evidence *e, char *text, size_t size)
{
    for (const struct lab_hypothesis *h = hypotheses;; h++) { /* the last one explains all */
        const bool is_seen = h->certainty == LAB_CAUSE_SEEN;
        const struct lab_hypothesis *const found = !h->explains ? of_family(e, is_seen, text, size)
                                                   : h->explains(e, text, size) ? h
                                                                                : NULL;
        if (found)
            return found;
    }
}

/* A hypothesis that is wrong costs more than one that is not named: if a whole edge, or everything,
 * is wrong, that tells more than a race. */
static bool may_be_race(enum lab_pattern_kind kind)
{
    return kind != LAB_PATTERN_ALL && kind != LAB_PATTERN_WRAP && kind != LAB_PATTERN_EDGE &&
           kind != LAB_PATTERN_DIAGONAL;
}

static void append(struct lab_check *check, const char *text, size_t count)
{
    const size_t length = strlen(check->message);
    if (*text)
        snprintf(check->message + length, sizeof check->message - length, "; %.*s", (int)count,
                 text);
}

/* Appends what a hypothesis says, and before it the places, up to the colon or with all that they
 * usually come of. */
static void say(const struct lab_evidence *e, const struct lab_hypothesis *h, const char *text,
                struct lab_check *check)
{
    const bool is_placed = has_shape(e) && *e->where, is_diagonal = e->kind == LAB_PATTERN_DIAGONAL;
    const bool is_part = e->kind == LAB_PATTERN_EVERY || e->kind == LAB_PATTERN_PART;
    const bool is_short =
        h->place == LAB_PLACE_OF_PART || (h->place == LAB_PLACE_SHORT && !is_diagonal);
    if (h->place == LAB_PLACE_OF_PART ? is_part : h->place != LAB_PLACE_UNSAID && is_placed)
        append(check, e->where, is_short ? strcspn(e->where, ":") : sizeof e->where);
    if (h->place != LAB_PLACE_INSTEAD || !is_placed)
        append(check, text, sizeof check->message);
    check->certainty = h->certainty;
    check->has_place = h->explains == have_shape;
    check->is_imprecise = h->explains == are_imprecise;
    check->may_be_race = h->may_be_race && may_be_race(e->kind);
}

/* --- the verdict -------------------------------------------------------------------------------*/

/* How many of a side's elements are in a cell. */
static size_t cell_length(size_t cell, size_t count)
{
    enum { CELLS = LAB_PATTERN_CELLS };
    return count <= CELLS
               ? 1
               : ((cell + 1) * count + CELLS - 1) / CELLS - (cell * count + CELLS - 1) / CELLS;
}

/* Shares are rounded up, so that no wrong element vanishes. An element noted twice counts once. */
static void draw_map(const struct lab_pattern *p, struct lab_check_map *map)
{
    map->rows = p->rows;
    map->columns = p->columns;
    for (size_t row = 0; row < LAB_PATTERN_CELLS; row++)
        for (size_t column = 0; column < LAB_PATTERN_CELLS; column++) {
            const size_t all = cell_length(row, p->rows) * cell_length(column, p->columns);
            const size_t share = (255 * (size_t)p->cells[row][column] + all - 1) / all;
            map->share[row][column] = (unsigned char)(share < 255 ? share : 255);
        }
}

static double shown(const struct lab_evidence *e, double value)
{
    return e->advice->shown ? e->advice->shown(e->advice->family, value) : value;
}

static void write_headline(const struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_mismatches *const m = e->mismatches;
    const struct lab_mismatch *const one = lab_mismatch_shown(m);
    char place[48] = "", counts[64] = "";
    if (e->indices == 1)
        snprintf(place, sizeof place, "[%zu]", one->column);
    else if (e->indices == 2)
        snprintf(place, sizeof place, "[%zu][%zu]", one->row, one->column);
    if (e->noun)
        snprintf(counts, sizeof counts, "%s%zu of %zu%s %s", m->unwritten ? ", " : "; ",
                 m->unwritten ? m->unwritten : m->pattern.wrong, e->counted, e->noun,
                 m->unwritten ? "in all" : "wrong");
    if (m->unwritten)
        snprintf(text, size, "%s%s was never written%s", e->name, place, counts);
    else
        snprintf(text, size, "%s%s: expected %.*g, got %.*g%s%s", e->name, place, e->digits,
                 shown(e, one->expected), e->digits, shown(e, one->got), counts, e->behind);
}

void lab_diagnose(struct lab_evidence *e, struct lab_check *check)
{
    const struct lab_mismatches *const m = e->mismatches;
    struct lab_pattern pattern = m->pattern;
    char text[800];
    if (m->unwritten + m->nans > 0)
        check->max_error = (double)NAN;
    check->status = m->unwritten           ? LAB_CHECK_UNWRITTEN
                    : m->nans              ? LAB_CHECK_NAN
                    : m->pattern.wrong > 0 ? LAB_CHECK_WRONG
                                           : LAB_CHECK_OK;
    if (m->pattern.wrong == 0)
        return;
    /* as far as their squares tell, elements may hold each other's values */
    pattern.is_permuted = fabs(m->got_squares - m->expected_squares) <= 1e-4 * m->expected_squares;
    pattern.counted = e->counted;
    pattern.is_unwritten = m->unwritten == m->pattern.wrong || m->is_unstored;
    e->kind = lab_pattern_say(&pattern, e->where, sizeof e->where);
    write_headline(e, check->message, sizeof check->message);
    check->advice_at = strlen(check->message);
    check->has_element = true;
    check->row = lab_mismatch_shown(m)->row;
    check->column = lab_mismatch_shown(m)->column;
    draw_map(&m->pattern, &check->map);
    say(e, find(e, text, sizeof text), text, check);
}

void lab_compare_verdict(struct lab_comparison *c, const char *name,
                         const struct lab_advice *advice, struct lab_check *check)
{
    struct lab_compared values = {name,           c->rows,           c->columns,  c->tolerance,
                                  advice->row_of, advice->column_of, c->expected, c->got};
    const bool is_whole = c->seen == c->rows * c->columns;
    struct lab_evidence evidence = {.mismatches = &c->mismatches,
                                    .counted = c->seen,
                                    .values = is_whole && c->expected ? &values : NULL,
                                    .advice = advice,
                                    .name = name,
                                    .indices = c->is_one      ? 0
                                               : c->is_vector ? 1
                                                              : 2,
                                    .digits = c->element == LAB_ELEMENT_F64 ? 15 : 7,
                                    .noun = c->is_one ? NULL : " elements"};
    snprintf(evidence.behind, sizeof evidence.behind, "%s tolerance %.2g", c->is_one ? ";" : ",",
             c->tolerance);
    check->tolerance = c->tolerance;
    check->max_error = c->max_error;
    lab_diagnose(&evidence, check);
    if (c->mismatches.pattern.wrong == 0 && c->at < c->rows * c->columns)
        check->status = LAB_CHECK_WRONG; /* only a part was compared: this is no verdict */
    lab_comparison_end(c);
}
