/* The table of options (options.def) for argp, and where each option stores its value. */
#include "options/parsers.h"
#include "base/status.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of enum lab_profile, from LAB_PROFILE_GPU on. */
#define PROFILE_WORDS "gpu|sim|both"

/* --- options with a function of their own; `text` is NULL where no argument is given
 * ------------*/

static void take_plan(const char *text, void *values)
{
    struct lab_options *options = values;
    options->plan = text;
    options->command = LAB_COMMAND_TRIAL;
}

/* If there is a single target, the last file replaces it; `compare` runs all files. */
static void take_source(const char *path, void *values)
{
    struct lab_options *options = values;
    if (options->source_count == LAB_MAX_TARGETS)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d kernel files in one run", LAB_MAX_TARGETS));
    options->sources[options->source_count++] = options->source = path;
}

/* The size of the window of `run watch`. */
static void take_fit(const char *text, void *values)
{
    struct lab_options *options = values;
    char more;
    if (sscanf(text, "%dx%d%c", &options->fit_rows, &options->fit_columns, &more) != 2 ||
        options->fit_rows < 1 || options->fit_columns < 1)
        exit(lab_complain(LAB_EXIT_USAGE, "--fit %s: give rows and columns, such as 24x80", text));
}

static void take_sms(const char *text, void *values)
{
    struct lab_options *options = values;
    options->sms =
        strcmp(text, "all") == 0 ? LAB_SMS_ALL : (int)lab_parse_count("sms", text, 1, LAB_MAX_SMS);
}

static void take_thorough(const char *text, void *values)
{
    struct lab_options *options = values;
    options->thorough = true;
    options->every_problem = text && lab_parse_word("thorough", text, "all") == 0;
}

static void take_profile(const char *text, void *values)
{
    struct lab_options *options = values;
    options->profile =
        text ? LAB_PROFILE_GPU + lab_parse_word("profile", text, PROFILE_WORDS) : LAB_PROFILE_AUTO;
}

static void take_banks(const char *text, void *values)
{
    struct lab_options *options = values;
    options->banks = (int)lab_parse_count("banks", text, 1, INT_MAX);
    options->lines = true;
}

/* "3,1" is warp 1 of block 3. */
static void watch(const char *option, const char *text, struct lab_options *options)
{
    unsigned long long block;
    unsigned warp;
    int end = 0;
    if (sscanf(text, "%19llu,%2u%n", &block, &warp, &end) != 2 || text[end] || warp > 31 ||
        !isdigit((unsigned char)text[0]))
        exit(lab_complain(LAB_EXIT_USAGE,
                          "--%s %s: give a block's number and a warp's in it, such as 3,1", option,
                          text));
    options->watched_block = block;
    options->watched_warp = warp;
}

static void take_warp(const char *text, void *values)
{
    struct lab_options *options = values;
    watch("warp", text, options);
    options->watches = true;
}

static void take_trace(const char *text, void *values)
{
    struct lab_options *options = values;
    watch("trace", text, options);
    options->traces = options->lines = true;
}

static void take_plot(const char *text, void *values)
{
    struct lab_options *options = values;
    lab_parse_word("plot", text, "text");
    options->plots_text = true;
}

static void take_seed(const char *text, void *values)
{
    struct lab_options *options = values;
    options->problem.seed = lab_parse_count("seed", text, 0, UINT64_MAX);
}

/* --- the table ---------------------------------------------------------------------------------*/

enum { TESTS, TARGET }; /* what an exercise is that is given the option */

static const struct {
    struct lab_option option;
    enum lab_option_group group;
    bool is_detailed;
} table[] = {
#define FLAG(member)                   LAB_FLAG(struct lab_options, member)
#define TEXT(member)                   LAB_TEXT(struct lab_options, member)
#define WORD(member)                   LAB_WORD(struct lab_options, member)
#define COUNT(member, most)            LAB_COUNT(struct lab_options, member, 1, most)
#define OWN(member, function)          LAB_MEMBER(struct lab_options, member), .take = function
#define OWN_OPTIONAL(member, function) OWN(member, function), .flags = OPTION_ARG_OPTIONAL
#define LAB_OPTION(id, name, argument, group, detail, sets, help)                                  \
    {{name, argument, help, sets}, LAB_GROUP_##group, detail == TARGET},
#include "options/options.def"
#undef LAB_OPTION
};

enum { OPTIONS = sizeof table / sizeof *table };

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct lab_options *options = state->input;
    const int i = key - LAB_OPTION_KEY;
    if (i >= 0 && i < OPTIONS) {
        lab_option_store(&table[i].option, text, options);
        options->is_detailed |= table[i].is_detailed;
    } else if (key >= 'a' && key <= 'z') {
        options->problem.sizes[key - 'a'] = lab_parse_size((char)key, text);
        options->is_detailed = true;
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The letters of all families' sizes. --help says what each means under its family's heading. */
static void add_letters(struct argp_option *option)
{
    bool known[LAB_LETTERS] = {false};
    for (const struct lab_family_options *const *f = lab_families_options(); *f; f++)
        for (const struct lab_size_option *s = (*f)->sizes; s->letter; s++)
            if (!known[s->letter - 'a']) {
                known[s->letter - 'a'] = true;
                *option++ =
                    (struct argp_option){.key = s->letter, .arg = "SIZE", .flags = OPTION_HIDDEN};
            }
}

const struct argp *lab_option_group(enum lab_option_group group)
{
    static struct argp_option options[LAB_GROUPS][OPTIONS + LAB_LETTERS + 1];
    static struct argp parsers[LAB_GROUPS]; /* each gets the same at every call */
    int count = 0;
    for (int i = 0; i < OPTIONS; i++)
        if (table[i].group == group)
            options[group][count++] = lab_option_of_argp(&table[i].option, LAB_OPTION_KEY + i);
    if (group == LAB_GROUP_PROBLEM)
        add_letters(options[group] + count);
    parsers[group] = (struct argp){.options = options[group], .parser = parse};
    return &parsers[group];
}

uint64_t lab_options_given(const struct lab_options *options)
{
    static const char zeros[sizeof(uint64_t)];
    uint64_t given = 0;
    for (int i = 0; i < OPTIONS; i++)
        if (memcmp((const char *)options + table[i].option.offset, zeros, table[i].option.size) !=
            0)
            given |= UINT64_C(1) << i;
    return given;
}
