/**
 * @file object.h
 * @brief What the object file of a compiled submission says: its symbols, code that would run
 * before it is called, and the fat binary. Nothing in it is executed.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_OBJECT_H
#define LAB_GRADE_RECORDED_LAUNCHES_OBJECT_H

#include "grade/recorded_launches/protocol.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/** An object file in memory. */
struct lab_object {
    unsigned char *bytes;
    size_t size;
    const unsigned char *fatbin; /**< section .nv_fatbin, inside `bytes`: one container,
                                      whole; NULL when it is anything else */
    size_t fatbin_size;
};

/** Reads an ELF object; false with one line in `why`. lab_object_close() in either case. */
bool lab_object_open(struct lab_object *object, const char *path, char *why, size_t size);

/** Frees it. */
void lab_object_close(struct lab_object *object);

/** Whether it prints, on the device or the host. It is looked for in the code, not noticed in a
 * run: what a kernel prints for a hidden test alone would tell of that test. */
bool lab_object_prints(const struct lab_object *object);

/**
 * @brief Refuses what a submission has no use for: calls of anything but kernel launches and a few
 * harmless functions, code that runs when it is loaded, functions that stand in for the system's,
 * kernels that nvcc did not write.
 * @return true when all is allowed; false with one line in `why` that names the symbol.
 */
bool lab_object_allowed(const struct lab_object *object, char *why, size_t size);

/* Making the launches that the recorder wrote down, with kernels that were registered from an
 * object file: in the trial on the simulator, in the timer on the GPU. */

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
