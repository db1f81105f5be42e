/**
 * @file lines.h
 * @brief The lines of a text file, plain or gzip, one after another, with their numbers.
 */
#ifndef LAB_LINES_H
#define LAB_LINES_H

#include <stdbool.h>
#include <stdio.h>

enum { LAB_LINE_BYTES = 4096 };

/** An open file and its current line. */
struct lab_line_reader {
    const char *path;
    FILE *plain;
    void *gzip; /**< zlib's gzFile, if the file is gzip */
    void *zlib; /**< the library, loaded only for gzip */
    long number;
    char text[LAB_LINE_BYTES]; /**< without the newline */
};

/** Opens a file; an exit status. */
int lab_line_reader_open(struct lab_line_reader *lines, const char *path);

/** Reads the next line. False at the end, or with *status set after an error. */
bool lab_line_reader_next(struct lab_line_reader *lines, int *status);

void lab_line_reader_close(struct lab_line_reader *lines);

/** Complains about the current line; LAB_EXIT_USAGE. */
int lab_line_reader_complain(const struct lab_line_reader *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
