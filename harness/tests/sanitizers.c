/* Linked into what is built with SANITIZE: a finding is written to a file and ends the process by
 * SIGABRT, which no test takes for a verdict. Leaks are none: programs end without freeing all. */
#define OPTIONS                                                                                    \
    "abort_on_error=1:detect_leaks=0:check_printf=0:handle_segv=0:handle_abort=0:"                 \
    "log_path=" REPORTS

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);
const char *__tsan_default_suppressions(void);

#pragma GCC visibility push(default)

const char *__asan_default_options(void)
{
    return OPTIONS
        ":max_redzone=16"; /* so that memory is aligned as malloc() promises, no better */
}

const char *__ubsan_default_options(void)
{
    return OPTIONS ":print_stacktrace=1";
}

const char *__tsan_default_options(void)
{
    return OPTIONS ":halt_on_error=1";
}

/* Simulated global memory, and the words that shadow it: who has accessed a word, and whether it is
 * written. Workers meet there exactly where the program under test has a race or an order of its
 * own. Each access is of one aligned word, and what is lost when two workers meet is one of two
 * accesses that come in any order. */
const char *__tsan_default_suppressions(void)
{
    return "race_top:harness/sim/access/\n"
           "race_top:harness/sim/machine/lane_tests.h\n"
           "race_top:harness/sim/check/global_\n"
           "race_top:harness/sim/check/unwritten.c\n";
}

#pragma GCC visibility pop
