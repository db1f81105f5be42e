/**
 * @file gpu.h
 * @brief Which GPU submissions are timed on, and the lock that lets one be timed at a time.
 */
#ifndef LAB_GRADE_TIMER_GPU_H
#define LAB_GRADE_TIMER_GPU_H

#include "base/paths.h"

#include <stdbool.h>

/** The GPU that programs of this environment use first. */
struct lab_gpu_identity {
    char name[128];              /**< "NVIDIA H200"; "" when unknown */
    char bus[32];                /**< its PCI address, which no other GPU here has */
    char driver[LAB_PATH_BYTES]; /**< folder of libcuda.so.1 */
};

/** Asks the driver; false when there is no GPU. */
bool lab_gpu_identify(struct lab_gpu_identity *identity);

/**
 * @brief Waits until nobody else on this machine holds the GPU, in this or in another run.
 * @return what lab_gpu_unlock() takes; -1 when there can be no lock
 */
int lab_gpu_lock(const char *bus);

/** Lets the next one. The end of the process does, too. */
void lab_gpu_unlock(int lock);

#endif
