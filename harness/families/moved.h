/**
 * @file moved.h
 * @brief Right values in the wrong place: which elements of a wrong matrix belong in the place of
 * another element.
 */
#ifndef LAB_MOVED_H
#define LAB_MOVED_H

#include <stdbool.h>
#include <stddef.h>

/** Elements of the largest matrix that is looked at. */
enum { LAB_MOVED_MOST = 512 * 512 };

/** Keeps an element of the matrix that is compared, which has at most LAB_MOVED_MOST elements. */
void lab_moved_keep(size_t index, double expected, double got);

/** Subtracts from both values what an element has of its own place, whatever is stored there. */
void lab_moved_take_off(size_t index, double value);

/**
 * @brief Says how the kept values are moved, and which index moves them so.
 * @param counted    elements that were kept
 * @param tolerance  of each element
 * @param row_of     input whose rows go into rows; column_of likewise; NULL: no single input
 * @return false if they are not moved, with "" in the text.
 */
bool lab_moved_say(const char *name, size_t rows, size_t columns, size_t counted, double tolerance,
                   const char *row_of, const char *column_of, char *text, size_t size);

#endif
