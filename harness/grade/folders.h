/**
 * @file folders.h
 * @brief The folders where outcomes are kept, and the folders where submissions are worked on. Both
 * are tried before anything is graded, so that a full disk is no verdict on a student. Work folders
 * are removed after the run.
 */
#ifndef LAB_GRADE_FOLDERS_H
#define LAB_GRADE_FOLDERS_H

#include "base/files.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * @brief Makes the folder of kept outcomes if it is missing, and tries whether it has room for as
 * many as there are submissions.
 * @return LAB_EXIT_OK; LAB_EXIT_USAGE or LAB_EXIT_MISSING after complaining
 */
int lab_folders_state(const char *state, int submissions);

/** The secret of a state folder, from which hidden tests are drawn: all submissions that are graded
 *  with that folder get the same. Makes one where there is none; false: the folder cannot be used.
 */
bool lab_folders_secret(const char *state, char *secret, size_t size);

/** Makes a folder in build/grading/work for this run alone, and tries it in the same way. Removes
 * the folders of runs that were killed. A folder is in use while its process, or a process that it
 * forked, lives. */
int lab_folders_work(char work[LAB_PATH_BYTES]);

/** Lets other users pass through a run's folder to those in it whose names they know; false: errno
 * says why. */
bool lab_folders_let_pass(const char *work);

/** Removes the folders of runs that have ended. */
void lab_folders_clean(void);

/** Tries whether a folder has room for a file of `bytes` bytes; 0, or an errno. */
int lab_folders_try(const char *folder, size_t bytes);

#endif
