/**
 * @file window.h
 * @brief A terminal's window that what is said has to fit in.
 */
#ifndef LAB_EXERCISE_WINDOW_H
#define LAB_EXERCISE_WINDOW_H

#include <stdbool.h>

enum { LAB_WINDOW_OTHER_ROWS = 6 }; /**< for what stands around the compiler's words */

/** Its room; 0: there is room enough. */
struct lab_window {
    int rows, columns;
};

/** Whether standard output is a terminal of few rows. */
bool lab_window_is_small(void);

/** Prints what a compiler said to standard error, as far as there is room. @return rows */
int lab_window_print_compiler(const char *text, struct lab_window window);

#endif
