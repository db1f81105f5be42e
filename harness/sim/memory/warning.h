/**
 * @file warning.h
 * @brief Warnings of what is worth a look but is no error. A warning is one line on standard error,
 * once for each kernel and pair of lines.
 *
 *     if (sim_warning_is_new(warp, at, earlier))
 *         sim_warn(warp, at, SIM_RACE, "threads of two warps write the same value to ...");
 *
 * LAB_SIM_WARN=1, which `run exec` sets, makes warnings of findings that may be harmless, too:
 *
 *     if (!sim_is_told(warp, at, SIM_UNINITIALIZED))
 *         sim_find(warp, at, lane, SIM_UNINITIALIZED, address, "uninitialized read of ...");
 */
#ifndef SIM_MEMORY_WARNING_H
#define SIM_MEMORY_WARNING_H

#include "sim/machine/warp.h"

/** Whether there was no warning yet for this kernel, the line of `at` and the line of the earlier
 *  access. `earlier` is that instruction's number in the allocation cache (0: there is none).
 *  The test is cheap if there was a warning. Any thread may call this. */
bool sim_warning_is_new(const struct warp *warp, const struct instruction *at, uint32_t earlier);

/** lab_sim_share_warnings() and lab_sim_warning_again(). */
void sim_warnings_share(void);
int sim_warnings_again(int i, const char **place);

/** Prints "warning: kernel K at FILE:LINE: ..." and the end of the line. Changes no status of the
 *  launch; `status` is what it would be. */
__attribute__((format(printf, 4, 5))) void sim_warn(const struct warp *warp,
                                                    const struct instruction *at,
                                                    enum sim_status status, const char *format,
                                                    ...);

/** Whether findings that may be harmless are warnings. */
bool sim_only_warns(void);

/** Whether such a finding has been told as a warning for this kernel and line. */
bool sim_is_told(const struct warp *warp, const struct instruction *at, enum sim_status status);

/** Ends the launch as sim_fault() does, or prints a warning and returns. */
__attribute__((format(printf, 6, 7))) void sim_find(struct warp *warp, const struct instruction *at,
                                                    int lane, enum sim_status status,
                                                    uint64_t address, const char *format, ...);

/** Counts a warning. @return whether to print it: if only few are to be printed, the others are
 *  counted */
bool sim_warning_add(const struct sim_outcome *warning);

/** What is printed behind a warning of findings that may be harmless: how to do without it. */
const char *sim_warning_switch(enum sim_status status);

/** The warnings that were counted. The list ends at NULL. */
const struct sim_outcome *sim_warning_at(int i);

#endif
