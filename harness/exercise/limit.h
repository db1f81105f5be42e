/**
 * @file limit.h
 * @brief What limits a kernel, in words that say where to begin.
 */
#ifndef LAB_EXERCISE_LIMIT_H
#define LAB_EXERCISE_LIMIT_H

/** Of a unit as the timing model names it; "" where there is none of that name. */
const char *lab_limit_words(const char *unit);

#endif
