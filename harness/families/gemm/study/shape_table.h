/**
 * @file shape_table.h
 * @brief Report of the shape study: the paper's figures and its table, what was predicted, plots.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_SHAPE_TABLE_H
#define LAB_FAMILIES_GEMM_STUDY_SHAPE_TABLE_H

#include "base/json_writer.h"
#include "report/sweep.h"

#include <stdio.h>

/** Prints the tables, of each run. */
void lab_sweep_shapes_print(const struct lab_sweep *sweep, FILE *stream);

/** Plots the figures of the last run, the time over values also as text. */
void lab_sweep_shapes_plot(const struct lab_sweep *sweep, FILE *stream);

/** Writes what was predicted and what was counted for each shape, and the paper's table. */
void lab_sweep_put_shapes(struct lab_json_writer *writer, const struct lab_result *run);

#endif
