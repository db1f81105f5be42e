/**
 * @file folders.h
 * @brief Where outcomes are kept, and where submissions are worked on: both are tried before
 * anything is graded, so that a full disk is no verdict on a student. What is worked in goes with
 * the run.
 */
#ifndef LAB_GRADE_FOLDERS_H
#define LAB_GRADE_FOLDERS_H

#include "base/paths.h"

/**
 * @brief Makes the folder of kept outcomes where it is missing, and tries that it takes so many.
 * @return LAB_EXIT_OK; LAB_EXIT_USAGE or LAB_EXIT_MISSING after complaining
 */
int lab_folders_state(const char *state, int submissions);

/** Makes a folder in build/grading/work for this run alone, and tries it likewise. Those of runs
 * that were killed are removed. It counts as in use while this process or one that it forks lives.
 */
int lab_folders_work(char work[LAB_PATH_BYTES]);

/** Removes such a folder with all that is in it. */
void lab_folders_remove(const char *work);

/** Removes the folders of runs that have ended. */
void lab_folders_clean(void);

/** Tries that a folder takes a file of so many bytes; 0, or an errno. */
int lab_folders_try(const char *folder, size_t bytes);

#endif
