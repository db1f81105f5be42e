/* A kernel that cuts off what is large or small is right for plain values. Each array is a function
 * of seed and place, as in inputs.c. */
#include "families/values.h"

#include "base/array.h"
#include "families/inputs.h"

#include <math.h>

enum { EXPONENT = 100 }; /* sums of 2^26 floats stay below 2^127 */

static enum lab_values values_of(const struct lab_problem *p)
{
    const struct lab_values_options *const own = lab_own_options(p->options, p->family->options);
    return p->family->options->table == lab_values_table ? own->values : LAB_VALUES_PLAIN;
}

double lab_values_scaled(const struct lab_problem *p, double plain)
{
    const enum lab_values values = values_of(p);
    return values == LAB_VALUES_LARGE   ? ldexp(plain, EXPONENT)
           : values == LAB_VALUES_SMALL ? ldexp(plain, -EXPONENT)
                                        : plain;
}

void lab_values_apply(const struct lab_problem *p, int which, void *values, size_t first,
                      size_t count)
{
    const struct lab_array *const array = &p->arrays[which];
    const size_t each = lab_element_bytes(array->element);
    if (which != p->family->scaled || values_of(p) == LAB_VALUES_PLAIN)
        return;
    if (values_of(p) == LAB_VALUES_SPECIAL)
        lab_element_put(array->element, (double)INFINITY,
                        lab_inputs_place(p->options->problem.seed, which, array->count), values,
                        first, count);
    for (size_t i = 0; i < count; i++)
        lab_element_set(
            array->element, values, i,
            lab_values_scaled(p, lab_element_value(array->element, (char *)values + i * each)));
}

void lab_values_fill(const struct lab_problem *p, int which, void *values, size_t first,
                     size_t count)
{
    lab_problem_fill_numbers(p, which, values, first, count);
    lab_values_apply(p, which, values, first, count);
}
