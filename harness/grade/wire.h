/**
 * @file wire.h
 * @brief What a trial and the recorder say to each other: bytes on pipes, of one machine.
 *
 * The recorder is the only process that runs a submission's host code. All it can say is which
 * launches it wants; the trial makes them itself.
 */
#ifndef LAB_WIRE_H
#define LAB_WIRE_H

#include <stdint.h>

enum {
    LAB_WIRE_MOST_LAUNCHES = 4096,
    LAB_WIRE_MOST_BYTES = 4 << 20,
    LAB_WIRE_NAME = 1024,
    LAB_WIRE_MOST_ARGUMENTS = 16384,
    LAB_WIRE_CALLS = 3,     /**< of the launch function, one after another */
    LAB_WIRE_STREAM = 0x57, /**< the stream that the launch function is given */
};

/** What the recorder is asked for. */
enum lab_wire_question {
    LAB_WIRE_DESCRIBE,  /**< family and rows */
    LAB_WIRE_WORKSPACE, /**< bytes of scratch memory of a row */
    LAB_WIRE_LAUNCH,    /**< the launches of a row */
};

/** Sent to the recorder, followed by the problem's struct, then by a struct lab_wire_kernel for
 * each kernel. */
struct lab_wire_request {
    uint32_t question;
    int32_t row;
    uint32_t problem_bytes, kernel_count;
    int32_t sm_count, shared_optin; /**< of the device */
};

/** A kernel's name and the sizes of its parameters. */
struct lab_wire_kernel {
    char name[LAB_WIRE_NAME];
    uint32_t count;
    uint32_t sizes[64];
};

/** What the recorder answers, in a row of these, each followed by `bytes` bytes. */
enum lab_wire_kind {
    LAB_WIRE_STEP = 0x4C414230, /**< values: bytes of the problem's struct, rows, whether the last
                                   has a workspace function; name: of the family */
    LAB_WIRE_BYTES,             /**< values[0]: of scratch memory */
    LAB_WIRE_KERNEL,            /**< values: grid, block, shared bytes; name; bytes: arguments */
    LAB_WIRE_ATTRIBUTE,         /**< values: attribute, value; name: of the kernel */
    LAB_WIRE_FILL,              /**< values: address, byte, count */
    LAB_WIRE_FAULT,             /**< name: what is not allowed */
    LAB_WIRE_END,               /**< values[0]: what the launch function returned */
};

/** One answer. */
struct lab_wire_answer {
    uint32_t kind, bytes;
    int64_t values[8];
    char name[LAB_WIRE_NAME];
};

#endif
