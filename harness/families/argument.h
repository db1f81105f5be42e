/**
 * @file argument.h
 * @brief Where the device pointers of a problem's struct lie, and what a launch function does with
 * the memory behind them.
 */
#ifndef LAB_ARGUMENT_H
#define LAB_ARGUMENT_H

#include <stddef.h>

/** What a launch function does with a buffer of its problem. */
enum lab_role {
    LAB_ROLE_INPUT,
    LAB_ROLE_OUTPUT, /**< what stands in it before may count, too */
    LAB_ROLE_SCRATCH,
};

/** A device pointer in the struct of some family's problem. */
struct lab_pointer {
    size_t offset; /**< of the pointer in the struct */
    size_t bytes;  /**< behind it; of scratch memory 0: the row says how many */
    enum lab_role role;
};

/** Member `field` of a struct `type`. */
#define LAB_POINTER(type, field, bytes, role)                                                      \
    (struct lab_pointer)                                                                           \
    {                                                                                              \
        offsetof(type, field), bytes, role                                                         \
    }

/** Most pointers of one problem. */
enum { LAB_MAX_POINTERS = 8 };

#endif
