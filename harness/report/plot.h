/**
 * @file plot.h
 * @brief Plots of a parameter study: as text (chart.h), and as SVGs by gnuplot, a child that reads
 * its script with the data from a pipe.
 */
#ifndef LAB_REPORT_PLOT_H
#define LAB_REPORT_PLOT_H

#include "report/sweep.h"

#include <stdio.h>

/** Sends a script for an SVG of `what`, which is what lab_plot_file() was given. */
typedef void lab_plot_fn(const struct lab_sweep *sweep, const void *what, const char *file,
                         FILE *gnuplot);

/** Whether plots can be made: gnuplot is there, or text is drawn. If not, says why on `stream`. */
bool lab_plot_can(const struct lab_sweep *sweep, FILE *stream);

/** Plots with gnuplot to build/plots/TARGET-RUNTIME-NAME.svg, and says so on `stream`.
 */
void lab_plot_file(const struct lab_sweep *sweep, lab_plot_fn *send, const void *what,
                   const char *name, FILE *stream);

#endif
