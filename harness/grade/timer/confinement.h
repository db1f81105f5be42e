/**
 * @file confinement.h
 * @brief How a timer is started: the program that runs the timed kernels, what it may see, and
 * which CUDA runtime it gets. See grade/timer/protocol.h for the messages.
 */
#ifndef LAB_GRADE_TIMER_CONFINEMENT_H
#define LAB_GRADE_TIMER_CONFINEMENT_H

#include "grade/sandbox/confine.h"
#include "base/files.h"

#include <stdint.h>

/** Texts that the description of a timer points to; they must live as long as it. */
struct lab_timer_texts {
    char program[LAB_PATH_BYTES], runtime[LAB_PATH_BYTES], driver[LAB_PATH_BYTES];
    char libraries[2 * LAB_PATH_BYTES + 32], visible[256], poison[32];
    const char *environment[8];
};

/**
 * @brief Describes a timer.
 * @param object  the object whose kernels are launched; "probe": only open the device, and end
 * @param is_sim  with the simulator in place of a GPU: a rehearsal
 * @param isolate through bubblewrap
 * @param poison  bytes of free device memory that are overwritten first, at most
 */
void lab_timer_describe(const char *object, bool is_sim, bool isolate, uint64_t poison,
                        struct lab_timer_texts *texts, struct lab_confine *what);

/** Tries whether a timer can open the device in this way; if not, `why` receives one line. */
bool lab_timer_works(bool is_sim, bool isolate, char *why, size_t size);

#endif
