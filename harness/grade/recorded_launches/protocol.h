/**
 * @file protocol.h
 * @brief The messages between a trial and the recorder: bytes on pipes, on one machine.
 *
 * The recorder is the only process that runs a submission's host code. It can only say which
 * launches it wants; the trial makes them.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_PROTOCOL_H
#define LAB_GRADE_RECORDED_LAUNCHES_PROTOCOL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LAB_RECORD_MOST_LAUNCHES = 4096,
    LAB_RECORD_NAME = 1024,
    LAB_RECORD_PARAMETERS = 64,
    LAB_RECORD_ATTRIBUTES = 192, /**< more than the runtime has */
    LAB_RECORD_MOST_ARGUMENTS = 16384,
    LAB_RECORD_MOST_BYTES = 8 << 20, /**< for the answers of one call: all launches fit, with 900
                                        bytes of arguments each */
    LAB_RECORD_CALLS = 3,            /**< of the launch function, one after another */
    LAB_RECORD_STREAM = 0x57,        /**< the stream that the launch function is given */
};

#define LAB_RECORD_NO_ATTRIBUTE INT32_MIN

/** What the recorder is asked for. */
enum lab_record_question {
    LAB_RECORD_DESCRIBE,  /**< family and rows */
    LAB_RECORD_WORKSPACE, /**< bytes of scratch memory for a row */
    LAB_RECORD_LAUNCH,    /**< the launches of a row */
};

/** Sent to the recorder, followed by the problem's struct, then by a struct lab_record_kernel for
 * each kernel. */
struct lab_record_request {
    uint32_t question;
    int32_t row;
    uint32_t problem_bytes, kernel_count;
    int32_t attributes[LAB_RECORD_ATTRIBUTES]; /**< of the device */
    struct cudaDeviceProp properties;
};

/** A kernel's name and the sizes of its parameters. */
struct lab_record_kernel {
    char name[LAB_RECORD_NAME];
    bool has_facts; /**< not where a timer has the kernel: */
    struct cudaFuncAttributes facts;
    uint32_t count;
    uint32_t sizes[LAB_RECORD_PARAMETERS];
};

/** The kinds of the recorder's answers. Each answer is followed by `bytes` bytes. */
enum lab_record_kind {
    LAB_RECORD_STEP = 0x4C414230, /**< values: bytes of the problem's struct, rows, whether the last
                                   has a workspace function; name: of the family */
    LAB_RECORD_BYTES,             /**< values[0]: of scratch memory */
    LAB_RECORD_KERNEL,            /**< values: grid, block, shared bytes; name; bytes: arguments */
    LAB_RECORD_ATTRIBUTE,         /**< values: attribute, value; name: of the kernel */
    LAB_RECORD_FILL,              /**< values: address, byte, count */
    LAB_RECORD_FAULT,             /**< name: what is not allowed */
    LAB_RECORD_UNKNOWN, /**< name: what grading does not support, though it may be right */
    LAB_RECORD_END,     /**< values[0]: what the launch function returned */
};

/** One answer. */
struct lab_record_answer {
    uint32_t kind, bytes;
    int64_t values[8];
    char name[LAB_RECORD_NAME];
};

#endif
