/* Paths of built files, found from /proc/self/exe so that `run` works from any folder, and after
 * the checkout was moved. With a build folder elsewhere (LAB_BUILD is absolute) LAB_ROOT is the
 * checkout. */
#include "paths.h"

#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The makefile says. */
#ifndef LAB_BUILD
#define LAB_BUILD "build"
#endif

void lab_root(char path[LAB_PATH_BYTES])
{
    /* Test programs live elsewhere and say where the checkout is. */
    const char *told = getenv("LAB_TEST_ROOT");
#ifdef LAB_ROOT
    told = told ? told : LAB_ROOT;
#endif
    if (told) {
        snprintf(path, LAB_PATH_BYTES, "%s", told);
        return;
    }
    char self[LAB_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    snprintf(path, LAB_PATH_BYTES, "%s", length < 0 ? "." : dirname(self));
    /* The program lies in the build folder. */
    char *folder = path + strlen(path) - strlen("/" LAB_BUILD);
    if (folder > path && strcmp(folder, "/" LAB_BUILD) == 0)
        *folder = '\0';
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
