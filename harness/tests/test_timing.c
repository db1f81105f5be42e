/* What timing does beside taking times: rows in turn, every output poisoned before and checked
 * after, each launch as often as was asked. The launch functions are this file's, on the simulator,
 * whose times say nothing. */
#include "families/trmm.h"
#include "measure/timing/timing.h"
#include "tests/made_kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, ROWS = 2, MOST_LAUNCHES = 8192 };

static struct made_kernel made;
static struct lab_device device;
static double *right;            /* (N, N), the product */
static int wrong_from[ROWS];     /* launches of a row before its output is wrong */
static int launches[ROWS], all;  /* so far */
static int order[MOST_LAUNCHES]; /* whose launch each was */
static bool unpoisoned;          /* a launch found an output that was there already */

static cudaError_t launch_as(int row, const struct lab_trmm *p)
{
    double first, old[N * N];
    cudaMemcpy(&first, p->b, sizeof first, cudaMemcpyDeviceToHost);
    unpoisoned |= first == right[0];
    memcpy(old, right, sizeof old);
    if (launches[row]++ >= wrong_from[row])
        old[N * N - 1] += 1.0;
    cr_assert_lt(all, MOST_LAUNCHES);
    order[all++] = row;
    return cudaMemcpy(p->b, old, sizeof old, cudaMemcpyHostToDevice);
}

static cudaError_t launch_first(const void *problem, cudaStream_t stream)
{
    (void)stream;
    return launch_as(0, problem);
}

static cudaError_t launch_second(const void *problem, cudaStream_t stream)
{
    (void)stream;
    return launch_as(1, problem);
}

/* Two rows of family trmm, of which inputs and outputs can be copied. */
static struct lab_result *open_rows(struct lab_step steps[ROWS], struct lab_variant storage[ROWS])
{
    static lab_launch *const functions[ROWS] = {launch_first, launch_second};
    struct lab_result *result = calloc(1, sizeof *result);
    cr_assert_eq(lab_device_open(true, &device), LAB_EXIT_OK);
    made_kernel_open(&made, "trmm", "-n %d", N);
    cr_assert_eq(lab_problem_prepare(made.problem, NULL, LAB_REFERENCE), cudaSuccess);
    cr_assert_eq(lab_problem_reset(made.problem), cudaSuccess);
    cr_assert_eq(lab_problem_launch(made.problem), cudaSuccess);
    lab_problem_facts(made.problem, &result->facts);
    result->family = made.family;
    result->device = &device;
    for (int i = 0; i < ROWS; i++) {
        storage[i] = (struct lab_variant){.name = "made", .launch = functions[i]};
        steps[i] = (struct lab_step){LAB_ABI, made.family->options->name,
                                     made.family->problem_bytes, 1, &storage[i]};
        result->rows[result->row_count++] = (struct lab_row){.step = &steps[i], .target = ""};
        wrong_from[i] = MOST_LAUNCHES;
    }
    return result;
}

static cudaError_t see_result(const void *problem, cudaStream_t stream)
{
    (void)stream;
    right = made_kernel_doubles(((const struct lab_trmm *)problem)->b, N * N);
    return cudaSuccess;
}

/* The right output, from the reference's launch in set 0. */
static void keep_right_output(void)
{
    made_kernel_variant(&made, see_result, NULL);
    cr_assert_eq(lab_problem_prepare(made.problem, &made.step, 0), cudaSuccess);
    cr_assert_eq(lab_problem_launch(made.problem), cudaSuccess);
}

static cudaError_t time_rows(struct lab_result *result, int reps)
{
    return lab_time_rows(made.problem, reps, made.stream, result);
}

Test(timing, rows_take_turns)
{
    struct lab_step steps[ROWS];
    struct lab_variant storage[ROWS];
    struct lab_result *result = open_rows(steps, storage);
    keep_right_output();
    cr_assert_eq(time_rows(result, 7), cudaSuccess);
    for (int i = 0; i < ROWS; i++) {
        const struct lab_times *time = &result->rows[i].time;
        cr_expect_eq(result->rows[i].check.status, LAB_CHECK_OK, "%s",
                     result->rows[i].check.message);
        cr_expect_eq(time->reps, 7);
        cr_expect_eq(time->sample_count, 7);
        cr_expect(time->min > 0.0 && time->min <= time->median && time->median <= time->max);
    }
    /* two before, then one that is not timed and one that is */
    cr_expect(launches[0] == 2 + 2 * 7 && launches[1] == 2 + 2 * 7, "%d and %d launches",
              launches[0], launches[1]);
    cr_expect_not(unpoisoned, "an output was not put back before a launch");
    int changes = 0;
    for (int i = 1; i < all; i++)
        changes += order[i] != order[i - 1];
    cr_expect_geq(changes, 2 * 7 - 1, "%d changes: they do not take turns", changes);
    made_kernel_close(&made);
    free(result);
}

/* By how long the checked launch took, which was the warm-up as well; unless the user says how
 * often. */
Test(timing, slow_rows_are_timed_less_often)
{
    struct lab_step steps[ROWS];
    struct lab_variant storage[ROWS];
    struct lab_result *result = open_rows(steps, storage);
    keep_right_output();
    result->rows[0].checked_ms = 1500.0;
    result->rows[1].checked_ms = 5500.0;
    cr_assert_eq(time_rows(result, 0), cudaSuccess);
    cr_expect_eq(result->rows[0].time.reps, 2);
    cr_expect_eq(result->rows[1].time.reps, 1);
    cr_expect(launches[0] == 2 && launches[1] == 1, "%d and %d launches", launches[0], launches[1]);
    cr_assert_eq(time_rows(result, 3), cudaSuccess);
    cr_expect(result->rows[0].time.reps == 3 && result->rows[1].time.reps == 3);
    made_kernel_close(&made);
    free(result);
}

/* Right when it is checked first, wrong in a late launch that is timed. */
Test(timing, every_timed_output_is_checked)
{
    struct lab_step steps[ROWS];
    struct lab_variant storage[ROWS];
    struct lab_result *result = open_rows(steps, storage);
    keep_right_output();
    cr_assert_eq(time_rows(result, 5), cudaSuccess);
    wrong_from[1] = launches[1] / 2;
    memset(launches, 0, sizeof launches);
    cr_assert_eq(time_rows(result, 5), cudaSuccess);
    cr_expect_eq(result->rows[0].check.status, LAB_CHECK_OK);
    cr_expect_eq(result->rows[1].check.status, LAB_CHECK_WRONG);
    cr_expect(strstr(result->rows[1].check.message, "only in a timed run"), "%s",
              result->rows[1].check.message);
    made_kernel_close(&made);
    free(result);
}

/* What is wrong already is not timed. */
Test(timing, failed_rows_are_left_out)
{
    struct lab_step steps[ROWS];
    struct lab_variant storage[ROWS];
    struct lab_result *result = open_rows(steps, storage);
    keep_right_output();
    result->rows[1].check.status = LAB_CHECK_RACE;
    cr_assert_eq(time_rows(result, 5), cudaSuccess);
    cr_expect_eq(launches[1], 0);
    cr_expect_eq(result->rows[1].time.reps, 0);
    cr_expect_eq(result->rows[0].time.reps, 5);
    made_kernel_close(&made);
    free(result);
}

Test(timing, with_copies)
{
    struct lab_step steps[ROWS];
    struct lab_variant storage[ROWS];
    struct lab_result *result = open_rows(steps, storage);
    keep_right_output();
    cr_assert_eq(lab_time_with_copies(made.problem, made.stream, result), cudaSuccess);
    cr_expect(result->rows[0].with_copies_ms > 0.0 && result->rows[1].with_copies_ms > 0.0);
    cr_expect_eq(launches[0], launches[1]);
    cr_expect_geq(launches[0], 5);
    wrong_from[0] = 0;
    cr_assert_eq(lab_time_with_copies(made.problem, made.stream, result), cudaSuccess);
    cr_expect_eq(result->rows[0].check.status, LAB_CHECK_WRONG, "its output was not looked at");
    cr_expect_eq(result->rows[1].check.status, LAB_CHECK_OK);
    made_kernel_close(&made);
    free(result);
}
