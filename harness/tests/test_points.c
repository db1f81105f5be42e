/* From tests passed to points, and to what every report says of them: a made outcome, each figure
 * worked out by hand. */
#include "exercise/goal_file.h"
#include "grade/formats/formats.h"
#include "grade/outcome/outcome.h"
#include "series/registry.h"
#include "base/status.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[1 << 16];

static struct lab_outcome_test *add(struct lab_outcome *outcome, const char *name, bool visible,
                                    bool is_goal, bool passed)
{
    struct lab_outcome_test *test = &outcome->tests[outcome->test_count++];
    *test = (struct lab_outcome_test){.visible = visible,
                                      .is_goal = is_goal,
                                      .scored = true,
                                      .passed = passed,
                                      .status = passed ? LAB_CHECK_OK : LAB_CHECK_WRONG};
    strcpy(test->name, name);
    return test;
}

/* Two tests that are shown, four that are not, one goal, and a figure that gives no points. */
static struct lab_outcome *made_outcome(void)
{
    struct lab_outcome *outcome = calloc(1, sizeof *outcome);
    strcpy(outcome->student, "ada");
    add(outcome, "-m 64", true, false, true);
    add(outcome, "-m 65", true, false, false);
    for (int i = 0; i < 4; i++)
        add(outcome, "-m 127", false, false, i < 3);
    struct lab_outcome_test *goal = add(outcome, "sectors", true, true, true);
    goal->got = 1000.0;
    goal->solution = 900.0;
    add(outcome, "speed", true, true, true)->scored = false;
    return outcome;
}

static void expect_points(double got, double points)
{
    cr_expect_float_eq(got, points, 1e-9, "%g points, not %g", got, points);
}

/* 100 points, 40, 40 and 20 of them: 20 for each shown test, 10 for each hidden one. */
Test(points, are_shared_out)
{
    struct lab_settings settings = lab_settings_default();
    struct lab_outcome *outcome = made_outcome();
    lab_outcome_score(outcome, NULL, &settings);
    expect_points(outcome->tests[0].points, 20.0);
    expect_points(outcome->tests[1].points, 0.0);
    expect_points(outcome->tests[1].most, 20.0);
    expect_points(outcome->tests[2].points, 10.0);
    expect_points(outcome->tests[5].points, 0.0);
    expect_points(outcome->tests[6].points, 20.0);
    expect_points(outcome->tests[7].most, 0.0);
    expect_points(outcome->points, 20.0 + 30.0 + 20.0);
    expect_points(outcome->most, 100.0);
    free(outcome);
}

/* What the file passes as it was given is nobody's merit, until something else passes, too. */
Test(points, not_for_what_was_given)
{
    struct lab_settings settings = lab_settings_default();
    struct lab_outcome *outcome = made_outcome(), *given = made_outcome();
    lab_outcome_score(outcome, given, &settings);
    expect_points(outcome->points, 0.0);
    expect_points(outcome->tests[0].points, 0.0);
    cr_expect(strstr(lab_outcome_warning(outcome), "as it was given"));
    given->tests[7].passed = false; /* gives no points itself */
    lab_outcome_score(outcome, given, &settings);
    expect_points(outcome->points, 0.0);
    given->tests[6].passed = false;
    lab_outcome_score(outcome, given, &settings);
    expect_points(outcome->points, 70.0);
    cr_expect_str_empty(lab_outcome_warning(outcome));
    memset(outcome->tests, 0, sizeof outcome->tests);
    lab_outcome_score(outcome, given, &settings);
    cr_expect_str_empty(lab_outcome_warning(outcome), "passes nothing");
    free(outcome);
    free(given);
}

/* Of 12 points, 1 : 3 : 2, without a goal: 3 for shown tests, 9 for hidden ones. */
Test(points, of_what_is_not_there_go_to_the_others)
{
    struct lab_settings settings = lab_settings_default();
    settings.points = 12.0;
    settings.shown = 1.0, settings.hidden = 3.0, settings.goals = 2.0;
    struct lab_outcome *outcome = made_outcome();
    outcome->test_count = 6;
    lab_outcome_score(outcome, NULL, &settings);
    expect_points(outcome->tests[0].points, 1.5);
    expect_points(outcome->tests[2].points, 2.25);
    expect_points(outcome->points, 1.5 + 3 * 2.25);
    free(outcome);
}

Test(points, goals_are_counted)
{
    struct lab_outcome *outcome = made_outcome();
    int count;
    cr_expect_eq(lab_outcome_passed(outcome, true, &count), 1);
    cr_expect_eq(count, 1, "what is only shown is no goal");
    outcome->tests[6].passed = false;
    cr_expect_eq(lab_outcome_passed(outcome, true, &count), 0);
    cr_expect_eq(count, 1);
    free(outcome);
}

/* A time that cannot be believed ranks as none. */
Test(points, share_of_the_solutions_speed)
{
    struct lab_outcome_test test = {.speed = {.verdict = LAB_SPEED_MISSED, .share = 0.625}};
    cr_expect_eq(lab_outcome_share(&test), 0.625);
    test.speed.verdict = LAB_SPEED_IMPOSSIBLE;
    cr_expect_eq(lab_outcome_share(&test), 0.0);
}

Test(points, outcomes_are_kept)
{
    char path[] = "/tmp/lab-outcome-XXXXXX";
    struct lab_outcome *outcome = made_outcome(), *kept = calloc(1, sizeof *kept);
    close(mkstemp(path));
    cr_assert(lab_outcome_save(outcome, path) && lab_outcome_load(kept, path));
    cr_expect_eq(memcmp(outcome, kept, sizeof *kept), 0);
    cr_assert_eq(truncate(path, 100), 0);
    cr_expect_not(lab_outcome_load(kept, path), "one that is cut off is none");
    unlink(path);
    free(outcome);
    free(kept);
}

typedef void report_fn(const struct lab_grading *grading, FILE *stream);

static struct lab_settings settings;
static const struct lab_outcome *outcomes[1];

static struct lab_grading graded(struct lab_outcome *outcome)
{
    settings = lab_settings_default();
    lab_outcome_score(outcome, NULL, &settings);
    outcome->status = LAB_CHECK_WRONG;
    outcomes[0] = outcome;
    return (struct lab_grading){.target = "exercise05",
                                .title = "Register blocking",
                                .runtime = "sim",
                                .device = "",
                                .confinement = "bubblewrap",
                                .commit = "",
                                .settings = &settings,
                                .outcomes = outcomes,
                                .count = 1};
}

static const char *reported(report_fn *report, const struct lab_grading *grading)
{
    FILE *stream = fmemopen(text, sizeof text, "w");
    report(grading, stream);
    fclose(stream);
    return text;
}

Test(points, in_the_table)
{
    struct lab_outcome *outcome = made_outcome();
    struct lab_grading grading = graded(outcome);
    /* four of six tests, the one goal, 70 points */
    cr_expect(strstr(reported(lab_grading_table, &grading), " 4/6   1/1    70.0  "), "%s", text);
    cr_expect(strstr(text, "\n0 of 1 right\n"), "%s", text);
    outcome->status = LAB_CHECK_OK;
    cr_expect(strstr(reported(lab_grading_table, &grading), "\n1 of 1 right\n"), "%s", text);
    free(outcome);
}

Test(points, in_json)
{
    struct lab_outcome *outcome = made_outcome();
    struct lab_grading grading = graded(outcome);
    cJSON *json = cJSON_Parse(reported(lab_grading_json, &grading));
    const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "submissions"), 0);
    const cJSON *tests = cJSON_GetObjectItem(one, "tests");
    const cJSON *failed = cJSON_GetArrayItem(tests, 1), *goal = cJSON_GetArrayItem(tests, 6);
    cr_assert(failed && goal, "%s", text);
    cr_expect_float_eq(cJSON_GetObjectItem(one, "points")->valuedouble, 70.0, 1e-9);
    cr_expect_float_eq(cJSON_GetObjectItem(one, "max_points")->valuedouble, 100.0, 1e-9);
    cr_expect(cJSON_IsFalse(cJSON_GetObjectItem(failed, "passed")));
    cr_expect_float_eq(cJSON_GetObjectItem(failed, "points")->valuedouble, 0.0, 1e-9);
    cr_expect_float_eq(cJSON_GetObjectItem(failed, "max_points")->valuedouble, 20.0, 1e-9);
    cr_expect_float_eq(cJSON_GetObjectItem(goal, "figure")->valuedouble, 1000.0, 1e-9);
    cr_expect_float_eq(cJSON_GetObjectItem(goal, "solution")->valuedouble, 900.0, 1e-9);
    cr_expect_str_eq(cJSON_GetObjectItem(goal, "kind")->valuestring, "goal");
    cJSON_Delete(json);
    free(outcome);
}

/* A failed test is said to have failed; hidden tests are hidden; figures can be ranked. */
Test(points, for_gradescope)
{
    struct lab_outcome *outcome = made_outcome();
    struct lab_grading grading = graded(outcome);
    strcpy(outcome->tests[5].message, "nobody shall see this");
    FILE *stream = fmemopen(text, sizeof text, "w");
    lab_grading_gradescope(&grading, outcome, stream);
    fclose(stream);
    cJSON *json = cJSON_Parse(text);
    const cJSON *tests = cJSON_GetObjectItem(json, "tests");
    cr_assert_geq(cJSON_GetArraySize(tests), 7, "%s", text);
    double sum = 0.0;
    for (int i = 0; i < 7; i++) {
        const cJSON *test = cJSON_GetArrayItem(tests, i);
        const bool passed = i != 1 && i != 5, visible = i < 2 || i > 5;
        cr_expect_str_eq(cJSON_GetObjectItem(test, "status")->valuestring,
                         passed ? "passed" : "failed", "test %d", i);
        cr_expect_str_eq(cJSON_GetObjectItem(test, "visibility")->valuestring,
                         visible ? "visible" : "after_due_date", "test %d", i);
        sum += cJSON_GetObjectItem(test, "score")->valuedouble;
    }
    cr_expect_float_eq(sum, 70.0, 1e-9);
    cJSON_Delete(json);
    cr_expect(!strstr(text, "-m 127") && !strstr(text, "nobody shall"), "%s", text);
    free(outcome);
}

/* A student reads of a hidden test that it failed, and neither its size nor what was wrong. */
Test(points, in_the_feedback)
{
    struct lab_outcome *outcome = made_outcome();
    struct lab_grading grading = graded(outcome);
    strcpy(outcome->tests[1].message, "look at the edges");
    strcpy(outcome->tests[5].message, "nobody shall see this");
    FILE *stream = fmemopen(text, sizeof text, "w");
    lab_grading_feedback(&grading, outcome, stream);
    fclose(stream);
    cr_expect(strstr(text, "wrong, 70.0 of 100.0 points\n"), "%s", text);
    cr_expect(strstr(text, "  ok    -m 64\n"), "%s", text);
    cr_expect(strstr(text, "  FAIL  -m 65: wrong: look at the edges\n"), "%s", text);
    cr_expect(strstr(text, "  FAIL  a size that is not shown\n"), "%s", text);
    cr_expect(!strstr(text, "nobody shall") && !strstr(text, "-m 127"), "%s", text);
    cr_expect(strstr(text, "sectors: 1.11 times the solution's\n"), "%s", text);
    free(outcome);
}

/* Where a hidden test decides, its verdict is not told: a kernel could choose it by the data. */
Test(points, a_hidden_test_decides)
{
    struct lab_outcome *outcome = made_outcome();
    struct lab_settings settings = lab_settings_default();
    struct lab_grading grading = graded(outcome);
    outcome->tests[1].passed = true;
    outcome->tests[1].status = LAB_CHECK_OK;
    outcome->status = outcome->tests[5].status = LAB_CHECK_MISALIGNED;
    strcpy(outcome->message, "-m 127: nobody shall see this");
    grading.settings = &settings;
    for (int told = 0; told < 2; told++) {
        settings.hidden_feedback = told;
        FILE *stream = fmemopen(text, sizeof text, "w");
        lab_grading_feedback(&grading, outcome, stream);
        lab_grading_gradescope(&grading, outcome, stream);
        fclose(stream);
        cr_expect_eq(strstr(text, "misaligned") != NULL, told, "%s", text);
        cr_expect(told || !strstr(text, "-m 127"), "%s", text);
    }
    free(outcome);
}

static int read_settings(const char *lines)
{
    char path[] = "/tmp/lab-settings-XXXXXX";
    struct lab_settings read = lab_settings_default();
    const int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, lines, strlen(lines)) == (ssize_t)strlen(lines));
    close(file);
    const int status = lab_settings_read(&read, path);
    unlink(path);
    return status;
}

Test(points, settings_have_limits)
{
    cr_expect_eq(read_settings("[speed]\nconfidence = 0.99\n"), LAB_EXIT_OK);
    cr_expect_eq(read_settings("[speed]\nconfidence = 1.5\n"), LAB_EXIT_USAGE);
    cr_expect_eq(read_settings("[speed]\nconfidence = 0.1\n"), LAB_EXIT_USAGE);
    cr_expect_eq(read_settings("[speed]\npairs = 65\n"), LAB_EXIT_USAGE);
}

/* Equal secrets draw equal hidden tests, for whichever submission; another secret draws others. */
Test(points, hidden_tests_follow_from_the_secret)
{
    static struct lab_exercise exercise;
    static struct lab_plan plans[3];
    static const char *const secrets[] = {"autumn", "autumn", "spring"};
    cr_assert_eq(lab_exercise_read(lab_registry_exercise("exercise05"), &exercise), LAB_EXIT_OK);
    for (int p = 0; p < 3; p++)
        cr_assert_eq(lab_plan_make(&exercise, secrets[p], &plans[p]), LAB_EXIT_OK);
    int others = 0;
    for (int i = 0; i < plans[0].count; i++) {
        cr_expect_str_eq(plans[0].items[i].options, plans[1].items[i].options);
        others += strcmp(plans[0].items[i].options, plans[2].items[i].options) != 0;
    }
    cr_expect_gt(others, plans[0].count / 2, "%d of %d", others, plans[0].count);
}

/* Goals have other sizes than those that students know; goals of the same sizes have one problem.
 */
Test(points, sizes_of_goals_are_drawn)
{
    static const struct lab_exercise exercise = {
        .tests = {"-m 1"},
        .test_count = 1,
        .goals = {{.options = "-m 9", .drawn = "-m 9,10", .counter = "time", .factor = 3.0},
                  {.options = "-m 5 -k 2", .drawn = "-m 5,6,7 -k 2", .counter = "a", .factor = 1.0},
                  {.options = "-m 5 -k 2", .drawn = "-m 5,6,7 -k 2", .counter = "b", .factor = 1.0},
                  {.options = "-m 5", .drawn = "-m 5", .counter = "a", .factor = 1.0}},
        .goal_count = 4};
    static struct lab_plan plan;
    int sixes = 0, sevens = 0;
    for (char secret[] = "a"; *secret <= 'z'; ++*secret) {
        cr_assert_eq(lab_plan_make(&exercise, secret, &plan), LAB_EXIT_OK);
        cr_assert_eq(plan.count, 5);
        const struct lab_plan_item *const goals = &plan.items[1];
        cr_expect(!goals[0].scored && goals[1].scored, "the time gives no points");
        cr_expect_eq(strncmp(goals[0].goal.options, "-m 10 --seed ", 13), 0);
        sixes += strncmp(goals[1].goal.options, "-m 6 -k 2 --seed ", 17) == 0;
        sevens += strncmp(goals[1].goal.options, "-m 7 -k 2 --seed ", 17) == 0;
        cr_expect_str_eq(goals[1].goal.options, goals[2].goal.options);
        cr_expect_eq(strncmp(goals[3].goal.options, "-m 5 --seed ", 12), 0);
    }
    cr_expect_eq(sixes + sevens, 26);
    cr_expect(sixes > 2 && sevens > 2, "%d and %d", sixes, sevens);
}

/* A goal's other sizes are a line of their own, which gives no points, and is drawn as hidden tests
 * are. */
Test(points, goals_are_measured_again)
{
    static const struct lab_exercise exercise = {
        .tests = {"-m 1"},
        .test_count = 1,
        .goals = {{.options = "-m 9", .drawn = "-m 9,10", .counter = "time", .factor = 3.0},
                  {.options = "-m 5", .drawn = "-m 5,6", .also = "-m 2,3", .counter = "a"},
                  {.options = "-m 5", .drawn = "-m 5,6", .also = "-m 2,3", .counter = "b"}},
        .goal_count = 3};
    static struct lab_plan plan;
    int firsts = 0;
    for (char secret[] = "a"; *secret <= 'z'; ++*secret) {
        cr_assert_eq(lab_plan_make(&exercise, secret, &plan), LAB_EXIT_OK);
        cr_assert_eq(plan.count, 6);
        const struct lab_plan_item *const goals = &plan.items[1], *const again = &goals[3];
        cr_expect(goals[1].scored && !goals[1].again && !again[0].scored && again[0].is_goal);
        cr_expect(again[0].again == 2 && again[1].again == 3);
        cr_expect_str_eq(again[0].goal.options, again[1].goal.options, "one run");
        firsts += strncmp(again[0].goal.options, "-m 2 --seed ", 12) == 0;
    }
    cr_expect(firsts > 2 && firsts < 24, "%d", firsts);
}

/* Right without any doubt, whatever goals are missed: only such an outcome holds for another file,
 * too. */
Test(points, right)
{
    struct lab_outcome *const outcome = calloc(1, sizeof *outcome);
    struct lab_outcome_test *const test = add(outcome, "-m 64", true, false, true);
    add(outcome, "speed", true, true, true)->speed.verdict = LAB_SPEED_REACHED;
    const struct lab_outcome right = *outcome;
    cr_expect(lab_outcome_is_right(outcome));
    outcome->tests[1].passed = false;
    strcpy(outcome->tests[1].message, "two elements for each load");
    cr_expect(lab_outcome_is_right(outcome));
    *outcome = right;
    outcome->status = LAB_CHECK_WRONG;
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    outcome->is_as_given = true;
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    strcpy(outcome->compiler, "kernel.cu(3): warning");
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    strcpy(outcome->message, "a remark");
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    test->passed = false;
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    test->status = LAB_CHECK_NOT_RUN;
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    strcpy(test->message, "a remark");
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    outcome->tests[1].speed.verdict = LAB_SPEED_INCONCLUSIVE;
    cr_expect_not(lab_outcome_is_right(outcome));
    outcome->tests[1].speed.verdict = LAB_SPEED_IMPOSSIBLE;
    cr_expect_not(lab_outcome_is_right(outcome));
    *outcome = right;
    outcome->test_count = 0;
    cr_expect_not(lab_outcome_is_right(outcome));
    free(outcome);
}
