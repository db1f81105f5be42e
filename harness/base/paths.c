/* Paths of built files. They are found from /proc/self/exe, so that `run` works from any folder and
 * after the checkout was moved. With a build folder elsewhere, LAB_BUILD is absolute and LAB_ROOT
 * is the checkout. */
#include "base/paths.h"

#include <libgen.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The makefile defines them. */
#ifndef LAB_BUILD
#define LAB_BUILD "build"
#endif
#ifndef LAB_ROOT
#define LAB_ROOT "" /* found at run time */
#endif

/* Removes `end` from the end of a path; false: the path does not end with it. */
static bool take_off(char *path, const char *end)
{
    const size_t length = strlen(path), less = strlen(end);
    const bool ends = length >= less && strcmp(path + length - less, end) == 0;
    if (ends)
        path[length - less] = '\0';
    return ends;
}

/* Programs lie in the build folder, and tests in a folder of it. */
void lab_root(char path[LAB_PATH_BYTES])
{
    snprintf(path, LAB_PATH_BYTES, "%s", LAB_ROOT);
    if (path[0])
        return;
    char self[LAB_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    snprintf(path, LAB_PATH_BYTES, "%s", length < 0 ? "." : dirname(self));
    if (!take_off(path, "/" LAB_BUILD))
        take_off(path, "/" LAB_BUILD "/tests");
}

void lab_build_path(char path[LAB_PATH_BYTES], const char *format, ...)
{
    char root[LAB_PATH_BYTES], file[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file, sizeof file, format, arguments);
    va_end(arguments);
    lab_root(root);
    if (LAB_BUILD[0] == '/')
        snprintf(path, LAB_PATH_BYTES, "%s/%s", LAB_BUILD, file);
    else
        snprintf(path, LAB_PATH_BYTES, "%.3000s/%s/%s", root, LAB_BUILD, file);
}

const char *lab_shown_path(const char *path)
{
    char root[LAB_PATH_BYTES];
    lab_root(root);
    const size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}
