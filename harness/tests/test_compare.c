/* The checker itself: what must not pass does not. */
#include "families/compare.h"
#include "families/inputs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { ROWS = 70, COLUMNS = 100, COUNT = ROWS * COLUMNS };

static float expected[COUNT], got[COUNT];

static struct lab_check compare(void)
{
    struct lab_comparison c = {.rows = ROWS,
                               .columns = COLUMNS,
                               .tolerance = 1e-3f,
                               .of_nans = "a NaN",
                               .of_most = "most of it"};
    struct lab_check check = {.status = LAB_CHECK_OK};
    for (size_t done = 0; done < COUNT; done += 1000)
        lab_compare(&c, expected + done, got + done, 1000);
    lab_compare_verdict(&c, "C", &check);
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
    struct lab_comparison c = {.rows = 17, .columns = 64, .of_most = "most of it"}, all = c;
    struct lab_check check = {.status = LAB_CHECK_OK};
    got[3 * 64 + 40] = 1.0f;
    lab_compare(&c, expected, got, 17 * 64);
    lab_compare_verdict(&c, "C", &check);
    cr_expect_eq(check.status, LAB_CHECK_WRONG);
    cr_expect(strstr(check.message, "some elements only"), "%s", check.message);
    for (int i = 0; i < 17 * 64; i++)
        got[i] = 1.0f;
    lab_compare(&all, expected, got, 17 * 64);
    lab_compare_verdict(&all, "C", &check);
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
    cr_expect_eq(compare().status, LAB_CHECK_NAN);
}

/* What was compared in part is not right, whatever the part says. */
Test(compare, a_part_is_no_verdict, .init = fill)
{
    struct lab_comparison c = {.rows = ROWS,
                               .columns = COLUMNS,
                               .tolerance = 1e-3f,
                               .of_nans = "a NaN",
                               .of_most = "most of it"};
    struct lab_check check = {.status = LAB_CHECK_OK};
    lab_compare(&c, expected, got, COUNT - 1);
    lab_compare_verdict(&c, "C", &check);
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
