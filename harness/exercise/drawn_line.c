/* Lines of goal.txt with numbers to be drawn. */
#include "exercise/drawn_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lab_number_range(const char *word, long *first, long *last)
{
    char *end;
    *first = strtol(word, &end, 10);
    if (end == word || strncmp(end, "..", 2) != 0)
        return false;
    const char *second = end + 2;
    *last = strtol(second, &end, 10);
    if (end == second || *end)
        *last = *first - 1;
    return true;
}

int lab_number_list(const char *word, char values[LAB_NUMBER_LIST][LAB_NUMBER_BYTES])
{
    int count = 0;
    for (char *end; count < LAB_NUMBER_LIST; word = end + 1) {
        strtod(word, &end);
        const size_t length = (size_t)(end - word);
        if (end == word || (*end && *end != ',') || length >= LAB_NUMBER_BYTES ||
            strspn(word, "+-.0123456789e") < length)
            return 0;
        memcpy(values[count], word, length);
        values[count++][length] = '\0';
        if (!*end)
            return count > 1 ? count : 0;
    }
    return 0;
}

bool lab_line_at_end(const char *line, bool at_last, char text[LAB_DRAWN_LINE])
{
    char values[LAB_NUMBER_LIST][LAB_NUMBER_BYTES], end[LAB_NUMBER_BYTES];
    char words[LAB_DRAWN_LINE];
    size_t used = 0;
    text[0] = '\0';
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        long first, last;
        bool is_range = lab_number_range(word, &first, &last);
        const int count = lab_number_list(word, values);
        if (is_range && last < first)
            return false;
        snprintf(end, sizeof end, "%ld", at_last ? last : first);
        used += (size_t)snprintf(text + used, LAB_DRAWN_LINE - used, "%s%s", used ? " " : "",
                                 is_range ? end
                                 : count  ? values[at_last ? count - 1 : 0]
                                          : word);
        if (used >= LAB_DRAWN_LINE)
            return false;
    }
    return true;
}
