/**
 * @file outdated.h
 * @brief Telling a user that what runs is not what was written last.
 */
#ifndef LAB_SERIES_OUTDATED_H
#define LAB_SERIES_OUTDATED_H

/** Says so on standard error when a kernel file of a target was changed after it was built. */
void lab_outdated_note(const char *target);

#endif
