/**
 * @file tools.h
 * @brief The command line's options of what is measured beside the time: counters, lines, energy,
 * copies, and tools that a row runs under.
 */
#ifndef LAB_OPTIONS_TOOLS_H
#define LAB_OPTIONS_TOOLS_H

#include "options.h"

#include <argp.h>

/** This part of the command line; its input is struct lab_options. */
extern const struct argp lab_tools_parser;

/** Which of these options go together, and with which runtime; an exit status. */
int lab_tool_options_check(const struct lab_options *options);

#endif
