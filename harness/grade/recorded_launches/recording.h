/**
 * @file recording.h
 * @brief Asking the recorder: a new, confined process for each question, and the only one that ever
 * runs a submission's host code. It is given the problem's struct, whose pointers are not valid
 * there, and answers with launches.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_RECORDING_H
#define LAB_GRADE_RECORDED_LAUNCHES_RECORDING_H

#include "base/files.h"
#include "diagnose/check.h"
#include "families/problem.h"
#include "grade/recorded_launches/object.h"
#include "grade/sandbox/sandbox.h"

/** How the recorder is run. */
struct lab_recording_terms {
    bool isolate;               /**< through bubblewrap */
    struct lab_account account; /**< or as this user */
    double seconds;             /**< that one answer may take */
};

/** A submission, or a solution, whose host code is asked. */
struct lab_recording {
    struct lab_object object;
    struct lab_kernels kernels;
    char shared_object[LAB_PATH_BYTES], recorder[LAB_PATH_BYTES];
    struct lab_recording_terms terms;
    struct lab_record_request head;
    struct lab_record_answer described;
    const struct lab_family *family;
    struct lab_check fault; /**< the first thing that went wrong since lab_recording_fault() */
};

/**
 * @brief Reads an object file and asks what it exports.
 * @param object  its path; the shared object lies beside it, ending in .so
 * @param family  that its rows must be of
 * @return false after setting `fault`
 */
bool lab_recording_open(struct lab_recording *recording, const char *object,
                        const struct lab_family *family, const struct lab_recording_terms *terms);

/** Registers the kernels with the CUDA runtime of this process, which is to run them, so that the
 *  launch function may ask for their registers and occupancy. */
void lab_recording_register(struct lab_recording *recording);

/** True when the row has a workspace function. */
bool lab_recording_has_workspace(const struct lab_recording *recording);

/** Bytes of scratch memory for a problem; 0, too, after setting `fault`. */
size_t lab_recording_workspace(struct lab_recording *recording, const void *problem);

/**
 * @brief The launches of one call on a problem: answers as in grade/recorded_launches/protocol.h,
 * one after another, and last LAB_RECORD_END. The function was called several times with equal
 * answers.
 * @param how   holds the answers; lab_confined_free() in either case
 * @return bytes of `how->result` that count; 0 after setting `fault`
 */
size_t lab_recording_launches(struct lab_recording *recording, const void *problem,
                              struct lab_confined *how);

/** The next answer of a list, and moves *at to its end; NULL at the end of the list. */
const struct lab_record_answer *lab_recording_next(struct lab_recording *recording,
                                                   const struct lab_confined *how, size_t *at,
                                                   struct lab_record_answer *answer);

/** Whether something went wrong since the last call; if so, the verdict on that. */
bool lab_recording_fault(struct lab_recording *recording, struct lab_check *check);

/* A submission's launches, made by this process. The submission's host code runs in the recorder,
 * its kernels run here, on the simulator or the GPU. */

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
