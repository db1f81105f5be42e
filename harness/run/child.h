/**
 * @file child.h
 * @brief Running this program again, under a tool or on the other runtime.
 */
#ifndef LAB_RUN_CHILD_H
#define LAB_RUN_CHILD_H

#include "base/files.h"
#include "measure/result.h"
#include "options/options.h"

#include <stddef.h>
#include <stdio.h>

enum { LAB_CHILD_WORDS = 210, LAB_CHILD_TEXT = 8192 };

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

/* --- takes a GPU's counters by running the rows once more under Nsight Compute -----------------*/

/** LAB_EXIT_OK when Nsight Compute is there, else LAB_EXIT_MISSING after saying how to get it. */
int lab_ncu_check(void);

/**
 * @brief Runs the same rows under Nsight Compute and fills the counters of each.
 *
 * Rows must have been checked: the recorded number of launches of each row says which of the
 * profiled launches are its own. The reference's launches are those left over at the start. A
 * counter that this GPU lacks is named in one line on standard error; the others are filled.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining.
 */
int lab_ncu_profile(const struct lab_options *options, struct lab_result *result);

/* --- `--sanitize`: the run under each tool of compute-sanitizer, on a GPU ----------------------*/

/** LAB_EXIT_OK if there is a GPU and compute-sanitizer can be used; else an exit status after
 *  complaining. */
int lab_sanitize_check(bool is_sim);

/**
 * @brief Runs the target under memcheck, racecheck, initcheck and synccheck and prints a line each.
 *
 * Sizes that were not given are those of the simulator, 256 at most: the tools slow a kernel down
 * by orders of magnitude.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a tool found something; LAB_EXIT_MISSING after
 *         complaining when a tool did not work.
 */
int lab_sanitize(const struct lab_options *options, FILE *stream);

#endif
