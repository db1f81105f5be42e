/**
 * @file plot.h
 * @brief Plots of a parameter study, by gnuplot: a child that reads its script, data and all, from
 * a pipe. Without gnuplot there are tables only.
 */
#ifndef LAB_REPORT_PLOT_H
#define LAB_REPORT_PLOT_H

#include "report/sweep.h"

#include <stdio.h>

/** Sends a script. With a file it makes an SVG there; NULL: text on standard output. */
typedef void lab_plot_fn(const struct lab_sweep *sweep, const char *file, FILE *gnuplot);

/** Whether gnuplot is there; where it is not, says so on `stream`. */
bool lab_plot_can(FILE *stream);

/** Plots as text, behind what standard output holds by now. */
void lab_plot_text(const struct lab_sweep *sweep, lab_plot_fn *send);

/** Plots to build/plots/TARGET-RUNTIME-NAME.svg, and says on `stream` where that is. */
void lab_plot_file(const struct lab_sweep *sweep, lab_plot_fn *send, const char *name,
                   FILE *stream);

#endif
