/* Linked into what is built with SANITIZE: a finding is written to a file and ends the process by
 * SIGABRT, which no test takes for a verdict. Leaks are none: programs end without freeing all. */
#define OPTIONS                                                                                    \
    "abort_on_error=1:detect_leaks=0:check_printf=0:handle_segv=0:handle_abort=0:log_"             \
    "path=" REPORTS

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return OPTIONS ":detect_stack_use_after_return=0";
}

__attribute__((visibility("default"))) const char *__ubsan_default_options(void)
{
    return OPTIONS ":print_stacktrace=1";
}

__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return OPTIONS ":halt_on_error=1";
}
