/**
 * @file recorder.h
 * @brief The program that runs a submission's launch function and says which launches it made.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_RECORDER_RECORDER_H
#define LAB_GRADE_RECORDED_LAUNCHES_RECORDER_RECORDER_H

#include "grade/recorded_launches/protocol.h"

#include <stdbool.h>

/** The request with what follows it. */
struct recorder_request {
    struct lab_record_request head;
    const void *problem;
    const struct lab_record_kernel *kernels;
};

/** Gives the recording runtime the request, and tells it that a call of the launch function
 * begins. */
void recorder_begin(const struct recorder_request *request);

/** Writes an answer to descriptor 3, followed by `bytes` bytes. */
void recorder_answer(struct lab_record_answer *answer, const void *more);

/** Says what is not allowed, and ends the program. */
void recorder_fault(const char *what) __attribute__((noreturn));

/** From now on the system kills this process at any system call but a few, and at more calls once
 * the shared object `path` is mapped; false if the system has no such filter. */
bool recorder_filter_system_calls(const char *path);

/** Whether the second filter is in force. */
bool recorder_opens_nothing(void);

#endif
