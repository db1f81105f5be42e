/**
 * @file permutation.h
 * @brief Right values in the wrong place: which elements of a wrong matrix belong in the place of
 * another element.
 */
#ifndef LAB_PERMUTATION_H
#define LAB_PERMUTATION_H

#include <stdbool.h>
#include <stddef.h>

/** A matrix with all of its values, row by row. */
struct lab_compared {
    const char *name;
    size_t rows, columns;
    double tolerance;               /**< of each element */
    const char *row_of, *column_of; /**< input whose rows go into rows; likewise columns; or NULL */
    double *expected, *got;
};

/** Says how the values are moved, and which index moves them so; false: they are not. */
bool lab_permutation_say(const struct lab_compared *values, char *text, size_t size);

#endif
