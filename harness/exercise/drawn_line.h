/**
 * @file drawn_line.h
 * @brief Ranges and lists of numbers in a line of goal.txt, of which a grader draws one.
 */
#ifndef LAB_EXERCISE_DRAWN_LINE_H
#define LAB_EXERCISE_DRAWN_LINE_H

#include <stdbool.h>

enum { LAB_DRAWN_LINE = 256 };

/**
 * @brief Reads "FIRST..LAST", which stands for any whole number from FIRST to LAST.
 * @return false if the word is no range. An invalid range has `*last` below `*first`.
 */
bool lab_number_range(const char *word, long *first, long *last);

enum { LAB_NUMBER_LIST = 12, LAB_NUMBER_BYTES = 24 };

/**
 * @brief Reads "128,160,192" or "-0.3,1,2.5e3", which stands for one of these numbers.
 * @return how many there are; 0 if the word is no list of 2 to LAB_NUMBER_LIST numbers
 */
int lab_number_list(const char *word, char values[LAB_NUMBER_LIST][LAB_NUMBER_BYTES]);

/** Replaces each range and list of a line by its first or last number; false: a range is not valid,
 *  or the line too long. */
bool lab_line_at_end(const char *line, bool at_last, char text[LAB_DRAWN_LINE]);

#endif
