/**
 * @file new_file.h
 * @brief A file that is there as a whole, or not at all.
 */
#ifndef LAB_BASE_NEW_FILE_H
#define LAB_BASE_NEW_FILE_H

#include "base/paths.h"

#include <stdbool.h>
#include <stdio.h>

/** A file that is being written beside the one whose place it will take. */
struct lab_new_file {
    FILE *stream; /**< to write to */
    char path[LAB_PATH_BYTES];
    char beside[LAB_PATH_BYTES + 8]; /**< "": a device, which cannot be replaced */
};

/** Begins; false with errno set. An old file stays until the end. */
bool lab_new_file_begin(struct lab_new_file *file, const char *path);

/** Ends: the new file takes the place of the old one. False with errno set if not all could be
 * written; then the old file is still there, and nothing else. */
bool lab_new_file_end(struct lab_new_file *file);

/** Ends without writing: the old file stays. */
void lab_new_file_drop(struct lab_new_file *file);

/** Tries whether a file may be written and leaves nothing. 0, or an errno, also for an old file
 * that is read-only. */
int lab_new_file_try(const char *path);

#endif
