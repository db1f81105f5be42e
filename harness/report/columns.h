/**
 * @file columns.h
 * @brief What a run says of each of its rows in a column: the table prints it, JSON has its figure,
 * a page shows it. columns.def lists them.
 */
#ifndef LAB_REPORT_COLUMNS_H
#define LAB_REPORT_COLUMNS_H

#include "measure/result.h"
#include "report/recorded.h"

enum { LAB_CELL_BYTES = 64 };

/** What stands in a row of a column. */
struct lab_cell {
    char text[LAB_CELL_BYTES]; /**< as printed; "": the table leaves it out */
    bool has_figure;
    double figure; /**< in the unit that JSON's name says */
};

typedef void lab_cell_fn(const struct lab_result *result, const struct lab_row *row,
                         struct lab_cell *cell);

/** A column of the table, of JSON and of a page: a line of columns.def. */
struct lab_column {
    const char *title;
    const char *json; /**< a member of the row; "": JSON has it in another form */
    bool left;        /**< text is aligned left, figures right */
    bool of_time;     /**< follows from a row's time, which may be modelled */
    const char *meaning;
    lab_cell_fn *fill;
};

/** All columns in their order. */
const struct lab_column *lab_columns(int *count);

/** The cell of a row in a column; empty where there is nothing to say. */
struct lab_cell lab_cell_of(const struct lab_column *column, const struct lab_result *result,
                            const struct lab_row *row);

/** What stands over the column: its title, or the run's word for what it is. */
void lab_column_title(const struct lab_column *column, const struct lab_result *result,
                      char title[LAB_CELL_BYTES]);

/** The record that the first row with one stands beside; NULL for none. */
const struct lab_recorded *lab_columns_recorded(const struct lab_result *result);

#endif
