/* Lines of a file. zlib is loaded only when the first gzip file comes. */
#include "families/apsp/graph/graph.h"

#include "base/status.h"
#include "base/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

typedef void *open_fn(const char *path, const char *mode);
typedef char *gets_fn(void *file, char *text, int size);
typedef int close_fn(void *file);
typedef int eof_fn(void *file);
typedef const char *error_fn(void *file, int *number);

int lab_line_reader_complain(const struct lab_line_reader *lines, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_complain(LAB_EXIT_USAGE, "%s, line %ld: %s", lines->path, lines->number, what);
}

static int open_gzip(struct lab_line_reader *lines)
{
    fclose(lines->plain);
    lines->plain = NULL;
    lines->zlib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lines->zlib)
        return lab_complain(LAB_EXIT_MISSING,
                            "%s is compressed and zlib is not here: install zlib1g, or gunzip it",
                            lines->path);
    open_fn *open = (open_fn *)dlsym(lines->zlib, "gzopen");
    lines->gzip = open ? open(lines->path, "rb") : NULL;
    return lines->gzip ? LAB_EXIT_OK
                       : lab_complain(LAB_EXIT_USAGE, "%s cannot be read: %s", lines->path,
                                      strerror(errno));
}

int lab_line_reader_open(struct lab_line_reader *lines, const char *path)
{
    *lines = (struct lab_line_reader){.path = path};
    const char *why;
    lines->plain = lab_open_text(path, &why);
    if (!lines->plain)
        return lab_complain(LAB_EXIT_USAGE, "%s cannot be read: %s", path, why);
    int first = getc(lines->plain), second = getc(lines->plain);
    if (first == 0x1F && second == 0x8B)
        return open_gzip(lines);
    if (ferror(lines->plain)) {
        fclose(lines->plain);
        return lab_complain(LAB_EXIT_USAGE, "%s cannot be read: %s", path, strerror(errno));
    }
    rewind(lines->plain);
    return LAB_EXIT_OK;
}

static char *get_line(struct lab_line_reader *lines)
{
    if (lines->plain)
        return fgets(lines->text, sizeof lines->text, lines->plain);
    gets_fn *gets = (gets_fn *)dlsym(lines->zlib, "gzgets");
    return gets(lines->gzip, lines->text, sizeof lines->text);
}

/* Damaged data and the end of the file look alike to a reader of lines; zlib tells them apart. */
static bool is_damaged(struct lab_line_reader *lines)
{
    int number = 0;
    if (lines->plain)
        return ferror(lines->plain);
    error_fn *error = (error_fn *)dlsym(lines->zlib, "gzerror");
    error(lines->gzip, &number);
    return number < 0;
}

static bool is_at_end(const struct lab_line_reader *lines)
{
    if (lines->plain)
        return feof(lines->plain);
    eof_fn *eof = (eof_fn *)dlsym(lines->zlib, "gzeof");
    return eof(lines->gzip);
}

bool lab_line_reader_next(struct lab_line_reader *lines, int *status)
{
    if (!get_line(lines)) {
        lines->text[0] = '\0';
        if (is_damaged(lines))
            *status = lab_line_reader_complain(lines, "the file is damaged after this line");
        return false;
    }
    lines->number++;
    size_t length = strlen(lines->text);
    if (length == sizeof lines->text - 1 && lines->text[length - 1] != '\n') {
        *status = lab_line_reader_complain(lines, "longer than %zu bytes", length);
        return false;
    }
    if (length && lines->text[length - 1] == '\n') {
        lines->text[length - 1] = '\0';
    } else if (is_damaged(lines) || !is_at_end(lines)) {
        *status =
            lab_line_reader_complain(lines, is_damaged(lines) ? "the file is damaged in this line"
                                                              : "a byte 0 in it: this is no text");
        return false;
    }
    return true;
}

void lab_line_reader_close(struct lab_line_reader *lines)
{
    if (lines->plain)
        fclose(lines->plain);
    if (lines->gzip)
        ((close_fn *)dlsym(lines->zlib, "gzclose"))(lines->gzip);
    if (lines->zlib)
        dlclose(lines->zlib);
}
