/**
 * @file option_text.h
 * @brief Parses options in a line of text as if they were typed: the tests and goals of exercises,
 * and a family's problems.
 */
#ifndef LAB_OPTIONS_OPTION_TEXT_H
#define LAB_OPTIONS_OPTION_TEXT_H

#include "options/options.h"

enum { LAB_OPTION_TEXT_BYTES = 256 };

/** Memory for a parsed line. The options point into it, so it must outlive them. */
struct lab_option_text {
    char words[LAB_OPTION_TEXT_BYTES];
};

/** Parses the options in `text` for `run TARGET`; an exit status, after complaining. */
int lab_options_parse_text(const char *target, const char *text, struct lab_option_text *line,
                           struct lab_options *options);

#endif
