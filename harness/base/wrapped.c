/* A terminal breaks lines in the middle of words. The width is asked for at each text, because a
 * window may change its size. */
#include "base/wrapped.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 20, TEXT_BYTES = 8192 };

static int given_columns;

void lab_wrap_to(int columns)
{
    given_columns = columns;
}

int lab_columns_of(FILE *stream)
{
    struct winsize size;
    int columns = given_columns;
    if (!columns && stream && isatty(fileno(stream)) &&
        ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns < NARROWEST ? 0 : columns;
}

/* A newline inside a paragraph is a blank, too. */
static bool is_blank(const char *start, const char *c)
{
    return *c == ' ' || (*c == '\n' && c > start && c[-1] != '\n' && c[1] && !strchr(" \n", c[1]));
}

static void put(FILE *stream, const char *text, int bytes)
{
    if (stream)
        fwrite(text, 1, (size_t)bytes, stream);
}

int lab_print_wrapped(FILE *stream, int indent, const char *text)
{
    const int columns = lab_columns_of(stream);
    int rows = 1, column = indent;
    if (!columns && stream)
        fputs(text, stream);
    for (const char *c = text; columns && *c;) {
        int blanks = 0, bytes = 0;
        while (is_blank(text, c + blanks))
            blanks++;
        const char *const word = c + blanks;
        while (word[bytes] && word[bytes] != '\n' && !is_blank(text, word + bytes))
            bytes++;
        const int width = lab_printable_width(word, bytes);
        const bool breaks = bytes && column > indent && column + blanks + width > columns;
        if (breaks && stream)
            fprintf(stream, "\n%*s", indent, "");
        rows += breaks;
        column = (breaks ? indent : column + blanks) + width;
        for (int i = 0; i < blanks && !breaks; i++)
            put(stream, " ", 1);
        put(stream, word, bytes);
        rows += column > columns ? (column - 1) / columns : 0;
        c = word + bytes;
        if (*c == '\n' && !is_blank(text, c)) {
            put(stream, c++, 1);
            column = indent * (*c && *c != '\n');
            rows += *c != '\0';
            if (column && stream)
                fprintf(stream, "%*s", indent, "");
        }
    }
    return rows;
}

void lab_printf_wrapped(FILE *stream, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_print_wrapped(stream, 0, text);
}
