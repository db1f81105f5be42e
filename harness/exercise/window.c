/* A compiler's first words matter most. Needs no CUDA, since the program that watches uses this. */
#include "exercise/results.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    LINE_BYTES = 4096,
    SMALL_ROWS = 40, /* as seven failed tests with their messages need */
};

bool lab_window_is_small(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row &&
           size.ws_row < SMALL_ROWS;
}

static int print_line(FILE *stream, const char *line, const char *end)
{
    char text[LINE_BYTES];
    if (end - line >= LINE_BYTES) { /* most likely with a generated name */
        if (stream)
            fwrite(line, 1, (size_t)(end - line), stream);
        return 1;
    }
    snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
    return lab_print_wrapped(stream, 0, text);
}

int lab_window_print_compiler(const char *text, struct lab_window window)
{
    int rows = 0, left = 0, printed = 0;
    for (const char *end; *text; text = end) {
        end = strchrnul(text, '\n');
        const int needed = print_line(NULL, text, end);
        rows += needed;
        end += *end == '\n';
        if (window.rows && rows > window.rows - LAB_WINDOW_OTHER_ROWS) {
            left++;
            continue;
        }
        print_line(stderr, text, end);
        printed += needed;
    }
    if (left)
        fprintf(stderr, "... %d more lines of the compiler\n", left);
    return printed + (left > 0);
}
