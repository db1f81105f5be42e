/**
 * @file protocol.h
 * @brief The messages between the grader and a timer: bytes on pipes, on one machine.
 *
 * A timer is the process in which a submission's kernels run on the GPU. It gets inputs, and
 * returns outputs and times; everything else stays with the grader. Its host code is the lab's, but
 * a kernel may reach all that the GPU can address, which on some machines is all memory of its
 * process. So all that a timer says is checked.
 */
#ifndef LAB_GRADE_TIMER_PROTOCOL_H
#define LAB_GRADE_TIMER_PROTOCOL_H

#include <stdint.h>

/** The grader's requests. */
enum lab_timer_order {
    LAB_TIMER_BUFFERS = 0x4C415430, /**< followed by `count` struct lab_timer_buffer; answered with
                                         as many addresses of 8 bytes */
    LAB_TIMER_LAUNCHES,             /**< followed by `bytes` bytes, a list as in
                                       grade/recorded_launches/protocol.h */
    LAB_TIMER_RUN, /**< followed by the contents of all buffers but scratch memory; answered, then
                        it waits for one byte, launches, answers again, and then sends the contents
                        of all outputs */
};

/** One question. */
struct lab_timer_request {
    uint32_t order, count;
    uint64_t bytes;
};

/** One buffer on the device. */
struct lab_timer_buffer {
    uint64_t bytes;
    uint32_t role; /**< enum lab_role */
    uint32_t unused;
};

/** One answer. The first comes without a request, when the timer is ready. */
struct lab_timer_answer {
    int32_t status;      /**< a cudaError_t */
    int32_t overwritten; /**< of a run: 1 + index of a buffer with a changed guard zone; 0: none */
    double milliseconds; /**< of a run, by the device's events */
    char what[112];      /**< after a fault: what the timer was doing */
};

#endif
