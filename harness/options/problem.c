/* Options of the problem: sizes, and the options of one family. */
#include "options/parsers.h"
#include "options/values.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int given_sizes(const struct lab_options *options)
{
    int count = 0;
    for (int i = 0; i < LAB_LETTERS; i++)
        count += options->problem.sizes[i] > 0;
    return count;
}

bool lab_options_have_sizes(const struct lab_options *options)
{
    return given_sizes(options) > 0;
}

int lab_size_of(const struct lab_options *options, const struct lab_family_options *family,
                char letter, int size)
{
    const int *sizes = options->problem.sizes;
    int sum = 0;
    for (int i = 0; i < LAB_LETTERS; i++)
        sum += given_sizes(options) == 1 ? sizes[i] : 0;
    if (sizes[letter - 'a'])
        return sizes[letter - 'a'];
    if (family->alike && sum)
        return sum;
    for (const struct lab_size_option *s = family->sizes; s->letter; s++)
        if (s->letter == letter && s->otherwise)
            return s->otherwise;
    return size;
}

/* --- a family's own ----------------------------------------------------------------------------*/

/* Families may share their options. */
static bool are_shared(const struct lab_family_options *a, const struct lab_family_options *b)
{
    return a == b || (a && b && a->table && a->table == b->table);
}

const void *lab_own_options(const struct lab_options *options,
                            const struct lab_family_options *family)
{
    return are_shared(options->problem.family, family) ? options->problem.own : family->defaults;
}

bool lab_own_options_are_usual(const struct lab_options *options)
{
    const struct lab_problem_options *problem = &options->problem;
    return !problem->family ||
           memcmp(problem->own, problem->family->defaults, problem->family->own_bytes) == 0;
}

static void take(struct lab_options *options, const struct lab_family_options *family,
                 const struct lab_option *option, const char *text)
{
    struct lab_problem_options *problem = &options->problem;
    char before[32], now[32];
    if (problem->family && !are_shared(problem->family, family))
        exit(lab_complain(LAB_EXIT_USAGE, "%s and %s are for different problems",
                          lab_option_typed(problem->given[problem->given_count - 1].name, before),
                          lab_option_typed(option->name, now)));
    if (problem->given_count == LAB_MAX_GIVEN)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d options of a problem", LAB_MAX_GIVEN));
    if (!problem->family)
        memcpy(problem->own, family->defaults, family->own_bytes);
    problem->family = family;
    problem->given[problem->given_count++] = (struct lab_given_option){option->name, text};
    options->is_detailed = true;
    lab_option_store(option, text, problem->own);
    if (family->follow)
        family->follow(option->name, text, problem->own);
}

bool lab_option_is_other(const struct lab_options *options, const char *name, const char *word)
{
    const char *given = NULL;
    for (int i = 0; i < options->problem.given_count; i++)
        if (strcmp(options->problem.given[i].name, name) == 0)
            given = options->problem.given[i].text;
    return given && strcmp(given, word) != 0;
}

void lab_give_own_option(struct lab_options *options, const struct lab_family_options *family,
                         const char *name, const char *text)
{
    const struct lab_option *option = family->table;
    while (strcmp(option->name, name) != 0)
        option++;
    take(options, family, option, text);
}

static error_t parse_own(int key, char *text, struct argp_state *state)
{
    const struct lab_family_input *input = state->input;
    const struct lab_option *option = input->family->table;
    for (int own = LAB_OPTION_KEY; option && option->name; own++, option++)
        if (own == key) {
            take(input->options, input->family, option, text);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

bool lab_family_parser_make(struct lab_family_parser *parser,
                            const struct lab_family_options *family)
{
    static char letters[LAB_LETTERS][8]; /* each gets the same text at every call */
    int count = 0, sizes = 0;
    while (family->table && family->table[count].name)
        count++;
    parser->table = calloc((size_t)count + LAB_FAMILY_SIZES + 1, sizeof *parser->table);
    if (!parser->table)
        return false;
    for (const struct lab_size_option *s = family->sizes; s->letter; s++) {
        snprintf(letters[s->letter - 'a'], sizeof letters[0], "-%c SIZE", s->letter);
        parser->table[sizes++] = (struct argp_option){.name = letters[s->letter - 'a'],
                                                      .flags = OPTION_DOC | OPTION_NO_USAGE,
                                                      .doc = s->meaning};
    }
    for (int i = 0; i < count; i++)
        parser->table[sizes + i] = lab_option_of_argp(&family->table[i], LAB_OPTION_KEY + i);
    parser->parser = (struct argp){.options = parser->table, .parser = parse_own};
    return true;
}

/* --- whether they fit the problem --------------------------------------------------------------*/

static bool has_size(const struct lab_family_options *family, char letter)
{
    const struct lab_size_option *s = family->sizes;
    while (s->letter && s->letter != letter)
        s++;
    return s->letter != 0;
}

static int complain_of_size(const struct lab_family_options *family, const char *target,
                            char letter)
{
    char sizes[256] = "";
    for (const struct lab_size_option *s = family->sizes; s->letter; s++)
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s-%c (%s)",
                 s == family->sizes ? "" : ", ", s->letter, s->meaning);
    return lab_complain(LAB_EXIT_USAGE, "-%c: %s has no such size; it has %s", letter, target,
                        sizes);
}

int lab_problem_options_check(const struct lab_options *options,
                              const struct lab_family_options *family, const char *target)
{
    const struct lab_problem_options *problem = &options->problem;
    char typed[32];
    for (int i = 0; i < LAB_LETTERS; i++)
        if (problem->sizes[i] && !has_size(family, (char)('a' + i)))
            return complain_of_size(family, target, (char)('a' + i));
    if (problem->family && !are_shared(problem->family, family))
        return lab_complain(LAB_EXIT_USAGE, "%s is for %s; %s solves another problem, %s",
                            lab_option_typed(problem->given[0].name, typed), problem->family->title,
                            target, family->title);
    return family->check ? family->check(options, lab_own_options(options, family)) : LAB_EXIT_OK;
}
