/**
 * @file timing.h
 * @brief The GPU that submissions are timed on, the confinement of its timers, and the solution to
 * compare with, which is compiled like a submission.
 */
#ifndef LAB_GRADE_TIMING_H
#define LAB_GRADE_TIMING_H

#include "grade/timer/gpu.h"
#include "grade/judge.h"

/** What was asked for. */
struct lab_timing_terms {
    const char *runtime;   /**< "auto", "gpu" or "sim" */
    const char *isolation; /**< "auto", "full" or "none" */
    const struct lab_settings *settings;
};

/**
 * @brief Decides whether submissions are timed, and on what, and whether bubblewrap confines the
 * timers.
 * @param judge  its `timing`, `runtime` and `lock` are set; `isolate` is there already
 * @param watch  what submissions are timed on; the name is "": they are not
 * @param text   the confinement in words; a sentence is added if timers are confined less
 * @return LAB_EXIT_OK, or an exit status after complaining
 */
int lab_timing_choose(const struct lab_timing_terms *terms, struct lab_judge *judge,
                      struct lab_gpu_identity *watch, char *text, size_t size);

/** Compiles the solution into a folder of its own in `work`, unless nothing is timed. An exit
 *  status. */
int lab_timing_build_solution(struct lab_judge *judge, const char *work);

#endif
