/**
 * @file chart.h
 * @brief A plot in characters, as a terminal shows it: a letter for each series, 21 lines high.
 */
#ifndef LAB_REPORT_CHART_H
#define LAB_REPORT_CHART_H

#include "report/sweep.h"

#include <stdio.h>

enum { LAB_CHART_LINES = 21, LAB_CHART_SERIES = 26, LAB_CHART_LABEL_BYTES = 24 };

/** A point of the axis, and what each series is there. */
struct lab_chart_point {
    char label[LAB_CHART_LABEL_BYTES];
    double x, values[LAB_CHART_SERIES]; /**< NaN: there is none; 0 is not drawn */
};

/** Values of some series at points of an axis. */
struct lab_chart {
    char title[160];
    bool x_is_log, y_is_log; /**< a linear y begins at 0 */
    int series_count, point_count;
    const char *series[LAB_CHART_SERIES];
    struct lab_chart_point points[LAB_MAX_RUNS];
};

/** Draws it behind an empty line, as wide as the terminal and at most 100; elsewhere 80. Nothing
 *  without a value. */
void lab_chart_draw(const struct lab_chart *chart, FILE *stream);

/** Sends it to gnuplot as data of that name: a line a point, its label and a column for each
 * series; ? for what is missing. `format` is of a value. */
void lab_chart_send(const struct lab_chart *chart, const char *name, const char *format,
                    FILE *gnuplot);

#endif
