/**
 * @file plot.h
 * @brief Plots of a parameter study: text (chart.h), and SVGs by gnuplot, a child that reads its
 * script, data and all, from a pipe.
 */
#ifndef LAB_REPORT_PLOT_H
#define LAB_REPORT_PLOT_H

#include "report/sweep.h"

#include <stdio.h>

/** Sends the script that makes an SVG of what lab_plot_file() was given. */
typedef void lab_plot_fn(const struct lab_sweep *sweep, const void *what, const char *file,
                         FILE *gnuplot);

/** Whether a plot is made: gnuplot is there, or text is drawn. Else says why not on `stream`. */
bool lab_plot_can(const struct lab_sweep *sweep, FILE *stream);

/** With gnuplot plots to build/plots/TARGET-RUNTIME-NAME.svg, and says on `stream` where that is.
 */
void lab_plot_file(const struct lab_sweep *sweep, lab_plot_fn *send, const void *what,
                   const char *name, FILE *stream);

#endif
