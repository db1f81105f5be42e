/**
 * @file values.h
 * @brief Values on the command line. A value that makes no sense is refused with one line, and the
 * program ends with LAB_EXIT_USAGE.
 */
#ifndef LAB_OPTIONS_VALUES_H
#define LAB_OPTIONS_VALUES_H

#include "step.h"

#include <stdint.h>

/** A size from 1 to LAB_SIZE_MAX, for an option with one letter. */
int lab_parse_size(char option, const char *text);

/** A finite float. */
float lab_parse_scalar(const char *name, const char *text);

/** A whole number from `first` to `last`. */
uint64_t lab_parse_count(const char *name, const char *text, uint64_t first, uint64_t last);
long long lab_parse_integer(const char *name, const char *text, long long low, long long high);

/** A number from 0 to `high`. */
double lab_parse_number(const char *name, const char *text, double high);

/** The index of a word in "auto|gpu|sim", as the option has it in --help. */
int lab_parse_word(const char *name, const char *text, const char *words);

/** "-p" or "--type": an option as it is typed. `text` has room for 32 bytes and is returned. */
const char *lab_option_typed(const char *name, char *text);

#endif
