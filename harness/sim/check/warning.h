/**
 * @file warning.h
 * @brief Warnings of what is worth a look but is no error. A warning is one line on standard error,
 * once for each kernel and pair of lines.
 *
 *     if (sim_warning_is_new(warp, at, earlier))
 *         sim_warn(warp, at, "threads of two warps write the same value to ...");
 */
#ifndef SIM_CHECK_WARNING_H
#define SIM_CHECK_WARNING_H

#include "tags.h"

/** Whether there was no warning yet for this kernel, the line of `at` and the line of the earlier
 *  access. `earlier` is that instruction's number in the allocation cache (0: there is none).
 *  The test is cheap if there was a warning. Any thread may call this. */
bool sim_warning_is_new(const struct warp *warp, const struct instruction *at, uint32_t earlier);

/** lab_sim_share_warnings() and lab_sim_warning_again(). */
void sim_warnings_share(void);
int sim_warnings_again(int i, const char **place);

/** How many warnings this process has printed. */
int sim_warning_count(void);

/** Prints "warning: kernel K at FILE:LINE: ..." and the end of the line. Changes no status. */
__attribute__((format(printf, 3, 4))) void
sim_warn(const struct warp *warp, const struct instruction *at, const char *format, ...);

#endif
