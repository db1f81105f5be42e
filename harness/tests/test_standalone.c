/* `make standaloneNN.S`: the last stage of each problem as one file, built by nvcc alone, right on
 * the simulator, and found wrong when it is. */
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

enum { MOST = 16, NAME_BYTES = 8 };

/* Writes the stage to FOLDER/stage.cu, builds FOLDER/stage and runs it on a small problem. Linked
 * to the shared runtime, in whose place the simulator's stands. `edit` is a sed script. */
static int build_and_run(const char *number, const char *edit, const char *sizes)
{
    char folder[] = "/tmp/lab-standalone-XXXXXX";
    const struct lab_stage *const stage = lab_registry_stage(number);
    const char *const arch = stage && strchr(stage->arch, 'a') ? stage->arch : "90";
    cr_assert(mkdtemp(folder));
    run_lab_shell(
        &result,
        "cd %s && (bash \"$LAB_TEST_ROOT\"/harness/standalone/write.sh %s | sed '%s') > stage.cu "
        "&& "
        "\"$(head -n 1 \"$LAB_TEST_BUILD\"/nvcc.command)\" -gencode "
        "arch=compute_%s,code=compute_%s -cudart shared "
        "-Werror all-warnings stage.cu -o stage && LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim ./stage "
        "%s; "
        "status=$?; rm -r %s; exit $status",
        folder, number, edit, arch, arch, sizes, folder);
    return result.status;
}

/* The last stage of each problem; by `make test`, the first one, which is soon compiled. */
ParameterizedTestParameters(standalone, every_problem)
{
    static char numbers[MOST][NAME_BYTES];
    int count, found = 0, stage_count;
    const struct lab_registry_entry *series = lab_registry(&count);
    for (int i = 0; i < count; i++) {
        const struct lab_stage *stages = lab_registry_stages(series[i].target, &stage_count);
        const bool goes_on = i + 1 < count && strcmp(series[i].family, series[i + 1].family) == 0;
        if (!goes_on && found < MOST && run_lab_takes(i, 4))
            snprintf(numbers[found++], NAME_BYTES, "%s",
                     stages[run_lab_tries_all() ? stage_count - 1 : 0].number);
    }
    return cr_make_param_array(char[NAME_BYTES], numbers, (size_t)found);
}

ParameterizedTest(char number[NAME_BYTES], standalone, every_problem)
{
    cr_expect_eq(build_and_run(number, "", "33 9 5"), 0, "%s: %s%s", number, result.out,
                 result.err);
    cr_expect(strstr(result.out, "  ok\n") && !strstr(result.out, "wrong"), "%s", result.out);
}

/* Shortest paths have other problems than that of their last stage. */
Test(standalone, paths_and_longest_paths)
{
    run_lab_leave_to_test_all();
    cr_expect_eq(build_and_run("11.8", "", "33"), 0, "%s%s", result.out, result.err);
    cr_expect_eq(build_and_run("11.4", "", "33"), 0, "%s%s", result.out, result.err);
    cr_expect_eq(build_and_run("11.4", "s/return __vimin3_s32(x, /return __vimin3_s32(0, /", "33"),
                 1, "%s%s", result.out, result.err);
}

Test(standalone, a_wrong_kernel_is_found)
{
    cr_expect_eq(
        build_and_run("01",
                      "s/: alpha \\* sum + beta/: sum + beta/; s/? alpha \\* sum :/? sum + 1.0f :/",
                      "9"),
        1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "wrong: 81 elements\n"), "%s", result.out);
}

Test(standalone, what_is_refused)
{
    run_lab_shell(&result, "bash harness/standalone/write.sh 77");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "steps/steps.def has no stage 77"), "%s", result.err);
}

/* How it is built: nvcc takes -arch=sm_90a for more than that architecture. */
Test(standalone, says_how_it_is_built)
{
    run_lab_shell(
        &result,
        "for s in 07.3 15.3 15.4; do bash harness/standalone/write.sh $s | sed -n 3p; done");
    cr_expect(strstr(result.out, "nvcc -O3 -arch=native step07_3.cu -o step07_3 && ./step07_3\n"));
    cr_expect(strstr(result.out, "nvcc -O3 -arch=sm_80 step15_3.cu"), "%s", result.out);
    cr_expect(strstr(result.out,
                     "nvcc -O3 -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' step15_4.cu"),
              "%s", result.out);
}
