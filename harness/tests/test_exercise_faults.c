/* Whatever a student's kernel file does, each test of its exercise has a row that says what and
 * where, the others are tried, and the exit status is that of a kernel that failed. Concerns
 * harness/diagnose. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

/* Solution 05 with `code` at the start of its launch function, run as exercise 05. */
static void run_with(const char *code, const char *options)
{
    cr_assert_eq(setenv("CODE", code, 1), 0);
    run_lab_shell(
        &result,
        "F=$({ echo '#include <cstdio>'; echo '#include <cstdlib>'; awk '{print} "
        "/^static cudaError_t launch/ {getline; print; print ENVIRON[\"CODE\"]}' "
        "solutions/05_*/kernel.cu; } | harness/tests/kept.sh); ./run exercise05 --runtime "
        "${LAB_TEST_RUNTIME:-auto} --source \"$F\" %s",
        options);
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (; (text = strstr(text, what)); text++)
        found++;
    return found;
}

/* All seven rows, the summary, the hint, and no word of a broken machine. */
static void expect_all_rows(const char *first, const char *summary)
{
    cr_expect_eq(result.status, 1, "%d: %s%s", result.status, result.out, result.err);
    cr_expect_eq(count(result.out, "\n  FAIL  ") + count(result.out, "\n  ok    "), 7, "%s",
                 result.out);
    cr_expect(strstr(result.out, first), "no '%s':\n%s%s", first, result.out, result.err);
    cr_expect(strstr(result.out, summary), "no '%s':\n%s", summary, result.out);
    cr_expect(strstr(result.out, "`./run hint exercise05` helps on."), "%s", result.out);
    cr_expect(!strstr(result.out, "cannot be used") && !strstr(result.err, "cannot be used"),
              "%s%s", result.out, result.err);
}

Test(exercise_faults, host_code_that_exits)
{
    run_with("printf(\"m is %d\\n\", p->m); exit(p->m != 65);", ""); /* 0 is no success */
    expect_all_rows(
        "\n  FAIL  -m 63 -n 127 -k 7: forbidden: the launch function calls exit(), which ends the "
        "program; a launch function returns a status",
        "\n0 of 7 tests passed");
    cr_expect(strstr(result.out, "m is 1\n") && strstr(result.out, "m is 300\n"),
              "what it prints is seen:\n%s", result.out);
}

/* A crash does not take with it what was printed before. */
Test(exercise_faults, what_is_printed_before_a_crash)
{
    run_lab_leave_to_test_all();
    run_with("printf(\"m is %d\\n\", p->m); abort();", "");
    cr_expect(strstr(result.out, "m is 1\n") && strstr(result.out, "m is 300\n"), "%s", result.out);
}

/* One that faults at one row of C alone: the tests between are right. */
Test(exercise_faults, the_other_tests_are_tried)
{
    run_with("if (p->m == 1) exit(3);", "");
    expect_all_rows("\n  FAIL  -m 1: forbidden: ", "\n4 of 7 tests passed");
    cr_expect(strstr(result.out, "\n  FAIL  -m 1 -n 300 -k 5: forbidden, as above\n"), "%s",
              result.out);
}

Test(exercise_faults, host_code_that_crashes)
{
    run_lab_leave_to_test_all();
    run_with("int *volatile nowhere = nullptr; if (p->m > 1) *nowhere = 1;", "");
    expect_all_rows("\n  FAIL  -m 63 -n 127 -k 7: crashed: the host code crashed (Segmentation "
                    "fault): look at the launch function, and at its pointers and indices; the "
                    "problem's arrays, such as p->a, are device pointers",
                    "\n2 of 7 tests passed");
    run_with("throw p->m;", "");
    expect_all_rows("crashed (Aborted)", "\n0 of 7 tests passed");
}

Test(exercise_faults, host_code_without_end)
{
    run_with("for (volatile int i = 0; p->m == 65 && i < 1; i = 0) ;", "");
    expect_all_rows("\n  FAIL  -m 65 -n 129 -k 9: timeout: it does not come to its end: a launch "
                    "function, the workspace function or a constructor has computed on the host "
                    "for 1 second, ",
                    "\n6 of 7 tests passed");
}

/* What a constructor does is done before any test. */
Test(exercise_faults, a_file_that_ends_the_program_when_loaded)
{
    run_lab_shell(&result, "F=$({ echo '#include <cstdlib>'; cat solutions/05_*/kernel.cu; echo "
                           "'__attribute__((constructor)) static void early() { exit(0); }'; } | "
                           "harness/tests/kept.sh); ./run exercise05 --runtime sim --source "
                           "\"$F\"");
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.err, "the kernel file cannot be loaded: the host code ended"), "%s",
              result.err);
}

/* The place is in the row, and told once. */
Test(exercise_faults, kernels_that_fault)
{
    static const struct {
        const char *name, *row, *summary;
    } cases[] = {
        {"race",
         "\n  FAIL  -m 67 -n 131 -k 17 --alpha -1.5 --beta 0.75: race at "
         "%s/submissions/wrong/race.cu:12: ",
         "\n5 of 7 tests passed"},
        {"race",
         "\n  FAIL  --thorough: race at %s/submissions/wrong/race.cu:12, as "
         "above\n",
         ""},
        {"reads_past_b",
         "\n  FAIL  -m 63 -n 127 -k 7: out_of_bounds at "
         ".built/tests/kernels/submissions/wrong/reads_past_b.cu:",
         "\n0 of 7 tests passed"},
        {"unwritten_shared",
         "\n  FAIL  -m 63 -n 127 -k 7: uninitialized at "
         "%s/submissions/wrong/unwritten_shared.cu:17: ",
         "\n0 of 7 tests passed"},
        {"never_ends",
         "\n  FAIL  --thorough: timeout at %s/submissions/wrong/never_ends.cu:15, as "
         "above\n",
         "\n0 of 7 tests passed"},
        {"divergent_barrier", "\n  FAIL  -m 63 -n 127 -k 7: divergent_barrier at ",
         "\n0 of 7 tests passed"},
        {"skips_the_last_row", ": unwritten: ", " of 7 tests passed"},
        {"asks_for_endless_scratch", "launch_error: it asks for more scratch memory than there is",
         "\n0 of 7 tests passed"},
    };
    char file[64], row[4352];
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (!run_lab_takes(i, 3))
            continue;
        snprintf(file, sizeof file, "submissions/wrong/%s.cu", cases[i].name);
        run_lab(&result, "exercise05 --source %s", run_lab_source(file));
        snprintf(row, sizeof row, cases[i].row, run_lab_kernels());
        expect_all_rows(row, cases[i].summary);
    }
}

/* A tail that all threads copy: each test has both warnings of its line, and the first alone says
 * them. */
Test(exercise_faults, a_warning_is_told_once)
{
    run_lab_shell(
        &result, "F=$(sed 's|const long long last = n / 4 . 4LL + thread;|for (long long last = n "
                 "/ 4 * 4LL; last < n; ++last)|; /    if (last < n)/d' solutions/00a_*/kernel.cu | "
                 "harness/tests/kept.sh); ./run exercise00a --runtime sim --source \"$F\"");
    cr_expect_eq(count(result.err, "of one warp write the same value to"), 1, "%s", result.err);
    cr_expect_eq(count(result.err, "come in any order"), 1, "%s", result.err);
    cr_expect_eq(count(result.err, ": as above, of 7 more tests or goals\n"), 2, "%s", result.err);
}

/* What a warp has not, and shapes that an exercise does not have, are told for what they are. */
Test(exercise_faults, numbers_that_are_not_there)
{
    static const struct {
        const char *exercise, *change, *says;
    } cases[] = {
        {"12", "s|sum += a_k.tx..ty.;|sum += __shfl_sync(0xFFFFFFFF, sum, tx * TILE + ty);|",
         "this shuffle asks for lane 64: a warp has lanes 0 to 31"},
        {"07", "s|THREADS = 256|THREADS = 48|",
         "a block's threads are whole rows of its tile: 32, 64, 128, 256, 512 or 1024"},
        {"14", "s|HIGH = {32, 16, 2}|HIGH = {32, 16, 3}|",
         "width and height are 8, 16 or 32, and side is 1, 2, 4 or 8"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (!run_lab_takes(i, 2))
            continue;
        run_lab_shell(
            &result,
            "F=$(sed '%s' solutions/%s_*/kernel.cu | harness/tests/kept.sh); ./run exercise%s "
            "--runtime sim --source \"$F\" 2>&1",
            cases[i].change, cases[i].exercise, cases[i].exercise);
        cr_expect(strstr(result.out, cases[i].says), "no '%s' in\n%s", cases[i].says, result.out);
    }
}

/* natural_mistakes.def: what each comes of is in a message, and no other one has what would
 * mislead. */
static const struct mistake {
    bool in_all; /* by make test-all alone */
    const char *exercise, *change, *says, *says_not;
} mistakes[] = {
#define MISTAKE(...) {false, __VA_ARGS__},
#define MORE(...)    {true, __VA_ARGS__},
#include "natural_mistakes.def"
};

/* What `--source` takes of one. */
static const char *source_of(int i)
{
    char file[64];
    snprintf(file, sizeof file, "mistakes/mistake%d.cu", i + 1);
    return run_lab_source(file);
}

/* Of the one whose change has these words in it. */
static const char *source_with(const char *exercise, const char *words)
{
    for (int i = 0; i < (int)(sizeof mistakes / sizeof *mistakes); i++)
        if (strcmp(mistakes[i].exercise, exercise) == 0 && strstr(mistakes[i].change, words))
            return source_of(i);
    cr_assert_fail("%s: no mistake with %s", exercise, words);
    return NULL;
}

Test(exercise_faults, natural_mistakes)
{
    for (int i = 0; i < (int)(sizeof mistakes / sizeof *mistakes); i++) {
        const struct mistake *const one = &mistakes[i];
        if ((one->in_all && !run_lab_tries_all()) || !run_lab_takes(i, 16))
            continue;
        run_lab(&result, "exercise%s --source %s", one->exercise, source_of(i));
        cr_expect(strstr(result.out, one->says), "%s, %s: no '%s' but\n%s%s", one->exercise,
                  one->change, one->says, result.out, result.err);
        cr_expect(!one->says_not || !strstr(result.out, one->says_not), "%s, %s: '%s' in\n%s",
                  one->exercise, one->change, one->says_not, result.out);
    }
}

/* The inputs that show what it multiplies are gone when the next one is launched. */
Test(exercise_faults, a_right_kernel_behind_one_that_was_asked)
{
    run_lab(&result,
            "compare --source %s --source \"$LAB_TEST_BUILD\"/solution/02.so --check-only -m 33 "
            "--alpha -1.5 --beta 0.75",
            source_with("02", "|first_k, col)"));
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "B's row is the first of each 16"), "%s", result.out);
    cr_expect(strstr(result.out, "\n02.so.tile_16x128") && strstr(result.out, "  ok\n"), "%s",
              result.out);
}

/* Of a single key both orders of a block's counts may fit: neither is said. */
Test(exercise_faults, one_key_tells_no_order)
{
    run_lab(&result, "exercise00d -n 1 --seed 9 --source %s",
            source_with("00d", "|keys[i] + lane"));
    cr_expect(strstr(result.out, "this is as if each bin's counts were added at one index and read "
                                 "at another, such as bin * lanes + lane and bin + lane * bins"),
              "%s%s", result.out, result.err);
}

/* In a small window, too, the first test whose values tell a cause says it. */
Test(exercise_faults, a_cause_is_told_in_a_small_window)
{
    static const char *const rows[] = {
        "\n  FAIL  -m 9 -n 130 -k 5: unwritten: C[0][129] was never written, 9 of 1170 elements in "
        "all; only the last column: does a guard, a count or a loop end one too soon?\n",
        "\n  FAIL  -m 3 -n 3 -k 7: unwritten\n",
        "\n  FAIL  -m 9 -n 131 -k 5 --alpha -1.5 --beta 0.75: wrong: C[0][130]: expected 2.134683, "
        "got 0.4936826; 9 of 1179 elements wrong, tolerance 5.2e-06; only the last column; no "
        "product is in the last\n",
        "\n  FAIL  -m 3 -n 3 -k 7: wrong\n"};
    const char *const changes[] = {"|if (i < count - 1)", "|count > 1 ? from[0]"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i % 2 == 0)
            run_lab(&result, "exercise09 --fit 22x200 --source %s",
                    source_with("09", changes[i / 2]));
        cr_expect(strstr(result.out, rows[i]), "no '%s' in\n%s", rows[i], result.out);
    }
}

/* What each row found is its own; what it comes of is told once, where the words are the same. */
Test(exercise_faults, a_cause_is_told_once)
{
    static const char *const rows[] = {
        "\n  FAIL  -n 9 -m 65: wrong: B[0][0]: expected -0.0633268132742975, got "
        "0.440795906166052; 585 of 585 elements wrong, tolerance 2.7e-14; each of these is as if "
        "the sum were stored",
        "\n  FAIL  -n 1 -m 1: wrong: B[0][0]: expected -0.0633268132742975, got 0.440795906166052; "
        "1 of 1 elements wrong, tolerance 1.8e-15; this is as if the sum were stored",
        "\n  FAIL  -n 8 -m 64: wrong: B[0][0]: expected -0.0633268132742975, got "
        "0.440795906166052; 512 "
        "of 512 elements wrong, tolerance 2.2e-14; as above\n"};
    run_lab(&result, "exercise11 --source %s", source_with("11", "|] = sum[r];"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(strstr(result.out, rows[i]), "no '%s' in\n%s", rows[i], result.out);
    cr_expect_eq(count(result.out, "were stored in place of the old B"), 2, "%s", result.out);
}

/* All tests and goals, and the status of the whole. */
Test(exercise_faults, json)
{
    run_with("if (p->m == 1) { printf(\"noise\\n\"); exit(3); }", "--json -");
    cr_expect_eq(result.status, 1);
    cr_expect(!strstr(result.out, "noise"), "JSON has standard output to itself:\n%s", result.out);
    cr_expect_eq(strncmp(result.out, "{\n  \"schema\": 1,", 16), 0, "%s", result.out);
    cr_expect(strstr(result.out, "\n  \"status\": \"forbidden\",\n  \"passed\": false,"), "%s",
              result.out);
    cr_expect_eq(count(result.out, "\"options\": "), 13, "seven tests, six goals:\n%s", result.out);
    cr_expect_eq(count(result.out, "\"status\": \"ok\""), 4, "%s", result.out);
    run_lab(&result, "exercise05 --source %s --json -",
            run_lab_source("submissions/wrong/race.cu"));
    cr_expect(strstr(result.out, "race.cu\",\n      \"line\": 12,\n      \"passed\": false"), "%s",
              result.out);
    run_lab(&result,
            "exercise05 --source .built/tests/kernels/submissions/wrong/does_not_compile.cu "
            "--json -");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "\n  \"status\": \"build_error\",\n  \"message\": "), "%s",
              result.out);
    run_lab(&result, "exercise05 --source %s --json -",
            run_lab_source("submissions/unknown/texture_with_beta.cu"));
    cr_expect_eq(result.status, 3);
    cr_expect(strstr(result.out, "\n  \"status\": \"unsupported\",\n  \"passed\": false,"), "%s",
              result.out);
    run_lab(&result, "exercise04 --source \"$LAB_TEST_BUILD\"/solution/09.so --json -");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "\n  \"status\": \"goal_missed\",\n  \"passed\": false,"), "%s",
              result.out);
    run_lab(&result, "solution01 --json -");
    cr_expect_eq(result.status, 0);
    cr_expect(strstr(result.out, "\n  \"status\": \"ok\",\n  \"passed\": true,"), "%s", result.out);
    cr_expect_eq(count(result.out, "\"passed\": true"), 1 + 7 + 3, "%s", result.out);
    run_lab(&result, "solution01 -m 16 --json -");
    cr_expect(strstr(result.out, "\"kernels\": ["), "with sizes it is a run like any:\n%s",
              result.out);
}

/* Neither a process nor a file: of `run`, and of the program that it starts, by itself. */
Test(exercise_faults, an_interrupt_leaves_nothing)
{
    run_lab_leave_to_test_all();
    static const char *const programs[] = {
        "./run", "env LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim \"$LAB_TEST_BUILD\"/lab"};
    cr_assert_eq(setenv("LAB_LINE_SECONDS", "50", 1), 0);
    cr_assert_eq(setenv("LAB_HOST_SECONDS", "50", 1), 0);
    for (int i = 0; i < 2; i++) {
        if (!run_lab_takes(i, 2))
            continue;
        run_lab_shell(&result,
                      "F=$(mktemp -d); sed 's/^    const int blocks/    for (;;) ;\\n&/' "
                      "solutions/05_*/kernel.cu > $F/kernel.cu; LAB_SCRATCH=$F %s exercise05 "
                      "--runtime sim --source $F/kernel.cu > $F/said & P=$!\n"
                      "until grep -q 'local memory' $F/said; do sleep 0.2; done; sleep 2\n"
                      "kill -TERM $P; wait $P; sleep 3; cat $F/said; pgrep -f $F/kernel.cu\n"
                      "find $F -name 'run-*' -o -name 'source-*'; rm -r $F",
                      programs[i]);
        const char *begun = strstr(result.out, "local memory.\n\n");
        cr_assert(strstr(result.out, "exercise05: ") && begun, "%s", result.out);
        cr_expect_str_empty(begun + strlen("local memory.\n\n"), "left of %s: %s", programs[i],
                            begun);
    }
}

/* A process that has used a GPU leaves its children none: who starts them makes no call at all. */
Test(exercise_faults, the_device_is_for_the_processes_of_the_tests)
{
    run_lab_leave_to_test_all();
    if (getenv("LAB_TEST_RUNTIME") && strcmp(getenv("LAB_TEST_RUNTIME"), "sim") != 0)
        cr_skip_test("this one starts the simulator's program itself");
    run_lab_shell(
        &result,
        "F=$(mktemp -d); { echo '#include <dlfcn.h>'; echo '#include <stdio.h>'; echo '#include "
        "<unistd.h>'; for f in cudaGetDevice cudaGetDeviceProperties cudaDeviceGetAttribute "
        "cudaStreamCreate cudaGetLastError cudaMemGetInfo cudaDeviceSynchronize; do echo \"int "
        "$f(void *a, void *b, void *c) { dprintf(2, \\\"call of %%d\\\\n\\\", getpid()); return "
        "((int (*)(void *, void *, void *))dlsym(RTLD_NEXT, \\\"$f\\\"))(a, b, c); }\"; done; } > "
        "$F/spy.c; ${CC:-cc} -w -D_GNU_SOURCE -shared -fPIC -o $F/spy.so $F/spy.c -ldl; "
        "LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim LD_PRELOAD=$F/spy.so \"$LAB_TEST_BUILD\"/lab "
        "solution01 "
        "--runtime sim & P=$!; wait $P; echo \"call of $P\"; rm -r $F");
    const char *own = strstr(result.out, "\ncall of ");
    cr_assert(own && strstr(result.err, "call of "), "%s%s", result.out, result.err);
    cr_expect(!strstr(result.err, own + 1), "%s", result.err);
}

/* One whom Ctrl-Z has stopped is not late: what counts is the time that it had. */
Test(exercise_faults, a_job_that_was_stopped_is_not_late)
{
    run_lab_leave_to_test_all();
    run_lab_shell(&result,
                  "F=$(mktemp -d); { echo '#include <unistd.h>'; sed 's/^    const int blocks/    "
                  "if (p->m == 65) usleep(1500000);\\n&/' solutions/05_*/kernel.cu; } > "
                  "$F/kernel.cu; LAB_LINE_SECONDS=8 setsid ./run exercise05 --runtime sim --source "
                  "$F/kernel.cu > $F/out & P=$!; until grep -q 'k 7$' $F/out; do sleep 0.1; done; "
                  "kill -STOP -$P; sleep 9; kill -CONT -$P; wait $P; S=$?; cat $F/out; rm -r $F; "
                  "exit $S");
    cr_expect(strstr(result.out, "\n  ok    -m 65 -n 129 -k 9\n"), "%d: %s%s", result.status,
              result.out, result.err);
}

/* The line that begins with `label`, behind it. */
static const char *line_of(const char *text, const char *label)
{
    const char *line = strstr(text, label);
    return line ? line + strlen(label) : "";
}

/* A solution that stores eight times looks worse where the goals look, beside what was given, which
 * may be wrong. */
Test(exercise_faults, beside_the_solution)
{
    char written[256];
    run_lab_shell(&result,
                  "F=$(sed 's/^    [*]c = /    for (int i = 0; i < 8; i++) *(volatile float *)c = "
                  "/' solutions/01_*/kernel.cu | harness/tests/kept.sh); ! cmp -s \"$F\" "
                  "solutions/01_*/kernel.cu && ./run compare solution01 --runtime "
                  "${LAB_TEST_RUNTIME:-auto} --source \"$F\" --json /dev/null");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    snprintf(written, sizeof written, "%.80s", line_of(result.out, "\nsectors written "));
    cr_expect(strstr(written, " 8,192 ") && strstr(written, " 65,536 (8 x) "), "%s", result.out);
    snprintf(written, sizeof written, "%.80s", line_of(result.out, "\nsectors read "));
    cr_expect(*written && !strstr(written, " x)"), "%s", result.out);
    cr_expect(strstr(result.out, "  time ms") && strstr(result.out, "\nas_given.cu.transposed "),
              "%s", result.out);
    run_lab(&result, "compare exercise01 solution01");
    cr_expect(result.status == 1 && strstr(result.out, "\nsectors written ") &&
                  !strstr(result.out, "as_given"),
              "untouched, it is there once:\n%s", result.out);
    snprintf(written, sizeof written, "%.80s", line_of(result.out, "\nsectors read "));
    cr_expect(strstr(written, " 0 (wrong) "), "what reads nothing is not the best: %s", result.out);
    if (run_lab_tries_all()) { /* a compare of large problems */
        run_lab(&result, "compare solution07 --source %s", run_lab_source("stubs/stub07.cu"));
        cr_expect(
            strstr(result.out, " times as long as solution07.fed: it is limited by latency, "),
            "why it is slower: %s", result.out);
    }
    run_lab(&result, "compare exercise01 solution01 --check-only");
    cr_expect(!strstr(result.out, "sectors written"), "%s", result.out);
}
