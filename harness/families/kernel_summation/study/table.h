/**
 * @file table.h
 * @brief The tables and figures of the kernel-summation paper, with the paper's own values beside.
 */
#ifndef LAB_FAMILIES_KERNEL_SUMMATION_STUDY_TABLE_H
#define LAB_FAMILIES_KERNEL_SUMMATION_STUDY_TABLE_H

#include "base/json_writer.h"
#include "report/sweep.h"

#include <stdio.h>

/** What the paper gives for a size, for a GTX 970 and cuBLAS 7.0, in per cent. */
struct lab_paper_values {
    int k, m;
    double cublas_efficiency, fused_efficiency; /**< table II: achieved over peak FLOP/s */
    double saved_energy;                        /**< table III: by Fused, against cuBLAS-Unfused */
};

/** The paper's values at a size, or NULL where it has none. */
const struct lab_paper_values *lab_paper_find(int k, int m);

/** The rows that the tables show, with commas between. Other rows of step 08 lead from one of these
 * to the next. */
void lab_sweep_rows(char *list, size_t bytes);

/** What speedups, shares and savings refer to: cublas_unfused, or cuda_unfused where a library's
 *  work is not counted, as on the simulator. */
const char *lab_sweep_baseline(const struct lab_sweep *sweep);

/** Time of the baseline divided by the time of a row; 0 where either is missing. */
double lab_sweep_speedup(const struct lab_result *run, const char *over, const char *name);

/** Writes the paper's values beside a run's. */
void lab_sweep_put_paper(struct lab_json_writer *writer, const struct lab_result *run);

/** Prints the tables. */
void lab_sweep_print(const struct lab_sweep *sweep, FILE *stream);

/**
 * @brief Plots figure 6 as text, and with gnuplot figures 6 and 9 as SVG under build/plots.
 * @param stream  where the text and the paths of the files go
 */
void lab_sweep_plot(const struct lab_sweep *sweep, FILE *stream);

#endif
