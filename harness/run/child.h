/**
 * @file child.h
 * @brief Running this program again, under a tool or on the other runtime.
 */
#ifndef LAB_RUN_CHILD_H
#define LAB_RUN_CHILD_H

#include "options/options.h"
#include "base/files.h"

#include <stddef.h>

enum { LAB_CHILD_WORDS = 160, LAB_CHILD_TEXT = 8192 };

/** A command line that is being put together. */
struct lab_child {
    char *words[LAB_CHILD_WORDS + 1]; /**< ends in NULL; copies */
    int count;
};

/** Finds a tool on PATH, or in the folder of the CUDA toolkit; -1 when there is none. */
int lab_child_find(const char *tool, char path[LAB_PATH_BYTES]);

/** Adds one word. */
void lab_child_add(struct lab_child *child, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * @brief Adds `run TARGETS OPTIONS` with the same targets, problem and source, to launch each row
 * once and report nothing.
 * @param default_size  for sizes that were not given
 * @param runtime       "gpu" or "sim"
 */
void lab_child_add_run(struct lab_child *child, const struct lab_options *options, int default_size,
                       const char *runtime);

/** Runs the child to its end, as lab_toolchain_run() does, and frees the words. */
int lab_child_run(struct lab_child *child, char *text, size_t size);

/** Frees the words of a child that is not run. */
void lab_child_free(struct lab_child *child);

#endif
