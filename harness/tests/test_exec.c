/* `run exec`: a program that is none of the lab's (harness/sim/tests/programs/does_as_told.cu), and
 * ELF files that say what keeps a program from using the simulator. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "\"$LAB_TEST_BUILD\"/tests/programs/does_as_told"

/* Runs `run exec WORDS`; the program's own words may follow. */
static const struct run_lab *exec_words(const char *words)
{
    static struct run_lab said;
    run_lab_shell(&said, "./run exec %s", words);
    return &said;
}

static void expect(const char *words, int status, const char *text)
{
    const struct run_lab *said = exec_words(words);
    cr_expect_eq(said->status, status, "%s: %d, %s", words, said->status, said->err);
    cr_expect(strstr(said->err, text), "%s: not '%s' but %s", words, text, said->err);
}

Test(exec, a_program_ends_as_it_would)
{
    expect(PROGRAM, 0, ": 1 kernel, 2 launches, 52 warp instructions, ");
    expect(PROGRAM, 0, "no finding\n");
    expect(PROGRAM " exit 7", 7, "no finding\n");
    expect(PROGRAM " fork", 0, ": 1 kernel, 3 launches, ");
    expect(PROGRAM " crash", 139, "Segmentation fault; does the host read what a device pointer");
    expect(PROGRAM " abort", 134, "ended by a signal: Aborted");
    const struct run_lab *said = exec_words(PROGRAM " x --json -h --help 2> /dev/null");
    cr_expect_str_eq(said->out, "--json\n-h\n--help\n", "all that follows is the program's");
    expect("sh -c 'exit 4'", 4, "called nothing of CUDA's runtime");
    expect("--sms 2 sh -c '" PROGRAM " race; exit 0'", 1, "1 finding\n  race in add(");
}

Test(exec, what_is_found_is_told)
{
    expect(PROGRAM " race", 1, "1 finding\n  race in add(int const*, int*) at ");
    expect(PROGRAM " race", 1, "does_as_told.cu:18\n");
    expect(PROGRAM " race", 1, "(--check no-race leaves this check out)");
    expect(PROGRAM " beyond", 1, "  out_of_bounds in fill(int*, int) at ");
    expect(PROGRAM " host", 3, "that cannot be simulated: a kernel runs when it is launched");
    expect(PROGRAM " host", 3,
           "1 finding\n  unsupported in wait_for_host(int const volatile*) at ");
    expect("--check no-race " PROGRAM " race", 0, "no finding\n");
    expect("--check=uninitialized " PROGRAM " race", 0, "no finding\n");
    expect("--fast " PROGRAM " race", 0, "no finding\n");
    expect("--fast " PROGRAM " beyond", 1, "1 finding\n");
}

/* nvcc's default: CUDA's runtime is a part of the program, whose functions the simulator replaces.
 */
Test(exec, a_runtime_that_is_built_in)
{
    static const char program[] = "\"$LAB_TEST_BUILD\"/tests/programs/built_in";
    char words[400];
    expect(program, 0, ": 1 kernel, 2 launches, 52 warp instructions, ");
    snprintf(words, sizeof words, "%s race", program);
    expect(words, 1, "1 finding\n  race in add(int const*, int*) at ");
    snprintf(words, sizeof words, "%s fork", program);
    expect(words, 0, ": 1 kernel, 3 launches, ");
    snprintf(words, sizeof words,
             "sh -c 'd=$(mktemp -d); cp %s $d/p; strip $d/p; ./run exec $d/p; "
             "s=$?; rm -r $d; exit $s'",
             program);
    expect(words, 2, "do not strip it");
}

static void expect_of(const char *how, const char *word, int status, const char *text)
{
    char words[300];
    snprintf(words, sizeof words, "%s " PROGRAM " %s", how, word);
    expect(words, status, text);
}

/* An atomic operation acquires nothing by itself; in programs of others it is taken to. */
Test(exec, no_fence_after_a_count)
{
    expect_of("", "last", 0, "; no finding\n");
    cr_expect_str_eq(exec_words(PROGRAM " last")->out, "sum 62\n");
    expect_of("--strict", "last", 1, "needs a __threadfence() after it has seen the flag");
}

/* By default a warning, after which the program goes on; a stop with --strict,
 * and without `run exec`. */
Test(exec, what_may_be_harmless)
{
    static const struct {
        const char *word, *kernel, *warning, *sum, *check;
    } cases[] = {
        {"global", "read_global(int const*, int*)", "uninitialized read of element 0 of the alloc",
         "sum 0\n", "uninitialized"},
        {"shared", "read_shared(int*)", "uninitialized read of element 0 of part", "sum 0\n",
         "uninitialized"},
        {"local", "read_local(int const*, int*)", "uninitialized variable: memory is given",
         "sum 496\n", "uninitialized"},
        {"over", "read_from(int const*, int, int*)", "right after the end of the allocation of 252",
         "sum 1173\n", NULL},
        {"pairs", "read_pairs(int2 const*, int*)", "the last 4 of the bytes lie after the end of",
         "sum 1953\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[200], ends[200], words[200];
        const char *const status = cases[i].check ? cases[i].check : "out_of_bounds";
        snprintf(words, sizeof words, PROGRAM " %s", cases[i].word);
        snprintf(line, sizeof line, "warning: kernel %s at ", cases[i].kernel);
        expect_of("", cases[i].word, 0, line);
        expect_of("", cases[i].word, 0, ": block (0, 0, 0), thread (");
        expect_of("", cases[i].word, 0, cases[i].warning);
        expect_of("", cases[i].word, 0, cases[i].check ? "(--check no-" : "(--strict stops here)");
        snprintf(ends, sizeof ends, "; 1 warning; no finding\n  warning: %s in %s at ", status,
                 cases[i].kernel);
        expect_of("", cases[i].word, 0, ends);
        cr_expect_str_eq(exec_words(words)->out, cases[i].sum);
        snprintf(ends, sizeof ends, "; 1 finding\n  %s in %s at ", status, cases[i].kernel);
        expect_of("--strict", cases[i].word, 1, ends);
        expect_of("--strict", cases[i].word, 1, cases[i].warning);
        if (cases[i].check)
            expect_of("--check no-uninitialized", cases[i].word, 0, "s; no finding\n");
        struct run_lab alone;
        run_lab_shell(&alone, "LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim " PROGRAM " %s",
                      cases[i].word);
        cr_expect(strstr(alone.err, " failed at "), "without run exec: %s", alone.err);
    }
}

Test(exec, what_is_never_harmless)
{
    expect(PROGRAM " far", 1, "1 finding\n  out_of_bounds in read_from(");
    expect(PROGRAM " null", 1, "that is a null pointer plus an offset");
    expect(PROGRAM " beyond", 1, "1 finding\n  out_of_bounds in fill(");
}

Test(exec, warnings_without_a_choice)
{
    expect(PROGRAM " same", 0, "; 2 warnings; no finding\n  warning: race in write_one(int*) at ");
    expect(PROGRAM " same", 0, "(--check no-race leaves this check out)");
    expect(PROGRAM " copy", 0, "32 of 32 words were not) (--check no-uninitialized leaves");
    expect(PROGRAM " copy", 0, "; 1 warning; no finding\n  warning: uninitialized\n");
    expect("--check no-uninitialized " PROGRAM " copy", 0, "s; no finding\n");
}

Test(exec, ten_warnings_are_shown_and_all_are_counted)
{
    const char *const said = exec_words(PROGRAM " often")->err;
    const char *at = said;
    int shown = 0;
    while ((at = strstr(at, "warning: kernel ")) != NULL)
        shown++, at++;
    cr_expect_eq(shown, 10, "%s", said);
    cr_expect(strstr(said, "further warnings are counted"), "%s", said);
    cr_expect(strstr(said, "; 12 warnings; no finding\n"), "%s", said);
}

Test(exec, the_first_call_that_failed)
{
    static const char call[] =
        "  the first call that failed: cudaSetDevice, cudaErrorInvalidDevice";
    expect(PROGRAM " fails", 0, call);
    expect(PROGRAM " fails", 0, "; the program has asked for no error after it\n");
    cr_expect_not(strstr(exec_words(PROGRAM " looks")->err, call), "it has been looked at");
    cr_expect_not(strstr(exec_words(PROGRAM " beyond")->err, "the first call"), "it is a finding");
}

Test(exec, counters_and_lines)
{
    expect("--profile " PROGRAM, 0,
           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum                                 4\n");
    expect("--lines " PROGRAM, 0, "wavefronts  conflicts  line\n");
    expect("--lines " PROGRAM, 0, "does_as_told.cu:13\n");
    const struct run_lab *said = exec_words("--json /tmp/lab-exec-$$.json --profile " PROGRAM
                                            " race; cat /tmp/lab-exec-$$.json; rm "
                                            "/tmp/lab-exec-$$.json");
    cr_expect(strstr(said->out, "\"schema\": 1"), "%s%s", said->out, said->err);
    cr_expect_eq(run_lab_figure(said->out, "launches"), 3);
    cr_expect_eq(run_lab_figure(said->out, "exit"), 0);
    cr_expect(strstr(said->out, "\"status\": \"race\""));
    cr_expect(strstr(said->out, "\"kernel\": \"add(int const*, int*)\""));
    cr_expect_eq(run_lab_figure(strstr(said->out, "\"findings\""), "line"), 18);
    said = exec_words("--json /tmp/lab-exec-$$.json " PROGRAM " over > /dev/null; cat "
                      "/tmp/lab-exec-$$.json; rm /tmp/lab-exec-$$.json");
    cr_expect_eq(run_lab_figure(said->out, "warnings"), 1);
    cr_expect(strstr(said->out, "\"status\": \"out_of_bounds\""), "%s%s", said->out, said->err);
}

Test(exec, mistakes)
{
    static const char *const cases[][2] = {
        {"", "give a program, such as `./run exec ./race`"},
        {"./nothing_there", "./nothing_there: No such file"},
        {"nothing_there_either", "nothing_there_either: No such file"},
        {"steps/01_naive_global/kernel.cu", "compile it with `nvcc -lineinfo` and give"},
        {"steps", "is a folder"},
        {"--arch h9000 true", "--arch h9000: no such profile of a GPU"},
        {"--sms none true", "--sms none: give a number of SMs, or all"},
        {"--check rase true", "--check rase: there is no check 'rase'"},
        {"--json /nowhere/o.json true", "--json /nowhere/o.json: No such file"},
        {"--chek race true", "unrecognized option '--chek"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i][0], 2, cases[i][1]);
}

/* What a C compiler can make look like it: sections, texts, symbols and libraries are what counts.
 * A program for the driver API has a section of kernels, too. The functions of a runtime that is
 * built in are the simulator's. */
#define KERNELS      "__asm__(\".section .nv_fatbin,\\\"a\\\"; .long 1; .text\");"
#define HIDDEN       "__attribute__((noipa, visibility(\"hidden\")))"
#define RUNTIME_TEXT "\"CUDA driver version is insufficient for CUDA runtime version\""
Test(exec, what_cannot_run_here)
{
    static const struct {
        const char *made, *says;
        int status;
    } cases[] = {
        {"echo 'const char s[] = " RUNTIME_TEXT
         ";int main(void){return 0;}' > m.c && cc -s m.c -o p",
         "./p has CUDA's runtime built into it, and no names of its functions", 2},
        {"echo 'const char s[] = " RUNTIME_TEXT "\"cudaGetDeviceProperties_v2\""
         ";int main(void){return 0;}' > m.c && cc m.c -o p",
         "./p is built for another version of CUDA, whose runtime it has built in", 3},
        {"echo '" KERNELS "int main(void){return 0;}' > m.c && cc m.c -o p", "no finding", 0},
        {"echo '" KERNELS "const char s[] = " RUNTIME_TEXT
         ";int f(void){return 0;}' > l.c && cc -s -shared -fPIC l.c -o libl.so && echo 'int "
         "f(void);int main(void){return "
         "f();}' > m.c && cc m.c -o p ./libl.so",
         "/libl.so, which has CUDA's runtime built into it", 3},
        {"echo 'int f(void){return 0;}' > l.c && cc -shared -fPIC -Wl,-soname,libcudart.so.12 l.c "
         "-o libl.so && echo 'int f(void);int main(void){return f();}' > m.c && cc m.c -o p "
         "libl.so",
         "./p is built for another version of CUDA, libcudart.so.12", 3},
        {"echo 'int f(void){return 0;}' > l.c && cc -shared -fPIC -Wl,-soname,libcunothing.so.12 "
         "l.c "
         "-o libl.so && echo 'int f(void);int main(void){return f();}' > m.c && cc m.c -o p "
         "libl.so",
         "./p: not found: libcunothing.so.12", 3},
        {"echo 'const char s[] = " RUNTIME_TEXT ";" HIDDEN
         "int cudaGetDeviceCount(int *n){*n = -1; return 35;}" HIDDEN
         "void *__cudaRegisterFatBinary(void *p){return p;}int main(void){int n; return "
         "cudaGetDeviceCount(&n) || n != 1;}' > m.c && cc -falign-functions=16 m.c -o p",
         "no finding", 0},
        {"head -c 200 \"$(command -v sh)\" > p && chmod +x p", "./p cannot be started: ", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_lab said;
        run_lab_shell(&said,
                      "run=$PWD/run; d=$(mktemp -d) && cd $d && %s && $run exec ./p; s=$?; rm -rf "
                      "$d; exit $s",
                      cases[i].made);
        cr_expect_eq(said.status, cases[i].status, "%s: %d", said.err, said.status);
        cr_expect(strstr(said.err, cases[i].says), "%s: %s", cases[i].says, said.err);
    }
}
