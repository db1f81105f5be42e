/**
 * @file layouts.h
 * @brief What the study takes beside the paper's problem: products alone, and its own kernels.
 */
#ifndef LAB_FAMILIES_KERNEL_SUMMATION_STUDY_LAYOUTS_H
#define LAB_FAMILIES_KERNEL_SUMMATION_STUDY_LAYOUTS_H

#include "report/sweep.h"

#include <stdio.h>

/** The part of the study that a run belongs to. */
enum kernel_summation_part {
    KERNEL_SUMMATION_PAPER,    /**< rows of the step, the paper's three forms among them */
    KERNEL_SUMMATION_PRODUCTS, /**< the product alone, of step 07 and of cuBLAS */
    KERNEL_SUMMATION_LAYOUTS,  /**< kernels of the step's own study */
};

/** Tells the runs of a sweep apart. */
enum kernel_summation_part kernel_summation_part_of(const struct lab_result *run);

/** The runs of one part, in their order; the sweep still owns them. */
struct lab_sweep kernel_summation_runs_of(const struct lab_sweep *sweep,
                                          enum kernel_summation_part part);

/** Prints the paper's figure 7: the product alone, ours and the library's. */
void kernel_summation_print_products(const struct lab_sweep *products, FILE *stream);

/** Prints what the layouts and shapes of the study cost, a line for each of its kernels. */
void kernel_summation_print_layouts(const struct lab_sweep *layouts, FILE *stream);

#endif
