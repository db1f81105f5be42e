/* From pairs of times to a verdict: on figures made up for the purpose, no clock involved. */
#include "exercise/goal_run.h"
#include "grade/timer/timer.h"
#include "base/time.h"
#include "grade/sandbox/sandbox.h"
#include "grade/outcome/outcome.h"
#include "measure/timing/speed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct lab_speed_terms seven_tenths = {
    .bar = 0.7, .confidence = 0.95, .floor_ms = 0.05, .first_pairs = 15};

/* Uniform in [0, 1); the same in every run. */
static double draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (double)(1u << 24);
}

/* Pairs with this share; times vary together by a third, apart by `noise`. */
static void make_pairs(struct lab_speed_pair *pairs, int count, double share, double noise)
{
    unsigned state = 7;
    for (int i = 0; i < count; i++) {
        double clocks = 1.0 + 0.3 * draw(&state), apart = 1.0 + noise * (draw(&state) - 0.5);
        pairs[i] =
            (struct lab_speed_pair){.solution_ms = clocks, .submission_ms = clocks * apart / share};
        pairs[i].solution_wall_ms = pairs[i].solution_ms + 0.08 + 0.02 * draw(&state);
        pairs[i].submission_wall_ms = pairs[i].submission_ms + 0.08 + 0.02 * draw(&state);
    }
}

static enum lab_speed_verdict verdict_of(const struct lab_speed_pair *pairs, int count,
                                         const struct lab_speed_terms *terms)
{
    struct lab_speed speed;
    lab_speed_judge(pairs, count, terms, &speed);
    return speed.verdict;
}

/* Sums of binomial coefficients over 2^n, by hand: 6 samples reach from first to last with 1 -
 * 2/64, 15 from the fourth with 1 - 2 (1 + 15 + 105 + 455) / 32768 = 0.965. */
Test(speed, ranks)
{
    cr_expect_eq(lab_speed_rank(5, 0.95), 0);
    cr_expect_eq(lab_speed_rank(6, 0.95), 1);
    cr_expect_eq(lab_speed_rank(15, 0.95), 4);
    cr_expect_eq(lab_speed_rank(15, 0.9648), 4);
    cr_expect_eq(lab_speed_rank(15, 0.9650), 3);
    cr_expect_eq(lab_speed_rank(100, 0.95), 40);
    cr_expect_eq(lab_speed_rank(1, 0.5), 0);
    cr_expect_eq(lab_speed_rank(0, 0.95), 0);
}

/* Of many samples of a skewed distribution the interval holds the median about as often as said. */
Test(speed, interval_holds_the_median)
{
    enum { SAMPLES = 4000, COUNT = 15 };
    unsigned state = 1;
    int held = 0;
    for (int s = 0; s < SAMPLES; s++) {
        struct lab_speed_pair pairs[COUNT];
        struct lab_speed speed;
        for (int i = 0; i < COUNT; i++) {
            double ratio = -log(1.0 - draw(&state)); /* its median is log 2 */
            pairs[i] = (struct lab_speed_pair){1.0, ratio, 2.0, 1.0 + ratio};
        }
        struct lab_speed_terms terms = {.confidence = 0.95, .first_pairs = COUNT};
        lab_speed_judge(pairs, COUNT, &terms, &speed);
        held += speed.low <= log(2.0) && log(2.0) <= speed.high;
    }
    /* rank 3: 1 - 2 (1 + 15 + 105) / 32768 = 0.9926; four standard deviations are 0.0054 */
    cr_expect_float_eq((double)held / SAMPLES, 0.9926, 0.0054, "%d of %d", held, SAMPLES);
}

Test(speed, verdicts)
{
    struct lab_speed_pair pairs[60];
    make_pairs(pairs, 15, 0.9, 0.1);
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_REACHED);
    make_pairs(pairs, 15, 0.5, 0.1);
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_MISSED);
    make_pairs(pairs, 15, 0.7, 0.1);
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_INCONCLUSIVE);
    struct lab_speed_terms none = seven_tenths;
    none.bar = 0.0;
    cr_expect_eq(verdict_of(pairs, 15, &none), LAB_SPEED_MEASURED);
}

/* Times drift by a third from pair to pair, the ratio does not: an interval of the times apart
 * would be ten times as wide. */
Test(speed, pairs_cancel_drift)
{
    struct lab_speed_pair pairs[15];
    struct lab_speed speed;
    make_pairs(pairs, 15, 0.72, 0.02);
    cr_expect(lab_speed_judge(pairs, 15, &seven_tenths, &speed));
    cr_expect_eq(speed.verdict, LAB_SPEED_REACHED);
    cr_expect(speed.low > 0.71 && speed.high < 0.73, "%g to %g", speed.low, speed.high);
    cr_expect_float_eq(speed.share, 0.72, 0.01);
}

/* A bar of 0.7 and a share of exactly that is reached; a hair below is not. */
Test(speed, at_the_bar)
{
    struct lab_speed_pair pairs[15];
    for (int i = 0; i < 15; i++)
        pairs[i] = (struct lab_speed_pair){1.0, 0.7, 1.1, 0.8};
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_REACHED);
    for (int i = 0; i < 15; i++)
        pairs[i].solution_ms = 0.6999999;
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_MISSED);
}

Test(speed, too_few_pairs_decide_nothing)
{
    struct lab_speed_pair pairs[6];
    struct lab_speed speed;
    make_pairs(pairs, 6, 0.9, 0.0);
    cr_expect_not(lab_speed_judge(pairs, 6, &seven_tenths, &speed));
    cr_expect(isinf(speed.high) && isinf(speed.low));
    cr_expect_not(lab_speed_judge(pairs, 0, &seven_tenths, &speed));
}

Test(speed, one_time_below_the_floor)
{
    struct lab_speed_pair pairs[15];
    make_pairs(pairs, 15, 0.9, 0.1);
    pairs[9].submission_ms = 0.049;
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_IMPOSSIBLE);
    struct lab_speed speed;
    char text[512];
    lab_speed_judge(pairs, 15, &seven_tenths, &speed);
    lab_speed_text(&speed, text, sizeof text);
    cr_expect(strstr(text, "no kernel takes less than 0.05 ms"), "%s", text);
    pairs[9].submission_ms = 0.0;
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_IMPOSSIBLE);
    pairs[9].submission_ms = NAN;
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_IMPOSSIBLE);
}

/* A process that says that half of the time was not spent: the grader's clock knows better. */
Test(speed, clocks_that_disagree)
{
    struct lab_speed_pair pairs[15];
    make_pairs(pairs, 15, 0.6, 0.1);
    for (int i = 0; i < 15; i++)
        pairs[i].submission_ms *= 0.5;
    struct lab_speed speed;
    char text[512];
    lab_speed_judge(pairs, 15, &seven_tenths, &speed);
    lab_speed_text(&speed, text, sizeof text);
    cr_expect_eq(speed.verdict, LAB_SPEED_IMPOSSIBLE);
    cr_expect(strstr(text, "by the grader's clock"), "%s", text);
    make_pairs(pairs, 15, 0.9, 0.1);
    pairs[3].submission_ms = pairs[3].submission_wall_ms * 1.2; /* more than there was */
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_IMPOSSIBLE);
}

/* On a busy machine single readings of the grader's clock come late: that is no disagreement. */
Test(speed, late_readings_are_no_disagreement)
{
    struct lab_speed_pair pairs[15];
    make_pairs(pairs, 15, 0.9, 0.1);
    for (int i = 0; i < 15; i += 2)
        pairs[i].submission_wall_ms += 5.0;
    for (int i = 0; i < 15; i += 3)
        pairs[i].solution_wall_ms += 5.0;
    cr_expect_eq(verdict_of(pairs, 15, &seven_tenths), LAB_SPEED_REACHED);
}

Test(speed, looks_double)
{
    struct lab_speed_terms terms = seven_tenths;
    cr_expect_eq(lab_speed_pairs_at(&terms, 0), 15);
    cr_expect_eq(lab_speed_pairs_at(&terms, 1), 30);
    cr_expect_eq(lab_speed_pairs_at(&terms, 2), 60);
    cr_expect_eq(lab_speed_pairs_at(&terms, 3), 0);
    terms.first_pairs = 64;
    cr_expect_eq(lab_speed_pairs_at(&terms, 2), LAB_SPEED_PAIRS);
    terms.bar = 0.0; /* nothing to decide */
    cr_expect_eq(lab_speed_pairs_at(&terms, 1), 0);
}

/* An H200's peaks: a product of 2048 cannot take less than 85 us, and 1 GB not less than 0.2 ms. */
Test(speed, floor)
{
    cr_expect_float_eq(lab_speed_floor_ms(2.0 * 2048 * 2048 * 2048, 67e12, 3.4e7, 4.8e12), 0.0855,
                       0.001);
    cr_expect_float_eq(lab_speed_floor_ms(1e6, 67e12, 1e9, 4.8e12), 0.208, 0.001);
    cr_expect_eq(lab_speed_floor_ms(1e12, 0.0, 1e9, 0.0), 0.0);
}

/* What one process says of a measurement is what the other hears. */
Test(speed, report_survives_the_pipe)
{
    struct lab_plan_report said = {.item = 3, .status = LAB_CHECK_OK, .met = true}, heard;
    char text[2048] = "";
    struct lab_speed_pair pairs[15];
    make_pairs(pairs, 15, 0.9, 0.1);
    lab_speed_judge(pairs, 15, &seven_tenths, &said.speed);
    said.speed.rehearsed = true;
    lab_speed_text(&said.speed, said.message, sizeof said.message);
    FILE *stream = fmemopen(text, sizeof text, "w");
    lab_plan_say(stream, &said);
    fclose(stream);
    text[strcspn(text, "\n")] = '\0';
    cr_assert(lab_plan_hear(text, &heard), "%s", text);
    cr_expect_eq(heard.speed.verdict, LAB_SPEED_REACHED);
    cr_expect_eq(heard.speed.pairs, 15);
    cr_expect(heard.speed.rehearsed);
    cr_expect_float_eq(heard.speed.low, said.speed.low, 1e-8);
    cr_expect_float_eq(heard.speed.high, said.speed.high, 1e-8);
    cr_expect_float_eq(heard.speed.solution_ms, said.speed.solution_ms, 1e-8);
    cr_expect_str_eq(heard.message, said.message);
    cr_expect(strstr(heard.message, "70% asked: reached"), "%s", heard.message);
    cr_expect_not(lab_plan_hear("3 0 1 0 0\ttoo few figures", &heard));
    cr_expect_not(lab_plan_hear("3 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 no tab", &heard));
}

static struct lab_row *add_row(struct lab_result *result, const char *target, double ms)
{
    static const struct lab_step step = {.abi = LAB_ABI};
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){.target = target, .step = &step, .time = {.sample_count = 12}};
    for (int i = 0; i < row->time.sample_count; i++)
        row->time.samples[i] = ms * (1.0 + 0.02 * i); /* all drift alike */
    return row;
}

/* Of a run of several rows the last of each side count, whichever comes first. */
Test(speed, rows_of_one_run)
{
    struct lab_result *result = calloc(1, sizeof *result);
    struct lab_speed speed;
    add_row(result, "", 0.1)->is_reference = true;
    add_row(result, "solution06", 9.0);
    add_row(result, "solution06", 1.0);
    add_row(result, "exercise06", 7.0);
    add_row(result, "exercise06", 1.25);
    lab_goal_run_speed(result, "solution06", 0.7, &speed);
    cr_expect_eq(speed.verdict, LAB_SPEED_REACHED);
    cr_expect_float_eq(speed.low, 0.8, 1e-9);
    cr_expect_float_eq(speed.high, 0.8, 1e-9);
    result->row_count = 3; /* the solution alone, beside itself */
    lab_goal_run_speed(result, "solution06", 0.7, &speed);
    cr_expect_float_eq(speed.share, 1.0, 1e-9);
    result->rows[2].time.sample_count = 0;
    lab_goal_run_speed(result, "solution06", 0.7, &speed);
    cr_expect_eq(speed.verdict, LAB_SPEED_NOT_TAKEN);
    free(result);
}

/* --- the lock ----------------------------------------------------------------------------------*/

/* The second one waits until the first lets go, in another process, too. */
Test(speed, one_at_a_time)
{
    char name[32];
    double locked = 0.0;
    int ready[2], lock;
    snprintf(name, sizeof name, "test:%d", (int)getpid());
    lock = lab_gpu_lock(name);
    cr_assert(lock >= 0 && pipe(ready) == 0);
    double begun = lab_clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        close(lock);
        int mine = lab_gpu_lock(name);
        locked = lab_clock_seconds();
        _exit(mine >= 0 && write(ready[1], &locked, sizeof locked) > 0 ? 0 : 1);
    }
    usleep(300000);
    lab_gpu_unlock(lock);
    cr_expect_eq(read(ready[0], &locked, sizeof locked), sizeof locked);
    cr_expect_geq(locked - begun, 0.25, "it did not wait");
    waitpid(child, NULL, 0);
    snprintf(name, sizeof name, "/tmp/lab-gpu-test_%d.lock", (int)getpid());
    cr_expect_eq(unlink(name), 0);
}

/* --- talking to a confined program -------------------------------------------------------------*/

static struct lab_confine shell(const char *script)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    return (struct lab_confine){.words = {"/bin/sh", "-c", script},
                                .environment = environment,
                                .seconds = 10.0,
                                .file_bytes = 1 << 20,
                                .result_bytes = 1};
}

Test(conversation, bytes_both_ways)
{
    enum { SIZE = 4 << 20 };
    struct lab_conversation conversation;
    struct lab_confine what = shell("echo noise; exec cat >&3");
    char *sent = malloc(SIZE), *got = malloc(SIZE);
    for (int i = 0; i < SIZE; i++)
        sent[i] = (char)(i * 7 + i / 251);
    cr_assert(lab_conversation_start(&what, &conversation));
    for (int at = 0; at < SIZE; at += 65536) {
        cr_assert(lab_conversation_send(&conversation, sent + at, 65536, 5.0));
        cr_assert(lab_conversation_receive(&conversation, got + at, 65536, 5.0));
    }
    cr_expect_arr_eq(sent, got, SIZE);
    lab_conversation_end(&conversation);
    cr_expect_not(conversation.timed_out);
}

Test(conversation, one_that_says_nothing)
{
    struct lab_conversation conversation;
    struct lab_confine what = shell("sleep 60 & sleep 60");
    char word;
    double begun = lab_clock_seconds();
    cr_assert(lab_conversation_start(&what, &conversation));
    cr_expect_not(lab_conversation_receive(&conversation, &word, 1, 0.2));
    cr_expect(conversation.timed_out);
    lab_conversation_end(&conversation);
    cr_expect_lt(lab_clock_seconds() - begun, 5.0, "something of it was left running");
}

Test(conversation, one_that_ends)
{
    struct lab_conversation conversation;
    struct lab_confine what = shell("exit 1");
    char word, *much = calloc(1, 1 << 20);
    cr_assert(lab_conversation_start(&what, &conversation));
    cr_expect_not(lab_conversation_receive(&conversation, &word, 1, 5.0));
    cr_expect_not(conversation.timed_out);
    cr_expect_not(lab_conversation_send(&conversation, much, 1 << 20, 5.0));
    lab_conversation_end(&conversation);
    free(much);
}
