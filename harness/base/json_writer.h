/**
 * @file json_writer.h
 * @brief Writing JSON by hand: a GPU machine with nothing but a C compiler must be able to build
 * the program.
 */
#ifndef LAB_BASE_JSON_WRITER_H
#define LAB_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdio.h>

/** The state of the text. At the start all is zero except the stream and `first`. */
struct lab_json_writer {
    FILE *stream;
    int depth;
    bool first; /**< the next item is the first of its object or list */
};

/** Begins an item: a comma, a new line, and the name. NULL: the item is in a list. */
void lab_json_item(struct lab_json_writer *w, const char *name);

/** Opens an object '{' or a list '['. The name is NULL in a list, and for the outermost one. */
void lab_json_begin(struct lab_json_writer *w, const char *name, char bracket);

/** Closes an object '}' or a list ']'. */
void lab_json_end(struct lab_json_writer *w, char bracket);

/** A text, escaped. */
void lab_json_string(struct lab_json_writer *w, const char *name, const char *text);

/** A figure. A figure that is not finite is left out, like a figure that was not taken. */
void lab_json_number(struct lab_json_writer *w, const char *name, double value);

/** A whole number. */
void lab_json_integer(struct lab_json_writer *w, const char *name, long long value);

/** null: the value is unknown. */
void lab_json_null(struct lab_json_writer *w, const char *name);

/** true or false. */
void lab_json_bool(struct lab_json_writer *w, const char *name, bool value);

/**
 * @brief Bytes of the UTF-8 character at the beginning of a text. 0: a control character other than
 * tab, newline and return, a byte that fits nowhere, or the end of the text.
 */
int lab_utf8_length(const char *text);

#endif
