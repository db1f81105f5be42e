/* The command line as a whole: its words, and argp's parsers of all options: those of options.def,
 * and each family's own. */
#include "options/parsers.h"
#include "series/registry.h"
#include "base/text.h"
#include "base/status.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAMILIES = 32, MOST_OPTIONS = 32, MOST_TABLES = LAB_GROUPS + MOST_FAMILIES + 1 };

/* The state of parsing: the options, and the input of each family's parser. */
struct parsing {
    struct lab_options *options;
    struct lab_family_input families[MOST_FAMILIES];
    int family_count;
};

#define LAB_RUN_COMMAND(word, arguments, takes) "\n" word arguments
static const char synopsis[] = "TARGET"
#include "series/commands.def"
    ;
#undef LAB_RUN_COMMAND

static const char about[] =
    "Runs a step of the GPU kernel lab: checks its kernels against cuBLAS and times them, on a GPU "
    "or on the simulator.\vTARGET is step01, step02, ..., or a stage such as step09.2; its number "
    "or its folder will do: 1, 9.2, steps/09_triangular. `run list` prints "
    "the series, `run "
    "doctor` what this machine has, `run sweep step07` speed over size.\n\nExit status: 0 all "
    "right, 1 a kernel failed its check, 2 "
    "bad "
    "input, 3 something is missing on this machine, or the lab itself broke.";

/* The kind of target that a word names without a number; NULL: none. */
static const char *kind_alone(const char *word)
{
    static const char *const kinds[] = {"step", "exercise", "solution"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i]);
        if (strncmp(word, kinds[i], length) == 0 &&
            (!word[length] || strcmp(word + length, "s") == 0))
            return kinds[i];
    }
    return NULL;
}

/* For "4.2", where step 04 exists but has no such stage: the number of its stages. Else 0. */
static int stages_beside(const char *word, const char **step)
{
    char whole[32];
    int count = 0;
    const size_t length = strcspn(word, ".");
    if (!word[length] || length >= sizeof whole)
        return 0;
    snprintf(whole, sizeof whole, "%.*s", (int)length, word);
    *step = lab_target_name(whole);
    if (*step)
        lab_registry_stages(*step, &count);
    return count;
}

/* For "reset 5", "reset5" or "reset-exercise05": says which command resets the exercise. */
static int complain_of_reset(const char *word, const char *next)
{
    const char *const named = word + strcspn(word, "-0123456789");
    const char *const name = *named ? named + (*named == '-') : next;
    const struct lab_registry_entry *const entry = name ? lab_target_name_exercise(name) : NULL;
    if (name && !entry)
        return lab_target_name_no_exercise(name);
    return lab_complain(LAB_EXIT_USAGE,
                        "an exercise is put back by make: `make reset-%s`%s; what was there is "
                        "kept in build/",
                        entry ? entry->target : "exerciseNN",
                        entry ? "" : ", with its number in place of NN");
}

/* Says what is wrong with a target. A number alone is meant as a step's. */
static int complain_of_target(const char *word, const char *next)
{
    char step[32];
    const char *target = NULL, *kind = kind_alone(word);
    const bool is_number = word[0] >= '0' && word[0] <= '9';
    const bool has_number = next && next[0] >= '0' && next[0] <= '9';
    const int stages = stages_beside(word, &target);
    if (kind)
        return lab_complain(LAB_EXIT_USAGE, "a number belongs to '%s', in one word: %s%.20s", kind,
                            kind, has_number ? next : "01");
    if (stages == 1)
        return lab_complain(LAB_EXIT_USAGE, "no target '%s': %s has no stages", word, target);
    if (stages > 1)
        return lab_complain(LAB_EXIT_USAGE, "no target '%s': the stages of %s are %s.1 to %s.%d",
                            word, target, target, target, stages);
    const char *suggestion = lab_registry_suggest(word, "");
    snprintf(step, sizeof step, "%s%s", is_number ? "step" : "", word);
    if (strncmp(word, "reset", 5) == 0)
        return complain_of_reset(word, next);
    if (lab_registry_knows(word))
        return lab_complain(LAB_EXIT_USAGE, "'%s' is a command, which comes first: ./run %s", word,
                            word);
    const char *const suffix = strrchr(word, '.');
    if (strchr(word, '/') || (suffix && strcmp(suffix, ".cu") == 0))
        return lab_complain(LAB_EXIT_USAGE,
                            "no file '%s', and no target; `./run list` shows these, and --source "
                            "takes a kernel file",
                            word);
    if (!*suggestion)
        suggestion = lab_registry_suggest(step, "");
    return lab_complain(LAB_EXIT_USAGE, "no target '%s'%s `./run list` shows all", word,
                        *suggestion ? suggestion : ";");
}

static void add_argument(struct lab_options *options, const char *word, const char *next)
{
    static const struct {
        const char *word;
        enum lab_command command;
    } commands[] = {{"list", LAB_COMMAND_LIST},
                    {"compare", LAB_COMMAND_COMPARE},
                    {"sweep", LAB_COMMAND_SWEEP},
                    {"plan", LAB_COMMAND_PLAN},
                    {"doctor", LAB_COMMAND_DOCTOR}};
    if (options->target_count == 0 && options->command == LAB_COMMAND_RUN)
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
            if (strcmp(word, commands[i].word) == 0) {
                options->command = commands[i].command;
                return;
            }
    const char *target = lab_target_name(word);
    if (!target)
        exit(complain_of_target(word, next));
    if (options->target_count == LAB_MAX_TARGETS)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d targets in one run", LAB_MAX_TARGETS));
    options->targets[options->target_count++] = target;
}

static error_t parse_word(int key, char *text, struct argp_state *state)
{
    struct parsing *parsing = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < LAB_GROUPS; i++)
            state->child_inputs[i] = parsing->options;
        for (int i = 0; i < parsing->family_count; i++)
            state->child_inputs[LAB_GROUPS + i] = &parsing->families[i];
        return 0;
    case ARGP_KEY_ARG:
        add_argument(parsing->options, text, state->argv[state->next]);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int lab_targets_write(lab_targets_fn *of, lab_target_fits_fn *fits, const void *subject, char *text,
                      size_t size)
{
    int count, found = 0, last = 0;
    const struct lab_registry_entry *const list = of(&count);
    size_t before = 0; /* where the text of the last target begins */
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (!fits(&list[i], subject))
            continue;
        const bool goes_on = found && last == i - 1;
        if (goes_on && strncmp(text + before, " to ", 4) == 0)
            text[before] = '\0';
        before = strlen(text);
        snprintf(text + before, size - before, "%s%s",
                 !found    ? ""
                 : goes_on ? " to "
                           : ", ",
                 list[i].target);
        found++;
        last = i;
    }
    return found;
}

/* An exercise or a solution alone means its tests; with sizes or a tool, it is a usual target. */
static void choose_tests(struct lab_options *options)
{
    if (!options->is_detailed && options->command == LAB_COMMAND_RUN &&
        options->target_count == 1 && lab_registry_exercise(options->targets[0]))
        options->command = LAB_COMMAND_EXERCISE;
}

/* The target among the words, as far as it is known before options are. A number may be the size
 * that an option is given; a whole name cannot. */
static const char *first_target(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (lab_registry_target(argv[i]))
            return argv[i];
    for (int behind_options = 0; behind_options < 2; behind_options++)
        for (int i = 1; i < argc; i++) {
            const char *target = lab_target_name(argv[i]);
            if (target && (argv[i - 1][0] == '-') == behind_options)
                return target;
        }
    return NULL;
}

/* Lists families, the target's first: if several families have an option of one name, argp takes
 * the first. Families with the same heading share their options. */
static int list_families(int argc, char **argv, const struct lab_family_options **list)
{
    const struct lab_family_options *const *all = lab_families_options(), *first = NULL;
    int count = 0;
    const char *target = first_target(argc, argv);
    if (target)
        first = lab_family_options_find(lab_registry_target(target)->family);
    if (first)
        list[count++] = first;
    for (; *all && count < MOST_FAMILIES; all++) {
        bool is_new = true;
        for (int i = 0; i < count; i++)
            is_new = is_new && strcmp(list[i]->heading, (*all)->heading) != 0;
        if (is_new)
            list[count++] = *all;
    }
    return count;
}

static bool has_heading(const struct lab_registry_entry *entry, const void *heading)
{
    return strcmp(lab_family_options_find(entry->family)->heading, heading) == 0;
}

/* "Shortest paths (step11):", which names the targets whose problems have these options. */
static void write_heading(const struct lab_family_options *family, char *text, size_t size)
{
    char targets[64];
    const bool found =
        lab_targets_write(lab_registry, has_heading, family->heading, targets, sizeof targets) ||
        lab_targets_write(lab_registry_exercises, has_heading, family->heading, targets,
                          sizeof targets);
    snprintf(text, size, found ? "%s (%s):" : "%s:", family->heading, targets);
}

/* Lists the option tables of all targets; NULL ends the list. */
static void list_tables(const struct argp_option *tables[MOST_TABLES])
{
    static struct argp_option own[MOST_FAMILIES][MOST_OPTIONS + 1]; /* the same at every call */
    const struct lab_family_options *families[MOST_FAMILIES];
    const int count = list_families(0, NULL, families);
    int t = 0;
    for (enum lab_option_group group = 0; group < LAB_GROUPS; group++)
        tables[t++] = lab_option_group(group)->options;
    for (int i = 0; i < count; tables[t++] = own[i++])
        for (int o = 0; families[i]->table && families[i]->table[o].name && o < MOST_OPTIONS; o++)
            own[i][o] = lab_option_of_argp(&families[i]->table[o], LAB_OPTION_KEY + o);
    tables[t] = NULL;
}

void lab_options_each(lab_option_fn *visit, void *subject)
{
    const struct argp_option *tables[MOST_TABLES];
    list_tables(tables);
    for (int t = 0; tables[t]; t++)
        for (const struct argp_option *o = tables[t]; o->name || o->key; o++)
            visit(o, subject);
}

/* Checks spelling first, because argp suggests nothing for a misspelt option. */
static int check_spelling(int argc, char **argv)
{
    const struct argp_option *tables[MOST_TABLES];
    list_tables(tables);
    return lab_spelling_check(argc, argv, tables, "`./run --help` shows all");
}

int lab_options_parse(int argc, char **argv, struct lab_options *options)
{
    static char headings[MOST_FAMILIES][128]; /* each gets the same text at every call */
    const struct lab_family_options *families[MOST_FAMILIES];
    struct lab_family_parser parsers[MOST_FAMILIES];
    struct argp_child children[LAB_GROUPS + MOST_FAMILIES + 1] = {
        [LAB_GROUP_COMMAND] = {lab_option_group(LAB_GROUP_COMMAND), 0, NULL, 0},
        [LAB_GROUP_RUN] = {lab_option_group(LAB_GROUP_RUN), 0, "The run:", 1},
        [LAB_GROUP_REPORT] = {lab_option_group(LAB_GROUP_REPORT), 0, "The report:", 2},
        [LAB_GROUP_PROBLEM] = {lab_option_group(LAB_GROUP_PROBLEM), 0, "The problem:", 3}};
    struct parsing parsing = {.options = options,
                              .family_count = list_families(argc, argv, families)};
    const struct argp parser = {NULL, parse_word, synopsis, about, children, 0, 0};
    *options = (struct lab_options){.problem = {.seed = 1}};
    if (check_spelling(argc, argv) != LAB_EXIT_OK)
        return LAB_EXIT_USAGE;
    for (int i = 0; i < parsing.family_count; i++) {
        if (!lab_family_parser_make(&parsers[i], families[i]))
            return lab_complain(LAB_EXIT_MISSING, "out of memory");
        parsing.families[i] = (struct lab_family_input){options, families[i]};
        write_heading(families[i], headings[i], sizeof headings[i]);
        children[LAB_GROUPS + i] = (struct argp_child){&parsers[i].parser, 0, headings[i], 4 + i};
    }
    argp_err_exit_status = LAB_EXIT_USAGE;
    argv[0] = "run"; /* the name in argp's messages */
    error_t failed = argp_parse(&parser, argc, argv, 0, 0, &parsing);
    for (int i = 0; i < parsing.family_count; i++)
        free(parsers[i].table);
    if (failed)
        return LAB_EXIT_USAGE;
    int status = lab_options_check(options);
    choose_tests(options);
    return status;
}

int lab_options_parse_text(const char *target, const char *text, struct lab_option_text *line,
                           struct lab_options *options)
{
    enum { MOST_WORDS = 32 };
    char *list[MOST_WORDS] = {"run", (char *)target};
    int count = 2;
    snprintf(line->words, sizeof line->words, "%s", text);
    for (char *word = strtok(line->words, " "); word && count < MOST_WORDS;
         word = strtok(NULL, " "))
        list[count++] = word;
    return lab_options_parse(count, list, options);
}
