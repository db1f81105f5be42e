/**
 * @file chart.h
 * @brief A plot in characters for a terminal: a letter for each series, 21 lines high.
 */
#ifndef LAB_REPORT_CHART_H
#define LAB_REPORT_CHART_H

#include "report/sweep.h"

#include <stdio.h>

enum { LAB_CHART_LINES = 21, LAB_CHART_SERIES = 26, LAB_CHART_LABEL_BYTES = 24 };

/** A point of the axis, with the value of each series there. */
struct lab_chart_point {
    char label[LAB_CHART_LABEL_BYTES];
    double x, values[LAB_CHART_SERIES]; /**< NaN: no value; 0 is not drawn */
};

/** Values of some series at points of an axis. */
struct lab_chart {
    char title[160];
    bool x_is_log, y_is_log; /**< a linear y begins at 0 */
    int series_count, point_count;
    const char *series[LAB_CHART_SERIES];
    struct lab_chart_point points[LAB_MAX_RUNS];
};

/** Draws a chart after an empty line. It is as wide as the terminal, at most 100 columns; elsewhere
 *  80. Draws nothing if there is no value. */
void lab_chart_draw(const struct lab_chart *chart, FILE *stream);

/** Sends a chart to gnuplot as data with this name. Each point is a line: its label and a column
 * for each series, where ? is a missing value. `format` prints a value. */
void lab_chart_send(const struct lab_chart *chart, const char *name, const char *format,
                    FILE *gnuplot);

#endif
