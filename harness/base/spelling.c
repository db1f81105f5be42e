/* Finds a suggestion for an unknown word: the name that differs in the fewest letters. If two names
 * are equally near, it is the one with the longer beginning in common. */
#include "base/text.h"

#include "base/numbers.h"
#include "base/status.h"

#include <argp.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The number of letters to change, add or leave out. Two swapped neighbours count once. */
static int distance_of(const char *a, const char *b)
{
    enum { LONGEST = LAB_SPELLING_BYTES - 1 };
    const int length_a = (int)strnlen(a, LONGEST), length_b = (int)strnlen(b, LONGEST);
    int rows[3][LONGEST + 1]; /* for the beginnings of `a` with i, i - 1 and i - 2 letters */
    for (int j = 0; j <= length_b; j++)
        rows[0][j] = j;
    for (int i = 1; i <= length_a; i++) {
        int *const row = rows[i % 3], *const above = rows[(i + 2) % 3];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            row[j] = lab_least(above[j - 1] + (a[i - 1] != b[j - 1]),
                               1 + lab_least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = lab_least(row[j], 1 + rows[(i + 1) % 3][j - 2]);
        }
    }
    return rows[length_a % 3][length_b];
}

static int same_start(const char *a, const char *b)
{
    int length = 0;
    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

struct lab_spelling lab_spelling_of(const char *text, int length)
{
    struct lab_spelling spelling = {.nearest = NULL, .distance = INT_MAX};
    snprintf(spelling.word, sizeof spelling.word, "%.*s", length, text);
    return spelling;
}

void lab_spelling_try(struct lab_spelling *spelling, const char *name)
{
    const int distance = distance_of(spelling->word, name);
    if (distance > spelling->distance ||
        (distance == spelling->distance &&
         same_start(spelling->word, name) <= same_start(spelling->word, spelling->nearest)))
        return;
    spelling->nearest = name;
    spelling->distance = distance;
}

bool lab_spelling_is_near(const struct lab_spelling *spelling)
{
    return spelling->nearest && spelling->distance * 3 <= (int)strlen(spelling->word);
}

const char *lab_spelling_suggest(const struct lab_spelling *spelling)
{
    static char text[LAB_SPELLING_BYTES + 32];
    text[0] = '\0';
    if (lab_spelling_is_near(spelling))
        snprintf(text, sizeof text, "; did you mean '%s'?", spelling->nearest);
    return text;
}

/* --- options -----------------------------------------------------------------------------------*/

/* Tries all names but hidden ones. True when the word begins an option's name, since argp takes it
 * for that option. */
static bool try_options(struct lab_spelling *spelling, const struct argp_option *option)
{
    bool is_known = false;
    for (; option->name || option->key; option++) {
        if (!option->name)
            continue;
        is_known |= strncmp(option->name, spelling->word, strlen(spelling->word)) == 0;
        if (!(option->flags & OPTION_HIDDEN))
            lab_spelling_try(spelling, option->name);
    }
    return is_known;
}

int lab_spelling_check(int argc, char **argv, const struct argp_option *const tables[],
                       const char *rest)
{
    static const struct argp_option of_argp[] = {
        {.name = "help"}, {.name = "usage"}, {.name = "version"}, {0}};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        struct lab_spelling spelling = lab_spelling_of(argv[i] + 2, (int)strcspn(argv[i] + 2, "="));
        bool is_known = try_options(&spelling, of_argp);
        if (strlen(spelling.word) == 1) /* argp would take it for an option that begins with it */
            return lab_complain(LAB_EXIT_USAGE,
                                "no option '--%s'; a letter by itself has one dash: '-%s'",
                                spelling.word, spelling.word);
        for (int t = 0; tables[t]; t++)
            is_known |= try_options(&spelling, tables[t]);
        if (is_known)
            continue;
        const bool is_near = lab_spelling_is_near(&spelling);
        return lab_complain(LAB_EXIT_USAGE, "no option '--%s'%s%s%s %s", spelling.word,
                            is_near ? "; did you mean '--" : ";", is_near ? spelling.nearest : "",
                            is_near ? "'?" : "", rest);
    }
    return LAB_EXIT_OK;
}
