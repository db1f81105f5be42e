/* Recorded results know the kernels that they are of: docs/recorded.py. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

/* A shell command with $F, a folder of this test, and the scripts on what is built. */
static int shell(const char *command)
{
    run_lab_shell(
        &result,
        "export BUILD=\"$LAB_TEST_BUILD\"; recorded() { python3 -B docs/recorded.py \"$@\"; }; "
        "without_gpu() { python3 -B docs/without_gpu.py check \"$@\"; }; %s",
        command);
    return result.status;
}

static void make_folder(void)
{
    char folder[] = "/tmp/lab-recorded-XXXXXX";
    cr_assert(mkdtemp(folder));
    setenv("F", folder, 1);
}

Test(recorded, a_result_of_other_kernels_is_found)
{
    run_lab_leave_to_test_all();
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    make_folder();
    cr_assert_eq(shell("./run compare step01 step04 -n 4 --runtime sim --json $F/a.json"), 0, "%s",
                 result.err);
    cr_expect_neq(shell("recorded fresh $F/a.json compare step01 step04"), 0,
                  "no hashes are there");
    cr_assert_eq(shell("recorded stamp $F/a.json compare step01 step04"), 0, "%s", result.err);
    cr_expect_eq(shell("recorded fresh $F/a.json compare step01 step04 -n 4"), 0, "%s", result.err);
    cr_expect_neq(shell("recorded fresh $F/a.json step01 step03"), 0, "step03 has no row there");
    cr_expect_neq(shell("recorded fresh $F/none.json step01"), 0);
    cr_assert_eq(shell("sed -i 's/\"04\": \"./\"04\": \"x/' $F/a.json"), 0);
    cr_expect_neq(shell("recorded fresh $F/a.json compare step01 step04"), 0, "a hash has changed");
    shell("rm -r $F");
}

/* Rows that do not fit the problem need not be there. */
Test(recorded, stale_results_are_named)
{
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    make_folder();
    cr_assert_eq(shell("./run step03 -n 4 --runtime sim --variant block_16x16 --json $F/a.json && "
                       "recorded stamp $F/a.json step03 step04"),
                 0, "%s", result.err);
    cr_expect_eq(shell("recorded fresh $F/a.json step03 step04"), 0, "%s", result.err);
    cr_expect_eq(shell("recorded check $F"), 0, "%s", result.err);
    cr_assert_eq(shell("sed -i 's/\"03\": \"./\"03\": \"x/' $F/a.json"), 0);
    cr_expect_neq(shell("recorded check $F"), 0);
    cr_expect(strstr(result.err, "a.json: recorded with other kernels of 03"), "%s", result.err);
    cr_assert_eq(shell("./run step03 -n 4 --runtime sim --json $F/a.json"), 0, "%s", result.err);
    cr_expect_neq(shell("recorded check $F"), 0);
    cr_expect(strstr(result.err, "a.json: does not say with which kernels"), "%s", result.err);
    shell("rm -r $F");
}

/* What the pages show was measured with the kernels that stand in steps/ now. */
Test(recorded, results_are_of_these_kernels)
{
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    cr_expect_eq(shell("recorded check"), 0, "%s", result.err);
}

/* What a page shows under "Without a GPU" is what a reader sees there. */
Test(recorded, tables_without_a_gpu_are_of_today)
{
    static const int steps[] = {6, 7, 8, 9, 10, 11, 12, 14, 1, 2, 3, 4, 5};
    enum { STEPS = sizeof steps / sizeof *steps };
    char command[96];
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    for (int i = 0; i < STEPS; i++) {
        snprintf(command, sizeof command, "without_gpu docs/results/without-gpu.json step%02d",
                 steps[i]);
        if (run_lab_takes(i, STEPS))
            cr_expect_eq(shell(command), 0, "%s", result.err);
    }
}

Test(recorded, a_table_without_a_gpu_that_is_stale_is_named)
{
    run_lab_leave_to_test_all();
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    make_folder();
    cr_assert_eq(shell("sed 's/double_buffered     0[.]2/double_buffered     0.3/' "
                       "docs/results/without-gpu.json > $F/a.json"),
                 0);
    cr_expect_neq(shell("without_gpu $F/a.json step06"), 0);
    cr_expect(strstr(result.err, "a.json: step06 says otherwise now: run `bash docs/record.sh"),
              "%s", result.err);
    shell("rm -r $F");
}

/* Columns may be wider, and a figure rounded to the other side; nothing else may differ. */
Test(recorded, lines_that_say_the_same)
{
    static const struct {
        const char *old, *now;
        int alike;
    } pairs[] = {{"a  0.2730  22.5 M  25%", "a 0.2731 22.4 M 26%", 1},
                 {"a 0.2730", "a 0.2732", 0},
                 {"a 0.2730", "a 0.273", 0},
                 {"a 0.2730  LSU", "a 0.2730  issue", 0},
                 {"a 0.2730  LSU", "a 0.2730", 0}};
    char command[256];
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        snprintf(command, sizeof command,
                 "cd docs && python3 -B -c \"import without_gpu; exit(without_gpu.is_alike('%s', "
                 "'%s') != %d)\"",
                 pairs[i].old, pairs[i].now, pairs[i].alike);
        cr_expect_eq(shell(command), 0, "%s: %s%s", pairs[i].old, pairs[i].now, result.err);
    }
}

/* What a page says of each access comes to the figures of the table above it, as both are rounded.
 */
Test(recorded, figures_of_each_access_come_to_those_of_a_multiply_add)
{
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    cr_expect_eq(
        shell("cd docs && python3 -B - << 'END'\n"
              "import lab\n"
              "seen = 0\n"
              "for counted in lab.counted():\n"
              "    for name in counted.rows:\n"
              "        for cell, figure in zip(counted.access_cells(name), "
              "counted.cells(name)[1:4]):\n"
              "            each, accesses = map(float, cell.split(' x ')) if cell else (0, 0)\n"
              "            assert abs(each * accesses - float(figure)) <= 0.01 * float(figure), "
              "(name, cell, figure)\n"
              "            seen += each > 0\n"
              "assert seen > 100, seen\n"
              "END"),
        0, "%s", result.err);
}

/* Of what the simulator counts, results keep what a page names. */
Test(recorded, results_hold_what_is_read)
{
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    cr_expect_eq(shell("cd docs && python3 -B - << 'END'\n"
                       "import json, lab, pathlib, recorded\n"
                       "for path in lab.RESULTS.glob('*.json'):\n"
                       "    text = path.read_text()\n"
                       "    kept = recorded.without_unread(path, json.loads(text))\n"
                       "    assert kept == json.loads(text), path\n"
                       "counters = {'smsp__inst_executed.sum': 1, 'named_nowhere.sum': 2}\n"
                       "data = {'runtime': 'sim', 'kernels': [{'counters': counters}]}\n"
                       "kept = recorded.without_unread(pathlib.Path('a.json'), data)\n"
                       "assert list(kept['kernels'][0]['counters']) == list(counters)[:1]\n"
                       "END"),
                 0, "%s", result.err);
}

/* The page of the later step names them, as harness/measure/model/turned.def has them. */
Test(recorded, rows_in_another_order_than_measured_are_on_their_pages)
{
    cr_expect_eq(
        shell("sed -n 's/^LAB_TURNED(\"step\\(..\\)[.]\\([^\"]*\\)\", "
              "\"step\\(..\\)[.]\\([^\"]*\\)\", \\(.*\\))/\\1 \\2 \\3 \\4 \\5/p' "
              "harness/measure/model/turned.def | while read -r a faster b slower times; do "
              "later=$a; [ $b -gt $a ] && later=$b; grep -q \"$faster. was $times times as fast as "
              ".*$slower\" steps/${later}_*/README.md || echo \"$faster $slower\"; done"),
        0);
    cr_expect_str_empty(result.out, "not on a page: %s", result.out);
    shell("grep -c '^LAB_TURNED' harness/measure/model/turned.def");
    cr_expect_neq(atoi(result.out), 0);
}
