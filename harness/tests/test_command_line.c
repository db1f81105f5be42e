/* The command line as a user meets it: every error is one clear line with the right status.
 * Concerns machine and options. */
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct run_lab result;

Test(command_line, unknown_targets)
{
    run_lab_expect_error(2, "did you mean 'step07'", "stpe07");
    run_lab_expect_error(2, "no target 'test'; `./run list` shows all", "test");
    run_lab_expect_error(2, "did you mean 'exercise21'", "21");
    run_lab_expect_error(2, "did you mean 'exercise01'", "ex1");
    run_lab_expect_error(2, "did you mean 'solution02'", "sol02");
    run_lab_expect_error(2, "no target '99'; the last is 'step15': `./run list` shows all", "99");
    run_lab_expect_error(2, "no target 'exercise29'; the last is 'exercise21': ", "exercise29");
    run_lab_expect_error(2, "`make reset-exercise05`", "reset 5");
    run_lab_expect_error(2, "`make reset-exercise00a`", "reset 00a");
    run_lab_expect_error(2, "`make reset-exercise01`", "reset-exercise1");
    run_lab_expect_error(2, "`make reset-exercise02`", "reset exercises/02_tile_shape/kernel.cu");
    run_lab_expect_error(2, "no exercise '77'", "reset 77");
    run_lab_expect_error(2, "`make reset-exerciseNN`, with its number", "reset");
    run_lab_expect_error(2, "`./run compare exercise01 solution01`, say", "compare 1");
    run_lab_expect_error(2, "`./run compare exercise05 solution05`, say", "compare exercise05");
    run_lab_expect_error(2, "no target; try ./run step01", "--check-only");
    run_lab_shell(&result, "./run --fit 24x80");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "exercises passed: "), "%s", result.out);
    run_lab_expect_error(2, "no file 'nofile.cu', and no target", "nofile.cu");
    run_lab_expect_error(2, "'watch' is a command, which comes first", "--seed 3 watch 1");
    run_lab_expect_error(2, "no option '--profle'; did you mean '--profile'?", "step07 --profle");
    run_lab_expect_error(2, "no option '--jsn'; did you mean '--json'?", "step07 --jsn=x");
    run_lab_expect_error(2, "no option '--m'; a letter by itself has one dash: '-m'",
                         "step01 --m 5");
    run_lab_expect_error(2, "did you mean '--semiring'?", "step11 --semirin=max-plus --semirng x");
    run_lab_expect_error(2, "in one word: exercise04", "exercise 04");
    run_lab_expect_error(2, "in one word: step01", "steps");
    run_lab_expect_error(2, "step04 has no stages", "4.2");
    run_lab_expect_error(2, "the stages of step07 are step07.1 to step07.3", "step07.4");
    run_lab_expect_error(2, "did you mean 'list'", "lst");
    run_lab_expect_error(2, "no target", "step99");
    run_lab_expect_error(2, "no target", "");
    run_lab_expect_error(2, "one target", "step01 step02");
    run_lab_expect_error(2, "two targets", "compare step01");
    run_lab_expect_error(2, "takes no target", "doctor step01");
}

/* The words as they stand: what the harness of these tests adds is no option of all commands. */
static void expect_refusal(const char *words, const char *text)
{
    run_lab_shell(&result, "./run %s", words);
    cr_expect(result.status == 2 && strstr(result.err, text) && run_lab_lines(result.err) == 1,
              "%s: %d, says '%s', not '%s'", words, result.status, result.err, text);
}

/* Whatever the command, the name that was meant; and nothing where none is near. */
Test(command_line, misspelt_words_of_commands)
{
    expect_refusal("watch --profle", "'--profle'; watch takes --source FILE.cu alone");
    expect_refusal("watch 1 --sorce x.cu", "'--sorce'; did you mean '--source'?");
    expect_refusal("hint 1 --lal", "'--lal'; did you mean '--all'?");
    expect_refusal("grade --isolaton full", "'--isolaton'; did you mean '--isolation'?");
    expect_refusal("grade 1 x.cu --jnuit=y", "'--jnuit'; did you mean '--junit'?");
    expect_refusal("sweep step07 --rpes 3", "'--rpes'; did you mean '--reps'?");
    expect_refusal("compare step01 step02 --lnies", "'--lnies'; did you mean '--lines'?");
    expect_refusal("plan step13 --sede 3", "'--sede'; did you mean '--seed'?");
    expect_refusal("doctor --jsno", "'--jsno'; did you mean '--json'?");
    expect_refusal("list --zzzzzz", "'--zzzzzz'; `./run --help` shows all");
    expect_refusal("watch foo", "no exercise 'foo'; `./run list` shows all");
    expect_refusal("watch exercse01", "'exercse01'; did you mean 'exercise01'?");
    expect_refusal("hint exrcise02", "'exrcise02'; did you mean 'exercise02'?");
    expect_refusal("grade step03 x.cu", "'step03'; did you mean 'exercise03'?");
}

/* Short names, folders and kernel files as a shell completes them; its own name is what is said. */
Test(command_line, targets_by_other_names)
{
    static const char *const pairs[][2] = {
        {"1", "step01"},
        {"001", "step01"},
        {"step1", "step01"},
        {"steps/07_float4", "step07"},
        {"./steps/07_float4/", "step07"},
        {"../elsewhere/steps/07_float4/2_float4.cu", "step07.2"},
        {"7.2", "step07.2"},
        {"step8.5", "step08.5"},
        {"steps/01_naive_global/kernel.cu", "step01"},
        {"0a", "step00a"},
        {"00a_copy", "step00a"},
        {"steps/00a_copy", "step00a"},
        {"exercises/00c_warp_sums", "exercise00c"},
        {"00c_warp_sums", "exercise00c"},
        {"07_float4", "step07"},
        {"steps/07", "step07"},
        {"01_transposed_operand", "exercise01"},
        {"exercise1", "exercise01"},
        {"exercises/01_transposed_operand/", "exercise01"},
        {"exercises/01_transposed_operand/kernel.cu", "exercise01"},
        {"solution1", "solution01"},
        {"solutions/01_transposed_operand", "solution01"},
    };
    static const char *const none[] = {
        "99",
        "0x7",
        "7.",
        "7.99",
        "step",
        "steps/7_x",
        "07_float",
        "-7",
        "+7",
        "exercise01.2",
        "solutions/7_x.cu",
        "build/07",
        "07_float4.cu",
        "steps/",
        "/",
        "steps/01_x.cu",
        "exercises/07_float4",
        "07_float4x",
        "0000007",
        "step 7",
        " 7",
        "step07.2.1",
        "1000000000000000000007",
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_expect_str_eq(lab_target_name(pairs[i][0]) ?: "none", pairs[i][1], "%s", pairs[i][0]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect(!lab_target_name(none[i]), "%s is %s", none[i], lab_target_name(none[i]));
    cr_expect_str_eq(lab_target_name_exercise("7")->target, "exercise07");
    cr_expect_str_eq(lab_target_name_exercise("01_transposed_operand")->target, "exercise01");
    cr_expect_str_eq(lab_target_name_exercise("solutions/01_transposed_operand")->target,
                     "exercise01");
    cr_expect(!lab_target_name_exercise("step07") && !lab_target_name_exercise("steps/07_float4"));

    run_lab(&result, "compare 1 steps/02_shared_tile/1_shared_a.cu --check-only -m 4 --json -");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "\"step02.1\"") || strstr(result.out, "step02.1."), "%s",
              result.out);
    run_lab(&result, "-m 4 9 --check-only");
    cr_expect(strncmp(result.out, "step09 on ", 10) == 0, "%s%s", result.out, result.err);
    run_lab_shell(&result, "./run hint 01_transposed_operand --again");
    cr_expect_eq(result.status, 0, "%s", result.err);
    run_lab_expect_error(2, "the last is 'step15'", "90");
}

Test(command_line, goals_of_make_by_other_names)
{
    static const char *const pairs[][2] = {{"diff7.2", "diff07.2"},
                                           {"-n reset-exercise1", "-n reset-exercise01"},
                                           {"-n step7", "-n step07"},
                                           {"-n solution1", "-n solution01"},
                                           {"-n standalone8.5", "-n standalone08.5"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        run_lab_shell(&result,
                      "a=$(make -s %s) && b=$(make -s %s) && test -n \"$a\" -a \"$a\" = "
                      "\"$b\"",
                      pairs[i][0], pairs[i][1]);
        cr_expect_eq(result.status, 0, "make %s: %s", pairs[i][0], result.err);
    }
}

/* As `run` suggests targets; what is like nothing, or has another number, has no suggestion. */
Test(command_line, make_suggests_goals)
{
    static const char *const pairs[][2] = {
        {"excercise01", "there is no excercise01; did you mean 'exercise01'? `make list`"},
        {"setup stp01", "there is no stp01; did you mean 'step01'? `make list`"},
        {"tset", "there is no tset; did you mean 'test'? `make list`"},
        {"exercise99", "there is no exercise99; `make list`"},
        {"anything", "there is no anything; `make list`"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        run_lab_shell(&result, "make %s", pairs[i][0]);
        cr_expect_eq(result.status, 2, "make %s", pairs[i][0]);
        cr_expect(strstr(result.err, pairs[i][1]), "make %s: %s", pairs[i][0], result.err);
    }
}

Test(command_line, help)
{
    static struct run_lab other;
    run_lab_shell(&result, "./run --help");
    run_lab_shell(&other, "./run help");
    cr_expect_eq(other.status, 0);
    cr_expect_str_eq(other.out, result.out);
    run_lab_shell(&result, "./run step11 --help");
    run_lab_shell(&other, "./run help 11");
    cr_expect_str_eq(other.out, result.out);
    run_lab_shell(&result, "./run grade --help");
    run_lab_shell(&other, "./run help grade");
    cr_expect_str_eq(other.out, result.out);
    run_lab_shell(&result, "./run grade -h");
    cr_expect_str_eq(other.out, result.out);
    run_lab_shell(&result, "./run help");
    run_lab_shell(&other, "./run -h");
    cr_expect_str_eq(other.out, result.out);
    run_lab_shell(&result, "./run help watch");
    run_lab_shell(&other, "./run watch -h");
    cr_expect_eq(other.status, 0);
    cr_expect_str_eq(other.out, result.out);
    run_lab_shell(&result, "./run help stpe07");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "did you mean 'step07'?"), "%s", result.err);
    run_lab_shell(&result, "./run help step07 step08");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "one target"), "%s", result.err);
}

Test(command_line, sizes)
{
    run_lab_expect_error(2, "at least 1", "step01 -m 0");
    run_lab_expect_error(2, "at least 1", "step01 -n -5");
    run_lab_expect_error(2, "not a whole number", "step01 -k ten");
    run_lab_expect_error(2, "not a whole number", "step01 -k 1.5");
    run_lab_expect_error(2, "not a whole number", "step01 -k ''");
    run_lab_expect_error(2, "at most", "step01 -m 99999999999");
    run_lab_expect_error(2, "all of -m -n -k", "step01 -m 5 -n 6");
    run_lab_expect_error(2, "device memory", "step01 -m 2000000000 -n 2000000000 -k 1");
}

Test(command_line, other_values)
{
    run_lab_expect_error(2, "finite", "step01 --alpha nan");
    run_lab_expect_error(2, "finite", "step01 --beta 1e99");
    run_lab_expect_error(2, "finite", "step01 --beta x");
    run_lab_expect_error(2, "whole number", "step01 --reps 0");
    run_lab_expect_error(2, "whole number", "step01 --seed -1");
    run_lab_expect_error(2, "auto, gpu or sim", "step01 --runtime cpu");
    run_lab_expect_error(2, "auto, gpu or sim", "step01 --runtime gp");
    run_lab_expect_error(2, "this step has: uncoalesced, coalesced", "step01 --variant fast");
}

Test(command_line, source)
{
    run_lab_expect_error(2, "No such file", "step01 --source /nowhere/kernel.cu");
    run_lab_expect_error(2, "not a file", "step01 --source steps");
    run_lab_expect_error(2, "x.cu: No such file", "compare step01 step02 --source x.cu");
    run_lab_expect_error(2, "No such file", "step01 --source /nowhere/kernel.so");
    run_lab_expect_error(1, "was built with another families/gemm.h",
                         "step01 --source .built/tests/kernels/broken/other_header.cu");
    run_lab_expect_error(2, "one --source at a time",
                         "exercise02 --source solutions/02_tile_shape/kernel.cu --source "
                         "steps/02_shared_tile/2_shared_ab.cu");
    char other[] = "/tmp/lab-other-XXXXXX.so", copy[4096], arguments[128];
    close(mkstemps(other, 3));
    snprintf(copy, sizeof copy, "cp '%s/sim/libcublas.so.13' %s", getenv("LAB_TEST_BUILD"), other);
    cr_assert_eq(system(copy), 0);
    snprintf(arguments, sizeof arguments, "step01 --source %s", other);
    run_lab_expect_error(1, "exports no variant", arguments);
    snprintf(arguments, sizeof arguments, "step01 --source %s:lab_step_none", other);
    run_lab_expect_error(1, "has no kernel of the name lab_step_none; `nm -D /tmp/lab-other-",
                         arguments);
    unlink(other);
    run_lab_expect_error(1, "cannot be loaded",
                         "step01 --source harness/tests/broken/not_an_object.so");
}

/* What is no file is refused at once, whatever its name says. */
Test(command_line, sources_that_are_no_files)
{
    static const char *const endings[] = {"so", "cu", "json", "gr", "toml"};
    static const char *const commands[] = {
        "step01 --source %s/x.so",
        "step01 --source %s/x.cu",
        "step01 -m 4 --check-only --arch %s/x.json",
        "step11 --graph %s/x.gr",
        "grade 05 README.md --config %s/x.toml",
    };
    static const char *const kinds[] = {"mkfifo", "ln -s /dev/zero", "mkdir"};
    static const char *const whys[] = {"pipe or a device", "pipe or a device", "irectory"};
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 5; i++) {
            char folder[] = "/tmp/lab-pipe-XXXXXX", command[256];
            cr_assert(mkdtemp(folder));
            run_lab_shell(&result, "%s %s/x.%s", kinds[kind], folder, endings[i]);
            snprintf(command, sizeof command, commands[i], folder);
            run_lab_shell(&result, "timeout 10 ./run %s", command);
            cr_expect_eq(result.status, 2, "%s, %s: %d", kinds[kind], command, result.status);
            cr_expect(strstr(result.err, whys[kind]) || strstr(result.err, "not a file"),
                      "%s, %s: %s", kinds[kind], command, result.err);
            cr_expect_eq(run_lab_lines(result.err), 1, "%s", result.err);
            run_lab_shell(&result, "rm -r %s", folder);
        }
}

/* A file's name may have what moves a terminal's cursor; nvcc takes it, but no newline. */
Test(command_line, names_with_control_characters)
{
    run_lab_shell(&result, "mkdir /tmp/lab-names && cd /tmp/lab-names && echo '#error none' > "
                           "\"$(printf 'a\\033[31mb.cu')\" && echo > \"$(printf 'a\\nb.cu')\"");
    run_lab_shell(&result, "./run step01 --source \"$(printf '/tmp/lab-names/a\\033[31mb.cu')\"");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.err, "a\\x1b[31mb.cu") && !strchr(result.err, '\033'), "%s",
              result.err);
    run_lab_shell(&result, "./run step01 --source \"$(printf '/tmp/lab-names/a\\nb.cu')\"");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "a\\x0ab.cu: nvcc compiles no file whose name has a newline"),
              "%s", result.err);
    run_lab_shell(&result, "rm -r /tmp/lab-names");
}

/* A row that no size helps has a verdict, in JSON too. */
Test(command_line, scratch_that_no_device_addresses)
{
    run_lab_shell(&result, "sed 's/1 << 50/1 << 62/' .built/tests/kernels/submissions/wrong/"
                           "asks_for_endless_scratch.cu > /tmp/lab-scratch.cu && ./run step01 -m 4 "
                           "--runtime sim --source /tmp/lab-scratch.cu --json -; status=$?; "
                           "rm /tmp/lab-scratch.cu; exit $status");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "\"status\": \"forbidden\"") &&
                  strstr(result.out, "bytes, which is more than any device has\""),
              "%s%s", result.out, result.err);
}

/* Several files in a target's place are several rows, told apart by their names; each must solve
 * the target's problem. */
Test(command_line, several_sources)
{
    run_lab(&result, "step03 -m 8 --check-only --source \"$LAB_TEST_BUILD\"/steps/01.so --source "
                     "\"$LAB_TEST_BUILD\"/steps/02.1.so");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "\n01.so.coalesced ") && strstr(result.out, "\n02.1.so.shared_a "),
              "%s", result.out);
    cr_expect(!strstr(result.out, "block_32x32"), "%s", result.out);
    run_lab_expect_error(2, "gemm, than step08",
                         "step08 --source build/steps/08.3.so --source build/steps/01.so");
}

Test(command_line, profiles)
{
    run_lab_expect_error(2, "give gpu, sim or both", "step01 --profile=cpu");
    run_lab_expect_error(2, "needs a GPU, not --runtime sim", "step01 --runtime sim --profile=gpu");
    run_lab_expect_error(2, "needs a GPU, not --runtime sim",
                         "step01 --runtime sim --profile=both");
    run_lab_expect_error(2, "--lines counts on the simulator", "step01 --runtime gpu --lines");
    run_lab_expect_error(2, "not with --profile=both",
                         "step01 --runtime auto --lines --profile=both");
    run_lab_expect_error(2, "checks are always on", "step01 --runtime sim --sanitize");
    run_lab_expect_error(2, "goes without", "step01 --runtime auto --sanitize --lines");
    run_lab_expect_error(2, "--plot is for ./run sweep", "step01 --plot text");
    run_lab_expect_error(2, "--plot svg: give text", "sweep step01 --plot svg");
    run_lab_expect_error(2, "the study of step09 has tables and no plot",
                         "sweep step09 -n 5 --plot text");
}

/* A stand-in for gnuplot that prints what it is told. */
#define GNUPLOT                                                                                    \
    "d=$(mktemp -d); printf '#!/bin/sh\\ncat\\n' > $d/gnuplot; chmod +x $d/gnuplot; "              \
    "PATH=$d:$PATH; "                                                                              \
    "export PATH; "

/* A terminal gets it unasked, in its own width; a pipe where it is asked for. Nothing is drawn
 * without gnuplot. */
Test(command_line, the_plot_of_a_sweep)
{
    run_lab_shell(&result, GNUPLOT "./run sweep step01 -n 8 --runtime sim; rm -r $d");
    cr_expect(strstr(result.out, "set terminal svg") && !strstr(result.out, "set terminal dumb"),
              "%s%s", result.out, result.err);
    run_lab_shell(&result, GNUPLOT "./run sweep step01 -n 8 --runtime sim --plot text; rm -r $d");
    cr_expect(strstr(result.out, "set terminal dumb 80,"), "%s%s", result.out, result.err);
    run_lab_shell(&result,
                  "command -v gnuplot || ./run sweep step01 -n 8 --runtime sim --plot text "
                  "| grep -c 'no plot: gnuplot is not here'");
    cr_expect(strstr(result.out, "gnuplot") || strcmp(result.out, "1\n") == 0, "%s%s", result.out,
              result.err);
    run_lab_shell(&result, "command -v script >/dev/null && { " GNUPLOT
                           "script -qec 'stty cols 60; ./run sweep step01 -n 8 --runtime sim' "
                           "/dev/null; rm -r $d; }");
    if (result.status != 0 && !result.out[0])
        cr_skip_test("script is not here");
    cr_expect(strstr(result.out, "set terminal dumb 60,"), "%s%s", result.out, result.err);
}

/* In a window too narrow for it a table goes on below, with the names of the rows. */
Test(command_line, a_table_in_a_narrow_window)
{
    run_lab_shell(&result, "command -v script >/dev/null && script -qec 'stty cols 70; ./run "
                           "step01 -m 128 --sms 3 --runtime sim 2> /dev/null' /dev/null | "
                           "tr -d '\r' | sed 's/\x1b\\[[0-9;]*m//g'");
    if (result.status != 0 && !result.out[0])
        cr_skip_test("script is not here");
    int names = 0;
    for (const char *line = result.out; *line; line += strcspn(line, "\n") + 1) {
        cr_expect_leq(strcspn(line, "\n"), 70, "%.100s", line);
        names += strncmp(line, "coalesced ", 10) == 0;
        if (!line[strcspn(line, "\n")])
            break;
    }
    cr_expect_eq(names, 2, "%s", result.out);
}

/* Host code of a kernel file that crashes is one line, and a failed kernel's exit status. */
Test(command_line, a_launch_function_that_crashes)
{
    run_lab_expect_error(1, "crashed (Segmentation fault); look at the host code",
                         "step01 -m 4 --source harness/tests/data/crashing_launch.cu");
}

/* A read after a write, and a write after a read; all other verdicts: test_broken.c. */
Test(command_line, a_kernel_that_fails_its_check)
{
    static const char *const kernels[] = {"broken/no_first_barrier.cu",
                                          "broken/no_second_barrier.cu"};
    for (int i = 0; i < 2; i++) {
        run_lab(&result, "step01 -m 33 --check-only --source %s --runtime sim --json -",
                run_lab_source(kernels[i]));
        cr_expect_eq(result.status, 1, "%s: %s%s", kernels[i], result.out, result.err);
        cr_expect(strstr(result.out, "\"status\": \"race\""), "%s: %s", kernels[i], result.out);
    }
}

/* The whole register file would hold nine such warps, 288 threads; its quarters hold two each. */
Test(command_line, registers_of_a_block)
{
    run_lab(&result, "step01 -m 33 --check-only --runtime sim --source %s --json -",
            run_lab_source("broken/registers_of_the_block.cu"));
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "launch_error") &&
                  strstr(result.out, "registers hold 256 such threads"),
              "%s", result.out);
}

Test(command_line, json)
{
    run_lab_expect_error(2, "No such file", "step01 -m 4 --json /nowhere/x.json");
    run_lab(&result, "step01 -m 4 --check-only --json /dev/full");
    cr_expect_eq(result.status, 3);
    cr_expect(strstr(result.err, "No space left"), "%s", result.err);
    cr_expect_eq(run_lab_lines(result.err), 1, "%s", result.err);
}

Test(command_line, no_gpu)
{
    if (access("/dev/nvidiactl", F_OK) == 0)
        cr_skip_test("this machine has a GPU");
    run_lab_expect_error(3, "--runtime sim", "step01 --runtime gpu");
    run_lab_expect_error(3, "--profile=gpu: no", "step01 --runtime auto --profile=gpu");
    run_lab_expect_error(3, "use --runtime sim with --profile=sim",
                         "step01 --runtime auto --profile=both");
    run_lab_expect_error(2, "checks are always on", "step01 --runtime auto --sanitize");
}

Test(command_line, nothing_half_written)
{
    struct stat info;
    char path[] = "/tmp/lab-json-XXXXXX";
    int file = mkstemp(path);
    close(file);
    unlink(path);
    run_lab(&result, "step01 -m 4 --variant nosuch --json %s", path);
    cr_expect_eq(result.status, 2);
    cr_expect_neq(stat(path, &info), 0, "a failed run left %s", path);
    run_lab(&result, "step01 -m 4 --check-only --json %s", path);
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(stat(path, &info), 0);
    unlink(path);
}

/* A command with its standard output full, or closed: one line, and exit status 3. */
static void expect_lost(const char *command)
{
    static const char *const ways[][2] = {{">/dev/full", "No space left on device"},
                                          {">&-", "Bad file descriptor"}};
    for (int i = 0; i < 2; i++) {
        run_lab_shell(&result, "%s %s", command, ways[i][0]);
        cr_expect_eq(result.status, 3, "%s %s: %d", command, ways[i][0], result.status);
        cr_expect(strstr(result.err, "standard output: ") && strstr(result.err, ways[i][1]),
                  "%s %s: %s", command, ways[i][0], result.err);
        cr_expect_eq(run_lab_lines(result.err), 1, "%s: %s", command, result.err);
    }
}

Test(command_line, output_that_is_lost)
{
    static const char *const commands[] = {
        "./run list",
        "./run --help",
        "./run grade --help",
        "./run hint exercise01",
        "./run step01 -m 4 --check-only --runtime sim",
        "./run step01 -m 4 --check-only --runtime sim --json -",
        "./run step01 -m 4 --profile --runtime sim --json -",
        "./run exercise01 -m 4 --runtime sim --source \"$LAB_TEST_BUILD\"/solution/01.so",
        "./run step01 --thorough --variant coalesced --runtime sim",
        "./run compare step01 step02.1 -m 4 --check-only --runtime sim",
        "LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim \"$LAB_TEST_BUILD\"/lab --help",
        "LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim \"$LAB_TEST_BUILD\"/lab step01 -m 4 --check-only",
        ("LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim \"$LAB_TEST_BUILD\"/lab step01 -m 4 --check-only "
         "--json -"),
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        expect_lost(commands[i]);
    run_lab_shell(&result, "./run step01 -m 4 --check-only --runtime sim --json - >&- 2>&-");
    cr_expect_eq(result.status, 3);
}

/* What is opened first is not what the table goes to. */
Test(command_line, a_file_is_not_the_standard_output)
{
    run_lab_shell(&result,
                  "f=$(mktemp); ./run step01 -m 4 --check-only --runtime sim --json $f "
                  ">&-; echo $?; python3 -m json.tool $f > /dev/null && echo whole; rm $f");
    cr_expect_str_eq(result.out, "3\nwhole\n");
}

/* On a full disk the old file stays, and nothing beside it. Where this may not mount, nothing is
 * tried. */
Test(command_line, json_on_a_full_disk)
{
    run_lab_shell(&result, "unshare -m true 2> /dev/null || exit 77; d=$(mktemp -d); unshare -m sh "
                           "-c 'mount -t tmpfs -o size=4k tmpfs $0 && echo old > $0/file && ./run "
                           "step01 -m 4 --check-only --runtime sim --json $0/file > /dev/null; "
                           "echo $?; cat $0/file; ls -A $0' $d; rmdir $d");
    if (result.status == 77)
        cr_skip_test("this may not mount");
    cr_expect(strstr(result.err, "No space left"), "%s", result.err);
    cr_expect_str_eq(result.out, "3\nold\nfile\n");
}

Test(command_line, json_alone_on_standard_output)
{
    run_lab(&result, "step01 -m 4 --check-only --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(result.out[0], '{');
    cr_expect_str_eq(result.out + strlen(result.out) - 2, "}\n");
    cr_expect(strstr(result.out, "\"schema\": 1"));
    cr_expect(strstr(result.out, "\"status\": \"ok\""));
    cr_expect(strstr(result.out, "\"name\": \"coalesced\""));
}

Test(command_line, list_and_help)
{
    run_lab(&result, "list");
    cr_expect_eq(result.status, 0);
    cr_expect(strstr(result.out, "\nstep07   ") && !strstr(result.out, "\nstep07.1"));
    cr_expect_leq(run_lab_lines(result.out), 50, "more than a screen: %s", result.out);
    run_lab(&result, "list step07 exercise05");
    cr_expect_eq(result.status, 0);
    cr_expect(strstr(result.out, "\nstep07.3    07.2 ") &&
                  strstr(result.out, "\nexercise05  05.3 "),
              "%s", result.out);
    run_lab(&result, "--help");
    cr_expect_eq(result.status, 0);
    cr_expect(strstr(result.out, "--runtime"));
}

Test(command_line, works_from_any_folder)
{
    run_lab(&result, "list >/dev/null; cd / && \"$OLDPWD/run\" step01 -m 4 --check-only --runtime "
                     "sim");
    cr_expect_eq(result.status, 0, "%s", result.err);
}

Test(command_line, arch_picks_the_gpu_that_is_simulated)
{
    run_lab(&result, "step01 -m 4 --check-only --arch T4");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "sm_75, 40 SMs"));
    run_lab(&result, "step01 -m 4 --check-only --arch nosuch");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "nosuch") && strstr(result.err, "h200"));
    run_lab(&result, "step01 -m 4 --check-only --arch=");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "--arch: give the name of a GPU"), "%s", result.err);
    run_lab(&result, "step01 -m 4 --arch h200 --runtime gpu");
    cr_expect_eq(result.status, 2);
}

/* Without options: the first step, the parent and the step's own rows, on a slice. */
Test(command_line, without_a_gpu_a_step_shows_modelled_speedups)
{
    run_lab(&result, "step06 --runtime sim");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "3 of 132 SMs") && strstr(result.out, "m=512  n=512  k=512"), "%s",
              result.out);
    const char *mark = strstr(result.out, "-- modelled --"), *head = strstr(result.out, "time ms");
    cr_expect(mark && head && mark < head, "%s", result.out);
    cr_expect(strstr(result.out, "\nstep01.coalesced") && strstr(result.out, "\nstep05.values_8x8"),
              "%s", result.out);
    cr_expect(strstr(result.out, "vs first") && strstr(result.out, "vs parent"));
    cr_expect(!strstr(result.out, "FFMA"), "counters that nobody has asked for");
    run_lab(&result, "step03 --runtime sim -m 64 --sms 3 --json -");
    cr_expect(strstr(result.out, "\"modelled\": true") && strstr(result.out, "\"over_parent\"") &&
              strstr(result.out, "\"slice_of_sms\": 132"));
    cr_expect(!strstr(result.out, "l1tex__"), "counters that nobody has asked for");
}

/* Sizes of one's own are for the whole GPU, unless a slice is asked for. */
Test(command_line, what_is_no_lesson_has_no_times)
{
    run_lab(&result, "step03 --runtime sim -m 64");
    cr_expect(strstr(result.out, ", 132 SMs") && !strstr(result.out, "GFLOPS"), "%s", result.out);
    run_lab(&result, "step03 --runtime sim -m 64 --sms 3");
    cr_expect(strstr(result.out, "3 of 132 SMs") && strstr(result.out, "GFLOPS"), "%s", result.out);
    run_lab(&result, "step03 --runtime sim --check-only --sms 3 -m 64");
    cr_expect(!strstr(result.out, "GFLOPS"), "%s", result.out);
    run_lab(&result, "step08.1 --runtime sim -m 64 -n 64 -k 8 --sms 3");
    cr_expect(!strstr(result.out, "GFLOPS"), "a family that was not held on a slice: %s",
              result.out);
}

/* The line of a row, as far as the check; "" where there is none. */
static const char *row_of(const char *name)
{
    static char row[256];
    const char *line = strstr(result.out, name);
    snprintf(row, sizeof row, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
    return row;
}

/* An exercise has a number of its own, which is no step's. */
Test(command_line, times_of_later_steps_are_said_not_to_be_proved)
{
    static const char text[] = "for steps after 07 they have not been validated";
    run_lab(&result, "step14.1 --runtime sim -n 64 --profile");
    cr_expect(strstr(result.out, text), "%s", result.out);
    run_lab(&result, "step12 --study --variant doubles --type f64 --runtime sim -n 64 --profile");
    cr_expect(strstr(result.out, text), "%s", result.out);
    run_lab(&result, "step03 --runtime sim -n 64 --profile");
    cr_expect(!strstr(result.out, text), "%s", result.out);
    run_lab(&result, "compare solution09 step01 --runtime sim -n 64 --profile");
    cr_expect(strstr(result.out, "times are modelled") && !strstr(result.out, text), "%s",
              result.out);
}

/* What tells the stages apart stands there instead, of a step and of an exercise. */
Test(command_line, where_no_time_is_proved_the_table_counts)
{
    run_lab(&result, "step00a --runtime sim");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "  sectors per load  sectors per store  waits for loads  regis"));
    cr_expect(strstr(row_of("00a.1"), "  32                 32            8,192 "), "%s",
              result.out);
    cr_expect(strstr(row_of("00a.3"), "   4                  4           10,496 "), "%s",
              result.out);
    cr_expect(
        strstr(result.out, "no modelled times: for this problem they have not been validated"));
    cr_expect(!strstr(result.out, "time ms") && !strstr(result.out, "FFMA"), "%s", result.out);
    run_lab(&result, "step00b.3 --runtime sim -n 64");
    cr_expect(strstr(row_of("step00b.naive"), "   4                 32         "), "%s",
              result.out);
    cr_expect(strstr(row_of("step00b.tile"), "   4                  4                   32 "), "%s",
              result.out);
    cr_expect(strstr(row_of("padded "), "   4                  4                    1 "), "%s",
              result.out);
    run_lab(&result, "compare step00b.2 solution00b --runtime sim -n 64");
    cr_expect(strstr(result.out, "wavefronts per load") && !strstr(result.out, "GB/s"), "%s",
              result.out);
    run_lab(&result, "solution00b --runtime sim");
    cr_expect(
        strstr(row_of("solution00b.swizzled"), "   4                  4                    1 "),
        "%s", result.out);
    run_lab(&result, "step00b --runtime sim -n 64 --json -");
    cr_expect(strstr(result.out, "\"wavefronts per load\": 32") && !strstr(result.out, "l1tex__") &&
                  !strstr(result.out, "\"time_ms\""),
              "%s", result.out);
    run_lab(&result, "step00b --runtime sim -n 64 --profile");
    cr_expect(strstr(result.out, "GB/s") && strstr(result.out, "  bank conflicts, loads"), "%s",
              result.out);
    run_lab(&result, "step00b --runtime sim -n 64 --check-only");
    cr_expect(!strstr(result.out, "sectors per"), "%s", result.out);
}

/* How far a launch is, on a terminal alone. One worker, since many processors are done before the
 * first look. */
Test(command_line, long_launches_say_how_far_they_are)
{
    const char *const run = "env LAB_SIM_WORKERS=1 ./run step01 --runtime sim --check-only -m 700 "
                            "--variant uncoalesced";
    run_lab_shell(&result, "%s", run);
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_str_empty(result.err);
    run_lab_shell(&result, "command -v script >/dev/null || exit 77; script -qec '%s' /dev/null",
                  run);
    if (result.status == 77)
        cr_skip_test("no script(1), which makes a terminal");
    cr_assert_eq(result.status, 0, "%s", result.out);
    const char *at = strstr(result.out, "checking uncoalesced (1 of 1): launch ");
    cr_expect(at && strchr(at, '%') && strchr(at, '%') < strchr(at, '\033'), "%s", result.out);
}

/* On a terminal of so many seconds: the longest that nothing was said, which `script` notes with
 * each piece of what was. */
static double longest_silence(const char *command, int seconds)
{
    double longest = 0.0, silence;
    long bytes;
    char line[256];
    run_lab_shell(&result,
                  "command -v script >/dev/null || exit 77; times=$(mktemp); timeout -s INT %d "
                  "script -qc '%s' -T $times /dev/null; cat $times >&2; rm $times",
                  seconds, command);
    if (result.status == 77)
        cr_skip_test("no script(1), which makes a terminal");
    for (const char *at = result.err; sscanf(at, "%255[^\n]", line) == 1;) {
        if (sscanf(line, "%lf %ld", &silence, &bytes) == 2 && silence > longest)
            longest = silence;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return longest;
}

/* Making a problem, what is expected of it, and the comparison take seconds, too. */
Test(command_line, what_takes_long_says_that_it_goes_on)
{
    run_lab_leave_to_test_all();
    const double silence =
        longest_silence("exec ./run step08 --runtime sim --check-only -m 40000 -n "
                        "40000 -k 8 --variant fused",
                        5);
    const char *at = strstr(result.out, "\rcomputing what is expected: ");
    cr_assert(at, "%s", result.out);
    cr_expect(strstr(at, "%") && strstr(at, "% about") == NULL && strstr(at, " left "), "%s", at);
    cr_expect_lt(silence, 3.0, /* two, and what a busy machine adds */
                 "%g s without a word: %s", silence, result.out);
    longest_silence("exec ./run step00b --runtime sim --check-only -m 12000 -n 12000", 4);
    cr_expect(strstr(result.out, " s \033[K"), "%s", result.out);
}

Test(command_line, sms_take_a_slice_of_the_gpu)
{
    run_lab(&result, "step01 -m 4 --check-only --runtime sim --sms 3");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "sm_90, 3 of 132 SMs"), "%s", result.out);
    run_lab(&result, "step01 -m 4 --check-only --arch t4 --sms 5 --json -");
    cr_expect(strstr(result.out, "\"sm_count\": 5") && strstr(result.out, "\"slice_of_sms\": 40"),
              "%s", result.out);
    run_lab(&result, "step01 -m 32 --profile --runtime sim --sms 3");
    cr_expect(strstr(result.out, "a slice of 3 of its 132 SMs"), "%s", result.out);
    run_lab(&result, "step01 -m 4 --check-only --runtime sim --sms all --json -");
    cr_expect(strstr(result.out, "\"sm_count\": 132") && !strstr(result.out, "slice"), "%s",
              result.out);
}

static void expect_sms_refused(const char *arguments, const char *what)
{
    run_lab(&result, "step01 -m 4 --check-only %s", arguments);
    cr_expect_eq(result.status, 2, "%s", arguments);
    cr_expect(strstr(result.err, what), "%s: %s", arguments, result.err);
    cr_expect(strchr(result.err, '\n') == strrchr(result.err, '\n'), "%s", result.err);
}

Test(command_line, sms_that_no_gpu_has)
{
    expect_sms_refused("--runtime sim --sms 133", "--sms=133: Simulated NVIDIA H200 has 132 SMs");
    expect_sms_refused("--arch t4 --sms 41", "--sms=41: Simulated NVIDIA T4 has 40 SMs");
    expect_sms_refused("--arch nosuch --sms 41", "--arch: no GPU profile 'nosuch'");
    expect_sms_refused("--sms 0", "--sms 0: give a whole number from 1");
    expect_sms_refused("--sms few", "--sms few: give a whole number from 1");
    expect_sms_refused("--sms 3 --runtime gpu", "--sms is for the simulator");
}

/* One line that names the file, and exit status 2. */
static void expect_profile_refused(const char *text, const char *what)
{
    char path[] = "/tmp/lab_profile_XXXXXX.json", arguments[128]; /* used up by mkstemps() */
    int file = mkstemps(path, 5);
    cr_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    snprintf(arguments, sizeof arguments, "step01 -m 4 --check-only --arch %s", path);
    run_lab(&result, "%s", arguments);
    unlink(path);
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, path) && strstr(result.err, what), "%s", result.err);
    cr_expect(strchr(result.err, '\n') == strrchr(result.err, '\n'), "%s", result.err);
}

Test(command_line, gpu_profiles_that_are_no_good)
{
    expect_profile_refused("{\"name\": \"x\", \"sources\": {}}", "compute_major: the field is");
    expect_profile_refused("{\"sources\": {}}", "name");
    expect_profile_refused("[1, 2]", "not a JSON object");
    expect_profile_refused("", "not a JSON object");
    expect_profile_refused("{\"name\": \"x\", \"sources\": {}, \"compute_major\": \"9\"}",
                           "compute_major: not a number");
    run_lab(&result, "step01 -m 4 --check-only --arch /nowhere/gpu.json");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "/nowhere/gpu.json") && strstr(result.err, "No such file"));
    run_lab(&result, "step01 -m 4 --check-only --arch /tmp/");
    cr_expect_eq(result.status, 2);
    cr_expect(strstr(result.err, "directory"), "%s", result.err);
}

Test(command_line, times_on_the_simulator_are_marked_as_modelled)
{
    run_lab(&result, "step02 -m 64 --profile");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "-- modelled --") && strstr(result.out, "not measured"));
    run_lab(&result, "step02 -m 64 --profile --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "\"modelled\": true") && strstr(result.out, "\"speedup\""));
    cr_expect(!strstr(result.out, "\"reps\""), "a modelled time has no repetitions");
    run_lab(&result, "step02 -m 64 --json -");
    cr_expect(!strstr(result.out, "time_ms"), "a time without counters");
}

/* Two files of one name are told apart by their folders. */
Test(command_line, compared_files_of_one_name)
{
    run_lab(&result, "compare --source \"$LAB_TEST_BUILD\"/solution/03.so --source "
                     "\"$LAB_TEST_BUILD\"/steps/03.so -m 4 --check-only");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "\nsolution/03.so.") && strstr(result.out, "\nsteps/03.so."), "%s",
              result.out);
    run_lab(&result,
            "compare step02 --source \"$LAB_TEST_BUILD\"/solution/02.so -m 4 --check-only");
    cr_expect(strstr(result.out, "\n02.so."), "%s", result.out);
}

static void expect_said(const char *text)
{
    cr_expect(strstr(result.out, text), "no '%s' in %s", text, result.out);
}

/* Nothing is amiss on a machine without a GPU. */
Test(command_line, doctor_says_what_runs_without_a_gpu)
{
    run_lab_shell(&result, "./run doctor");
    if (strstr(result.out, "ok       GPU"))
        cr_skip_test("there is a GPU");
    expect_said("  -        GPU                    no GPU: the simulator is used\n");
    cr_expect(!strstr(result.out, "missing  GPU") && !strstr(result.out, "missing  Nsight"), "%s",
              result.out);
}

/* A terminal's key reaches all processes, `kill` the first one alone; while a kernel file is
 * compiled, and while it runs. What is looked for afterwards: processes that name the file, and the
 * folder of the run. */
Test(command_line, an_interrupt_leaves_nothing)
{
    static const char *const ways[] = {"-INT -$P", "-TERM $P", "-QUIT -$P"};
    static const char *const runs[] = {"step05 -m 2048 -n 2048 -k 2048", "exercise05"};
    cr_assert_eq(setenv("LAB_LINE_SECONDS", "50", 1), 0);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
            for (int seconds = 0; seconds < 2; seconds++) {
                if (!run_lab_takes((int)(4 * w + 2 * r) + seconds, 7))
                    continue;
                run_lab_shell(&result,
                              "F=$(mktemp -d); sed 's/^    const int blocks/    for (;;) ;\\n&/' "
                              "solutions/05_*/kernel.cu > $F/kernel.cu; LAB_SCRATCH=$F setsid env "
                              "--default-signal=INT,QUIT ./run %s --runtime sim --source "
                              "$F/kernel.cu > /dev/null 2>&1 & P=$!; sleep %d.4; kill %s; sleep 1; "
                              "pgrep -af $F/kernel.cu; kill -KILL -$P 2>/dev/null; "
                              "find $F -name 'run-*'; rm -r $F",
                              runs[r], 2 * seconds, ways[w]);
                cr_expect_str_empty(result.out, "kill %s of %s: %s", ways[w], runs[r], result.out);
            }
}

Test(command_line, doctor_says_what_was_tried)
{
    run_lab(&result, "doctor");
    expect_said("gnuplot ");
#define LAB_SYSTEM(name, suite, compiler, what)                                                    \
    expect_said(name " on x86_64 with " compiler ": " what);
#define LAB_TRIED(name, when, what) expect_said(name ": " what "; " when);
#include "setup/systems.def"
}

/* Of a stage of the matrix product alone, too; it takes the slice that a run takes, unless all of
 * the GPU is asked for. */
Test(command_line, sweep_of_a_product)
{
    run_lab(&result, "sweep step05.3 -n 40 --runtime sim");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "sweep step05.3 on the simulator (sm_90, 3 of 132 SMs)"), "%s",
              result.out);
    cr_expect(strstr(result.out, "values_8x8\n       40 "), "%s", result.out);
    run_lab(&result, "sweep step05.3 -m 40 -n 5 -k 6 --runtime sim --sms 3 --json -");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "\"runs\"") && strstr(result.out, "\"sm_count\": 3"), "%s",
              result.out);
    cr_expect(strstr(result.out, "\"step05.values_4x4\"") && !strstr(result.out, "\"column\""),
              "%s", result.out);
    run_lab(&result, "sweep step05.3 -n 40 --runtime sim --sms all");
    cr_expect(strstr(result.out, "(sm_90, 132 SMs)"), "%s", result.out);
    run_lab_expect_error(2, "a study is of a whole step: sweep step08", "sweep step08.2");
    run_lab_expect_error(2, "all of -m -n -k", "sweep step07 -m 3 -n 4");
    run_lab_expect_error(2, "no variant 'foo'", "sweep step07 --variant foo --runtime sim");
}

/* A newcomer is told the same first step everywhere. */
Test(command_line, first_command_of_readme_and_make)
{
    run_lab_shell(&result, "grep -q '^1. `make setup step01 && ./run step01`' README.md && make "
                           "--no-print-directory help | grep -qx 'first: make setup step01 && "
                           "./run step01'");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    run_lab_shell(&result, "grep -LF 'make setup step01 && ./run step01' Makefile README.md "
                           "docs/pages/exercises.md steps/01_*/README.md");
    cr_expect_str_empty(result.out, "told otherwise in %s", result.out);
    run_lab_shell(&result, "grep -n 'make setup' README.md | head -n 1 | grep 'step01'");
    cr_expect_eq(result.status, 0, "the first command of README.md is another one");
    run_lab_shell(&result, "make --no-print-directory help | grep -c 'make setup step00a && "
                           "./run step00a$'; grep -LF 'make setup step00a && ./run step00a' "
                           "docs/pages/exercises.md harness/series/list.c");
    cr_expect_str_eq(result.out, "1\n", "who has written one kernel: %s", result.out);
    run_lab_shell(&result, "grep -L 'you have written one.*from a tutorial' README.md "
                           "docs/pages/exercises.md docs/pages/walkthrough.md "
                           "harness/series/list.c harness/setup/unbuilt.sh");
    cr_expect_str_empty(result.out, "who begins with 00a is not told in %s", result.out);
}

Test(command_line, version)
{
    run_lab_shell(
        &result,
        "./run --version; grep -c \"^## $(./run --version | sed 's/.* //')\" CHANGELOG.md");
    cr_expect(strstr(result.out, "GPU kernel lab ") && strstr(result.out, "\n1\n"),
              "CHANGELOG.md tells of the version that is printed: %s%s", result.out, result.err);
}
