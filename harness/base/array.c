/* Names and values of elements, as messages show them. */
#include "base/array.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *lab_element_name(const struct lab_array *array, size_t index, char *text)
{
    if (array->row)
        snprintf(text, 96, "%.40s[%zu][%zu]", array->name, index / array->row, index % array->row);
    else
        snprintf(text, 96, "%.40s[%zu]", array->name, index);
    return text;
}

double lab_element_value(enum lab_element element, const void *bytes)
{
    switch (element) {
    case LAB_ELEMENT_F64:
        return *(const double *)bytes;
    case LAB_ELEMENT_F32:
        return (double)*(const float *)bytes;
    case LAB_ELEMENT_S32:
        return *(const int32_t *)bytes;
    case LAB_ELEMENT_U16:
        return *(const uint16_t *)bytes;
    }
    return 0.0;
}

void lab_element_set(enum lab_element element, void *values, size_t index, double value)
{
    if (element == LAB_ELEMENT_F64)
        ((double *)values)[index] = value;
    else
        ((float *)values)[index] = (float)value;
}

void lab_element_put(enum lab_element element, double value, size_t at, void *values, size_t first,
                     size_t count)
{
    if (at >= first && at - first < count)
        lab_element_set(element, values, at - first, value);
}

bool lab_element_is_poison(enum lab_element element, const void *bytes)
{
    const uint64_t poison = UINT64_MAX;
    return memcmp(bytes, &poison, lab_element_bytes(element)) == 0;
}

const char *lab_element_text(enum lab_element element, const void *bytes, bool exact, char *text)
{
    const double value = lab_element_value(element, bytes);
    const char *const format = element == LAB_ELEMENT_F64   ? exact ? "%.17g" : "%.15g"
                               : element == LAB_ELEMENT_F32 ? exact ? "%.9g" : "%.7g"
                                                            : "%.0f";
    snprintf(text, 32, format, value);
    return text;
}
