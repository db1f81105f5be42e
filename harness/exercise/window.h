/**
 * @file window.h
 * @brief The size of a window that output has to fit in.
 */
#ifndef LAB_EXERCISE_WINDOW_H
#define LAB_EXERCISE_WINDOW_H

#include <stdbool.h>

enum { LAB_WINDOW_OTHER_ROWS = 6 }; /**< rows around the compiler's words */

/** Rows and columns of a window; 0: there is room enough. */
struct lab_window {
    int rows, columns;
};

/** Whether standard output is a terminal with few rows. */
bool lab_window_is_small(void);

/** Prints as much of a compiler's output to standard error as fits. @return rows printed */
int lab_window_print_compiler(const char *text, struct lab_window window);

#endif
