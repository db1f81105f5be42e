/* Runs the built program and collects its output through temporary files. */
#include "tests/run_lab.h"

#include "families/family.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_all(FILE *file, char *text)
{
    rewind(file);
    size_t length = fread(text, 1, RUN_LAB_BYTES - 1, file);
    text[length] = '\0';
    fclose(file);
}

void run_lab_shell(struct run_lab *result, const char *format, ...)
{
    char line[4096], command[8192];
    const char *root = getenv("LAB_TEST_ROOT");
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    FILE *out = tmpfile(), *err = tmpfile();
    snprintf(command, sizeof command, "cd '%s' && { %s\n} >/dev/fd/%d 2>/dev/fd/%d",
             root ? root : ".", line, fileno(out), fileno(err));
    int status = system(command);
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_all(out, result->out);
    read_all(err, result->err);
}

void run_lab(struct run_lab *result, const char *format, ...)
{
    char arguments[4000];
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    bool asks = strstr(arguments, "--runtime") != NULL;
    run_lab_shell(result, "./run %s%s %s", asks ? "" : "--runtime ",
                  asks      ? ""
                  : runtime ? runtime
                            : "auto",
                  arguments);
}

const char *run_lab_source(const char *file)
{
    static char source[4096];
    const char *name = strrchr(file, '/') + 1, *build = getenv("LAB_TEST_BUILD");
    const char *const root = getenv("LAB_TEST_ROOT");
    const int length = (int)(strlen(name) - strlen(".cu"));
    /* from the checkout on, where commands run: there may be a space before that */
    const size_t before = root ? strlen(root) : 0;
    if (root && build && strncmp(build, root, before) == 0 && build[before] == '/')
        build += before + 1;
    snprintf(source, sizeof source, "%s/tests/corpus/%.*s.so", build ? build : "build", length,
             name);
    if (access(source, R_OK) == 0)
        snprintf(source + strlen(source), sizeof source - strlen(source), ":lab_step_%.*s", length,
                 name);
    else
        snprintf(source, sizeof source, ".built/tests/kernels/%s", file);
    return source;
}

const char *run_lab_kernels(void)
{
    static char folder[PATH_MAX];
    const char *const root = getenv("LAB_TEST_ROOT");
    char path[4096];
    const size_t before = root ? strlen(root) : 0;
    snprintf(path, sizeof path, "%s/.built/tests/kernels", root ? root : ".");
    cr_assert(realpath(path, folder), "%s", path);
    return root && strncmp(folder, root, before) == 0 && folder[before] == '/' ? folder + before + 1
                                                                               : folder;
}

bool run_lab_tries_all(void)
{
    return getenv("LAB_TEST_ALL") != NULL;
}

void run_lab_leave_to_test_all(void)
{
    if (!run_lab_tries_all())
        cr_skip_test("of make test-all");
}

bool run_lab_takes(int i, int each)
{
    return run_lab_tries_all() || i % each == 0;
}

bool run_lab_takes_file(const char *name, int each)
{
    uint32_t hash = 2166136261; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619;
    return run_lab_takes((int)((hash >> 3) % (uint32_t)each), each);
}

bool run_lab_wants(const char *family)
{
    const char *only = getenv("LAB_TEST_ONLY");
    return !only || !lab_family_find(only) || strcmp(only, family) == 0;
}

int run_lab_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

void run_lab_expect_error(int status, const char *text, const char *arguments)
{
    static struct run_lab result; /* too large for a stack */
    run_lab(&result, "%s", arguments);
    cr_expect_eq(result.status, status, "%s: status %d, not %d", arguments, result.status, status);
    cr_expect(strstr(result.err, text), "%s: says '%s', not '%s'", arguments, result.err, text);
    cr_expect_eq(run_lab_lines(result.err), 1, "%s: says '%s'", arguments, result.err);
    cr_expect_str_empty(result.out, "%s: prints '%s'", arguments, result.out);
}

double run_lab_figure(const char *from, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = from ? strstr(from, key) : NULL;
    cr_assert(at, "no %s in %s", name, from ? from : "nothing");
    return strtod(at + strlen(key), NULL);
}
