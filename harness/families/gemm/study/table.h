/**
 * @file table.h
 * @brief Report of the study of the matrix product: GFLOPS over size.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_TABLE_H
#define LAB_FAMILIES_GEMM_STUDY_TABLE_H

#include "report/sweep.h"

#include <stdio.h>

/** Prints the tables, of each form and type in turn: a line for each run, a column for each row. */
void lab_sweep_gemm_print(const struct lab_sweep *sweep, FILE *stream);

/** Plots GFLOPS over size to a file for each form and type, and as text where there is one, where
 *  gnuplot is there. */
void lab_sweep_gemm_plot(const struct lab_sweep *sweep, FILE *stream);

#endif
