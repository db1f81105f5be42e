/* Recorded results know the kernels that they are of: docs/recorded.py. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

/* A shell command with $F, a folder of this test, and `recorded`, the script on what is built. */
static int shell(const char *command)
{
    run_lab_shell(
        &result, "recorded() { BUILD=\"$LAB_TEST_BUILD\" python3 -B docs/recorded.py \"$@\"; }; %s",
        command);
    return result.status;
}

static void make_folder(void)
{
    char folder[] = "/tmp/lab-recorded-XXXXXX";
    cr_assert(mkdtemp(folder));
    setenv("F", folder, 1);
}

Test(recorded, a_result_of_other_kernels_is_found, .timeout = 60)
{
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
Test(recorded, stale_results_are_named, .timeout = 60)
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
Test(recorded, results_are_of_these_kernels, .timeout = 60)
{
    if (shell("command -v python3") != 0)
        cr_skip_test("python3 is not here");
    cr_expect_eq(shell("recorded check"), 0, "%s", result.err);
}
