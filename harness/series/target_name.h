/**
 * @file target_name.h
 * @brief The target that a user means by a short name, or by a path from the shell's completion.
 */
#ifndef LAB_SERIES_TARGET_NAME_H
#define LAB_SERIES_TARGET_NAME_H

struct lab_registry_entry;

/** The full name of a target ("step07", "step08.2", "exercise01") for that name, with or without a
 *  leading zero, for its number alone ("7", "8.2": a step), and for its folder or kernel file
 *  ("steps/07_float4", "01_transposed_operand", "steps/08_fusion/2_fused.cu"). NULL: none. */
const char *lab_target_name(const char *word);

/** The same where only exercises are meant: a number alone is an exercise's, and a solution means
 *  its exercise. */
const struct lab_registry_entry *lab_target_name_exercise(const char *word);

/** Says that `word` is no exercise, and which one it looks like; an exit status. */
int lab_target_name_no_exercise(const char *word);

#endif
