/**
 * @file obey.h
 * @brief Making the launches that the recorder wrote down, with kernels that were registered from
 * an object file. In the trial it is on the simulator, in the timer on the GPU.
 */
#ifndef LAB_COMMAND_OBEY_H
#define LAB_COMMAND_OBEY_H

#include "grade/object.h"
#include "grade/wire.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

/** The kernels of an object file; their addresses stand for the host functions. */
struct lab_kernels {
    struct lab_wire_kernel *list;
    int count;
};

/** Reads the kernels of an object; false when there are too many or one has too many parameters. */
bool lab_kernels_read(const struct lab_object *object, struct lab_kernels *kernels);

/** Registers them with the CUDA runtime, once per process; `object` must stay as it is. */
void lab_kernels_register(const struct lab_object *object, const struct lab_kernels *kernels);

/** Makes one launch, or what else the answer says, on `stream`; `bytes` are the arguments. */
cudaError_t lab_obey(const struct lab_kernels *kernels, const struct lab_wire_answer *answer,
                     char *bytes, cudaStream_t stream);

#endif
