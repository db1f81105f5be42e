/* Names of check statuses, error lines on standard error, and output that is lost. */
#include "base/status.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- statuses ----------------------------------------------------------------------------------*/

bool lab_check_status_is_open(enum lab_check_status status)
{
    return status == LAB_CHECK_UNSUPPORTED || status == LAB_CHECK_INTERNAL_ERROR;
}

const char *lab_check_status_name(enum lab_check_status status)
{
    static const char *const names[] = {
        [LAB_CHECK_OK] = "ok",
        [LAB_CHECK_WRONG] = "wrong",
        [LAB_CHECK_NAN] = "nan",
        [LAB_CHECK_UNWRITTEN] = "unwritten",
        [LAB_CHECK_OUT_OF_BOUNDS] = "out_of_bounds",
        [LAB_CHECK_MISALIGNED] = "misaligned",
        [LAB_CHECK_UNINITIALIZED] = "uninitialized",
        [LAB_CHECK_RACE] = "race",
        [LAB_CHECK_DIVERGENT_BARRIER] = "divergent_barrier",
        [LAB_CHECK_INPUT_MODIFIED] = "input_modified",
        [LAB_CHECK_TIMEOUT] = "timeout",
        [LAB_CHECK_LAUNCH_ERROR] = "launch_error",
        [LAB_CHECK_CRASHED] = "crashed",
        [LAB_CHECK_BUILD_ERROR] = "build_error",
        [LAB_CHECK_FORBIDDEN] = "forbidden",
        [LAB_CHECK_UNCHANGED] = "unchanged",
        [LAB_CHECK_UNSUPPORTED] = "unsupported",
        [LAB_CHECK_INTERNAL_ERROR] = "internal_error",
        [LAB_CHECK_SKIPPED] = "skipped",
        [LAB_CHECK_NOT_RUN] = "not run",
    };
    return names[status];
}

const char *lab_program_name(void)
{
    return strcmp(program_invocation_short_name, "lab-sim") == 0 ? "lab-sim" : "run";
}

int lab_complain(int status, const char *format, ...)
{
    char text[8192], shown[2 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_printable(text, false, shown, sizeof shown); /* mostly names of files */
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* removes the line of progress */
    fprintf(stderr, "%s: ", lab_program_name());
    lab_print_wrapped(stderr, (int)strlen(lab_program_name()) + 2, shown);
    fputc('\n', stderr);
    return status;
}

/* --- standard streams --------------------------------------------------------------------------*/

/* If a standard stream is closed, the first file that is opened takes its place, and is printed
 * into. A write that fails is noticed late, when the last bytes leave this process. So output is
 * checked at the end, whichever way the program ends. */

static void look_at_output(void)
{
    bool failed = ferror(stdout);
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    int reason = errno;
    if (!failed)
        return;
    if (!reason) { /* an earlier write failed: another write finds out why */
        clearerr(stdout);
        reason = putchar('\n') == EOF || fflush(stdout) != 0 ? errno : 0;
    }
    lab_complain(LAB_EXIT_MISSING, "standard output: %s; what was printed is lost",
                 reason ? strerror(reason) : "a write failed");
    _exit(LAB_EXIT_MISSING);
}

void lab_standard_streams(void)
{
    /* the null device takes its place, opened so that its use fails as on a closed stream */
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i ? O_RDONLY : O_WRONLY) != i)
            _exit(LAB_EXIT_MISSING);
    if (atexit(look_at_output) != 0)
        _exit(LAB_EXIT_MISSING);
}
