/**
 * @file elements.h
 * @brief An element of an array in words.
 */
#ifndef LAB_ELEMENTS_H
#define LAB_ELEMENTS_H

#include "families/array.h"

/** "A[3][4]" or "w[3]"; `text` holds at least 96 bytes and is returned. */
const char *lab_element_name(const struct lab_array *array, size_t index, char *text);

/** The value at `bytes`, with all its digits or with as many as people read. `text` holds at least
 * 32 bytes and is returned. */
const char *lab_element_text(enum lab_element element, const void *bytes, bool exact, char *text);

/** The value at `bytes`, as a number. */
double lab_element_value(enum lab_element element, const void *bytes);

/** Sets a float or a double, element `index` of `values`. */
void lab_element_set(enum lab_element element, void *values, size_t index, double value);

/** Whether an element is the poison that outputs are filled with (see lab_buffer_poison()). */
bool lab_element_is_poison(enum lab_element element, const void *bytes);

#endif
