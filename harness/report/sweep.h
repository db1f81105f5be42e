/**
 * @file sweep.h
 * @brief Reports of a parameter study: the tables and figures of the kernel-summation paper, with
 * the paper's own values beside.
 */
#ifndef LAB_REPORT_SWEEP_H
#define LAB_REPORT_SWEEP_H

#include "measure/result.h"

#include <stdio.h>

enum { LAB_MAX_RUNS = 32 };

/** Runs of one target at several sizes, on one device. */
struct lab_sweep {
    const char *target;
    bool is_sim;
    const struct lab_device *device;
    struct lab_result *runs[LAB_MAX_RUNS]; /**< in the order of the paper: by K, then M */
    int count;
};

/** What the paper gives of a size, for a GTX 970 and cuBLAS 7.0, in per cent. */
struct lab_paper_values {
    int k, m;
    double cublas_efficiency, fused_efficiency; /**< table II: achieved over peak FLOP/s */
    double saved_energy;                        /**< table III: of Fused against cuBLAS-Unfused */
};

/** The paper's values at a size, or NULL where it has none. */
const struct lab_paper_values *lab_paper_find(int k, int m);

/** Row of a run by name, whose check was ok; else NULL. */
const struct lab_row *lab_sweep_row(const struct lab_result *run, const char *name);

/** What speedups, shares and savings refer to: cublas_unfused, or cuda_unfused where a library's
 *  work is not counted, as on the simulator. */
const char *lab_sweep_baseline(const struct lab_sweep *sweep);

/** Time of the baseline over that of a row; 0 where either is missing. */
double lab_sweep_speedup(const struct lab_result *run, const char *over, const char *name);

/** K and M of a run. */
int lab_sweep_size(const struct lab_result *run, const char *name);

/** Prints the tables. */
void lab_sweep_print(const struct lab_sweep *sweep, FILE *stream);

/**
 * @brief Plots figures 6 and 9 with gnuplot: as SVG under build/plots, figure 6 also as text.
 * @param stream  where the text and the paths of the files go
 */
void lab_sweep_plot(const struct lab_sweep *sweep, FILE *stream);

#endif
