/**
 * @file launch.h
 * @brief Making the launches that the recorder wrote down, with kernels that were registered from
 * an object file: in the trial on the simulator, in the timer on the GPU.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_LAUNCH_H
#define LAB_GRADE_RECORDED_LAUNCHES_LAUNCH_H

#include "grade/recorded_launches/object.h"
#include "grade/recorded_launches/protocol.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

/** The kernels of an object file; their addresses stand for the host functions. */
struct lab_kernels {
    struct lab_record_kernel *list;
    int count;
};

/**
 * @brief Reads the kernels of an object with the simulator's own reader of PTX.
 * @param why  receives one line: there are too many, one has too many parameters, or
 *             `unsupported` is set and the simulator cannot read them
 */
bool lab_kernels_read(const struct lab_object *object, struct lab_kernels *kernels,
                      bool *unsupported, char *why, size_t size);

/** Registers them with the CUDA runtime, once per process; `object` must stay as it is. */
void lab_kernels_register(const struct lab_object *object, const struct lab_kernels *kernels);

/** Makes what an answer says, mostly one launch, on `stream`; `bytes` are the arguments. */
cudaError_t lab_launch_recorded(const struct lab_kernels *kernels,
                                const struct lab_record_answer *answer, char *bytes,
                                cudaStream_t stream);

#endif
