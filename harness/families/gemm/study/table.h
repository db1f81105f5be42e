/**
 * @file table.h
 * @brief Report of the study of the matrix product: GFLOPS over size.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_TABLE_H
#define LAB_FAMILIES_GEMM_STUDY_TABLE_H

#include "report/sweep.h"

#include <stdio.h>

/** Prints the tables for each form and type: a line for each run, a column for each row. */
void lab_sweep_gemm_print(const struct lab_sweep *sweep, FILE *stream);

/** Plots GFLOPS over size for each form and type: as text, and as an SVG with gnuplot. */
void lab_sweep_gemm_plot(const struct lab_sweep *sweep, FILE *stream);

#endif
