/**
 * @file array.h
 * @brief An array of a problem in device memory: where its pointer lies in the problem's struct,
 * what a launch function does with it, and its elements in words.
 */
#ifndef LAB_ARRAY_H
#define LAB_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/** What a launch function does with an array of its problem. */
enum lab_role {
    LAB_ROLE_INPUT,
    LAB_ROLE_OUTPUT,  /**< may count before a launch, too */
    LAB_ROLE_SCRATCH, /**< the variant says how many bytes it needs */
};

/** The type of an array's elements, as messages show them. */
enum lab_element {
    LAB_ELEMENT_F32,
    LAB_ELEMENT_F64,
    LAB_ELEMENT_S32,
    LAB_ELEMENT_U16,
};

/** Which elements of an array count. The others must be neither read nor written. */
enum lab_region {
    LAB_REGION_ALL,
    LAB_REGION_UPPER, /**< the diagonal and what is above it */
    LAB_REGION_LOWER, /**< the diagonal and what is below it */
};

/** An array of some family's problem. */
struct lab_array {
    size_t offset;    /**< of the pointer in the problem's struct */
    const char *name; /**< "A", for messages */
    enum lab_role role;
    enum lab_element element;
    size_t count;   /**< elements; 0: the pointer is NULL this time. 0 for scratch memory */
    size_t row;     /**< elements from one row to the next; 0: it has one dimension */
    size_t columns; /**< of a row, the first elements, which count; a gap follows; 0: all count */
    enum lab_region region;
    bool blank; /**< an output that holds nothing before a launch: poison */
};

/** Describes member `field` of a struct `type`; the other members of lab_array follow. */
#define LAB_ARRAY(type, field, ...)                                                                \
    (struct lab_array)                                                                             \
    {                                                                                              \
        .offset = offsetof(type, field), __VA_ARGS__                                               \
    }

/** Most arrays of one problem. */
enum { LAB_MAX_ARRAYS = 11 };

/** Bytes of an element. */
static inline size_t lab_element_bytes(enum lab_element element)
{
    return element == LAB_ELEMENT_F64 ? 8 : element == LAB_ELEMENT_U16 ? 2 : 4;
}

/** Bytes of an array. */
static inline size_t lab_array_bytes(const struct lab_array *array)
{
    return array->count * lab_element_bytes(array->element);
}

/** Elements of a row that may count. */
static inline size_t lab_array_columns(const struct lab_array *array)
{
    return array->columns ? array->columns : array->row;
}

/** The first element of row `row` that counts, and the one after the last that counts. */
static inline void lab_array_counting(const struct lab_array *array, size_t row, size_t *first,
                                      size_t *end)
{
    const size_t columns = lab_array_columns(array);
    const size_t diagonal = row < columns ? row : columns;
    *first = array->region == LAB_REGION_UPPER ? diagonal : 0;
    *end = array->region == LAB_REGION_LOWER && diagonal < columns ? diagonal + 1 : columns;
}

/** True when some elements do not count. */
static inline bool lab_array_is_partial(const struct lab_array *array)
{
    return array->region != LAB_REGION_ALL || (array->columns && array->columns < array->row);
}

/** True when element `index` does not count. */
static inline bool lab_array_excludes(const struct lab_array *array, size_t index)
{
    const size_t row = array->row ? index / array->row : 0;
    size_t first = 0, end = 0;
    if (!lab_array_is_partial(array))
        return false;
    lab_array_counting(array, row, &first, &end);
    return index - row * array->row < first || index - row * array->row >= end;
}

/** "A[3][4]" or "w[3]"; `text` holds at least 96 bytes and is returned. */
const char *lab_element_name(const struct lab_array *array, size_t index, char *text);

/** The value at `bytes`, with all its digits or with as many as people read. `text` holds at least
 * 32 bytes and is returned. */
const char *lab_element_text(enum lab_element element, const void *bytes, bool exact, char *text);

/** The value at `bytes`, as a number. */
double lab_element_value(enum lab_element element, const void *bytes);

/** Sets a float or a double, element `index` of `values`. */
void lab_element_set(enum lab_element element, void *values, size_t index, double value);

/** Sets element `at` of an array, if it is one of the `count` in `values`, which begin at `first`.
 */
void lab_element_put(enum lab_element element, double value, size_t at, void *values, size_t first,
                     size_t count);

/** Whether an element is the poison that outputs are filled with (see lab_buffer_poison()). */
bool lab_element_is_poison(enum lab_element element, const void *bytes);

#endif
