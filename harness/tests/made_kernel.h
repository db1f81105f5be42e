/**
 * @file made_kernel.h
 * @brief Problems of any family with a launch function that a test wrote in C.
 *
 * Such a "kernel" puts its output together on the host and copies it to the device, so that it is
 * as wrong as a test wants, and touches what the simulator would not let a kernel touch.
 */
#ifndef LAB_MADE_KERNEL_H
#define LAB_MADE_KERNEL_H

#include "families/problem.h"

/** An open problem and the one variant that runs on it. */
struct made_kernel {
    const struct lab_family *family;
    char words[256];            /**< of the options, which keep pointers to them */
    struct lab_options options; /**< of the problem, likewise */
    struct lab_problem *problem;
    cudaStream_t stream;
    struct lab_step step;
    struct lab_variant variant;
};

/** Opens a problem with its reference; fails the test where that fails. To be closed.
 *  `format`: the options as one would type them. */
void made_kernel_open(struct made_kernel *made, const char *family, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The same, with the exit status that opening ended in. */
int made_kernel_try(struct made_kernel *made, const char *family, const char *words);
void made_kernel_close(struct made_kernel *made);

/** Makes `launch` the variant, with `workspace` bytes of scratch memory where that is not NULL. */
void made_kernel_variant(struct made_kernel *made, lab_launch *launch, lab_workspace *workspace);

/** Launches the variant on a fresh output and checks all, as a run does. */
struct lab_check made_kernel_check(struct made_kernel *made);

/** The same with another launch function first. */
struct lab_check made_kernel_check_with(struct made_kernel *made, lab_launch *launch);

/** `count` values of device memory on the host, to be freed. */
float *made_kernel_floats(const void *device, size_t count);
double *made_kernel_doubles(const void *device, size_t count);

#endif
