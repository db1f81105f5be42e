/**
 * @file spelling.h
 * @brief What a user may have meant by a word that is no option, target or key.
 */
#ifndef LAB_BASE_SPELLING_H
#define LAB_BASE_SPELLING_H

#include <stdbool.h>

struct argp_option;

enum { LAB_SPELLING_BYTES = 96 };

/** A word, and the name most like it among the names that were tried. */
struct lab_spelling {
    char word[LAB_SPELLING_BYTES];
    const char *nearest; /**< NULL: none was tried */
    int distance;        /**< letters to change, add or leave out to get from one to the other */
};

/** The first `length` characters of a text as a word; strlen() takes all of the text. */
struct lab_spelling lab_spelling_of(const char *text, int length);

/** Tries a name, which has to live as long as the spelling. */
void lab_spelling_try(struct lab_spelling *spelling, const char *name);

/** Whether the nearest name is near enough for a typing error: a third of the word may be wrong. */
bool lab_spelling_is_near(const struct lab_spelling *spelling);

/** "; did you mean 'NAME'?" if a name is near enough, else "". Valid until the next call. */
const char *lab_spelling_suggest(const struct lab_spelling *spelling);

/** Complains of the first word with two dashes that begins no option's name in these tables, which
 *  end with NULL; `rest` says where the options are listed. Returns an exit status. */
int lab_spelling_check(int argc, char **argv, const struct argp_option *const tables[],
                       const char *rest);

#endif
