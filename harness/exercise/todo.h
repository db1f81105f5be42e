/**
 * @file todo.h
 * @brief What of an exercise is as it was given.
 */
#ifndef LAB_EXERCISE_TODO_H
#define LAB_EXERCISE_TODO_H

#include "series/registry.h"

#include <stdbool.h>
#include <stddef.h>

/** How much of a kernel file is as it was handed out. */
enum lab_todo {
    LAB_TODO_DONE, /**< no part that was to be filled in, or its solution is not there to tell */
    LAB_TODO_SOME, /**< parts of it */
    LAB_TODO_OPEN, /**< all of the file */
};

/**
 * @brief Looks for what a solution fills in.
 * @param source  a kernel file; NULL: the exercise's own
 * @param text    receives the file and the lines of what is as given
 */
enum lab_todo lab_todo_find(const struct lab_registry_entry *entry, const char *source, char *text,
                            size_t size);

#endif
