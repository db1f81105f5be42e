/**
 * @file files.h
 * @brief Files: paths of what is built, text files, files that appear whole, and files of one run.
 */
#ifndef LAB_BASE_FILES_H
#define LAB_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- paths -------------------------------------------------------------------------------------*/

enum { LAB_PATH_BYTES = 4096 };

/** The folder of the checkout, without a slash at the end. Does not fail on Linux. */
void lab_root(char path[LAB_PATH_BYTES]);

/** Writes the path of a file in the build folder, such as lab_build_path(p, "steps/%s.so", "07").
 */
void lab_build_path(char path[LAB_PATH_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The path to show to a user: a file of the checkout is named relative to the checkout. */
const char *lab_shown_path(const char *path);

/* --- reading -----------------------------------------------------------------------------------*/

/** Opens a regular file for reading, without waiting. NULL for a folder, a device or a pipe, or on
 * an error; *why then says in words what is wrong. */
FILE *lab_open_text(const char *path, const char **why);

/** A line of a file, counted from 1, without its indent, to be freed by the caller; NULL if it
 *  cannot be read. */
char *lab_text_line(const char *path, int number);

/* --- writing -----------------------------------------------------------------------------------*/

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

/* --- a run's own folder ------------------------------------------------------------------------*/

/** Makes a folder for this run and names it to every program started from here, also as TMPDIR. It
 *  lies in the folder of the run that started this one, if there is one. "": none can be made. */
void lab_scratch_begin(char folder[LAB_PATH_BYTES]);

/** Removes a folder with its contents. */
void lab_scratch_remove(const char *folder);

/** The path of a file in the run's folder, or in the build folder if the run has no folder. */
void lab_scratch_path(char path[LAB_PATH_BYTES], const char *name);

#endif
