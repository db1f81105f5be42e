/**
 * @file table.h
 * @brief Report of the shortest-path study: table 1 of the generalized GEMM paper.
 */
#ifndef LAB_FAMILIES_APSP_STUDY_TABLE_H
#define LAB_FAMILIES_APSP_STUDY_TABLE_H

#include "report/sweep.h"

#include <stdio.h>

enum { APSP_RATIOS = 3 };

/** Arcs for each vertex in the paper's graphs, as one types them. */
extern const char *const lab_apsp_ratio_names[APSP_RATIOS];

/** The paper's milliseconds on a GTX 285, indexed as lab_apsp_ratio_names. */
struct lab_apsp_paper {
    int n;
    double floyd_warshall[APSP_RATIOS], min_plus[APSP_RATIOS];
};

/** The paper's values for n vertices, or NULL where it has none. */
const struct lab_apsp_paper *lab_apsp_paper_find(int n);

/** Index of a run's ratio in lab_apsp_ratio_names; -1: another ratio. */
int lab_apsp_ratio_of(double degree);

/** Prints the tables. For each size there are runs of APSP_RATIOS ratios, in this order. */
void lab_sweep_apsp_print(const struct lab_sweep *sweep, FILE *stream);

/** Plots times over sizes as text, and as an SVG if gnuplot is installed. */
void lab_sweep_apsp_plot(const struct lab_sweep *sweep, FILE *stream);

#endif
