/**
 * @file compiler_text.h
 * @brief What a compiler said, with similar messages told once.
 */
#ifndef LAB_BASE_COMPILER_TEXT_H
#define LAB_BASE_COMPILER_TEXT_H

#include <stddef.h>

/** Gathers messages in place. Where warnings or errors of one file differ only in numbers, the
 * first stays, and says how many more there are and in which lines. Messages about one line may
 * also differ in numbers in quoted types, as instances of a template do. Of nvcc, gcc and clang. */
void lab_compiler_gather(char *text);

/** The same for the output of a successful build: keeps only messages, which are then warnings. */
void lab_compiler_keep_messages(char *text);

/** Adds, below messages that are hard to read, what causes them, as far as there is room. */
void lab_compiler_explain(char *text, size_t size);

#endif
