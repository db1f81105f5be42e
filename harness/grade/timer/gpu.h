/**
 * @file gpu.h
 * @brief The GPU that submissions are timed on, and the lock that allows one timing at a time.
 */
#ifndef LAB_GRADE_TIMER_GPU_H
#define LAB_GRADE_TIMER_GPU_H

#include "base/files.h"

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
 * @brief Waits until no process on this machine holds the GPU's lock, in this or another run, and
 * takes it.
 * @return what lab_gpu_unlock() takes; -1 when there can be no lock
 */
int lab_gpu_lock(const char *bus);

/** Releases the lock. The end of the process does, too. */
void lab_gpu_unlock(int lock);

#endif
