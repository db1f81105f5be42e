/* Turns the text of an option into a number or a word, or says what it must be. */
#include "options/values.h"

#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lab_option_typed(const char *name, char *text)
{
    snprintf(text, 32, "%s%s", strlen(name) == 1 ? "-" : "--", name);
    return text;
}

/* Other sizes are refused here, so that the rest may rely on 1 <= size <= LAB_SIZE_MAX. */
int lab_parse_size(char option, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        exit(lab_complain(LAB_EXIT_USAGE, "-%c %s: not a whole number", option, text));
    if (value < 1)
        exit(lab_complain(LAB_EXIT_USAGE, "-%c %s: a size is at least 1", option, text));
    if (errno || value > LAB_SIZE_MAX)
        exit(lab_complain(LAB_EXIT_USAGE, "-%c %s: a size is at most %d", option, text,
                          LAB_SIZE_MAX));
    return (int)value;
}

/* A number that a float holds, rounded to double. */
static double parse_scalar(const char *name, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(strtof(text, &end)))
        exit(
            lab_complain(LAB_EXIT_USAGE, "--%s %s: not a finite number of type float", name, text));
    return value;
}

uint64_t lab_parse_count(const char *name, const char *text, uint64_t first, uint64_t last)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || errno || text[0] == '-' || value < first || value > last)
        exit(lab_complain(LAB_EXIT_USAGE, "--%s %s: give a whole number from %llu to %llu", name,
                          text, (unsigned long long)first, (unsigned long long)last));
    return value;
}

long long lab_parse_integer(const char *name, const char *text, long long low, long long high)
{
    char *end, typed[32];
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value < low || value > high)
        exit(lab_complain(LAB_EXIT_USAGE, "%s %s: give a whole number from %lld to %lld",
                          lab_option_typed(name, typed), text, low, high));
    return value;
}

/* A number from 0 to `high`. */
static double parse_number(const char *name, const char *text, double high)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0.0 && value <= high))
        exit(lab_complain(LAB_EXIT_USAGE, "--%s %s: give a number from 0 to %g", name, text, high));
    return value;
}

/* "auto|gpu|sim" for people: "auto, gpu or sim". */
static void write_words(const char *words, char *text, size_t size)
{
    text[0] = '\0';
    for (const char *at = words, *end; at; at = end ? end + 1 : NULL) {
        end = strchr(at, '|');
        const bool is_last = !end, is_first = at == words;
        snprintf(text + strlen(text), size - strlen(text), "%s%.*s",
                 is_first  ? ""
                 : is_last ? " or "
                           : ", ",
                 is_last ? (int)strlen(at) : (int)(end - at), at);
    }
}

int lab_parse_word(const char *name, const char *text, const char *words)
{
    const size_t length = strlen(text);
    char all[128];
    int place = 0;
    for (const char *at = words; at; at = strchr(at, '|'), place++) {
        at += *at == '|';
        if (strncmp(at, text, length) == 0 && strcspn(at, "|") == length)
            return place;
    }
    write_words(words, all, sizeof all);
    exit(lab_complain(LAB_EXIT_USAGE, "--%s %s: give %s", name, text, all));
}

static void store_integer(long long value, void *member, size_t size)
{
    if (size == sizeof(bool))
        *(bool *)member = value != 0;
    else if (size == sizeof(int))
        *(int *)member = (int)value;
    else
        *(long long *)member = value;
}

void lab_option_store(const struct lab_option *option, const char *text, void *values)
{
    const struct lab_option *const o = option;
    void *const member = (char *)values + o->offset;
    if (o->take)
        o->take(text, values);
    else if (o->store == LAB_STORE_TEXT)
        *(const char **)member = text;
    else if (o->store == LAB_STORE_SCALAR && o->size == sizeof(float))
        *(float *)member = (float)parse_scalar(o->name, text);
    else if (o->store == LAB_STORE_SCALAR)
        *(double *)member = parse_scalar(o->name, text);
    else if (o->store == LAB_STORE_NUMBER)
        *(double *)member = parse_number(o->name, text, (double)o->high);
    else
        store_integer(o->store == LAB_STORE_FLAG ? 1
                      : o->store == LAB_STORE_WORD
                          ? lab_parse_word(o->name, text, o->arg)
                          : lab_parse_integer(o->name, text, o->low, o->high),
                      member, o->size);
}

struct argp_option lab_option_of_argp(const struct lab_option *option, int key)
{
    return (struct argp_option){.name = option->name,
                                .key = key,
                                .arg = option->arg,
                                .flags = option->flags | (option->doc ? 0 : OPTION_HIDDEN),
                                .doc = option->doc};
}
