/**
 * @file library.h
 * @brief cuBLAS as a kernel file may call it: struct lab_library of the step contract.
 */
#ifndef LAB_PROBLEM_LIBRARY_H
#define LAB_PROBLEM_LIBRARY_H

#include "families/kernel_summation.h"

#include <cublas_v2.h>

/** What stands behind a struct lab_library. */
struct lab_cublas {
    cublasHandle_t handle;
    int calls;                  /**< since it was last set to 0 */
    struct lab_library library; /**< points back here */
};

/** Starts cuBLAS on `stream`; an exit status. */
int lab_cublas_open(struct lab_cublas *cublas, cudaStream_t stream);

/** Ends it; one that was never started is allowed. */
void lab_cublas_close(struct lab_cublas *cublas);

#endif
