/**
 * @file shape_figures.h
 * @brief The figures of the shape study as grids of numbers, for its tables and its plots.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_SHAPE_FIGURES_H
#define LAB_FAMILIES_GEMM_STUDY_SHAPE_FIGURES_H

#include "families/gemm/study/shape_paper.h"
#include "families/gemm/study/shapes.h"
#include "measure/result.h"

enum { GEMM_FIGURES = 10, GEMM_MOST_POINTS = 8, GEMM_MOST_SERIES = 5, GEMM_LABEL_BYTES = 24 };

/** What a row can tell. */
struct gemm_measure {
    const char *title;   /**< of a figure of the paper: "stall_memory_dependency, %" */
    const char *name;    /**< in the paper's table I */
    const char *json;    /**< in JSON */
    const char *format;  /**< of a cell */
    const char *counter; /**< Nsight Compute's; NULL: not a counter */
};

extern const struct gemm_measure gemm_measures[GEMM_MEASURES];

/** A measure of a row; NaN: not measured. */
double gemm_measure(enum gemm_measured which, const struct lab_row *row);

/** Points along an axis, and a value of each series at each; NaN: there is none. */
struct gemm_grid {
    char title[128];
    const char *axis; /**< what the points are: "block", "values" */
    bool logarithmic; /**< values range over powers of ten */
    int point_count, series_count;
    char points[GEMM_MOST_POINTS][GEMM_LABEL_BYTES];
    char series[GEMM_MOST_SERIES][GEMM_LABEL_BYTES];
    const char *formats[GEMM_MOST_SERIES];
    double values[GEMM_MOST_POINTS][GEMM_MOST_SERIES];
};

/** The paper's figure of that number, 1 to GEMM_FIGURES, from a run. */
void gemm_grid_make(int figure, const struct lab_result *run, struct gemm_grid *grid);

/** Whether the grid has any value. */
bool gemm_grid_has_values(const struct gemm_grid *grid);

#endif
