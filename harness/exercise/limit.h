/**
 * @file limit.h
 * @brief What limits a kernel, in words that say where to begin.
 */
#ifndef LAB_EXERCISE_LIMIT_H
#define LAB_EXERCISE_LIMIT_H

/** The advice for a unit that limits a kernel, given the unit's name in the timing model; "" for
 *  other names. */
const char *lab_limit_words(const char *unit);

#endif
