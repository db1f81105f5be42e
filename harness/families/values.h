/**
 * @file values.h
 * @brief Option --values of families whose result is as many times larger as one of their arrays:
 * the same problem at the ends of a float's range, or with an infinity.
 */
#ifndef LAB_FAMILY_VALUES_H
#define LAB_FAMILY_VALUES_H

#include "families/problem.h"
#include "options/family.h"

/** What the array `scaled` of struct lab_family holds. */
enum lab_values {
    LAB_VALUES_PLAIN,   /**< magnitudes from 1/2 to 1, or as the family says */
    LAB_VALUES_LARGE,   /**< 2^100 times as much */
    LAB_VALUES_SMALL,   /**< 2^-100 times as much */
    LAB_VALUES_SPECIAL, /**< one element is infinite, with odd seeds NaN */
};

/** Types of elements, where a family has two. */
enum lab_values_type { LAB_VALUES_F64, LAB_VALUES_F32 };

/** The options of such a family. */
struct lab_values_options {
    enum lab_values values;
    enum lab_values_type type; /**< only lab_values_typed_table has it */
};

extern const struct lab_option lab_values_table[], lab_values_typed_table[];
extern const struct lab_values_options lab_values_defaults;

/** What such families have in common. */
#define LAB_VALUES_OPTIONS .table = lab_values_table, LAB_OWN(lab_values_defaults)
#define LAB_VALUES_TYPED   .table = lab_values_typed_table, LAB_OWN(lab_values_defaults)

/** A result, or its tolerance, of plain values as that of these. A power of two, so that nothing
 * is rounded: 0 stays what it is, and infinity. */
double lab_values_scaled(const struct lab_problem *p, double plain);

/** Makes plain values of an array what --values asks for, if it is the one that it is about. */
void lab_values_apply(const struct lab_problem *p, int which, void *values, size_t first,
                      size_t count);

/** `fill` for such a family whose arrays hold numbers as inputs.h makes them. */
void lab_values_fill(const struct lab_problem *p, int which, void *values, size_t first,
                     size_t count);

/** `fill` for such a family whose floats are moved and never computed with: special are then an
 * eighth each of -0, subnormal numbers, infinities and NaN. */
void lab_values_fill_moved(const struct lab_problem *p, int which, void *values, size_t first,
                           size_t count);

/** `vary` for a family of these options: special values. */
const char *lab_values_vary(struct lab_options *options, const struct lab_family_options *family);

/** What `of_special` of struct lab_advice says of these. */
#define LAB_VALUES_OF_SPECIAL                                                                      \
    "a NaN or an infinity of the inputs must come through: no term may be left out, and "          \
    "fmin() and fmax() drop a NaN"

#endif
