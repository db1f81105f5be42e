/* Whose fault a crash is: the lab's own are called so, have status internal_error and exit status
 * 3, and those of a kernel file's host code are not. Concerns machine, fault, isolated, judge. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

static const char *test_build(void)
{
    return getenv("LAB_TEST_BUILD");
}

/* Compiles a file of data/ once, so that its variants can be tried one by one. Tests that share one
 * run at the same time: none may see it half written. */
static void compile(const char *name)
{
    run_lab_shell(&result,
                  "export new='%s/tests/%s.so'.$$; xargs -d '\\n' sh -c 'exec \"$0\" \"$@\" "
                  "-Icommon harness/tests/data/%s.cu -o \"$new\"' < '%s/nvcc.command' && "
                  "mv \"$new\" \"${new%%.*}\"",
                  test_build(), name, name, test_build());
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
}

/* What the tests see of a crash inside the simulator. */
#define CRASHED "LD_PRELOAD='%s/tests/crash.so' ./run "
static const char told[] = "this is a fault of the lab, not of your kernel: ";

Test(faults, of_the_host_code_of_a_kernel_file)
{
    static const struct {
        const char *variant, *text;
    } cases[] = {
        {"wild_read", "crashed (Segmentation fault); look at the host code"},
        {"null_call", "crashed (Segmentation fault); look at the host code"},
        {"stack_overflow", "crashed (Segmentation fault); look at the host code"},
        {"in_library", "crashed (Segmentation fault); look at the host code"},
        {"failed_assert", "crashed (Aborted); look at the host code"},
        {"division", "crashed (Floating point exception); look at the host code"},
        {"wrong_free", "crashed (Aborted); look at the host code"}, /* last: see below */
    };
    /* AddressSanitizer would report it */
    const size_t count = sizeof cases / sizeof *cases - (getenv("LAB_TEST_SANITIZE") ? 1 : 0);
    compile("crashes");
    for (size_t i = 0; i < count; i++) {
        run_lab(&result, "step01 -m 4 --source '%s/tests/crashes.so' --variant %s", test_build(),
                cases[i].variant);
        cr_expect(result.status == 1 && strstr(result.err, cases[i].text), "%s: %d\n%s%s",
                  cases[i].variant, result.status, result.out, result.err);
    }
}

/* On a GPU the driver may crash so, and the launch function is to blame. */
Test(faults, a_copy_from_nowhere_is_refused)
{
    compile("crashes");
    run_lab(&result, "step01 -m 4 --source '%s/tests/crashes.so' --variant wild_copy",
            test_build());
    cr_expect(result.status == 1 && strstr(result.out, "launch_error"), "%d\n%s%s", result.status,
              result.out, result.err);
}

Test(faults, of_code_that_runs_at_load_time)
{
    compile("crashing_constructor");
    run_lab(&result, "step01 -m 4 --source '%s/tests/crashing_constructor.so'", test_build());
    cr_expect(result.status == 1 && strstr(result.err, "crashed (Aborted); look at the host code"),
              "%d\n%s%s", result.status, result.out, result.err);
}

Test(faults, of_the_simulator_in_a_run)
{
    compile("tanh");
    run_lab(&result, "step01 -m 32 --source '%s/tests/tanh.so'", test_build());
    cr_assert_eq(result.status, 0, "without a crash: %s%s", result.out, result.err);
    for (int aborts = 0; aborts < 2; aborts++) {
        run_lab_shell(&result,
                      "CRASH_BY=%s " CRASHED "step01 -m 32 --runtime sim --source "
                      "'%s/tests/tanh.so' --json -",
                      aborts ? "abort" : "read", test_build(), test_build());
        cr_expect_eq(result.status, 3, "%d", result.status);
        cr_expect(strstr(result.out, "\"status\": \"internal_error\"") &&
                      strstr(result.out, aborts ? "Aborted" : "Segmentation fault"),
                  "%s", result.out);
        cr_expect(strstr(result.err, told) &&
                      strstr(result.err, " in libcudart.so.13, hyperbolic (approximate.c:") &&
                      strstr(result.err, "offset 0x") && strstr(result.err, "report it"),
                  "%s", result.err);
    }
}

Test(faults, of_the_simulator_in_an_exercise)
{
    compile("tanh");
    run_lab_shell(&result,
                  CRASHED "exercise05 --runtime sim --source '%s/tests/tanh.so' --json '%s/tests/"
                          "faults.json'",
                  test_build(), test_build(), test_build());
    cr_expect_eq(result.status, 3, "%d", result.status);
    cr_expect(strstr(result.out, "internal_error: this is a fault of the lab") &&
                  strstr(result.out, "The lab itself broke: no verdict on the kernel."),
              "%s", result.out);
    run_lab_shell(&result, "grep -c '\"status\": \"internal_error\"' '%s/tests/faults.json'",
                  test_build());
    cr_expect(atoi(result.out) > 1, "%s", result.out);
}

/* The program that tries submissions is replaced by one that preloads the crash. Trials have an
 * environment of their own, so what AddressSanitizer needs for that stands there, too. */
static const char grader[] =
    "set -e; folder=$(mktemp -d); trap 'rm -rf \"$folder\"' EXIT; built='%s'\n"
    "build=$folder/${built#\"$PWD\"/} # as deep as it was built, such as build/sanitized\n"
    "for name in common solutions steps exercises harness; do ln -s \"$PWD/$name\" "
    "\"$folder\"; done\n"
    "mkdir -p $build $folder/in; cp \"$built\"/run $build\n"
    "for name in sim solution recorder timer nvcc.command; do ln -s \"$built\"/$name $build; done\n"
    "printf '#!/bin/sh\\nASAN_OPTIONS=verify_asan_link_order=0:handle_segv=0:handle_abort=0 "
    "LD_PRELOAD=\"%%s\" exec \"%%s\" \"$@\"\\n' '%s/tests/crash.so' '%s/lab' > "
    "$build/lab; chmod +x $build/lab\n"
    "cp harness/tests/data/tanh.cu $folder/in/ann.cu; cp solutions/03_*/kernel.cu "
    "$folder/in/bob.cu\n"
    "for time in first second; do\n"
    "  code=0; $build/run grade 03 $folder/in --runtime sim --isolation none --force --json "
    "$folder/json "
    "--junit $folder/junit --csv $folder/csv -j2 || code=$?\n"
    "  echo \"== $time: exit $code\"\n"
    "done\n"
    "cat $folder/json $folder/junit $folder/csv";

Test(faults, of_the_simulator_in_a_grading_run)
{
    const char *build = test_build();
    run_lab_shell(&result, grader, build, build, build);
    cr_expect(strstr(result.out, "== first: exit 3\n") && strstr(result.out, "== second: exit 3\n"),
              "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "1 of 1 right") &&
                  strstr(result.out, "1 not judged: the lab itself broke"),
              "%s", result.out);
    cr_expect(strstr(result.err, "1 of 2 outcomes were known"), "ann is judged again: %s",
              result.err);
    cr_expect(strstr(result.out, "\"status\": \"internal_error\"") &&
                  strstr(result.out, "\"points\": null"),
              "%s", result.out);
    cr_expect(strstr(result.out, "<error type=\"internal_error\" message=\"this is a fault of"),
              "%s", result.out);
    cr_expect(strstr(result.out, ",internal_error,"), "%s", result.out);
}
