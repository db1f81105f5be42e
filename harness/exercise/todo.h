/**
 * @file todo.h
 * @brief An exercise in which nothing is filled in yet.
 */
#ifndef LAB_EXERCISE_TODO_H
#define LAB_EXERCISE_TODO_H

#include "series/registry.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * @brief Whether an exercise's own kernel file is as it was handed out.
 * @param text  receives the file and where its TODOs are
 * @return false, too, where its solution is not there to tell
 */
bool lab_exercise_is_open(const struct lab_registry_entry *entry, char *text, size_t size);

#endif
