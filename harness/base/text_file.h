/**
 * @file text_file.h
 * @brief Reading text files: a file that a user named, and one line of a source.
 */
#ifndef LAB_BASE_TEXT_FILE_H
#define LAB_BASE_TEXT_FILE_H

#include <stdio.h>

/** Opens a regular file for reading, without waiting. NULL for a folder, a device or a pipe, or on
 * an error; *why then says in words what is wrong. */
FILE *lab_open_text(const char *path, const char **why);

/** A line of a file, counted from 1, without its indent, to be freed by the caller; NULL if it
 *  cannot be read. */
char *lab_text_line(const char *path, int number);

#endif
