/* If a standard stream is closed, the first file that is opened takes its place, and is printed
 * into. A write that fails is noticed late, when the last bytes leave this process. So output is
 * checked at the end, whichever way the program ends. */
#include "base/standard_streams.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
