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
    expect("--check no-race " PROGRAM " race", 0, "no finding\n");
    expect("--check=uninitialized " PROGRAM " race", 0, "no finding\n");
    expect("--fast " PROGRAM " race", 0, "no finding\n");
    expect("--fast " PROGRAM " beyond", 1, "1 finding\n");
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
}

Test(exec, mistakes)
{
    static const char *const cases[][2] = {
        {"", "give a program, such as `./run exec ./race`"},
        {"./nothing_there", "./nothing_there: No such file"},
        {"nothing_there_either", "nothing_there_either: No such file"},
        {"steps/01_naive_global/kernel.cu", "compile it with `nvcc -lineinfo -cudart shared`"},
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

/* What a C compiler can make look like it: sections and libraries are what counts. */
Test(exec, what_cannot_run_here)
{
    static const struct {
        const char *made, *says;
        int status;
    } cases[] = {
        {"echo '__asm__(\".section .nv_fatbin,\\\"a\\\"; .long 1; .text\");int main(void){return "
         "0;}' > m.c && cc m.c -o p",
         "./p has CUDA's runtime built into it", 2},
        {"echo '__asm__(\".section .nv_fatbin,\\\"a\\\"; .long 1; .text\");int f(void){return "
         "0;}' > l.c && cc -shared -fPIC l.c -o libl.so && echo 'int f(void);int main(void){return "
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
