/**
 * @file parsers.h
 * @brief The parts of the command line: options.def by heading, the options of families, and what
 * goes with what.
 */
#ifndef LAB_OPTIONS_PARSERS_H
#define LAB_OPTIONS_PARSERS_H

#include "options/family.h"

/** The key for argp of the first option of a table; the others follow. */
enum { LAB_OPTION_KEY = 256 };

/** Headings in --help of the options in options.def. */
enum lab_option_group {
    LAB_GROUP_COMMAND,
    LAB_GROUP_RUN,
    LAB_GROUP_REPORT,
    LAB_GROUP_PROBLEM, /**< the letters of sizes, too */
    LAB_GROUPS
};

/** The parser of the options under a heading. Its input is struct lab_options. */
const struct argp *lab_option_group(enum lab_option_group group);

/** Which options of options.def have set their member of `options`: a bit for each, in order. */
uint64_t lab_options_given(const struct lab_options *options);

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

/** Checks what goes with what; an exit status. */
int lab_options_check(const struct lab_options *options);

/** Writes the targets that fit, neighbours as a range: "step01 to step07, step11"; their number. */
typedef const struct lab_registry_entry *lab_targets_fn(int *count);
typedef bool lab_target_fits_fn(const struct lab_registry_entry *entry, const void *subject);
int lab_targets_write(lab_targets_fn *of, lab_target_fits_fn *fits, const void *subject, char *text,
                      size_t size);

#endif
