/**
 * @file paths.h
 * @brief Where the checkout and its build folder are, wherever the program is run from.
 */
#ifndef LAB_BASE_PATHS_H
#define LAB_BASE_PATHS_H

#include <stddef.h>

enum { LAB_PATH_BYTES = 4096 };

/** The folder of the checkout, without a slash at the end. Does not fail on Linux. */
void lab_root(char path[LAB_PATH_BYTES]);

/** Writes the path of a file in the build folder, such as lab_build_path(p, "steps/%s.so", "07").
 */
void lab_build_path(char path[LAB_PATH_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The path to show to a user: a file of the checkout is named relative to the checkout. */
const char *lab_shown_path(const char *path);

#endif
