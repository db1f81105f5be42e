/**
 * @file values.h
 * @brief Values on the command line. A value that makes no sense is refused with one line, and the
 * program ends with LAB_EXIT_USAGE.
 */
#ifndef LAB_OPTIONS_VALUES_H
#define LAB_OPTIONS_VALUES_H

#include "step.h"

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

/** How an option stores its value in a member of a struct. */
enum lab_store {
    LAB_STORE_FLAG,   /**< takes none: a bool */
    LAB_STORE_TEXT,   /**< a const char *, which belongs to argv */
    LAB_STORE_WORD,   /**< the place of a word in `arg`, as in "auto|gpu|sim": an enum or a bool */
    LAB_STORE_COUNT,  /**< a whole number from `low` to `high`: an int or a long long */
    LAB_STORE_NUMBER, /**< a number from 0 to `high`: a double */
    LAB_STORE_SCALAR, /**< a finite number: a float or a double */
};

/** An option with a long name. A table of options ends with {0}. */
struct lab_option {
    const char *name, *arg, *doc; /**< as argp has them; `doc` is NULL: hidden from --help */
    enum lab_store store;
    size_t offset, size; /**< of the member of the struct of values */
    long long low, high;
    void (*take)(const char *text, void *values); /**< stores by itself; NULL: see `store` */
    int flags;                                    /**< argp's */
};

#define LAB_MEMBER(type, member)                                                                   \
    .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
#define LAB_FLAG(type, member)   .store = LAB_STORE_FLAG, LAB_MEMBER(type, member)
#define LAB_TEXT(type, member)   .store = LAB_STORE_TEXT, LAB_MEMBER(type, member)
#define LAB_WORD(type, member)   .store = LAB_STORE_WORD, LAB_MEMBER(type, member)
#define LAB_SCALAR(type, member) .store = LAB_STORE_SCALAR, LAB_MEMBER(type, member)
#define LAB_COUNT(type, member, least, most)                                                       \
    .store = LAB_STORE_COUNT, LAB_MEMBER(type, member), .low = least, .high = most
#define LAB_NUMBER(type, member, most)                                                             \
    .store = LAB_STORE_NUMBER, LAB_MEMBER(type, member), .high = most

/** Stores the value of an option; `text` is NULL where none is given. */
void lab_option_store(const struct lab_option *option, const char *text, void *values);

/** The option with this key for argp. */
struct argp_option lab_option_of_argp(const struct lab_option *option, int key);

/** A size from 1 to LAB_SIZE_MAX, for an option with one letter. */
int lab_parse_size(char option, const char *text);

/** A whole number from `first` to `last`. */
uint64_t lab_parse_count(const char *name, const char *text, uint64_t first, uint64_t last);
long long lab_parse_integer(const char *name, const char *text, long long low, long long high);

/** The index of a word in "auto|gpu|sim", as the option has it in --help. */
int lab_parse_word(const char *name, const char *text, const char *words);

/** "-p" or "--type": an option as it is typed. `text` has room for 32 bytes and is returned. */
const char *lab_option_typed(const char *name, char *text);

#endif
