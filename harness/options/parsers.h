/**
 * @file parsers.h
 * @brief The parts of the command line, by owner. The input of each parser is struct lab_options.
 */
#ifndef LAB_OPTIONS_PARSERS_H
#define LAB_OPTIONS_PARSERS_H

#include "options/family.h"

/** Parses sizes and the seed. */
const struct argp *lab_problem_parser(void);

/** Parses how the rows are run. */
extern const struct argp lab_run_parser;

/** Parses what is taken of the rows, and shown. */
extern const struct argp lab_report_parser;

/** A parser of a family's own options. */
struct lab_family_parser {
    struct argp parser;
    struct argp_option *table; /**< sizes as lines of --help, then own options; owned */
};

/** Makes the parser of a family. Its input is struct lab_family_input. False: no memory. */
bool lab_family_parser_make(struct lab_family_parser *parser,
                            const struct lab_family_options *family);

/** Calls `visit` with every option of every target, also hidden ones. */
typedef void lab_option_fn(const struct argp_option *option, void *subject);
void lab_options_each(lab_option_fn *visit, void *subject);

/** The input of a family's parser. */
struct lab_family_input {
    struct lab_options *options;
    const struct lab_family_options *family;
};

/** Checks which options of the report go together; an exit status. */
int lab_report_options_check(const struct lab_options *options);

#endif
