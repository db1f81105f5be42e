/**
 * @file cublas_library.h
 * @brief What stands behind struct lab_library, which problems hand to kernel files.
 */
#ifndef LAB_FAMILIES_CUBLAS_LIBRARY_H
#define LAB_FAMILIES_CUBLAS_LIBRARY_H

#include "library.h"

struct cublasContext;

/** cuBLAS and how often it was asked. */
struct lab_cublas {
    struct cublasContext *handle;
    int calls;                  /**< since it was last set to 0 */
    struct lab_library library; /**< points back here */
};

/** What is told of each call, with its name in struct lab_library; NULL: nothing. */
extern void (*lab_cublas_watch)(const char *name, cudaStream_t stream);

/** Sets the calls; the handle is given before the first of them. */
void lab_cublas_begin(struct lab_cublas *cublas);

#endif
