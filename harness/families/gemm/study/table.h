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

/** Plots GFLOPS over size for each form and type, as text and where gnuplot is there as an SVG. */
void lab_sweep_gemm_plot(const struct lab_sweep *sweep, FILE *stream);

#endif
