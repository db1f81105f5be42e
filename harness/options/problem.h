/**
 * @file problem.h
 * @brief The command line's options of the problem: sizes, factors and inputs of each family but
 * shortest paths.
 */
#ifndef LAB_OPTIONS_PROBLEM_H
#define LAB_OPTIONS_PROBLEM_H

#include "options.h"

#include <argp.h>

/** This part of the command line; its input is struct lab_options. */
extern const struct argp lab_problem_parser;

/** A single size means a cube; this is what people type first. Where sizes are not alike, each has
 *  a default of its own. */
void lab_problem_options_complete(struct lab_options *options);

/** Whether the targets have the sizes and options that were given; an exit status. */
int lab_problem_options_check(const struct lab_options *options);

#endif
