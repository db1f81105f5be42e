/**
 * @file recorded_step.h
 * @brief A submission's launches, made by this process. The submission's host code runs in the
 * recorder, its kernels run here, on the simulator or the GPU.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_RECORDED_STEP_H
#define LAB_GRADE_RECORDED_LAUNCHES_RECORDED_STEP_H

#include "grade/recorded_launches/recording.h"

/**
 * @brief Registers a submission's kernels and learns what it exports.
 * @param object  path of the object file; the shared object lies beside it, ending in .so
 * @param family  that its rows must be of
 * @param check   receives the verdict when it is no submission to this exercise
 * @return a step of one row whose launches go through the recorder; NULL after setting `check`
 */
const struct lab_step *lab_recorded_step_open(const char *object, const struct lab_family *family,
                                              const struct lab_recording_terms *terms,
                                              struct lab_check *check);

/** Whether the recorder has failed since the last call; if so, the verdict on that. */
bool lab_recorded_step_fault(struct lab_check *check);

#endif
