/* The exercises: they compile, run to the end and fail by a wrong answer or a missed goal; the
 * solutions pass; each has a goal with tests and three hints. All is tried on fresh stubs: what
 * a student did in exercises/ is no test's business, and `make exercises-check` holds what is
 * committed there to the solutions. */
#include "exercise/goal_file.h"
#include "exercise/results.h"
#include "exercise/todo.h"
#include "measure/model/model.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, NUMBER_BYTES = 4 };

static struct run_lab result;
static struct lab_exercise exercise;
static char hints[LAB_EXERCISE_HINTS][LAB_EXERCISE_TEXT];

static const struct lab_registry_entry *entry_of(const char *number)
{
    char target[32];
    snprintf(target, sizeof target, "exercise%s", number);
    const struct lab_registry_entry *entry = lab_registry_exercise(target);
    cr_assert(entry, "%s", target);
    return entry;
}

/* Exit status of a shell command in the checkout. */
static int shell(const char *format, const char *argument)
{
    char command[4096];
    const char *root = getenv("LAB_TEST_ROOT");
    int used = snprintf(command, sizeof command, "cd '%s' && ", root ? root : ".");
    snprintf(command + used, sizeof command - (size_t)used, format, argument, argument, argument);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The exercise as a student gets it, whatever exercises/ holds by now. */
static const char *fresh_stub(const char *number)
{
    char stub[64];
    snprintf(stub, sizeof stub, "stubs/stub%s.cu", number);
    return run_lab_source(stub);
}

static struct criterion_test_params numbers(void)
{
    static char list[MOST][NUMBER_BYTES];
    int count;
    const struct lab_registry_entry *all = lab_registry_exercises(&count);
    size_t wanted = 0;
    for (int i = 0; i < count && wanted < MOST; i++)
        if (run_lab_wants(all[i].family))
            snprintf(list[wanted++], NUMBER_BYTES, "%s", all[i].number);
    return cr_make_param_array(char[NUMBER_BYTES], list, wanted);
}

ParameterizedTestParameters(exercises, solution_passes)
{
    return numbers();
}

/* `make test` takes every third of the exercises, from one on. */
static void leave_some_to_test_all(const char *number, int from)
{
    int count;
    const struct lab_registry_entry *const all = lab_registry_exercises(&count);
    int place = 0;
    while (place < count && strcmp(all[place].number, number) != 0)
        place++;
    if (!run_lab_takes(place + from, 3))
        run_lab_leave_to_test_all();
}

ParameterizedTest(char number[NUMBER_BYTES], exercises, solution_passes)
{
    leave_some_to_test_all(number, 1);
    /* With JSON the comparison at the end is left out, which takes as long as the rest. */
    const bool is_whole = run_lab_tries_all() || strcmp(number, "05") == 0;
    run_lab(&result, "solution%s%s", number, is_whole ? "" : " --json -");
    cr_expect_eq(result.status, 0, "solution%s: %s%s", number, result.out, result.err);
    cr_expect(!strstr(result.out, "FAIL"), "%s", result.out);
    cr_expect(!is_whole || strstr(result.out, "kernel "), "no table of figures:\n%s", result.out);
    cr_expect(strcmp(number, "05") != 0 || strstr(result.out, "3 of 132 SMs"), "%s", result.out);
}

ParameterizedTestParameters(exercises, stub_compiles_runs_and_fails)
{
    return numbers();
}

ParameterizedTest(char number[NUMBER_BYTES], exercises, stub_compiles_runs_and_fails)
{
    static const char *const harsh[] = {"race:",         "out_of_bounds:", "timeout:",
                                        "crashed:",      "misaligned:",    "divergent_barrier:",
                                        "launch_error:", "uninitialized:", "input_modified:"};
    /* Right but slow, as 18 is, and as long as all others together. */
    static const char *const long_ones[] = {"06", "07", "14"};
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        if (strcmp(number, long_ones[i]) == 0)
            run_lab_leave_to_test_all();
    leave_some_to_test_all(number, 0);
    const char *stub = fresh_stub(number);
    run_lab(&result, "exercise%s --source %s", number, stub);
    cr_expect_eq(result.status, 1, "exercise%s: status %d\n%s%s", number, result.status, result.out,
                 result.err);
    cr_expect(strstr(result.out, "FAIL") && strstr(result.out, "run hint"), "%s", result.out);
    for (size_t i = 0; i < sizeof harsh / sizeof *harsh; i++)
        cr_expect(!strstr(result.out, harsh[i]), "fails by more than a wrong answer:\n%s",
                  result.out);
}

ParameterizedTestParameters(exercises, goal_and_hints)
{
    return numbers();
}

ParameterizedTest(char number[NUMBER_BYTES], exercises, goal_and_hints)
{
    const struct lab_registry_entry *entry = entry_of(number);
    cr_assert_eq(lab_exercise_read(entry, &exercise), 0);
    cr_expect(strlen(exercise.text) > 40, "no goal in words");
    cr_expect_geq(exercise.test_count, 4);
    cr_expect_geq(exercise.goal_count, 1);
    cr_expect_gt(strlen(exercise.learned), 40, "nothing is learned");
    cr_assert_eq(lab_exercise_hints(entry, hints), 3);
    for (int i = 0; i < 3; i++)
        cr_expect(strlen(hints[i]) > 80, "hint %d says too little", i + 1);
}

static void expect_speed(const char *number, const char *file, const char *verdict)
{
    const char *const build = getenv("LAB_TEST_BUILD");
    const bool is_built = strncmp(file, "build/st", 8) == 0;
    run_lab(&result, "exercise%s --runtime sim --source '%s%s'", number, is_built ? build : "",
            is_built ? file + 5 : file);
    char line[64];
    snprintf(line, sizeof line, "  %s  GFLOP/s (-m 384; modelled)", verdict);
    cr_expect(strstr(result.out, line), "exercise%s with %s: %s%s", number, file, result.out,
              result.err);
}

/* Modelled on a slice: neighbouring threads on neighbouring columns, and a tile alone, are not fast
 * enough; several values per thread are, in whatever way. */
Test(exercises, speed_goals_tell_the_idea)
{
    run_lab_leave_to_test_all();
    static const char *const cases[][3] = {
        {"07", "build/steps/05.1.so", "ok  "}, {"06", "build/steps/03.so", "FAIL"},
        {"06", "build/steps/05.2.so", "ok  "}, {"06", "build/steps/05.1.so", "ok  "},
        {"07", "build/steps/03.so", "FAIL"},   {"07", "build/steps/05.2.so", "ok  "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_speed(cases[i][0], cases[i][1], cases[i][2]);
}

/* Right, one thread an element, global memory alone: each exercise has a goal that this misses. So
 * it is with kernels that have the form of a solution and not its idea. */
Test(exercises, naive_kernels_miss_a_goal)
{
    char file[320], path[4096], numbers[128], line[128];
    struct dirent **entries;
    int seen = 0, exercises;
    snprintf(path, sizeof path, "%s/.built/tests/kernels/submissions/naive",
             getenv("LAB_TEST_ROOT"));
    for (int i = 0, count = scandir(path, &entries, NULL, alphasort); i < count; i++) {
        const char *const name = entries[i]->d_name;
        if (!strstr(name, ".cu"))
            continue;
        snprintf(file, sizeof file, "submissions/naive/%s", name);
        snprintf(path, sizeof path, "%s/.built/tests/kernels/%s", getenv("LAB_TEST_ROOT"), file);
        snprintf(numbers, sizeof numbers, "%.*s", (int)strcspn(name, "._"), name);
        FILE *const source = fopen(path, "r");
        cr_assert(source, "%s", path);
        while (fgets(line, sizeof line, source)) /* of several; else the file's name says which */
            sscanf(line, "// exercises: %127[^\n]", numbers);
        fclose(source);
        for (char *rest = numbers, *number; (number = strsep(&rest, " ")); seen++) {
            if (!run_lab_takes(seen, 32))
                continue;
            run_lab(&result, "exercise%s --source %s --json -", number, run_lab_source(file));
            cr_expect(strstr(result.out, "\n  \"status\": \"goal_missed\","), "%s: %s: %s", number,
                      name, result.out);
        }
    }
    lab_registry_exercises(&exercises);
    cr_expect_geq(seen, exercises, "one for each");
}

/* What a change of a solution leaves as given; `line` is how the text of it ends. */
static void expect_todo(const char *number, const char *change, enum lab_todo todo,
                        const char *line)
{
    char source[] = "/tmp/lab-todo-XXXXXX", command[2048], text[4096] = "";
    const int file = mkstemp(source);
    cr_assert(file >= 0 && close(file) == 0);
    snprintf(command, sizeof command, "%s solutions/%s_*/kernel.cu > %%s", change, number);
    cr_assert_eq(shell(command, source), 0);
    cr_expect_eq(lab_todo_find(entry_of(number), source, text, sizeof text), todo, "%s", change);
    cr_expect(strlen(text) >= strlen(line) && strcmp(text + strlen(text) - strlen(line), line) == 0,
              "%s: %s", change, text);
    unlink(source);
}

/* A part that is as given is found, with its TODO or without; where all else is filled in, its
 * lines at another place are none. It is named once something fails. */
Test(exercises, parts_that_are_as_given_are_named)
{
#define HALF(change)                                                                               \
    "awk '/BEGIN SOLUTION/ && ++n == 2 {inside = 1} !inside && !/END SOLUTION|BEGIN "              \
    "SOLUTION|[/][/][|]/ {print} inside && /BEGIN|[/][/][|]/ {" change                             \
    " print} inside && /END SOLUTION/ {inside = 0}'"
#define WITH_TODO HALF("sub(/BEGIN SOLUTION/, \"TODO\"); sub(/[/][/][|] ?/, \"\");")
    expect_todo("08", WITH_TODO, LAB_TODO_SOME, ":62");
    expect_todo("08", HALF("if (/BEGIN/) next; sub(/[/][/][|] ?/, \"\");"), LAB_TODO_SOME, ":62");
    expect_todo("03",
                "sed '/SOLUTION/d; /[/][/][|]/d; "
                "s/return cudaGetLastError()/return cudaErrorUnknown/'",
                LAB_TODO_DONE, ":");
    expect_todo("06", "awk -f harness/exercise/stub.awk", LAB_TODO_OPEN, ":5");
    run_lab_shell(&result, "file=$(mktemp --suffix=.cu) && " WITH_TODO
                           " solutions/08_*/kernel.cu > $file; ./run exercise08 --runtime sim "
                           "--source $file; rm $file");
    cr_expect(strstr(result.out, ".cu:62\n  FAIL  "), "%s", result.out);
    cr_expect(strstr(result.out, "\nStill as given: "), "%s", result.out);
    cr_expect(!strstr(result.out, "Nothing is filled in"), "%s", result.out);
}

/* A goal shows what is asked; a speed that is missed, what the model says limits the kernel. */
Test(exercises, a_missed_goal_says_what_is_asked_and_what_limits)
{
    run_lab(&result, "exercise04 --runtime sim --source %s", fresh_stub("04"));
    cr_expect(strstr(result.out, "  FAIL  bank conflicts, reading (-m 128): 114,688, at most the "
                                 "solution's 0; at line 46 each read of b_tile takes 32 "),
              "%s", result.out);
    cr_expect(strstr(result.out, "  ok    sectors read (-m 128): 16,384, at most 1.05 x the "
                                 "solution's 16,384\n"),
              "%s", result.out);
    if (!run_lab_tries_all())
        return;
    run_lab_shell(&result, "file=$(mktemp) && ./run exercise07 --runtime sim --source "
                           "\"$LAB_TEST_BUILD\"/steps/03.so --json $file; cat $file; rm $file");
    const char *row = strstr(result.out, "; modelled): ");
    cr_expect(row && strstr(row, ", at least 0.85 x the solution's ") &&
                  strstr(row, "; limited by LSU, the unit for loads and stores: fewer wavefronts "
                              "of shared and global memory: look at the occupancy"),
              "%s", result.out);
    cr_expect(strstr(result.out, "\"limiter\": \"LSU\""), "%s", result.out);
    for (int unit = 0; unit < LAB_UNITS; unit++)
        cr_expect(*lab_limit_words(lab_model_unit_name(unit)), "no words for %s",
                  lab_model_unit_name(unit));
}

/* A kernel without tiles reads more often than the solution, and is not told that it is
 * uncoalesced. */
Test(exercises, more_reads_are_not_told_as_uncoalesced)
{
    run_lab(&result, "exercise03 --runtime sim --source \"$LAB_TEST_BUILD\"/steps/01.so");
    cr_expect(strstr(result.out, "the solution's 32,768: threads beside"), "%s", result.out);
}

/* The verdicts of the goals of exercise 14 where its shape for high matrices is another. */
static void expect_shape(const char *shape, const char *verdicts)
{
    char found[16] = "", *at;
    int count = 0;
    run_lab_shell(&result,
                  "file=$(mktemp --suffix=.cu) && sed 's/{32, 16, 2}/{%s}/' "
                  "solutions/14_which_is_which/kernel.cu > $file && ./run exercise14 --runtime sim "
                  "--source $file; rm $file",
                  shape);
    for (char *rest = result.out; count < 3 && (at = strstr(rest, "  high: ")); rest = at + 1)
        found[count++] = strncmp(at - 4, "FAIL", 4) == 0 ? 'F' : 'o';
    cr_expect_str_eq(found, verdicts, "{%s}: %s%s", shape, result.out, result.err);
}

/* What must be reached exactly is missed by more and by less: by half as many values, by more
 * values or more threads, and by the same block turned round. */
Test(exercises, exactly_is_neither_more_nor_less)
{
    run_lab_leave_to_test_all();
    static const char *const shapes[][2] = {{"32, 16, 1", "FFF"},
                                            {"32, 16, 2", "ooo"},
                                            {"32, 16, 4", "FFF"},
                                            {"16, 32, 2", "ooF"},
                                            {"32, 32, 2", "oFF"}};
    for (int i = 0; i < 5; i++)
        if (run_lab_takes(i, 5))
            expect_shape(shapes[i][0], shapes[i][1]);
}

/* What the model does not see does not pass for fast: no figure, and why. */
Test(exercises, a_speed_goal_says_that_a_kernel_spills)
{
    run_lab_leave_to_test_all();
    expect_speed("07", run_lab_source("right/spills.cu"), "FAIL");
    cr_expect(strstr(result.out, "modelled): none, since the machine code has ") &&
                  strstr(result.out, " bytes of each thread in local memory"),
              "%s", result.out);
    cr_expect_eq(result.status, 1, "%d", result.status);
    if (!run_lab_tries_all())
        return;
    run_lab(&result, "exercise07 --runtime sim --source %s --json -",
            run_lab_source("right/spills.cu"));
    cr_expect(strstr(result.out, "\"not_modelled_for_local_bytes\": "), "%s", result.out);
}

/* In a copy: what a student changed is kept by `make exercises`, and reset by `make reset-...`. */
Test(exercises, work_is_kept_until_reset)
{
    char folder[] = "/tmp/lab-exercises-XXXXXX";
    cr_assert(mkdtemp(folder));
    cr_assert_eq(shell("cp -r --parents harness/exercise/exercises.sh harness/exercise/stub.awk "
                       "solutions/01_* %s && cd %s && bash harness/exercise/exercises.sh write "
                       "> /dev/null && git init -q . && git add . && "
                       "git -c user.name=x -c user.email=x@y commit -q -m x",
                       folder),
                 0);
    const char *work =
        "cd %s && echo '// mine' >> exercises/01_transposed_operand/kernel.cu && bash "
        "harness/exercise/exercises.sh write | grep -q KEPT && tail -1 "
        "exercises/01_*/kernel.cu | grep -q mine";
    cr_expect_eq(shell(work, folder), 0, "a student's work was overwritten");
    cr_expect_eq(shell("cd %s && ! bash harness/exercise/exercises.sh check > /dev/null", folder),
                 0);
    cr_expect_eq(
        shell("cd %s && bash harness/exercise/exercises.sh reset 01 > /dev/null && bash "
              "harness/exercise/exercises.sh check && tail -1 build/exercise01.before-reset.cu "
              "| grep -q mine",
              folder),
        0, "a reset exercise differs from its solution's stub, or the work is lost");
    shell("rm -rf %s", folder);
}

Test(exercises, hints_rise_one_by_one)
{
    cr_expect_eq(shell("./run hint exercise01 --nosuch 2> /dev/null", ""), 2);
    cr_expect_eq(shell("./run hint exercise99 2>&1 | grep -q \"no exercise 'exercise99'\"", ""), 0);
    cr_expect_eq(shell("./run hint exercise99 2> /dev/null", ""), 2);
    cr_expect_eq(shell("./run hint --all 1 | grep -q 'hint 3 of 3'", ""), 0);
    cr_expect_eq(shell("./run hint exercise01 --again | grep -q 'hint 1 of 3' && "
                       "./run hint exercise01 | grep -q 'hint 2 of 3' && "
                       "./run hint exercise01 | grep -q 'hint 3 of 3' && "
                       "./run hint exercise01 | grep -q 'hint 3 of 3'",
                       ""),
                 0);
}

Test(exercises, there_is_one_for_every_step_and_a_list)
{
    int count;
    lab_registry_exercises(&count);
    cr_expect_geq(count, 7);
    run_lab(&result, "list");
    cr_expect(strstr(result.out, "exercise09") && strstr(result.out, "exercises passed"));
}

Test(exercises, a_solution_given_as_source_passes)
{
    run_lab(&result, "exercise01 --source solutions/01_transposed_operand/kernel.cu --json -");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
}

Test(exercises, compare_takes_kernel_files)
{
    const char *stub = fresh_stub("04");
    run_lab(&result,
            "compare --source %s --source solutions/04_find_the_conflict/kernel.cu -m 64 --profile",
            stub);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "bank conflicts"), "%s", result.out);
    run_lab(&result,
            "compare --source %s --source \"$LAB_TEST_BUILD\"/solution/04.so -m 64 --lines", stub);
    const char *differ = strstr(result.out, "lines whose cost differs");
    cr_assert(differ, "%s", result.out);
    cr_expect(strstr(differ, "b_tile[tx][y] = at("), "%s", differ);
    cr_expect(!strstr(differ, "a_tile[y][tx] = at("), "equal lines are shown:\n%s", differ);
    run_lab(&result, "compare solution04 --source \"$LAB_TEST_BUILD\"/solution/01.so -m 8");
    cr_expect_eq(result.status, 2, "another problem");
}

/* The family's awkward problems are a test of every exercise, with the one that failed in its line.
 */
Test(exercises, awkward_problems_are_a_test)
{
    int count;
    const struct lab_registry_entry *all = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++) {
        int thorough = 0;
        cr_assert_eq(lab_exercise_read(&all[i], &exercise), 0);
        for (int t = 0; t < exercise.test_count; t++)
            thorough += strcmp(exercise.tests[t], "--thorough") == 0;
        cr_expect_eq(thorough, 1, "%s", all[i].number);
    }
    run_lab(&result, "exercise06 --source %s",
            run_lab_source("submissions/wrong/more_rows_than_a_grid_has.cu"));
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "\n  FAIL  --thorough: launch_error: -m 65601 -n 3 -k 2: ") &&
                  strstr(result.out, "\n5 of 6 tests passed"),
              "%s", result.out);
}

/* What the simulator does not know is no failure of the student's; a fault in one test says nothing
 * of the next. */
Test(exercises, what_is_not_known_is_no_failure)
{
    run_lab_leave_to_test_all();
    run_lab(&result, "exercise05 --source %s",
            run_lab_source("submissions/unknown/texture_with_beta.cu"));
    cr_expect_eq(result.status, 3, "%s%s", result.out, result.err);
    cr_expect(!strstr(result.out, "FAIL") && strstr(result.out, "\n  ?     -m 67 "), "%s",
              result.out);
    cr_expect(strstr(result.out, " what the simulator does not know: no verdict on the kernel"),
              "%s", result.out);
    run_lab(&result, "exercise05 --source %s",
            run_lab_source("submissions/unknown/texture_at_the_goal.cu"));
    cr_expect_eq(result.status, 3, "%s%s", result.out, result.err);
    cr_expect(!strstr(result.out, "FAIL"), "%s", result.out);
    run_lab(&result, "exercise05 --source %s",
            run_lab_source("submissions/wrong/unknown_and_out_of_bounds.cu"));
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "\n  ?     -m 1: unsupported at ") &&
                  strstr(result.out, "\n  FAIL  -m 65 -n 129 -k 9: out_of_bounds at ") &&
                  strstr(result.out, "\n  FAIL  -m 300 -n 1 -k 5 --beta 1: out_of_bounds at ") &&
                  strstr(result.out, "\n  FAIL  --thorough: out_of_bounds at "),
              "%s", result.out);
}
