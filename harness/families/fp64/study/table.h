/**
 * @file table.h
 * @brief Every version of a course report's kernels beside the report's own figures.
 */
#ifndef LAB_FAMILIES_FP64_STUDY_TABLE_H
#define LAB_FAMILIES_FP64_STUDY_TABLE_H

#include "base/json_writer.h"
#include "report/sweep.h"

#include <stdio.h>

/** Prints a table of each run. */
void lab_sweep_print_coursework(const struct lab_sweep *sweep, FILE *stream);

/** Writes the report's figures, where a run has rows of its versions. */
void lab_sweep_put_coursework(struct lab_json_writer *writer, const struct lab_result *run);

#endif
