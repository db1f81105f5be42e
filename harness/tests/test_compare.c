/* The checker itself: what must not pass does not. */
#include "diagnose/hypothesis.h"
#include "families/inputs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 70, COLUMNS = 100, COUNT = ROWS * COLUMNS };

static float expected[COUNT], got[COUNT];

static const struct lab_advice advice = {
    .of_unwritten = "nobody wrote it", .of_nans = "a NaN", .of_most = "most of it", .term = 0.25};

static struct lab_check compare(void)
{
    struct lab_comparison c = {.rows = ROWS, .columns = COLUMNS, .tolerance = 1e-3f};
    struct lab_check check = {.status = LAB_CHECK_OK};
    for (size_t done = 0; done < COUNT; done += 1000)
        lab_compare(&c, expected + done, got + done, 1000);
    lab_compare_verdict(&c, "C", &advice, &check);
    return check;
}

static void fill(void)
{
    lab_inputs_fill(expected, 0, COUNT, 1);
    memcpy(got, expected, sizeof got);
}

Test(compare, right, .init = fill)
{
    cr_expect_eq(compare().status, LAB_CHECK_OK);
    got[5] += 0.0009f;
    struct lab_check check = compare();
    cr_expect_eq(check.status, LAB_CHECK_OK);
    cr_expect_float_eq(check.max_error, 0.0009, 1e-5);
}

Test(compare, one_wrong_at_the_end, .init = fill)
{
    got[COUNT - 1] += 0.0011f;
    struct lab_check check = compare();
    cr_expect_eq(check.status, LAB_CHECK_WRONG);
    cr_expect(strstr(check.message, "C[69][99]"), "%s", check.message);
    cr_expect(strstr(check.message, "1 of 7000"), "%s", check.message);
    cr_expect(strstr(check.message, "last rows or columns"), "%s", check.message);
}

/* Nothing is an edge where all of the matrix is less than a tile; what to look at is the family's
 * to say. */
Test(compare, small_matrices)
{
    const float expected[17 * 64] = {0.0f};
    float got[17 * 64] = {0.0f};
    struct lab_comparison c = {.rows = 17, .columns = 64}, all = c;
    struct lab_check check = {.status = LAB_CHECK_OK};
    got[3 * 64 + 40] = 1.0f;
    lab_compare(&c, expected, got, 17 * 64);
    lab_compare_verdict(&c, "C", &advice, &check);
    cr_expect_eq(check.status, LAB_CHECK_WRONG);
    cr_expect(strstr(check.message, "this one alone"), "%s", check.message);
    for (int i = 0; i < 17 * 64; i++)
        got[i] = 1.0f;
    lab_compare(&all, expected, got, 17 * 64);
    lab_compare_verdict(&all, "C", &advice, &check);
    cr_expect(strstr(check.message, "; most of it"), "%s", check.message);
}

Test(compare, nan, .init = fill)
{
    got[1234] = NAN;
    struct lab_check check = compare();
    cr_expect_eq(check.status, LAB_CHECK_NAN);
    cr_expect(strstr(check.message, "C[12][34]"), "%s", check.message);
    cr_expect(isnan(check.max_error));
}

Test(compare, infinities, .init = fill)
{
    expected[7] = got[7] = INFINITY;
    expected[8] = got[8] = -INFINITY;
    cr_expect_eq(compare().status, LAB_CHECK_OK);
    got[8] = INFINITY;
    cr_expect_eq(compare().status, LAB_CHECK_WRONG);
    got[8] = 3e38f;
    cr_expect_eq(compare().status, LAB_CHECK_WRONG);
    got[8] = -INFINITY;
    got[9] = INFINITY;
    cr_expect_eq(compare().status, LAB_CHECK_WRONG);
}

Test(compare, unwritten, .init = fill)
{
    memset(got, 0xFF, sizeof got);
    cr_expect_eq(compare().status, LAB_CHECK_UNWRITTEN);
    memcpy(got, expected, sizeof got);
    memset(&got[42], 0xFF, sizeof got[42]);
    cr_expect_eq(compare().status, LAB_CHECK_UNWRITTEN);
    got[43] = 100.0f;
    got[44] = NAN;
    struct lab_check check = compare();
    cr_expect_eq(check.status, LAB_CHECK_UNWRITTEN);
    cr_expect(strstr(check.message, "C[0][42] was never written, 1 of 7000"), "%s", check.message);
    cr_expect(strstr(check.message, "2 more are wrong or NaN"), "%s", check.message);
}

/* --- what is said ------------------------------------------------------------------------------*/

/* What is wrong, by element; and words that must be said, or behind "!" must not be. */
struct said {
    bool (*is_wrong)(int row, int column);
    const char *words;
};

static bool all(int row, int column)
{
    return row + column >= 0;
}

static bool last_rows(int row, int column)
{
    return row >= 64 && column >= 0;
}

static bool last_columns(int row, int column)
{
    return column >= 96 && row >= 0;
}

static bool last_of_both(int row, int column)
{
    return row >= 64 || column >= 96;
}

static bool past_a_tile_of_64(int row, int column)
{
    return column >= 64 && row >= 0;
}

/* Behind the last whole tile, and yet where no tile is at fault. */
static bool corner(int row, int column)
{
    return row < 5 && column >= 95 + row;
}

/* The edge, and something in the interior. */
static bool edge_and_inside(int row, int column)
{
    return row >= 64 || (row == 17 && column == 5);
}

static bool every_fourth_column(int row, int column)
{
    return column % 4 == 3 && row >= 0;
}

static bool every_second_row(int row, int column)
{
    return row % 2 == 0 && column >= 0;
}

static bool half_of_each_tile(int row, int column)
{
    return column % 32 >= 16 && row >= 0;
}

static bool lower_right(int row, int column)
{
    return row >= 35 && column >= 50;
}

static bool one_tile(int row, int column)
{
    return row >= 16 && row < 32 && column >= 32 && column < 48;
}

static bool first_half(int row, int column)
{
    return row < 35 && column >= 0;
}

static bool scattered(int row, int column)
{
    return (row * 37 + column * 61 + row * column) % 23 == 0;
}

/* Errors of `least` to 1.5 times that, or all of `least`. */
static void spoil_by(bool (*is_wrong)(int, int), float least, bool is_same)
{
    memcpy(got, expected, sizeof got);
    for (int i = 0; i < COUNT; i++)
        if (is_wrong(i / COLUMNS, i % COLUMNS))
            got[i] += is_same ? least : least * (1.0f + 0.125f * (float)(i % 5));
}

static void spoil(bool (*is_wrong)(int, int), float least)
{
    spoil_by(is_wrong, least, false);
}

Test(compare, pattern_is_said, .init = fill)
{
    static const struct said cases[] = {{all, "most of it"},
                                        {last_rows, "only at the last rows:"},
                                        {last_columns, "only at the last columns:"},
                                        {last_of_both, "only at the last rows or columns:"},
                                        {past_a_tile_of_64, "only at the last columns:"},
                                        {past_a_tile_of_64, "a block's first row and column"},
                                        {last_columns, "!a block's first row and column"},
                                        {edge_and_inside, "!the last"},
                                        {corner, "!tile does not divide"},
                                        {every_fourth_column, "every fourth column, from 3 on"},
                                        {every_second_row, "every second row, from 0 on"},
                                        {half_of_each_tile, "columns 16 to 31 of every 32"},
                                        {lower_right, "one quadrant"},
                                        {one_tile, "columns 32 to 47 of rows 16 to 31, one tile"},
                                        {first_half, "rows 0 to 34, one half"},
                                        {scattered, "some elements only"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool is_absent = cases[i].words[0] == '!';
        spoil(cases[i].is_wrong, 1.0f);
        const struct lab_check check = compare();
        cr_expect_eq(check.status, LAB_CHECK_WRONG);
        cr_expect_eq(strstr(check.message, cases[i].words + is_absent) == NULL, is_absent,
                     "not \"%s\": %s", cases[i].words, check.message);
        cr_expect(!strstr(check.message, "__syncthreads") && !strstr(check.message, "precision"),
                  "%s", check.message);
    }
}

Test(compare, that_all_differ_by_the_same_is_said, .init = fill)
{
    static bool (*const wrong[])(int, int) = {all, every_fourth_column, one_tile};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        spoil_by(wrong[i], -1.5f, true);
        const struct lab_check check = compare();
        cr_expect(strstr(check.message, "smaller by the same, 1.5: does each sum begin at 0"), "%s",
                  check.message);
    }
    spoil_by(scattered, 1.0f, true); /* as counts that a race has lost */
    cr_expect(!strstr(compare().message, "by the same"));
    cr_expect(compare().may_be_race);
}

/* What one barrier more would not mend is not what a race leaves. */
Test(compare, whether_it_may_be_a_race, .init = fill)
{
    spoil(scattered, 1.0f);
    cr_expect(compare().may_be_race);
    spoil(last_columns, 1.0f);
    cr_expect_not(compare().may_be_race);
    spoil(all, 1.0f);
    cr_expect_not(compare().may_be_race);
}

Test(compare, small_errors_suggest_precision, .init = fill)
{
    spoil(all, 4e-3f);
    struct lab_check check = compare();
    cr_expect(strstr(check.message, "suggest precision"), "%s", check.message);
    spoil(scattered, 4e-3f);
    check = compare();
    cr_expect(strstr(check.message, "suggest precision"), "%s", check.message);
    spoil(all, 0.02f);
    check = compare();
    cr_expect(!strstr(check.message, "precision"), "%s", check.message);
}

/* A long sum: a term of it is small against the sum, and yet no matter of precision. */
Test(compare, a_missing_term_is_not_precision)
{
    enum { SIDE = 64 };
    static float sums[SIDE * SIDE], without[SIDE * SIDE];
    struct lab_check check = {.status = LAB_CHECK_OK};
    struct lab_comparison c = {.rows = SIDE, .columns = SIDE, .tolerance = 1e-3};
    for (int i = 0; i < SIDE * SIDE; i++) {
        sums[i] = 1000.0f;
        without[i] = sums[i] - 0.5f;
    }
    lab_compare(&c, sums, without, SIDE * SIDE);
    lab_compare_verdict(&c, "C", &advice, &check);
    cr_expect(strstr(check.message, "most of it"), "%s", check.message);
}

Test(compare, nan_shows_an_element_that_is_nan, .init = fill)
{
    got[5] += 1.0f;
    got[1234] = -NAN; /* a sign that says nothing */
    const struct lab_check check = compare();
    cr_expect_eq(check.status, LAB_CHECK_NAN);
    cr_expect(strstr(check.message, "C[12][34]: expected"), "%s", check.message);
    cr_expect(strstr(check.message, "got nan"), "%s", check.message);
}

static bool fits(struct lab_evidence *evidence, char *text, size_t size)
{
    return snprintf(text, size, "as %s", (const char *)evidence->advice->family) > 0;
}

static bool fits_not(struct lab_evidence *evidence, char *text, size_t size)
{
    (void)evidence;
    snprintf(text, size, "not so");
    return false;
}

/* What the values show counts before any factor, what is only suspected behind it; the first that
 * fits is said. */
Test(compare, hypotheses_of_a_family, .init = fill)
{
    static char family[] = "this family says";
    const struct lab_hypothesis own[] = {
        {"not", fits_not, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
        {"seen", fits, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
        {.name = NULL}};
    const struct lab_hypothesis suspected[] = {
        {"suspected", fits, LAB_CAUSE_SUSPECTED, LAB_PLACE_INSTEAD, false}, {.name = NULL}};
    const struct lab_hypothesis *const tables[] = {own, suspected, suspected, suspected};
    const float factors[] = {2.0f, 2.0f, 1.5f, 0.0f};
    static const char *const said[] = {
        "; only at the last rows; as this family says",
        "; only at the last rows: look at what happens", /* the table's own, with its place */
        "; only at the last rows: look at what happens", /* the place alone */
        "; as this family says"};
    for (size_t i = 0; i < 4; i++) {
        struct lab_comparison c = {.rows = ROWS, .columns = COLUMNS, .tolerance = 1e-3f};
        struct lab_advice with = advice;
        struct lab_check check = {.status = LAB_CHECK_OK};
        with.hypotheses = tables[i];
        with.family = family;
        for (int at = 0; at < COUNT; at++)
            got[at] = i == 3 || at >= 64 * COLUMNS ? factors[i] * expected[at] : expected[at];
        lab_compare(&c, expected, got, COUNT);
        lab_compare_verdict(&c, "C", &with, &check);
        cr_expect(strstr(check.message, said[i]), "%zu: %s", i, check.message);
        cr_expect_eq(strstr(check.message, "each of these is 2 times") != NULL, i == 1, "%zu: %s",
                     i, check.message);
        cr_expect_eq(check.certainty, i == 0   ? LAB_CAUSE_SEEN
                                      : i == 1 ? LAB_CAUSE_UNKNOWN
                                               : LAB_CAUSE_SUSPECTED);
        cr_expect_null(c.expected);
    }
}

static double of_place(const void *family, size_t row, size_t column)
{
    (void)family;
    return 3.0 * (double)row + (double)column;
}

/* Right values in wrong places are found, and beneath what each place adds of its own. */
Test(compare, permutations, .init = fill)
{
    for (int has_own = 0; has_own < 2; has_own++) {
        struct lab_comparison c = {.rows = ROWS, .columns = COLUMNS, .tolerance = 1e-3f};
        struct lab_advice with = advice;
        struct lab_check check = {.status = LAB_CHECK_OK};
        fill();
        for (int i = 0; i < COUNT; i++)
            got[i] = expected[(i + COLUMNS) % COUNT];
        for (int i = 0; i < COUNT && has_own; i++) {
            const float own = (float)of_place(NULL, (size_t)i / COLUMNS, (size_t)i % COLUMNS);
            got[i] += own;
            expected[i] += own;
        }
        lab_compare(&c, expected, got, COUNT);
        with.of_place = has_own ? of_place : NULL;
        lab_compare_verdict(&c, "C", &with, &check);
        cr_expect(strstr(check.message, "each of these rows holds what belongs 1 row after it"),
                  "%s", check.message);
        cr_expect_eq(check.certainty, LAB_CAUSE_PROVED);
    }
}

/* What was compared in part is not right, whatever the part says. */
Test(compare, a_part_is_no_verdict, .init = fill)
{
    struct lab_comparison c = {.rows = ROWS, .columns = COLUMNS, .tolerance = 1e-3f};
    struct lab_check check = {.status = LAB_CHECK_OK};
    lab_compare(&c, expected, got, COUNT - 1);
    lab_compare_verdict(&c, "C", &advice, &check);
    cr_expect_neq(check.status, LAB_CHECK_OK);
}

Test(compare, zero_everywhere, .init = fill)
{
    memset(got, 0, sizeof got);
    cr_expect_eq(compare().status, LAB_CHECK_WRONG);
}

Test(inputs, no_value_is_small_and_none_repeats_by_place, .init = fill)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < COUNT; i++) {
        cr_assert(fabsf(expected[i]) >= 0.5f && fabsf(expected[i]) < 1.0f);
        sum += expected[i];
        squares += expected[i] * expected[i];
    }
    cr_expect_lt(fabs(sum / COUNT), 0.05);
    cr_expect_float_eq(squares / COUNT, 7.0 / 12.0, 0.02);
    int same = 0;
    for (int row = 1; row < ROWS; row++)
        for (int column = 0; column < row; column++)
            same += expected[row * COLUMNS + column] == expected[column * COLUMNS + row];
    cr_expect_lt(same, 3);
}

Test(inputs, any_part_can_be_made_again, .init = fill)
{
    float part[10];
    lab_inputs_fill(part, 300, 10, 1);
    cr_expect_arr_eq(part, expected + 300, sizeof part);
    lab_inputs_fill(part, 300, 10, 2);
    cr_expect_arr_neq(part, expected + 300, sizeof part);
    cr_expect_neq(lab_inputs_seed(1, 0), lab_inputs_seed(1, 1));
    cr_expect_neq(lab_inputs_seed(0, 1), lab_inputs_seed(1, 0));
}
