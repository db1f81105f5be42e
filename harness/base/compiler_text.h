/**
 * @file compiler_text.h
 * @brief What a compiler said, with messages that are alike told once.
 */
#ifndef LAB_BASE_COMPILER_TEXT_H
#define LAB_BASE_COMPILER_TEXT_H

#include <stddef.h>

/** Gathers in place: of warnings or errors of one file that differ in numbers alone, the first
 * stays and says how many more there are and in which lines. Of one line, they may differ in the
 * numbers of quoted types, too, as instances of a template do. Of nvcc, gcc and clang. */
void lab_compiler_gather(char *text);

/** The same, of what a build said that went well: messages alone, which are warnings then. */
void lab_compiler_keep_messages(char *text);

/** Adds, below messages that are hard to read, what they come of, as far as there is room. */
void lab_compiler_explain(char *text, size_t size);

#endif
