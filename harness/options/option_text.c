/* A line of options is parsed like the command line, so that whatever a file says can be typed. */
#include "options/option_text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 32 };

int lab_options_parse_text(const char *target, const char *text, struct lab_option_text *line,
                           struct lab_options *options)
{
    char *list[MOST_WORDS] = {"run", (char *)target};
    int count = 2;
    snprintf(line->words, sizeof line->words, "%s", text);
    for (char *word = strtok(line->words, " "); word && count < MOST_WORDS;
         word = strtok(NULL, " "))
        list[count++] = word;
    return lab_options_parse(count, list, options);
}
