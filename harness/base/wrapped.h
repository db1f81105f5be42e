/**
 * @file wrapped.h
 * @brief Breaks text at blanks to fit the width of a terminal. Nothing is cut. Text that goes to a
 * file or a pipe stays as it is.
 */
#ifndef LAB_BASE_WRAPPED_H
#define LAB_BASE_WRAPPED_H

#include <stdio.h>

/** From now on all text is wrapped to so many columns, wherever it goes; 0: to the terminal's. */
void lab_wrap_to(int columns);

/** The columns that lab_wrap_to() has set, or else the columns of the stream's terminal; 0: lines
 * are not broken. */
int lab_columns_of(FILE *stream);

/**
 * @brief Prints UTF-8 text that begins in column `indent`. Its further lines begin there, too.
 *
 * A single newline between two lines that do not begin with a blank is a blank, so that paragraphs
 * are filled. A word that is wider than the window is left to the terminal.
 * @param stream  NULL: the text is only measured
 * @return the number of rows; the last row may be unfinished
 */
int lab_print_wrapped(FILE *stream, int indent, const char *text);

/** Formatted text, wrapped without an indent. */
void lab_printf_wrapped(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
