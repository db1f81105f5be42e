/**
 * @file runtime.h
 * @brief Which CUDA runtime is used: the real one on a usable GPU, else the simulator's.
 */
#ifndef LAB_MACHINE_RUNTIME_H
#define LAB_MACHINE_RUNTIME_H

#include "base/files.h"

#include <stdbool.h>

/** Which runtime is asked for, and the words for it on the command line. */
enum lab_runtime_choice { LAB_RUNTIME_AUTO, LAB_RUNTIME_GPU, LAB_RUNTIME_SIM };
#define LAB_RUNTIME_WORDS "auto|gpu|sim"

/** What the driver says of this machine's GPUs. */
enum lab_gpu_state {
    LAB_GPU_USABLE,
    LAB_GPU_NO_DRIVER,  /**< no libcuda.so.1 */
    LAB_GPU_NO_DEVICE,  /**< driver, but no GPU it can use */
    LAB_GPU_OLD_DRIVER, /**< driver older than the toolkit the lab was built with */
};

/** Result of looking for a GPU. */
struct lab_gpu {
    enum lab_gpu_state state;
    int driver_version; /**< as CUDA writes it, 13000 for 13.0; 0 without a driver */
};

/** Looks for a GPU through the driver's own library; loads nothing else. */
struct lab_gpu lab_runtime_probe(void);

/** One line that says why a GPU is not usable and what to do; "" when it is. */
void lab_runtime_explain(const struct lab_gpu *gpu, char *text, int size);

/** Chooses the real runtime on a usable GPU, else the simulator's. LAB_EXIT_OK, or LAB_EXIT_MISSING
 *  after saying why a GPU that was asked for cannot be used. */
int lab_runtime_choose(enum lab_runtime_choice choice, bool *is_sim);

/** Whether the simulator's libraries are built. */
bool lab_runtime_has_simulator(void);

/**
 * @brief Where build/lab finds the libraries of a runtime: a value for LD_LIBRARY_PATH, before its
 * present value.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after saying what is missing and how to get it
 */
int lab_runtime_libraries(bool is_sim, char list[LAB_PATH_BYTES]);

#endif
