/**
 * @file text_file.h
 * @brief Opening a file that a user named.
 */
#ifndef LAB_BASE_TEXT_FILE_H
#define LAB_BASE_TEXT_FILE_H

#include <stdio.h>

/** Opens a regular file for reading, without waiting for anybody; NULL with *why in words: a
 * folder, a device and a pipe are none. */
FILE *lab_open_text(const char *path, const char **why);

#endif
