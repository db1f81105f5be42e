/* Molecular dynamics: parts of a time step, alone and merged, and the study's table. Concerns md.
 */
#include "run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct run_lab result;

static const struct {
    const char *kernels;
    int rows; /* of the study */
} sets[] = {{"5", 10}, {"6", 10}, {"7", 10}, {"56", 31}, {"67", 31}, {"567", 15}};

enum { SETS = sizeof sets / sizeof *sets };

/* Each way to merge, with every number of threads, where blocks and pairs of warps end. */
Test(md, every_merge_is_right, .timeout = 300)
{
    static const int particles[] = {1, 33, 513};
    for (int i = 0; i < SETS; i++)
        for (int n = 0; n < 3; n++) {
            run_lab(&result, "step13 --study --check-only --runtime sim --kernels %s -n %d",
                    sets[i].kernels, particles[n]);
            cr_expect_eq(result.status, 0, "%s: %s%s", sets[i].kernels, result.out, result.err);
            int right = 0;
            for (const char *at = result.out; (at = strstr(at, "  ok\n")); at++)
                right++;
            cr_expect_eq(right, sets[i].rows, "%s: %s", sets[i].kernels, result.out);
        }
}

/* Whether a line of the output begins with `name` and has this number of threads' cells. */
static int cells_of(const char *name)
{
    char line[256] = "", begin[64];
    snprintf(begin, sizeof begin, "\n%s ", name);
    const char *at = strstr(result.out, begin);
    int cells = 0;
    if (at)
        sscanf(at + 1, "%255[^\n]", line);
    strtok(line, " ");
    while (strtok(NULL, " "))
        cells++;
    return cells;
}

/* What is said of the paper follows from its tables, so it is known. K56 on the GTX 480:
 * apart 12.014
 * + 10.938, merged 13.727, a gain of 1.67; without launches 8.952 / 6.727, which is 1.33; predicted
 * 7 + 8.952 x 18 / 24 = 13.71. */
Test(md, the_study_tells_launches_from_bytes, .timeout = 120)
{
    run_lab(&result, "sweep step13 -n 640 --runtime sim");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(cells_of("k56_1_global"), 6, "%s", result.out);
    cr_expect_eq(cells_of("k56_2_shared"), 5, "%s", result.out); /* not with 32 threads */
    cr_expect_eq(cells_of("K67Msh3"), 5, "%s", result.out);
    cr_expect(strstr(result.out, "GTX 480   56            7.00     22.95     13.73      6.73     "
                                 "13.71     -0%    1.67x     1.33x    1.33x\n"),
              "%s", result.out);
    cr_expect(strstr(result.out, " 37.79    -20%    1.84x     0.91x    1.43x\n"), "%s", result.out);
    cr_expect(strstr(result.out, "\nhere      567 "), "%s", result.out);
    cr_expect(strstr(result.out, "modelled from the counters, not measured"), "%s", result.out);
    run_lab(&result, "sweep step13 -n 64 --kernels 67 --runtime sim");
    cr_expect(strstr(result.out, "\nk67_1_global") && !strstr(result.out, "\nk56") &&
                  !strstr(result.out, "\nhere "),
              "%s", result.out);
}

/* On the simulator the model adds up launches: so what is predicted of launches one after another
 * is what comes out, and a merge shows as fewer of them. */
Test(md, a_plan_predicts_each_design, .timeout = 120)
{
    static const char *const designs[] = {"one_launch", "all_steps", "streams",    "graph",
                                          "merged",     "slices",    "seven_graph"};
    double predicted[7], modelled[7], off;
    run_lab(&result, "plan step13 --kernels rest -n 640 --runtime sim");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *before = strstr(result.out, "before any of them is run");
    const char *after = strstr(result.out, "\nthe same, and as it is modelled");
    cr_assert(before && after && before < after, "%s", result.out);
    cr_expect(strstr(before, "\none_launch   234567  ") && strstr(before, "\nstreams      3 567  "),
              "%s", result.out);
    for (int d = 0; d < 7; d++) {
        char line[32];
        snprintf(line, sizeof line, "\n%s ", designs[d]);
        const char *at = strstr(after, line);
        cr_assert(at && sscanf(at + strlen(line), "%lf %lf %lf%%", &predicted[d], &modelled[d],
                               &off) == 3,
                  "%s: %s", designs[d], result.out);
        cr_expect_float_eq(off, 100.0 * (predicted[d] / modelled[d] - 1.0), 1.0, "%s", designs[d]);
    }
    for (int d = 5; d < 7; d++)
        cr_expect_float_eq(predicted[d], modelled[d], 0.02 * modelled[d], "%s", result.out);
    cr_expect(predicted[0] < predicted[4] && predicted[4] < predicted[5], "%s", result.out);
    run_lab_expect_error(2, "plan is of a whole step, and has designs of step13", "plan step07");
    run_lab_expect_error(2, "plan is of a whole step", "plan step13.2");
    run_lab_expect_error(2, "leave out --steps", "plan step13 --steps 2");
    run_lab_expect_error(2, "plan goes without", "plan step13 --variant slices");
}

Test(md, parts_are_refused_where_there_are_none)
{
    run_lab_expect_error(2, "give all, rest, 5, 6, 7, 56, 67 or 567", "step13 --kernels 8");
    run_lab_expect_error(2, "are of one step", "step13 --kernels 56 --steps 2");
    run_lab_expect_error(2, "no row of step13 does what these options ask for",
                         "step13 --kernels 56 --runtime sim");
    run_lab_expect_error(2, "; cells takes --periodic", "step13.7 --runtime sim");
    run_lab_expect_error(2, "; k5_global_32 takes --kernels 5", "step13 --study --runtime sim");
    run_lab_expect_error(2, "sweep is of K5 to K7", "sweep step13 --kernels rest");
    run_lab_expect_error(2, "--kernels is for the steps", "exercise16 --kernels rest");
}
