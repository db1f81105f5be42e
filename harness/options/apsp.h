/**
 * @file apsp.h
 * @brief The command line's options of shortest paths: graphs, types, paths, output.
 */
#ifndef LAB_OPTIONS_APSP_H
#define LAB_OPTIONS_APSP_H

#include "options.h"

#include <argp.h>

/** The part of the command line that is about shortest paths; its input is struct lab_options. */
extern const struct argp lab_apsp_parser;

/** Which of these options go together; an exit status. */
int lab_apsp_options_check(const struct lab_options *options);

#endif
