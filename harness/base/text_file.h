/**
 * @file text_file.h
 * @brief Text of files: one that a user named, and one line of a source.
 */
#ifndef LAB_BASE_TEXT_FILE_H
#define LAB_BASE_TEXT_FILE_H

#include <stdio.h>

/** Opens a regular file for reading, without waiting for anybody; NULL with *why in words: a
 * folder, a device and a pipe are none. */
FILE *lab_open_text(const char *path, const char **why);

/** A line of a file, counted from 1, without what it is indented by, to be freed; NULL where it
 *  cannot be read. */
char *lab_text_line(const char *path, int number);

#endif
