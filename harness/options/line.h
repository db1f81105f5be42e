/**
 * @file line.h
 * @brief Options as one types them, in a line of text: tests and goals of exercises, a family's
 * problems.
 */
#ifndef LAB_OPTIONS_LINE_H
#define LAB_OPTIONS_LINE_H

#include "options/options.h"

enum { LAB_OPTIONS_LINE_BYTES = 256 };

/** Memory for a line that was parsed: the options point into it, so it has to outlive them. */
struct lab_options_line {
    char words[LAB_OPTIONS_LINE_BYTES];
};

/** The options that `text` gives to `run TARGET`; an exit status, after complaining. */
int lab_options_parse_line(const char *target, const char *text, struct lab_options_line *line,
                           struct lab_options *options);

#endif
