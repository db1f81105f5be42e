/**
 * @file sweep.h
 * @brief Runs of one target at several sizes, as a parameter study takes them.
 */
#ifndef LAB_REPORT_SWEEP_H
#define LAB_REPORT_SWEEP_H

#include "measure/result.h"

#include <stdio.h>

enum { LAB_MAX_RUNS = 256 };

/** Runs of one target at several sizes, on one device. */
struct lab_sweep {
    const char *target;
    bool is_sim;
    bool draws; /**< plots as text, too: on a terminal, or if asked for */
    const struct lab_device *device;
    struct lab_result *runs[LAB_MAX_RUNS]; /**< in the order of the study */
    int count;
};

/** Frees the runs. */
void lab_sweep_release(struct lab_sweep *sweep);

/** The row of a run with this name, if its check was ok; else NULL. */
const struct lab_row *lab_sweep_row(const struct lab_result *run, const char *name);

/** "sweep step01 on the simulator (sm_90, 8 of 132 SMs)": the first words of a report. */
void lab_sweep_put_head(const struct lab_sweep *sweep, FILE *stream);

/** Prints a cell after two blanks, at least `width` wide; empty if the value is NaN. */
void lab_sweep_put_cell(FILE *stream, int width, const char *format, double value);

/** The size of a run with this name; 0: it has none. */
int lab_sweep_size(const struct lab_result *run, const char *name);

#endif
