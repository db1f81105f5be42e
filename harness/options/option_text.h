/**
 * @file option_text.h
 * @brief Options as one types them, in a line of text: tests and goals of exercises, a family's
 * problems.
 */
#ifndef LAB_OPTIONS_OPTION_TEXT_H
#define LAB_OPTIONS_OPTION_TEXT_H

#include "options/options.h"

enum { LAB_OPTION_TEXT_BYTES = 256 };

/** Memory for a line that was parsed: the options point into it, so it has to outlive them. */
struct lab_option_text {
    char words[LAB_OPTION_TEXT_BYTES];
};

/** The options that `text` gives to `run TARGET`; an exit status, after complaining. */
int lab_options_parse_text(const char *target, const char *text, struct lab_option_text *line,
                           struct lab_options *options);

#endif
