/* Molecular dynamics: parts of a time step, alone and merged, the study's table, and what physics
 * says of the outputs. Concerns md. */
#include "families/md/md.h"
#include "made_kernel.h"
#include "run/step_file.h"
#include "run_lab.h"
#include "series/registry.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;
static struct made_kernel made;

static const struct {
    const char *kernels;
    int rows; /* of the study */
} sets[] = {{"1", 5}, {"2", 10},  {"3", 10},  {"4", 10},  {"5", 5},   {"6", 5},
            {"7", 5}, {"17", 10}, {"23", 10}, {"56", 40}, {"67", 40}, {"567", 20}};

enum { SETS = sizeof sets / sizeof *sets };

/* Each kernel alone, and each way to merge, with every number of threads, where blocks and pairs of
 * warps end. */
Test(md, every_part_is_right)
{
    static const int particles[] = {1, 33, 513};
    for (int i = 0; i < SETS; i++)
        for (int n = 0; n < 3; n++) {
            if (!run_lab_takes(i + n, 3))
                continue;
            run_lab(&result, "step13 --study --check-only --runtime sim --kernels %s -n %d",
                    sets[i].kernels, particles[n]);
            cr_expect_eq(result.status, 0, "%s: %s%s", sets[i].kernels, result.out, result.err);
            int right = 0;
            for (const char *at = result.out; (at = strstr(at, "  ok\n")); at++)
                right++;
            cr_expect_eq(right, sets[i].rows, "%s: %s", sets[i].kernels, result.out);
        }
}

/* Whole programs, of several steps, too: K7 beside the next K1 has forces of two steps. */
Test(md, every_program_is_right)
{
    static const char *const problems[] = {
        "-n 1 --steps 3",
        "-n 127 --steps 2 --periodic --mass 2.5",
        "-n 129 --steps 3 --kernels rest",
        "-n 257 --steps 10 --periodic --potential sine",
        "-n 513 --steps 4 --potential sine",
        "-n 33 --kernels rest",
    };
    for (int i = 0; i < (int)(sizeof problems / sizeof *problems); i++) {
        if (!run_lab_takes(i, 2))
            continue;
        run_lab(&result, "step13 --study --check-only --runtime sim %s", problems[i]);
        cr_expect_eq(result.status, 0, "%s: %s%s", problems[i], result.out, result.err);
        int right = 0;
        for (const char *at = result.out; (at = strstr(at, "  ok\n")); at++)
            right++;
        cr_expect_eq(right, 5, "%s: %s", problems[i], result.out);
    }
}

/* What the paper says of its counters: parts that load for themselves load more than from shared
 * memory, with fewer instructions; strategies 2 and 3 have more instructions than 1; and lanes that
 * read every second word have bank conflicts. */
Test(md, the_paper_s_reasons_are_counted)
{
    static const char *const rows[] = {"k67_1_anew_128", "k67_1_shared_128", "k67_2_shared_128",
                                       "k67_2_strided_128", "k67_3_shared_128"};
    double loads[5], instructions[5], conflicts[5];
    run_lab(&result,
            "step13 --study --kernels 67 -n 1280 --runtime sim --profile --json - --variant "
            "k67_1_anew_128,k67_1_shared_128,k67_2_shared_128,k67_2_strided_128,k67_3_shared_128");
    cr_assert_eq(result.status, 0, "%s", result.err);
    for (int i = 0; i < 5; i++) {
        char name[40];
        snprintf(name, sizeof name, "\"%s\"", rows[i]);
        const char *const at = strstr(result.out, name);
        cr_assert_not_null(at, "%s", rows[i]);
        loads[i] = run_lab_figure(at, "smsp__inst_executed_op_global_ld.sum");
        instructions[i] = run_lab_figure(at, "lab__ptx_inst_executed.sum");
        conflicts[i] =
            run_lab_figure(at, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum");
    }
    cr_expect_float_eq(loads[0] / loads[1], 12.0 / 9.0, 1e-9, "%g, %g", loads[0], loads[1]);
    cr_expect(loads[2] == loads[1] && loads[4] == loads[1], "%g, %g", loads[2], loads[4]);
    cr_expect(instructions[0] < instructions[1] && instructions[1] < instructions[2] &&
                  instructions[2] < instructions[4],
              "%g, %g, %g, %g", instructions[0], instructions[1], instructions[2], instructions[4]);
    cr_expect(conflicts[2] == 0.0 && conflicts[3] > 0.0, "%g, %g", conflicts[2], conflicts[3]);
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
Test(md, the_study_tells_launches_from_bytes)
{
    static const char *const best_of_paper[] = {
        "32  128  global    73.59   32  128  global    21.34\n",
        " 4   64  shared    23.88    8  128  shared    10.36\n",
        " 4  128  shared   113.35    8  128  shared    30.92\n",
        " 4  256  shared    29.05    8  256  shared    15.19\n",
        " 8   64  shared    32.98   12  128  global    12.01\n",
        " 8   64  shared    30.65   12  128  global    10.94\n",
        " 2  128  global    23.36    8  128  global     8.98\n"};
    run_lab(&result, "sweep step13 -n 640 --runtime sim");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(cells_of("k1_global"), 6, "%s", result.out);
    cr_expect_eq(cells_of("k4_shared"), 6, "%s", result.out);
    cr_expect_eq(cells_of("K3sh"), 6, "%s", result.out);
    for (int k = 0; k < 7; k++)
        cr_expect(strstr(result.out, best_of_paper[k]), "%s\n%s", best_of_paper[k], result.out);
    cr_expect_eq(cells_of("k56_1_global"), 6, "%s", result.out);
    cr_expect_eq(cells_of("k56_2_shared"), 5, "%s", result.out); /* not with 32 threads */
    cr_expect_eq(cells_of("K67Msh3"), 5, "%s", result.out);
    cr_expect(strstr(result.out, "GTX 480   56            7.00     22.95     13.73      6.73      "
                                 "13.71   13.73    -0%    1.67x     1.33x    1.33x\n"),
              "%s", result.out);
    cr_expect(strstr(result.out, " 37.79   47.27   -20%    1.84x     0.91x    1.43x\n"), "%s",
              result.out);
    cr_expect(strstr(result.out, "\nGTX 480   2, 3         41.28     37.29    9.7%\n") &&
                  strstr(result.out, "\nGTX 480   7, 1         30.33     23.94   21.1%\n") &&
                  !strstr(result.out, "\nS1050     2, 3"),
              "%s", result.out);
    double apart, together;
    const char *pair = strstr(result.out, "\nhere      2, 3 ");
    cr_expect(pair && sscanf(pair, "\nhere 2, 3 %lf %lf", &apart, &together) == 2 &&
                  together < 0.9 * apart,
              "%s", result.out);
    cr_expect(strstr(result.out, "\nhere      567 "), "%s", result.out);
    const char *const programs = strstr(result.out, "\nprogram    ");
    cr_assert(programs && strstr(programs, "\nseparate ") && strstr(programs, "\nk23 "), "%s",
              result.out);
    cr_expect(strstr(programs, " 87.91   19.9%      9.243   25.7%\n") &&
                  strstr(programs, " 90.15   17.9%      9.368   24.7%\n"),
              "%s", programs);
    double here, gained, no_k1, gained_of_rest;
    const char *const merged = strstr(programs, "\nk23_k567 ");
    cr_expect(merged &&
                  sscanf(merged, "\nk23_k567 %lf %lf%% %lf %lf%%", &here, &gained, &no_k1,
                         &gained_of_rest) == 4 &&
                  no_k1 < here && gained < gained_of_rest,
              "%s", programs);
    cr_expect(strstr(result.out, "modelled from the counters, not measured"), "%s", result.out);
    run_lab(&result, "sweep step13 -n 64 --kernels 67 --runtime sim");
    cr_expect(strstr(result.out, "\nk67_1_global") && !strstr(result.out, "\nk56") &&
                  !strstr(result.out, "\nhere "),
              "%s", result.out);
}

/* On the simulator the model adds up launches: so what is predicted of launches one after another
 * is what comes out, and a merge shows as fewer of them. */
Test(md, a_plan_predicts_each_design)
{
    static const char *const designs[] = {"one_launch", "all_steps", "streams",    "graph",
                                          "merged",     "slices",    "seven_graph"};
    double predicted[7], modelled[7], off;
    run_lab(&result, "plan step13 --kernels rest -n 640 --runtime sim");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *before = strstr(result.out, "before any of them is run");
    const char *after = strstr(result.out, "\nthe same, and as it is modelled");
    cr_assert(before && after && before < after, "%s", result.out);
    const char *found = strstr(before, "\nlegal designs by what they are to take");
    cr_expect(found && found < after && strstr(found, "\nproposed: K2"), "%s", result.out);
    cr_expect_not_null(strstr(after, "\nlegal designs that a row has"), "%s", result.out);
    cr_expect(strstr(before, "\none_launch   234567  ") && strstr(before, "\nstreams      3 567  "),
              "%s", result.out);
    for (int k = 2; k <= 7; k++) {
        char line[8];
        int values;
        snprintf(line, sizeof line, "\nK%d ", k);
        const char *at = strstr(result.out, line);
        cr_assert(at && sscanf(at + strlen(line), "%*f %*f %d", &values) == 1, "%s", result.out);
        cr_expect_eq(values, md_values(LAB_MD_K1 << (k - 1)), "K%d: %d", k, values);
    }
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
    run_lab_expect_error(2, "plan is of a whole step that has designs: step08, step13",
                         "plan step07");
    run_lab_expect_error(2, "plan is of a whole step", "plan step13.2");
    run_lab_expect_error(2, "leave out --steps", "plan step13 --steps 2");
    run_lab_expect_error(2, "plan goes without", "plan step13 --variant slices");
}

/* It is there, whole, when the run is killed among the designs; what it ranks is what is printed.
 */
Test(md, a_forecast_is_written_before_the_designs_run)
{
    run_lab_shell(&result,
                  "d=$(mktemp -d)\n"
                  "./run plan step13 -n 2000 --runtime sim --forecast $d/forecast >$d/out &\n"
                  "until [ -e $d/forecast ] || ! kill -0 $!; do sleep 0.01; done\n"
                  "kill -9 $!\nwait $!\necho killed $?\ncat $d/out $d/forecast\nrm -r $d");
    const char *at = strstr(result.out, "\"designs\": ["), *printed;
    cr_assert(at && strstr(result.out, "killed 137\n") && strstr(at, "]\n}\n"), "%s%s", result.out,
              result.err);
    cr_expect_null(strstr(result.out, "\nthe same, "), "%s", result.out);
    printed = strstr(result.out, "\ndesign       longest path");
    cr_assert(printed && strstr(result.out, "\"kernel\": 7"), "%s", result.out);
    for (int rank = 1; rank <= 7; rank++) {
        char name[32], quoted[40];
        double predicted;
        printed = strchr(printed + 1, '\n');
        cr_assert(printed && sscanf(printed, " %31s", name) == 1, "%s", result.out);
        snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", name);
        at = strstr(at, quoted);
        cr_assert_not_null(at, "%d is not %s: %s", rank, name, result.out);
        predicted = run_lab_figure(at, "predicted_ms");
        snprintf(quoted, sizeof quoted, "%.2f\n", 1e3 * predicted);
        cr_expect(strstr(printed, quoted), "%s: %s", name, quoted);
    }
    run_lab_expect_error(2, "--forecast is for ./run plan", "step13 --forecast f --runtime sim");
    run_lab_expect_error(2, "no/such/folder", "plan step13 --forecast no/such/folder/f");
}

/* What each launch takes is kept, in their order: on the simulator the row's time is their sum. */
/* Of a design in the last plan, on n particles: what its launches take by themselves, and all. */
static double launches_of(const char *design, int *count, double *longest, double *all)
{
    char name[32];
    snprintf(name, sizeof name, "\"%s\"", design);
    const char *at = strstr(result.out, "\"n\": 640");
    cr_assert(at && (at = strstr(at, name)), "%s", result.out);
    *all = run_lab_figure(at, "median");
    const char *list = strstr(at, "\"launch_ms\": [");
    cr_assert_not_null(list, "%s", at);
    double sum = 0.0;
    *longest = *count = 0;
    for (char *rest = strchr(list, '[') + 1; rest[strspn(rest, " ,\n")] != ']'; ++*count) {
        const double one = strtod(rest + strspn(rest, " ,\n"), &rest);
        *longest = one > *longest ? one : *longest;
        sum += one;
    }
    return sum;
}

/* One after the other in one stream; where streams or branches of a graph let them, side by side:
 * behind K3 comes K567, and K2 and K4 beside both. */
Test(md, each_launch_has_a_time)
{
    int count;
    double longest, all, sum;
    run_lab(&result, "plan step13 --kernels rest -n 640 --runtime sim --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    sum = launches_of("slices", &count, &longest, &all);
    cr_expect(count == 6 && fabs(sum / all - 1.0) < 1e-6, "%d: %g, %g", count, sum, all);
    sum = launches_of("streams", &count, &longest, &all);
    cr_expect(count == 4 && all < 0.6 * sum && all > 1.5 * longest, "%d: %g, %g, %g", count,
              longest, all, sum);
}

/* Wrong positions make wrong forces in the next step. */
Test(md, of_several_steps_one_says_what_is_wrong)
{
    const char *const source = run_lab_source("broken/md_velocity_first.cu");
    run_lab(&result, "step13 --source %s --kernels rest --check-only -n 40 --steps 3", source);
    cr_expect(result.status == 1 && strstr(result.out, "--steps 1 says which is wrong"), "%s",
              result.out);
    run_lab(&result, "step13 --source %s --kernels rest --check-only -n 40", source);
    cr_expect(result.status == 1 && strstr(result.out, "position x of ") &&
                  !strstr(result.out, "--steps 1"),
              "%s", result.out);
}

/* One thing wrong with what a pair adds, or with which pairs do: it is found by its values. */
Test(md, what_is_wrong_with_pairs_is_named)
{
    static const struct {
        const char *change, *says; /* of sed */
    } cases[] = {
        {"s|j < p.n; ++j|j < p.n / 64 * 64; ++j|",
         "as if particles 960 to 999 were nobody's neighbours"},
        {"s|d.c. -= p.box.*||", "the distance without the box, not that of the nearest image"},
        {"s|r2 >= p.cutoff . p.cutoff|r2 >= p.cutoff|",
         "the square of the distance were compared with the cut-off, not with its square"},
        {"s|j == i .. r2 >= .*)|j == i)|", "as if pairs beyond the cut-off counted, too"},
        {"s|j == i|j <= i|", "pairs with those of higher numbers alone counted"},
        {"s|24.0f . r6|-24.0f * r6|", "as if the sign of a pair's share were wrong"},
        {"s|(2.0f . r6 - 1.0f)|(r6 - 1.0f)|", "as if the 2 of 2 / r^12"},
        {"s|2.0f . r6 . (r6 - 1.0f)|2.0f * r6 * (r6 + 1.0f)|",
         "1 / r^6 were added to 1 / r^12, from which it is to be subtracted"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (!run_lab_takes(i, 4))
            continue;
        cr_assert_eq(setenv("CHANGE", cases[i].change, 1), 0);
        run_lab_shell(
            &result,
            "F=$(mktemp -d); sed \"s/j < p.n - 1;/j < p.n;/; $CHANGE\" "
            ".built/tests/kernels/broken/md_last_pair_left_out.cu > $F/kernel.cu; ./run step13 "
            "-n 1000 --periodic --check-only --runtime sim --source $F/kernel.cu; S=$?; "
            "rm -r $F; exit $S");
        cr_expect(result.status == 1 && strstr(result.out, cases[i].says), "%s: no '%s' in\n%s%s",
                  cases[i].change, cases[i].says, result.out, result.err);
    }
}

Test(md, parts_are_refused_where_there_are_none)
{
    run_lab_expect_error(2, "give all, rest, 1, 2, 3, 4, 5, 6, 7, 17, 23, 56, 67 or 567",
                         "step13 --kernels 8");
    run_lab_expect_error(2, "are of one step", "step13 --kernels 56 --steps 2");
    run_lab_expect_error(2, "no variant of step13 does what these options ask for",
                         "step13 --kernels 56 --runtime sim");
    run_lab_expect_error(2, "those of its study may: give --study", "step13 --kernels 567");
    run_lab_expect_error(2, "; cells takes --periodic", "step13.7 --runtime sim");
    run_lab_expect_error(2, "; k1_global_32 takes --kernels 1",
                         "step13 --study --variant k1_global_32 --runtime sim");
    run_lab_expect_error(2, "sweep is of parts of one step", "sweep step13 --kernels rest");
    run_lab_expect_error(2, "--kernels is for the steps", "exercise16 --kernels rest");
}

/* Runs a stage on a problem, which stays open; what comes out is right. */
static void open_and_run(const char *target, const char *options)
{
    int count;
    char why[256] = "";
    made_kernel_open(&made, "md", "%s", options);
    const struct lab_step *step =
        lab_step_file_load(target, lab_registry_stages(target, &count), why, sizeof why);
    cr_assert(step, "%s %s", target, why);
    made.step = *step;
    const struct lab_check check = made_kernel_check(&made);
    cr_assert_eq(check.status, LAB_CHECK_OK, "%s %s: %s", target, options, check.message);
}

/* Newton's third law: what a pair adds to one force it takes from another. So the sum of all is off
 * by no more than the bounds of all. */
static void expect_no_force_on_all(const char *target, const char *options)
{
    open_and_run(target, options);
    const struct lab_md *p = made.problem->argument;
    const double *bound = ((const struct md *)made.problem->state)->expected[MD_FORCE].bound;
    float *force = made_kernel_floats(p->force, 3 * p->row);
    double sum[3] = {0.0}, may_be_off = 0.0;
    for (int i = 0; i < p->n; i++) {
        may_be_off += bound[i];
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += (double)force[axis * p->row + i];
    }
    for (int axis = 0; axis < 3; axis++)
        cr_expect_leq(fabs(sum[axis]), may_be_off, "%s %s: %g along %c", target, options, sum[axis],
                      "xyz"[axis]);
    free(force);
    made_kernel_close(&made);
}

Test(md, forces_of_all_particles_are_none_together)
{
    expect_no_force_on_all("step13.1", "-n 257");
    expect_no_force_on_all("step13.1", "-n 257 --potential sine --periodic");
    expect_no_force_on_all("step13.7", "-n 1000 --periodic");
}

/* Total energy after these steps, less that of the beginning. */
static double energy_gained(int steps, double dt)
{
    char options[64];
    snprintf(options, sizeof options, "-n 64 --steps %d --dt %.9g", steps + 1, dt);
    open_and_run("step13.5", options);
    double *energies = made_kernel_doubles(
        ((const struct lab_md *)made.problem->argument)->energies, 2 * ((size_t)steps + 1));
    const double *last = energies + 2 * steps;
    const double gained = last[0] + last[1] - energies[0] - energies[1];
    free(energies);
    made_kernel_close(&made);
    return gained;
}

/* In open space nothing takes energy away or brings it: forces are the slope of the potential. The
 * program is not velocity Verlet, for which K5 would have to follow K6 and K7: the force that moves
 * a particle is that of the step before, x(s+1) - 2 x(s) + x(s-1) = dt^2 a(s-1). So in a given time
 * the energy grows by c dt + d dt^2 + ... Twice the gain at half the time step less the gain leaves
 * the second term, of which again half the time step leaves a quarter. */
Test(md, energy_is_kept_but_for_the_first_order_of_the_time_step)
{
    const double time = 0.05, whole = energy_gained(25, time / 25),
                 half = energy_gained(50, time / 50), quarter = energy_gained(100, time / 100);
    const double left = 2.0 * half - whole, left_of_half = 2.0 * quarter - half;
    cr_expect_gt(quarter, 1.0, "%g", quarter);
    cr_expect_lt(fabs(left), 0.1 * fabs(whole), "%g of %g", left, whole);
    cr_expect_lt(fabs(4.0 * left_of_half - left), 0.2 * fabs(left), "%g and %g", left,
                 left_of_half);
}
