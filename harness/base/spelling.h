/**
 * @file spelling.h
 * @brief What a user may have meant by a word that is no option, target or key.
 */
#ifndef LAB_BASE_SPELLING_H
#define LAB_BASE_SPELLING_H

#include <stdbool.h>

struct argp_option;

enum { LAB_SPELLING_BYTES = 96 };

/** A word, and the name that looks most like it among those that were tried. */
struct lab_spelling {
    char word[LAB_SPELLING_BYTES];
    const char *nearest; /**< NULL: none was tried */
    int distance;        /**< of the two: letters to change, to add or to leave out */
};

/** The first `length` characters of a text as a word; of all of it, strlen(). */
struct lab_spelling lab_spelling_of(const char *text, int length);

/** Tries a name, which has to live as long as the spelling. */
void lab_spelling_try(struct lab_spelling *spelling, const char *name);

/** Whether the nearest name is near enough for a slip of the keys: half of the word is right. */
bool lab_spelling_is_near(const struct lab_spelling *spelling);

/** "; did you mean 'NAME'?", where one is near enough, else "". Valid until the next call. */
const char *lab_spelling_suggest(const struct lab_spelling *spelling);

/** Complains of the first word that begins with two dashes and is the beginning of no option's name
 *  in these tables, which end with NULL; `rest` says where or which all are. An exit status. */
int lab_spelling_check(int argc, char **argv, const struct argp_option *const tables[],
                       const char *rest);

#endif
