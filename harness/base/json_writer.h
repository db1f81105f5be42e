/**
 * @file json_writer.h
 * @brief Writing JSON by hand: a GPU machine with nothing but a C compiler must be able to build
 * this.
 */
#ifndef LAB_BASE_JSON_WRITER_H
#define LAB_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdio.h>

/** Where it stands in the text. All zero but the stream, and `first`, at the start. */
struct lab_json_writer {
    FILE *stream;
    int depth;
    bool first; /**< in the current object or list */
};

/** Begins an item: comma, new line, and its name unless it stands in a list (NULL). */
void lab_json_item(struct lab_json_writer *w, const char *name);

/** Opens an object '{' or a list '['; the name is NULL in a list and at the outside. */
void lab_json_begin(struct lab_json_writer *w, const char *name, char bracket);

/** Closes it: '}' or ']'. */
void lab_json_end(struct lab_json_writer *w, char bracket);

/** A text, escaped. */
void lab_json_string(struct lab_json_writer *w, const char *name, const char *text);

/** A figure; one that is not finite is left out, as one that was not taken. */
void lab_json_number(struct lab_json_writer *w, const char *name, double value);

/** A whole number. */
void lab_json_integer(struct lab_json_writer *w, const char *name, long long value);

/** null: it is known to be unknown. */
void lab_json_null(struct lab_json_writer *w, const char *name);

/** true or false. */
void lab_json_bool(struct lab_json_writer *w, const char *name, bool value);

/**
 * @brief Bytes of the UTF-8 character that a text begins with; 0 when it begins with none: with a
 * control character other than tab, newline and return, a byte that fits nowhere, or its end.
 */
int lab_utf8_length(const char *text);

#endif
