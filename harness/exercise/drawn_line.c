/* Lines of goal.txt with numbers to be drawn. */
#include "exercise/goal_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 12, NUMBER_BYTES = 24 };

uint64_t lab_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Reads "FIRST..LAST". An invalid range has `*last` below `*first`. */
static bool read_range(const char *word, long *first, long *last)
{
    char *end;
    *last = *first = strtol(word, &end, 10);
    if (end == word || strncmp(end, "..", 2) != 0)
        return false;
    const char *second = end + 2;
    *last = strtol(second, &end, 10);
    if (end == second || *end)
        *last = *first - 1;
    return true;
}

/* Reads "128,160,192" or "-0.3,1,2.5e3"; 0: it is no list. */
static int read_list(const char *word, char values[NUMBERS][NUMBER_BYTES])
{
    int count = 0;
    for (char *end; count < NUMBERS; word = end + 1) {
        strtod(word, &end);
        const size_t length = (size_t)(end - word);
        if (end == word || (*end && *end != ',') || length >= NUMBER_BYTES ||
            strspn(word, "+-.0123456789e") < length)
            return 0;
        memcpy(values[count], word, length);
        values[count++][length] = '\0';
        if (!*end)
            return count > 1 ? count : 0;
    }
    return 0;
}

/* One of `count` numbers. Of those that students know the first is not drawn. */
static uint64_t choose(uint64_t count, enum lab_drawn_from from, bool is_known, uint64_t *state)
{
    const uint64_t known = is_known && from == LAB_DRAWN_ANEW;
    return from == LAB_DRAWN_SHOWN  ? 0
           : from == LAB_DRAWN_LAST ? count - 1
                                    : known + lab_draw(state) % (count - known);
}

bool lab_drawn_line(const char *line, enum lab_drawn_from from, uint64_t *state,
                    char text[LAB_DRAWN_LINE])
{
    char values[NUMBERS][NUMBER_BYTES], words[LAB_DRAWN_LINE];
    size_t used = 0;
    bool in_bracket = false;
    text[0] = '\0';
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        long first, last;
        const bool begins = word[0] == '[';
        word += begins;
        const size_t length = strlen(word);
        const bool ends = length && word[length - 1] == ']';
        if (ends)
            word[length - 1] = '\0';
        if ((begins && in_bracket) || (ends && !begins && !in_bracket) || !word[0])
            return false;
        in_bracket = in_bracket || begins;
        const bool is_range = read_range(word, &first, &last);
        const int count = read_list(word, values);
        if (is_range && last < first)
            return false;
        const char *const blank = used ? " " : "";
        const size_t room = LAB_DRAWN_LINE - used;
        if (in_bracket && from == LAB_DRAWN_SHOWN)
            ;
        else if (is_range)
            used += (size_t)snprintf(
                text + used, room, "%s%ld", blank,
                first + (long)choose((uint64_t)(last - first) + 1, from, false, state));
        else
            used += (size_t)snprintf(
                text + used, room, "%s%s", blank,
                count ? values[choose((uint64_t)count, from, !in_bracket, state)] : word);
        if (used >= LAB_DRAWN_LINE)
            return false;
        in_bracket = in_bracket && !ends;
    }
    return !in_bracket;
}
