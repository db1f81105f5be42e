/**
 * @file printable.h
 * @brief Makes text from elsewhere, such as file names and a program's output, safe to show
 * anywhere: valid UTF-8 without control characters.
 */
#ifndef LAB_BASE_PRINTABLE_H
#define LAB_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
