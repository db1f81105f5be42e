/* Names of check statuses, and error lines on standard error. */
#include "base/status.h"

#include "base/printable.h"
#include "base/wrapped.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    fputs("run: ", stderr);
    lab_print_wrapped(stderr, (int)strlen("run: "), shown);
    fputc('\n', stderr);
    return status;
}
