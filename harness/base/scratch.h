/**
 * @file scratch.h
 * @brief Files that nobody is to find when a run is over, however it ended.
 */
#ifndef LAB_BASE_SCRATCH_H
#define LAB_BASE_SCRATCH_H

#include "base/paths.h"

/** Makes a folder for this run, in that of the run that started this one if there is one, and
 *  names it to all that is started from here, as TMPDIR too. "" where none can be made. */
void lab_scratch_begin(char folder[LAB_PATH_BYTES]);

/** Removes a folder with all that is in it. */
void lab_scratch_remove(const char *folder);

/** Path of a file in the run's folder; where there is none, in the build folder. */
void lab_scratch_path(char path[LAB_PATH_BYTES], const char *name);

#endif
