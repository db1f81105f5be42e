/**
 * @file moved.h
 * @brief Right values in the wrong place: of a matrix that is wrong, what stands where another
 * element belongs.
 */
#ifndef LAB_MOVED_H
#define LAB_MOVED_H

#include <stdbool.h>
#include <stddef.h>

/** Elements of the largest matrix that is looked at. */
enum { LAB_MOVED_MOST = 512 * 512 };

/** Keeps an element of the matrix that is compared, which has LAB_MOVED_MOST at most. */
void lab_moved_keep(size_t index, double expected, double got);

/** Takes off both what an element has of its own place, whatever is stored there. */
void lab_moved_take_off(size_t index, double value);

/**
 * @brief Says how what was kept is moved, and which index that comes of.
 * @param counted    elements that were kept
 * @param tolerance  of each
 * @param row_of     the input of which a row, or a column, goes into one of these; NULL: not one
 * @return false where it is not, with "" in the text.
 */
bool lab_moved_say(const char *name, size_t rows, size_t columns, size_t counted, double tolerance,
                   const char *row_of, const char *column_of, char *text, size_t size);

#endif
