/**
 * @file cublas_library.h
 * @brief The implementation of struct lab_library, which problems hand to kernel files.
 */
#ifndef LAB_FAMILIES_CUBLAS_LIBRARY_H
#define LAB_FAMILIES_CUBLAS_LIBRARY_H

#include "library.h"

struct cublasContext;

/** cuBLAS, and how often it was called. */
struct lab_cublas {
    struct cublasContext *handle;
    int calls;                  /**< since it was last set to 0 */
    struct lab_library library; /**< its `state` points back to this struct */
};

/** Is told of each call, with its name in struct lab_library; NULL: nobody is told. */
extern void (*lab_cublas_watch)(const char *name, cudaStream_t stream);

/** Fills in the calls; the handle must be set before the first call. */
void lab_cublas_begin(struct lab_cublas *cublas);

#endif
