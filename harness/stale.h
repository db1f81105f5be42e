/**
 * @file stale.h
 * @brief Telling a user that what runs is not what was written last.
 */
#ifndef LAB_STALE_H
#define LAB_STALE_H

/** Says so on standard error when a target's kernel file was changed after it was built. */
void lab_stale_note(const char *target);

#endif
