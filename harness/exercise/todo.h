/**
 * @file todo.h
 * @brief What a kernel file still lacks of an exercise, and the headers that it may not include.
 */
#ifndef LAB_EXERCISE_TODO_H
#define LAB_EXERCISE_TODO_H

#include "exercise/goal_file.h"
#include "series/registry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- which parts of an exercise are still as they were given -----------------------------------*/

/** How much of a kernel file is still as it was given. */
enum lab_todo {
    LAB_TODO_DONE, /**< no part, or there is no solution to tell */
    LAB_TODO_SOME, /**< parts of it */
    LAB_TODO_OPEN, /**< all of the file */
};

/**
 * @brief Finds the parts that a student has not filled in.
 * @param source  a kernel file; NULL: the exercise's own
 * @param text    receives the file and the lines of the parts
 */
enum lab_todo lab_todo_find(const struct lab_registry_entry *entry, const char *source, char *text,
                            size_t size);

/** The text of a kernel file as it is given, from its solution, to be freed; NULL: it cannot be
 *  made. */
char *lab_todo_given(const struct lab_registry_entry *entry, size_t *bytes);

/** Whether a kernel file is as it was given, but for comments and blanks. */
bool lab_todo_is_untouched(const struct lab_registry_entry *entry, FILE *file);

/* What an exercise asks to be written is not included: the headers of common/ that earlier steps
 * have taught. */

/**
 * @brief Whether a kernel file includes a header that the exercise's line `without` names.
 * @param depends  the compiler's list of what it read for the file, as make takes it (-MF); where
 *                 there is none, nothing is refused
 * @param why      receives a line for people
 */
bool lab_exercise_includes(const struct lab_exercise *exercise, const char *depends, char *why,
                           size_t size);

#endif
