/**
 * @file text.h
 * @brief Texts for people: escaped, wrapped to the terminal, and messages of compilers.
 */
#ifndef LAB_BASE_TEXT_H
#define LAB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- characters that can be shown --------------------------------------------------------------*/

/**
 * @brief Writes a text with every byte that cannot be shown as `\xHH`. Two different texts stay
 * different.
 *
 * Escaped are control characters, also Unicode's and those that change the direction of writing,
 * bytes that are no UTF-8, and the backslash of a `\x` that is in the text already.
 * @param lines  newlines and tabs stay
 * @return false if the room was too small: then the text ends early, after a whole character
 */
bool lab_printable(const char *text, bool lines, char *shown, size_t size);

/** The number of characters in so many bytes of a text; the bytes of at most so many characters. */
int lab_printable_width(const char *text, int bytes);
int lab_printable_bytes(const char *text, int most);

/* --- wrapped lines -----------------------------------------------------------------------------*/

/** From now on all text is wrapped to so many columns, wherever it goes; 0: to the terminal's. */
void lab_wrap_to(int columns);

/** The columns that lab_wrap_to() has set, or else the columns of the stream's terminal; 0: lines
 * are not broken. */
int lab_columns_of(FILE *stream);

/**
 * @brief Prints UTF-8 text that begins in column `indent`. Its further lines begin there, too.
 *
 * A single newline between two lines that do not begin with a blank is a blank, so that paragraphs
 * are filled. A word that is wider than the window is left to the terminal.
 * @param stream  NULL: the text is only measured
 * @return the number of rows; the last row may be unfinished
 */
int lab_print_wrapped(FILE *stream, int indent, const char *text);

/** Formatted text, wrapped without an indent. */
void lab_printf_wrapped(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- messages of compilers ---------------------------------------------------------------------*/

/** Gathers messages in place. Where warnings or errors of one file differ only in numbers, the
 * first stays, and says how many more there are and in which lines. Messages about one line may
 * also differ in numbers in quoted types, as instances of a template do. Of nvcc, gcc and clang. */
void lab_compiler_gather(char *text);

/** The same for the output of a successful build: keeps only messages, which are then warnings. */
void lab_compiler_keep_messages(char *text);

/** Adds, below messages that are hard to read, what causes them, as far as there is room. */
void lab_compiler_explain(char *text, size_t size);

/* --- what a user may have meant ----------------------------------------------------------------*/

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
