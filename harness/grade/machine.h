/**
 * @file machine.h
 * @brief What this machine has for grading, tried before anything is graded.
 */
#ifndef LAB_GRADE_MACHINE_H
#define LAB_GRADE_MACHINE_H

#include "grade/judge.h"
#include "grade/sandbox/sandbox.h"
#include "grade/timer/timer.h"

#include <stdbool.h>
#include <stddef.h>

/* --- protection --------------------------------------------------------------------------------*/

/** What was asked for. */
struct lab_isolation_terms {
    const char *which;   /**< auto, full or none */
    const char *account; /**< the user in place of bubblewrap; NULL: none */
    const char *runtime; /**< auto, gpu or sim */
    bool force;          /**< grade even if it is not safe */
};

/**
 * @brief Finds out what protection this machine has.
 * @param isolate  receives whether programs run through bubblewrap
 * @param account  receives the user that they run as
 * @param text     receives the protection in words, for reports
 * @return LAB_EXIT_OK; another status after complaining that it is not enough
 */
int lab_isolation_choose(const struct lab_isolation_terms *terms, bool *isolate,
                         struct lab_account *account, char *text, size_t size);

/* --- timing ------------------------------------------------------------------------------------*/

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
