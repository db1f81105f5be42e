/* Names and values of elements, as messages show them. */
#include "families/elements.h"

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

const char *lab_element_text(enum lab_element element, const void *bytes, bool exact, char *text)
{
    double f64 = 0.0;
    float f32 = 0.0f;
    int32_t s32 = 0;
    uint16_t u16 = 0;
    switch (element) {
    case LAB_ELEMENT_F64:
        memcpy(&f64, bytes, sizeof f64);
        snprintf(text, 32, exact ? "%.17g" : "%.15g", f64);
        break;
    case LAB_ELEMENT_F32:
        memcpy(&f32, bytes, sizeof f32);
        snprintf(text, 32, exact ? "%.9g" : "%.7g", (double)f32);
        break;
    case LAB_ELEMENT_S32:
        memcpy(&s32, bytes, sizeof s32);
        snprintf(text, 32, "%d", s32);
        break;
    case LAB_ELEMENT_U16:
        memcpy(&u16, bytes, sizeof u16);
        snprintf(text, 32, "%u", u16);
        break;
    }
    return text;
}
