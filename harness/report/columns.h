/**
 * @file columns.h
 * @brief What a run says about its rows, by column: the table prints it, JSON has its figure, and a
 * page shows it. columns.def lists the columns.
 */
#ifndef LAB_REPORT_COLUMNS_H
#define LAB_REPORT_COLUMNS_H

#include "measure/result.h"

enum { LAB_CELL_BYTES = 64 };

/** A cell: a row's entry in a column. */
struct lab_cell {
    char text[LAB_CELL_BYTES]; /**< as printed; "": the table leaves it out */
    bool has_figure;
    double figure; /**< in the unit that the name in JSON says */
};

typedef void lab_cell_fn(const struct lab_result *result, const struct lab_row *row,
                         struct lab_cell *cell);

/** A column of the table, of JSON and of a page: a line of columns.def. */
struct lab_column {
    const char *title;
    const char *json; /**< member of the row; "": JSON has it in another form */
    bool left;        /**< text is aligned left, figures right */
    bool of_time;     /**< follows from a row's time, which may be modelled */
    const char *meaning;
    lab_cell_fn *fill;
};

/** All columns in their order. */
const struct lab_column *lab_columns(int *count);

/** The cell of a row in a column; empty if there is nothing to say. */
struct lab_cell lab_cell_of(const struct lab_column *column, const struct lab_result *result,
                            const struct lab_row *row);

/** The heading of a column: its title, or the run's own word for it. */
void lab_column_title(const struct lab_column *column, const struct lab_result *result,
                      char title[LAB_CELL_BYTES]);

/** A recorded speed. */
struct lab_recorded {
    const char *target, *row;
    const char *type;
    const char *sizes; /**< "4096", or "131072 x 1024 x 32" */
    const char *gpu;   /**< "H200" */
    double speed;      /**< GFLOPS, or GB/s if the problem counts no operations */
};

/** The record of a row with the same type, from the run that represents its step; NULL: none. */
const struct lab_recorded *lab_recorded_find(const struct lab_result *result,
                                             const struct lab_row *row);

/** The record of the first row that has one, for the column of recorded speeds; NULL: none. */
const struct lab_recorded *lab_columns_recorded(const struct lab_result *result);

#endif
