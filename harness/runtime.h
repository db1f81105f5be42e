/**
 * @file runtime.h
 * @brief Which CUDA runtime answers: the real one on a usable GPU, else the simulator's.
 */
#ifndef LAB_RUNTIME_H
#define LAB_RUNTIME_H

#include "options.h"

#include <stdbool.h>

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

/** A loaded runtime. */
struct lab_runtime {
    bool is_sim;
    void *cudart; /**< handle of libcudart.so.13 */
    void *lab;    /**< handle of lab.so, which needs it */
};

/**
 * @brief Chooses and loads a runtime, then lab.so above it.
 *
 * Libraries are loaded by path into the global scope; whatever is loaded later and needs
 * libcudart.so.13 or libcublas.so.13 gets these, since the dynamic linker goes by the soname.
 * @param profile_from  where the simulator's GPU was named, "--arch" or "LAB_SIM_GPU", for a
 * message
 * @return LAB_EXIT_OK, LAB_EXIT_MISSING after saying what is missing and how to get it, or
 *         LAB_EXIT_USAGE when the simulator does not know the GPU that it shall stand for
 */
int lab_runtime_load(enum lab_runtime_choice choice, const char *profile_from,
                     struct lab_runtime *runtime);

#endif
