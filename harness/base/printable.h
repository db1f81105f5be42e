/**
 * @file printable.h
 * @brief Text from elsewhere, such as names of files and what a program printed, as it can be shown
 * anywhere: valid UTF-8 without control characters.
 */
#ifndef LAB_BASE_PRINTABLE_H
#define LAB_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * @brief Writes a text with every byte that cannot be shown as `\xHH`; two texts that differ still
 * do.
 *
 * Those are control characters, also those of Unicode and those that turn the direction of writing,
 * and bytes that are no UTF-8; the backslash of an `\x` that is there already, too.
 * @param lines  newlines and tabs stay
 * @return false where the room was too small: then it ends early, behind a whole character
 */
bool lab_printable(const char *text, bool lines, char *shown, size_t size);

/** Characters in the first bytes of a text; bytes of no more than so many characters. */
int lab_printable_width(const char *text, int bytes);
int lab_printable_bytes(const char *text, int most);

#endif
