/* From wrong elements to a status and advice. A cause is named only where what was seen speaks for
 * it: a wrong hint costs a learner more than none. */
#include "families/findings.h"

#include "base/simulator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below the first, rounding in single precision explains nothing. Above the second, hardly any type
 * is that coarse. Sums in a bfloat16 are, up to the third, and still follow what is expected. */
static const double LEAST_OF_PRECISION = 1e-8, MOST_OF_PRECISION = 1e-2, MOST_OF_COARSE = 0.1;

static void note_ratio(struct lab_findings *f, const struct lab_finding *finding, bool is_first)
{
    const double expected = finding->expected;
    const double ratio = expected != 0.0 ? finding->got / expected : (double)NAN;
    f->least_ratio = is_first || !(ratio >= f->least_ratio) ? ratio : f->least_ratio;
    f->most_ratio = is_first || !(ratio <= f->most_ratio) ? ratio : f->most_ratio;
    f->least = is_first || expected < f->least ? expected : f->least;
    f->most = is_first || expected > f->most ? expected : f->most;
}

void lab_findings_note(struct lab_findings *f, struct lab_finding finding, double scale,
                       bool is_unwritten)
{
    const double error = fabs(finding.got - finding.expected);
    if (isnan(finding.got))
        finding.got = NAN; /* its sign says nothing, and would be shown */
    if (f->pattern.wrong == 0)
        f->first = finding;
    note_ratio(f, &finding, f->pattern.wrong == 0);
    lab_pattern_note(&f->pattern, finding.row, finding.column);
    f->specials += !isfinite(finding.expected);
    f->whole += finding.got == rint(finding.got) && finding.expected != rint(finding.expected);
    f->zero += finding.got == 0.0;
    f->got_squares += finding.got * finding.got;
    f->expected += finding.expected;
    f->expected_squares += finding.expected * finding.expected;
    f->products += finding.got * finding.expected;
    f->errors += finding.got - finding.expected;
    if (is_unwritten) {
        f->of_unwritten.rows = f->pattern.rows;
        f->of_unwritten.columns = f->pattern.columns;
        f->of_unwritten.what = f->pattern.what;
        lab_pattern_note(&f->of_unwritten, finding.row, finding.column);
        if (f->unwritten++ == 0)
            f->first_unwritten = finding;
    } else if (isnan(finding.got)) {
        if (f->nans++ == 0)
            f->first_nan = finding;
    } else if (!(error <= f->worst)) {
        f->worst = error;
    }
    if (isfinite(scale) && scale > f->scale)
        f->scale = scale;
}

const struct lab_finding *lab_findings_shown(const struct lab_findings *f)
{
    return f->unwritten ? &f->first_unwritten : f->nans ? &f->first_nan : &f->first;
}

static double relative_error(const struct lab_findings *f)
{
    return f->scale > 0.0 ? f->worst / f->scale : INFINITY;
}

/* Whether wrong elements follow the expected ones but for a little noise of both signs. The values
 * of another element do not, nor do sums that all leave the same term out. */
static bool follow(const struct lab_findings *f)
{
    const double both = f->got_squares * f->expected_squares;
    const double squares = f->got_squares - 2.0 * f->products + f->expected_squares;
    return f->pattern.wrong >= 64 && both - f->products * f->products < 1e-3 * both &&
           f->errors * f->errors < 16.0 * squares;
}

/* Whether errors are smaller than those that any missing term makes. */
static bool is_below_term(const struct lab_findings *f, const struct lab_advice *advice)
{
    return advice->term > 0.0 && f->worst < advice->term;
}

static bool is_precision(const struct lab_findings *f, const struct lab_advice *advice)
{
    const double relative = relative_error(f);
    if (advice->is_exact || relative <= LEAST_OF_PRECISION)
        return false;
    return follow(f)
               ? relative < MOST_OF_COARSE
               : relative < MOST_OF_PRECISION && (advice->term <= 0.0 || is_below_term(f, advice));
}

/* The factor between all wrong elements and the expected ones, but for rounding; 0: none. Equality
 * in the inequality of Cauchy and Schwarz shows it, unless all expected values are alike. */
static double common_factor(const struct lab_findings *f, const struct lab_advice *advice)
{
    const double both = f->got_squares * f->expected_squares;
    const double factor = f->products / f->expected_squares;
    const double wrong = (double)f->pattern.wrong, squares = wrong * f->expected_squares;
    const bool is_scaled = both - f->products * f->products < 1e-9 * both; /* false of NaN, too */
    const bool differ = squares - f->expected * f->expected > 1e-3 * squares;
    return !advice->is_exact && wrong >= 4.0 && is_scaled && differ && fabs(factor - 1.0) > 0.01
               ? factor
               : 0.0;
}

/* How many times what is expected the elements are, if that is a small whole number; else 0. A few
 * elements, or equal ones, may be multiples by chance. */
static double whole_factor(const struct lab_findings *f, const struct lab_advice *advice)
{
    const double common = common_factor(f, advice);
    const double whole = round(common != 0.0 ? common : f->least_ratio);
    const double off = advice->is_exact ? 0.0 : 1e-4 * whole;
    const bool is_each = f->least_ratio >= whole - off && f->most_ratio <= whole + off;
    const bool may_chance = advice->is_exact && (f->pattern.wrong < 4 || f->least == f->most);
    return whole >= 2.0 && whole <= 64.0 && fabs(common - whole) <= 1e-3 ? whole
           : whole >= 2.0 && whole <= 64.0 && is_each && !may_chance     ? whole
                                                                         : 0.0;
}

static void append(struct lab_check *check, const char *text)
{
    const size_t length = strlen(check->message);
    if (*text)
        snprintf(check->message + length, sizeof check->message - length, "; %s", text);
}

/* If every read of memory was checked, and each found a value, no read of memory brought the
 * NaN. */
static const char *cause_of_nans(const struct lab_advice *advice)
{
    const bool is_seen = lab_simulator() && lab_simulator()->checks_for("uninitialized");
    return !advice->nans_are_of_memory || !is_seen
               ? advice->of_nans
               : "no read of memory brings NaN in, for each found a value there: is there a "
                 "variable, or an element of a thread's own array, that is read and was never set? "
                 "Does the loop that sets them reach as far as the one that reads them?";
}

/* Appends the place without its usual advice: the values have told more. */
static void append_place(struct lab_check *check, char *where)
{
    where[strcspn(where, ":")] = '\0';
    append(check, where);
}

static void append_precision(const struct lab_findings *f, const struct lab_advice *advice,
                             struct lab_check *check)
{
    static const double OF_HALVES = 2e-3; /* above, few types are that coarse */
    char text[400];
    snprintf(text, sizeof text,
             "errors of at most %.1g of the largest value suggest precision: sums or operands in a "
             "narrower type, or fast functions%s%s",
             relative_error(f), is_below_term(f, advice) ? "" : "; else a small term is missing",
             relative_error(f) > OF_HALVES
                 ? ", or an index takes a neighbour's value, where these differ little"
                 : "");
    append(check, text);
}

static void append_whole(double factor, bool is_one, const struct lab_advice *advice,
                         struct lab_check *check)
{
    char text[200];
    snprintf(text, sizeof text,
             "%s %.0f times what is expected: counted %.0f times? Look for what is added more than "
             "once, and for parts that several threads or blocks all take",
             is_one ? "this is" : "each of these is", factor, factor);
    append(check, text);
    if (advice->of_several)
        append(check, advice->of_several);
}

/* Whether sums of fractions are all whole numbers, and some are not 0, which is there where nothing
 * was added. A large float has no fraction. */
static bool are_ints(const struct lab_findings *f)
{
    return f->whole == f->pattern.wrong && f->zero < f->whole && f->worst < 1e6;
}

static void append_ints(bool is_one, struct lab_check *check)
{
    append(check, is_one ? "this is a whole number: is a sum, or what it adds, kept in an int?"
                         : "each of these is a whole number: is a sum, or what it adds, kept in an "
                           "int?");
}

/* Whether all elements, right ones included, are 0. */
static bool is_nothing(const struct lab_findings *f, size_t counted)
{
    return f->whole == f->pattern.wrong && f->zero == f->whole && f->whole == counted;
}

static void append_factor(double factor, struct lab_check *check)
{
    char text[200];
    snprintf(text, sizeof text,
             "each of these is %.4g times what is expected: look at the factors of the sum, and "
             "whether it is added more than once",
             factor);
    append(check, text);
}

/* Whether a race may have left this: if a whole edge, or everything, is wrong, that tells more. */
static bool may_be_race(enum lab_pattern_kind kind)
{
    return kind != LAB_PATTERN_ALL && kind != LAB_PATTERN_WRAP && kind != LAB_PATTERN_EDGE &&
           kind != LAB_PATTERN_DIAGONAL;
}

static bool has_no_shape(enum lab_pattern_kind kind)
{
    return kind == LAB_PATTERN_ONE || kind == LAB_PATTERN_SCATTERED;
}

/* Whether elements may hold each other's values, as far as their squares tell. */
static bool is_permuted(const struct lab_findings *f)
{
    return fabs(f->got_squares - f->expected_squares) <= 1e-4 * f->expected_squares;
}

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

void lab_findings_conclude(const struct lab_findings *f, size_t counted,
                           const struct lab_advice *advice, struct lab_check *check)
{
    char where[400], others[100];
    const size_t rest = f->pattern.wrong - f->unwritten;
    const bool is_unwritten = f->unwritten > 0;
    struct lab_pattern pattern = f->pattern;
    pattern.is_permuted = is_permuted(f);
    const enum lab_pattern_kind kind =
        lab_pattern_say(&pattern, counted, (is_unwritten && rest == 0) || advice->is_untouched,
                        where, sizeof where);
    check->status = f->unwritten           ? LAB_CHECK_UNWRITTEN
                    : f->nans              ? LAB_CHECK_NAN
                    : f->pattern.wrong > 0 ? LAB_CHECK_WRONG
                                           : LAB_CHECK_OK;
    check->advice_at = strlen(check->message);
    check->has_element = true;
    check->has_cause = advice->cause != NULL;
    check->row = lab_findings_shown(f)->row;
    check->column = lab_findings_shown(f)->column;
    draw_map(&f->pattern, &check->map);
    if (is_unwritten && rest > 0 && advice->of_moved) {
        append(check, advice->of_moved);
    } else if (is_unwritten && rest > 0) {
        snprintf(others, sizeof others, "%zu more are wrong or NaN, which may come of it", rest);
        append(check, others);
        append(check, lab_pattern_say(&f->of_unwritten, counted, true, where, sizeof where) ==
                              LAB_PATTERN_EVERY
                          ? where
                          : advice->of_unwritten);
    } else if (is_unwritten) {
        append(check, *where ? where : advice->of_unwritten);
        check->is_explained = kind == LAB_PATTERN_EDGE || kind == LAB_PATTERN_EVERY;
    } else if (f->nans) {
        append(check, cause_of_nans(advice));
    } else if (advice->of_moved) {
        if (kind == LAB_PATTERN_EVERY || kind == LAB_PATTERN_PART)
            append_place(check, where);
        append(check, advice->of_moved);
        check->is_explained = true;
        check->may_be_race = may_be_race(kind);
    } else if (!advice->is_seen && whole_factor(f, advice) != 0.0) {
        if (!has_no_shape(kind))
            append(check, where);
        append_whole(whole_factor(f, advice), f->pattern.wrong == 1, advice, check);
    } else if (advice->cause) {
        const bool is_placed = !has_no_shape(kind) && *where;
        if (is_placed && advice->is_seen && !advice->is_untouched && kind != LAB_PATTERN_DIAGONAL)
            append_place(check, where);
        else if (is_placed)
            append(check, where);
        if (advice->is_seen || !is_placed) /* advice for any mistake tells less than the place */
            append(check, advice->cause);
        if (advice->is_untouched && !*where)
            append(check, advice->of_unwritten);
        check->is_explained = advice->is_seen && !advice->is_open;
    } else if (!advice->is_exact && are_ints(f)) {
        if (!has_no_shape(kind))
            append(check, where);
        append_ints(f->pattern.wrong == 1, check);
    } else if (!advice->is_exact && is_nothing(f, counted)) {
        append(check,
               "0 is all that is there: is anything added, by += and not put there by =, and "
               "is a sum, or what it adds, kept in an int?");
    } else if (advice->of_special && f->specials == f->pattern.wrong) {
        append(check, advice->of_special);
    } else if (common_factor(f, advice) != 0.0) {
        if (!has_no_shape(kind))
            append(check, where);
        append_factor(common_factor(f, advice), check);
    } else if (is_precision(f, advice)) {
        if (!has_no_shape(kind))
            append(check, where);
        append_precision(f, advice, check);
    } else {
        const bool no_shape = has_no_shape(kind);
        append(check, no_shape && advice->of_some ? advice->of_some
                      : *where                    ? where
                                                  : advice->of_most);
        check->has_place = !no_shape && *where;
        check->may_be_race = may_be_race(kind);
    }
}
