/**
 * @file scratch.h
 * @brief Files that must be gone when a run is over, however it ended.
 */
#ifndef LAB_BASE_SCRATCH_H
#define LAB_BASE_SCRATCH_H

#include "base/paths.h"

/** Makes a folder for this run and names it to every program started from here, also as TMPDIR. It
 *  lies in the folder of the run that started this one, if there is one. "": none can be made. */
void lab_scratch_begin(char folder[LAB_PATH_BYTES]);

/** Removes a folder with its contents. */
void lab_scratch_remove(const char *folder);

/** The path of a file in the run's folder, or in the build folder if the run has no folder. */
void lab_scratch_path(char path[LAB_PATH_BYTES], const char *name);

#endif
