/* A kernel that cuts off what is large or small is right for plain values. Each array is a function
 * of seed and place, as in inputs.c. */
#include "families/values.h"

#include "base/array.h"
#include "families/inputs.h"

#include <math.h>
#include <string.h>

enum { EXPONENT = 100 }; /* sums of 2^26 floats stay below 2^127 */

static enum lab_values values_of(const struct lab_problem *p)
{
    const struct lab_values_options *const own = lab_own_options(p->options, p->family->options);
    const struct lab_option *const table = p->family->options->table;
    return table == lab_values_table || table == lab_values_typed_table ? own->values
                                                                        : LAB_VALUES_PLAIN;
}

double lab_values_scaled(const struct lab_problem *p, double plain)
{
    const enum lab_values values = values_of(p);
    return values == LAB_VALUES_LARGE   ? ldexp(plain, EXPONENT)
           : values == LAB_VALUES_SMALL ? ldexp(plain, -EXPONENT)
                                        : plain;
}

/* Of a triangle it is on the diagonal, which counts in any case. It is not in the other operand:
 * kernels may multiply that by zeros in place of what is beside the triangle. */
static void put_special(const struct lab_problem *p, int which, double special, void *values,
                        size_t first, size_t count)
{
    const struct lab_array *const array = &p->arrays[which];
    const uint64_t seed = p->options->problem.seed;
    if (values_of(p) == LAB_VALUES_SPECIAL && which == 0)
        lab_element_put(array->element, special,
                        array->region == LAB_REGION_ALL
                            ? lab_inputs_place(seed, which, array->count)
                            : lab_inputs_place(seed, which, array->row) * (array->row + 1),
                        values, first, count);
}

void lab_values_apply(const struct lab_problem *p, int which, void *values, size_t first,
                      size_t count)
{
    const struct lab_array *const array = &p->arrays[which];
    const size_t each = lab_element_bytes(array->element);
    put_special(p, which, (double)INFINITY, values, first, count);
    if (values_of(p) == LAB_VALUES_SPECIAL || values_of(p) == LAB_VALUES_PLAIN ||
        which != p->family->scaled)
        return;
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
    if (p->options->problem.seed % 2)
        put_special(p, which, (double)NAN, values, first, count);
}

/* What the lowest bits of a plain value decide, or its own. */
static float any_value(float plain)
{
    uint32_t bits;
    memcpy(&bits, &plain, sizeof bits);
    const uint32_t subnormal = bits & 0x807FFFFFu;
    const int way = bits % 8;
    memcpy(&plain, way == 0 ? &subnormal : &bits, sizeof plain);
    return way == 1 ? -0.0f : way == 2 ? NAN : way == 3 ? copysignf(INFINITY, plain) : plain;
}

void lab_values_fill_moved(const struct lab_problem *p, int which, void *to, size_t first,
                           size_t count)
{
    float *const values = to;
    lab_problem_fill_numbers(p, which, values, first, count);
    if (values_of(p) != LAB_VALUES_SPECIAL)
        lab_values_apply(p, which, values, first, count);
    else
        for (size_t i = 0; i < count; i++)
            values[i] = any_value(values[i]);
}

const char *lab_values_vary(struct lab_options *options, const struct lab_family_options *family)
{
    const struct lab_values_options *const own = lab_own_options(options, family);
    if (own->values != LAB_VALUES_PLAIN)
        return NULL;
    lab_give_own_option(options, family, "values", "special");
    return "with special ones among them (--values special)";
}
