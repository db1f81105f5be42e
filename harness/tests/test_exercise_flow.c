/* A student's way from one exercise to the next, in a checkout of its own: what was edited is built
 * before it is run, what is passed is noted, and what is next is said. */
#include "run/child.h"
#include "series/outdated.h"
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

/* The programs find their checkout by where they are, unless they were built for a folder
 * elsewhere. It has the same place in every run, so that nvcc need not compile the same again. */
static bool make_checkout(const char *name)
{
    const char *root = getenv("LAB_TEST_ROOT"), *build = getenv("LAB_TEST_BUILD");
    char own[4096], folder[4200], nvcc[4200];
    snprintf(own, sizeof own, "%s/build", root ? root : ".");
    if (!build || strcmp(build, own) != 0)
        return false;
    snprintf(folder, sizeof folder, "%s/tests/flow/%s", build, name);
    snprintf(nvcc, sizeof nvcc, "%s/harness/tests/kept_nvcc.sh", root);
    cr_assert_eq(setenv("D", folder, 1) | setenv("NVCC", nvcc, 1), 0);
    run_lab_shell(
        &result, "set -e; rm -rf $D; mkdir -p $D; cp -a Makefile common solutions steps $D; mkdir "
                 "-p $D/harness/tests "
                 "$D/build/exercise "
                 "$D/exercises/01_transposed_operand; cp -a harness/setup harness/exercise "
                 "$D/harness; cp -p "
                 "harness/tests/tests.mk $D/harness/tests; cd "
                 "build; cp -a run lab nvcc.command flags.stamp config.mk solution $D/build; ln -s "
                 "\"$PWD\"/sim "
                 "$D/build/sim; cp -p solution/01.so $D/build/exercise; cd ..; awk -f "
                 "harness/exercise/stub.awk solutions/01_*/kernel.cu > "
                 "$D/exercises/01_transposed_operand/kernel.cu; find "
                 "$D/build -name '*.so' -exec touch {} +; touch $D/build/exercise/01.so");
    cr_assert_eq(result.status, 0, "%s", result.err);
    return true;
}

static void end_checkout(void)
{
    run_lab_shell(&result, "rm -rf $D");
}

/* `./run ARGUMENTS` in there. */
static void run_there(int status, const char *arguments)
{
    run_lab_shell(&result, "cd $D && ./build/run %s", arguments);
    cr_expect_eq(result.status, status, "run %s: %d: %s%s", arguments, result.status, result.out,
                 result.err);
}

static void expect_said(const char *where, const char *text)
{
    cr_expect(strstr(where, text), "no '%s':\n%s", text, where);
}

/* With the number of all exercises in its place. */
static const char *text_of(const char *format, int count)
{
    static char text[256];
    snprintf(text, sizeof text, format, count);
    return text;
}

/* What is said of the exercise that comes next: "level 2, about 45 minutes". */
static const char *effort_of(const char *target)
{
    static char effort[64];
    const struct lab_registry_entry *exercise = lab_registry_exercise(target);
    cr_assert(exercise->level >= 1 && exercise->level <= 3 && exercise->minutes >= 5);
    snprintf(effort, sizeof effort, "level %d, about %d minutes", exercise->level,
             exercise->minutes);
    return effort;
}

/* How the text goes on with what comes next. */
static void expect_next(const char *begin, const char *middle, const char *target, const char *end)
{
    char line[512];
    snprintf(line, sizeof line, "%s%s%s%s%s", begin, target, middle, effort_of(target), end);
    expect_said(result.out, line);
}

Test(exercise_flow, from_one_to_the_next)
{
    int count;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    const char *last = exercises[count - 1].target;
    if (!make_checkout("from_one_to_the_next"))
        cr_skip_test("built for a folder elsewhere");
    run_there(0, "");
    expect_said(result.out,
                text_of("exercises passed: 0 of %d\nnext: step01, then exercise01, ", count));
    expect_next("\nnext: step01, then ", ", a transposed operand: C = alpha A' B + beta C (",
                "exercise01", ")\n");
    expect_said(result.out, "make exercise01 && ./run exercise01 ");
    expect_said(result.out, "make setup step01 && ./run step01 ");
    expect_said(result.out, "make setup step00a && ./run step00a ");
    run_lab_shell(&result, "mkdir -p $D/build/passed; touch $D/build/passed/step00a.sim");
    run_there(0, "");
    expect_said(result.out, "\nnext: exercise00a, ");
    run_lab_shell(&result, "touch $D/build/passed/step01.sim");
    run_there(0, "");
    expect_said(result.out, "\nnext: exercise01, ");
    /* Nobody's mistake is explained. */
    run_lab_shell(&result, "touch $D/exercises/01_*/kernel.cu");
    run_there(1, "exercise01 --runtime sim");
    expect_said(result.out,
                "\nNothing is filled in yet: the TODOs are at "
                "exercises/01_transposed_operand/kernel.cu:20, 24. As it is it gives:\n\n"
                "  FAIL  -m 33 -n 65 -k 17: wrong: C[0][0]: expected 1.9158");
    expect_said(result.out, ", got 0; 2145 of 2145 elements wrong, tolerance 8e-06\n  FAIL  ");
    cr_expect(!strstr(result.out, "does the loop"), "%s", result.out);
    run_lab_shell(&result, "cd $D && cp solutions/01_*/kernel.cu exercises/01_*/kernel.cu");
    /* A look at it is no pass, however right it is. */
    run_there(0, "exercise01 --runtime sim -m 33 --profile");
    expect_said(result.err, "exercises/01_transposed_operand/kernel.cu was changed: built again\n");
    run_there(0, "");
    expect_said(result.out, text_of("exercises passed: 0 of %d", count));
    run_there(0, "exercise01 --runtime sim");
    expect_said(result.out, text_of("\nexercise01 passed (1 of %d). Next: ", count));
    cr_expect(!strstr(result.out, "Nothing is filled in"), "%s", result.out);
    expect_next("Next: ", ", a tile of another shape, 16 by 128 (", "exercise02", ")\nLearned: ");
    expect_said(result.out, "solution01.transposed");
    cr_expect(!strstr(result.out, "smsp__"), "counters that nobody asked for:\n%s", result.out);
    expect_said(result.out, "`./run compare solution01 exercise01 --profile` shows all counters.");
    run_there(0, "list");
    expect_said(result.out, text_of("\n1 of %d exercises passed; next: exercise02, ", count));
    expect_next("next: ", ", ", "exercise02", "\n");
    run_there(0, "");
    expect_said(result.out, text_of("exercises passed: 1 of %d: 01\nnext: exercise02, ", count));
    for (int i = 0; i < count - 1; i++)
        if (strcmp(exercises[i].target, "exercise01") != 0)
            run_lab_shell(&result, "touch $D/build/passed/%s.gpu", exercises[i].target);
    run_there(0, "list");
    cr_expect(strstr(result.out, " exercises passed; next: ") &&
                  strstr(strstr(result.out, "; next: "), last),
              "%s", result.out);
    run_lab_shell(&result, "touch $D/build/passed/%s.sim; rm $D/build/passed/exercise01.*", last);
    run_there(0, "exercise01 --runtime sim");
    cr_expect(strstr(result.out, text_of("of %d). No other is left.\n", count)), "%s", result.out);
    run_lab_shell(&result,
                  "cd $D && rm build/passed/exercise0[1-9]* && cp -a solutions/05_* exercises/ && "
                  "cp -p build/solution/05.so build/exercise/");
    run_there(0, "exercise05 --runtime sim");
    cr_expect(
        strstr(result.out, text_of("of %d). Next: exercise06, right but slow: reach half of the "
                                   "solution's speed (level ",
                                   count)) &&
            strstr(result.out, "\nexercise05 passed ("),
        "%s", result.out);
    run_there(0, "");
    expect_said(result.out, "\nnext: exercise06, ");
    run_lab_shell(&result,
                  "cd $D/build/passed; rm exercise00[ab].*; touch %s.gpu; for i in 1 2 3 4 "
                  "5 6 7 8 9; do touch exercise0$i.sim; done",
                  last);
    run_there(0, "list");
    cr_expect(strstr(result.out, "; next: exercise00a, "), "all after are passed:\n%s", result.out);
    run_lab_shell(&result, "sleep 0.1; touch $D/build/passed/exercise00a.sim");
    run_there(0, "");
    cr_expect(strstr(result.out, "\nnext: exercise00b, "), "who takes up the warm-ups:\n%s",
              result.out);
    end_checkout();
}

/* Rows of a window of 80 columns. */
static int rows_of(const char *text)
{
    int rows = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        rows += end > text ? (int)(end - text - 1) / 80 + 1 : 1;
    return rows;
}

/* As `watch` has them shown, which needs two rows itself: as they are given, and when they pass. */
Test(exercise_flow, all_exercises_fit_in_a_window)
{
    int count;
    const struct lab_registry_entry *all = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++) {
        char stub[64];
        if (!run_lab_takes(i, 17))
            continue;
        snprintf(stub, sizeof stub, "stubs/stub%s.cu", all[i].number);
        run_lab(&result, "exercise%s --source %s --fit 22x80", all[i].number, run_lab_source(stub));
        cr_expect_eq(result.status, 1, "%s", result.out);
        cr_expect_leq(rows_of(result.out), 22, "%d rows:\n%s", rows_of(result.out), result.out);
        run_lab(&result, "exercise%s --source \"$LAB_TEST_BUILD\"/solution/%s.so --fit 22x80",
                all[i].number, all[i].number);
        cr_expect_eq(result.status, 0, "%s", result.out);
        cr_expect_leq(rows_of(result.out), 22, "%d rows:\n%s", rows_of(result.out), result.out);
        expect_said(result.out, "\nLearned: ");
    }
}

/* A header of common/ concerns all that `compare` may be given. One make builds it. */
Test(exercise_flow, all_that_is_built_may_be_old)
{
    enum { OTHER_WORDS = 4 }; /* of make's command line */
    int step_count, exercise_count, stage_count, all;
    const struct lab_registry_entry *steps = lab_registry(&step_count);
    lab_registry_exercises(&exercise_count);
    all = 2 * exercise_count; /* with the solutions */
    for (int i = 0; i < step_count; i++) {
        lab_registry_stages(steps[i].target, &stage_count);
        all += stage_count;
    }
    cr_expect_lt(all, LAB_OUTDATED_MOST, "%d objects", all);
    cr_expect_leq(LAB_OUTDATED_MOST + OTHER_WORDS, LAB_CHILD_WORDS);
}

/* Neither a kernel file nor a header that was changed is left out. */
Test(exercise_flow, an_old_build_is_never_run)
{
    if (!make_checkout("an_old_build_is_never_run"))
        cr_skip_test("built for a folder elsewhere");
    run_there(0, "exercise01 --runtime sim -m 4 --check-only");
    cr_expect_str_empty(result.err, "%s", result.err);
    run_lab_shell(&result, "cd $D && cp solutions/01_*/kernel.cu exercises/01_*/kernel.cu");
    run_there(0, "exercise01 --runtime sim -m 4 --check-only");
    expect_said(result.err, "was changed: built again\n");
    run_there(0, "exercise01 --runtime sim -m 4 --check-only");
    cr_expect_str_empty(result.err, "it is built: %s", result.err);
    run_lab_shell(&result, "touch $D/common/step.h");
    run_there(0, "exercise01 --runtime sim -m 4 --check-only");
    expect_said(result.err, "run: common/step.h was changed: built again\n");
    run_lab_shell(&result, "sed -i 's/sum +=/sum +/' $D/exercises/01_*/kernel.cu");
    run_there(0, "exercise01 --runtime sim -m 4 --check-only; true");
    expect_said(result.err, "kernel.cu(29): warning #174-D: expression has no effect\n");
    cr_expect(!strstr(result.err, "NVCC") && !strstr(result.err, "Remark"), "%s", result.err);
    run_lab_shell(&result, "cd $D && cp solutions/01_*/kernel.cu exercises/01_*/kernel.cu && "
                           "sed -i '/return cudaGetLastError/d' exercises/01_*/kernel.cu");
    run_there(1, "exercise01 --runtime sim");
    expect_said(result.err, "error: missing return statement at end of non-void function");
    /* What is saved while it is built is no part of what was built. */
    run_lab_shell(&result, "cd $D && cp solutions/01_*/kernel.cu exercises/01_*/kernel.cu && "
                           "rm -f build/exercise/01.d; "
                           "{ make BUILD=build build/exercise/01.so > /dev/null & } && "
                           "until [ -e build/exercise/01.d ]; do sleep 0.05; done; "
                           "echo '// saved' >> exercises/01_transposed_operand/kernel.cu; wait");
    run_there(0, "exercise01 --runtime sim -m 4 --check-only");
    expect_said(result.err, "was changed: built again\n");
    run_lab_shell(&result, "echo 'x x' >> $D/exercises/01_transposed_operand/kernel.cu");
    for (int again = 0; again < 2; again++) {
        run_there(1, "exercise01 --runtime sim");
        cr_expect_str_empty(result.out, "nothing is run: %s", result.out);
        expect_said(result.err, "error");
        expect_said(result.err, "was changed, and could not be built: see above\n");
        cr_expect(!strstr(result.err, "make: ***"), "%s", result.err);
    }
    run_there(1, "exercise01 --runtime sim --source exercises/01_transposed_operand/kernel.cu");
    expect_said(result.err, "\n  x x\n");
    run_lab_shell(&result, "cd $D && mkdir none && PATH=$D/none ./build/run exercise01");
    cr_expect_eq(result.status, 3, "%s", result.out);
    cr_expect_str_empty(result.out, "nothing is run: %s", result.out);
    expect_said(result.err, "cannot be built from here; run `make exercise01`\n");
    end_checkout();
}

/* Nor is what was built of a file that is gone; what was never built is built first. */
Test(exercise_flow, what_is_not_there_is_built_or_said)
{
    if (!make_checkout("what_is_not_there_is_built_or_said"))
        cr_skip_test("built for a folder elsewhere");
    run_lab_shell(&result, "cd $D && rm build/exercise/01.so build/solution/01.so");
    run_lab_shell(&result, "cd $D && mkdir none && PATH=$D/none ./build/run exercise01");
    cr_expect_eq(result.status, 3, "%s", result.out);
    expect_said(result.err, "kernel.cu is not built; run `make exercise01`\n");
    run_there(1, "exercise01 --runtime sim -m 4 --check-only");
    expect_said(result.err, "01_transposed_operand/kernel.cu was not built: built now\n");
    run_lab_shell(&result, "cd $D/build && : > exercise/01.so && truncate -s -64 solution/01.so");
    run_lab_shell(&result, "cd $D && PATH=$D/none ./build/run exercise01");
    cr_expect_eq(result.status, 3, "%s", result.out);
    expect_said(result.err, "cut off, and cannot be built from here; remove ");
    run_there(1, "exercise01 --runtime sim");
    expect_said(result.out, " of 7 tests passed");
    expect_said(result.err, "was built into a file that is empty or cut off: built again\n");
    run_there(1, "exercise01 --runtime sim");
    cr_expect_str_empty(result.err, "both are built: %s", result.err);
    run_lab_shell(&result, "rm $D/exercises/01_transposed_operand/kernel.cu");
    run_there(1, "exercise01 --runtime sim -m 4 --check-only");
    expect_said(result.err,
                "exercises/01_transposed_operand/kernel.cu is gone: written anew as it was "
                "given, and built\n");
    run_lab_shell(&result, "test -s $D/exercises/01_transposed_operand/kernel.cu");
    cr_expect_eq(result.status, 0, "the exercise was not written anew");
    run_there(0, "step01 --runtime sim -m 4 --check-only");
    run_lab_shell(&result, "rm $D/steps/01_naive_global/*.cu");
    run_there(1, "step01 --runtime sim");
    cr_expect_str_empty(result.out, "nothing is run: %s", result.out);
    expect_said(result.err, "is gone, and could not be built: see above\n");
    end_checkout();
}

/* Without an exercise `hint` and `watch` take the one that `run` alone names. */
Test(exercise_flow, hint_and_watch_take_the_next_exercise)
{
    if (!make_checkout("hint_and_watch_take_the_next_exercise"))
        cr_skip_test("built for a folder elsewhere");
    run_there(0, "hint");
    expect_said(result.out, "exercise01, ");
    expect_said(result.out, "hint 1 of 3");
    run_lab_shell(&result, "cd $D && echo hq | ./build/run watch");
    cr_expect_eq(result.status, 0, "%s", result.err);
    expect_said(result.out, "hint 2 of 3"); /* of exercise01, as above */
    expect_said(result.out, "watching kernel.cu");
    run_lab_shell(&result, "mkdir -p $D/build/passed && touch $D/build/passed/exercise01.sim");
    run_there(0, "hint --again");
    expect_said(result.out, "exercise02, ");
    run_lab_shell(&result, "cd $D/build/passed && touch $(cd $D/solutions && ls -d [0-9]*_* | "
                           "sed 's/_.*//; s/.*/exercise&.sim/')");
    run_there(2, "hint");
    expect_said(result.err, "all exercises are passed");
    run_there(2, "watch");
    expect_said(result.err, "all exercises are passed");
    end_checkout();
}

/* Its tests would say that it is right, and nothing of the exercise. */
Test(exercise_flow, a_kernel_of_another_problem_is_refused)
{
    static struct run_lab other;
    run_lab_shell(&other, "d=$(mktemp -d) && sed 's/LAB_EXPORT(gemm,/LAB_EXPORT(gemm_tn,/' "
                          "solutions/03_edge_guard/kernel.cu > $d/tn.cu && ./run exercise03 "
                          "--runtime sim --source $d/tn.cu < /dev/null; status=$?; rm -r $d; exit "
                          "$status");
    cr_expect_eq(other.status, 1, "%d: %s", other.status, other.err);
    cr_expect(strstr(other.err, "must be LAB_EXPORT(gemm, ...)"), "%s", other.err);
}
