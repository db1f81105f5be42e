/* The command line as a whole: what to run, and the checks that need no runtime. The options of the
 * problem, the run and the report have files of their own, and a family's options its folder. */
#include "options/parsers.h"
#include "options/targets.h"
#include "series/target_name.h"
#include "series/registry.h"
#include "base/spelling.h"
#include "base/status.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum command_option { OPTION_PLAN = 256, OPTION_VARIANT, OPTION_SOURCE, OPTION_FIT };

enum { OWNERS = 3, MOST_FAMILIES = 32, MOST_TABLES = OWNERS + MOST_FAMILIES + 2 };

static const struct argp_option option_table[] = {
    {"plan", OPTION_PLAN, "FILE", OPTION_HIDDEN, 0, 0},
    {"fit", OPTION_FIT, "ROWSxCOLUMNS", OPTION_HIDDEN, 0, 0},
    {"variant", OPTION_VARIANT, "NAME", 0,
     "only this variant of the step; several with commas between", 0},
    {"source", OPTION_SOURCE, "FILE.cu", 0,
     "run FILE in place of the target's own kernel files; may be given again", 0},
    {0}};

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

/* If there is a single target, the last file replaces it; `compare` runs all files. */
static error_t add_source(struct lab_options *options, const char *path)
{
    if (options->source_count == LAB_MAX_TARGETS)
        exit(lab_complain(LAB_EXIT_USAGE, "at most %d kernel files in one run", LAB_MAX_TARGETS));
    options->sources[options->source_count++] = options->source = path;
    return 0;
}

/* Reads --fit, the size of the window of `run watch`. */
static error_t add_fit(struct lab_options *options, const char *text)
{
    char more;
    if (sscanf(text, "%dx%d%c", &options->fit_rows, &options->fit_columns, &more) != 2 ||
        options->fit_rows < 1 || options->fit_columns < 1)
        exit(lab_complain(LAB_EXIT_USAGE, "--fit %s: give rows and columns, such as 24x80", text));
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parsing *parsing = state->input;
    struct lab_options *options = parsing->options;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < OWNERS; i++)
            state->child_inputs[i] = options;
        for (int i = 0; i < parsing->family_count; i++)
            state->child_inputs[OWNERS + i] = &parsing->families[i];
        return 0;
    case OPTION_PLAN:
        options->plan = text;
        options->command = LAB_COMMAND_TRIAL;
        return 0;
    case OPTION_VARIANT:
        options->variant = text;
        options->is_detailed = true;
        return 0;
    case OPTION_SOURCE:
        return add_source(options, text);
    case OPTION_FIT:
        return add_fit(options, text);
    case ARGP_KEY_ARG:
        add_argument(options, text, state->argv[state->next]);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct lab_family_options *family_of(const char *target)
{
    return lab_family_options_find(lab_registry_target(target)->family);
}

typedef const struct lab_registry_entry *list_fn(int *count);
typedef bool entry_fn(const struct lab_registry_entry *entry, const void *subject);

/* Writes the targets that fit, neighbours as a range: "step01 to step07, step11"; their number. */
static int write_targets(list_fn *of, entry_fn *fits, const void *subject, char *text, size_t size)
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

static bool has_study(const struct lab_registry_entry *entry, const void *subject)
{
    (void)subject;
    return lab_family_options_find(entry->family)->study != NULL;
}

static int complain_of_sweep(const char *target)
{
    char names[128];
    write_targets(lab_registry, has_study, NULL, names, sizeof names);
    return lab_complain(LAB_EXIT_USAGE, "%s has no parameter study; %s have one", target, names);
}

static int check_sweep(const struct lab_options *options)
{
    if (options->target_count != 1)
        return lab_complain(LAB_EXIT_USAGE, "sweep needs one target, such as step08");
    const struct lab_family_options *family = family_of(options->targets[0]);
    if (!family->study)
        return complain_of_sweep(options->targets[0]);
    const char *whole = lab_registry_target(options->targets[0])->target;
    if (!family->study_of_stages && strcmp(whole, options->targets[0]) != 0 &&
        !lab_registry_exercise(whole))
        return lab_complain(LAB_EXIT_USAGE, "a study is of a whole step: sweep %s", whole);
    int status = family->check_study
                     ? family->check_study(options, lab_own_options(options, family))
                     : LAB_EXIT_OK;
    if (status != LAB_EXIT_OK)
        return status;
    if (options->lines || options->sanitize || options->check_only)
        return lab_complain(LAB_EXIT_USAGE,
                            "sweep goes without --lines, --sanitize and --check-only");
    if (options->profile == LAB_PROFILE_SIM || options->profile == LAB_PROFILE_BOTH)
        return lab_complain(LAB_EXIT_USAGE,
                            "sweep takes the counters of the runtime that runs: give --profile");
    return LAB_EXIT_OK;
}

static bool has_plan(const struct lab_registry_entry *entry, const void *subject)
{
    (void)subject;
    return lab_family_options_find(entry->family)->plan != NULL;
}

static int check_plan(const struct lab_options *options)
{
    char names[128];
    const struct lab_family_options *family =
        options->target_count == 1 ? family_of(options->targets[0]) : NULL;
    write_targets(lab_registry, has_plan, NULL, names, sizeof names);
    if (!family || !family->plan ||
        strcmp(lab_registry_target(options->targets[0])->target, options->targets[0]) != 0)
        return lab_complain(LAB_EXIT_USAGE,
                            "plan is of a whole step that has designs: give `./run plan %s`",
                            names);
    if (options->lines || options->sanitize || options->check_only || options->variant)
        return lab_complain(LAB_EXIT_USAGE,
                            "plan goes without --lines, --sanitize, --check-only and --variant");
    return family->check_study(options, lab_own_options(options, family));
}

static int check_thorough(const struct lab_options *options)
{
    const bool has_size = options->problem.given_count > 0 || lab_options_have_sizes(options);
    if (options->command != LAB_COMMAND_RUN)
        return lab_complain(LAB_EXIT_USAGE, "--thorough is for ./run TARGET");
    if (has_size)
        return lab_complain(LAB_EXIT_USAGE, "--thorough brings its own problems: leave out the "
                                            "sizes and what else describes one");
    if (options->profile || options->lines || options->sanitize || options->energy ||
        options->with_copies)
        return lab_complain(LAB_EXIT_USAGE, "--thorough only checks: it goes without --profile, "
                                            "--lines, --sanitize, --energy and --with-copies");
    return LAB_EXIT_OK;
}

static bool has_kernels_of_study(const struct lab_registry_entry *entry, const void *subject)
{
    (void)subject;
    return lab_registry_study(entry->target) != NULL;
}

/* Checks --study, which `sweep` sets by itself. */
static int check_study(const struct lab_options *options)
{
    char names[128];
    if (options->command != LAB_COMMAND_RUN || options->target_count != 1 || options->source_count)
        return lab_complain(LAB_EXIT_USAGE, "--study is for ./run TARGET, without --source");
    if (lab_registry_study(options->targets[0]))
        return LAB_EXIT_OK;
    write_targets(lab_registry, has_kernels_of_study, NULL, names, sizeof names);
    return lab_complain(LAB_EXIT_USAGE,
                        "--study: %s has no kernels for a study of its own; %s have",
                        options->targets[0], names);
}

/* A number alone names a step, but may be meant as an exercise's, so that exercise is suggested. */
static int check_compare(const struct lab_options *options)
{
    const char *const number =
        options->target_count ? options->targets[0] + strcspn(options->targets[0], "0123456789")
                              : "01";
    char exercise[32];
    if (options->target_count + options->source_count >= 2)
        return LAB_EXIT_OK;
    snprintf(exercise, sizeof exercise, "exercise%s", number);
    return lab_complain(LAB_EXIT_USAGE,
                        "compare needs two targets or more: `./run compare exercise%s "
                        "solution%s`, say, or --source FILE.cu in place of some of them",
                        lab_registry_exercise(exercise) ? number : "01",
                        lab_registry_exercise(exercise) ? number : "01");
}

/* Checks how many targets a command is given. */
static int check_command(const struct lab_options *options)
{
    switch (options->command) {
    case LAB_COMMAND_RUN:
        if (!options->target_count && options->fit_rows)
            break; /* like `run` alone: shows where a learner is */
        if (options->target_count != 1)
            return lab_complain(LAB_EXIT_USAGE, "%s",
                                options->target_count
                                    ? "one target at a time; `./run compare` takes several"
                                    : "no target; try ./run step01, ./run list or ./run --help");
        if (options->source_count > 1 && lab_registry_exercise(options->targets[0]))
            return lab_complain(LAB_EXIT_USAGE,
                                "one --source at a time; `./run compare` takes several");
        break;
    case LAB_COMMAND_SWEEP:
        return check_sweep(options);
    case LAB_COMMAND_PLAN:
        return check_plan(options);
    case LAB_COMMAND_TRIAL:
        if (options->target_count != 1 || !options->source ||
            !lab_registry_exercise(options->targets[0]))
            return lab_complain(LAB_EXIT_USAGE, "--plan is for `run grade`");
        break;
    case LAB_COMMAND_COMPARE:
        return check_compare(options);
    default:
        if (options->target_count)
            return lab_complain(LAB_EXIT_USAGE, "this command takes no target");
    }
    return LAB_EXIT_OK;
}

static int check_combination(const struct lab_options *options)
{
    int status = LAB_EXIT_OK;
    for (int i = 0; i < options->target_count && status == LAB_EXIT_OK; i++)
        status =
            lab_problem_options_check(options, family_of(options->targets[i]), options->targets[i]);
    if (status == LAB_EXIT_OK)
        status = lab_report_options_check(options);
    if (status != LAB_EXIT_OK)
        return status;
    if (options->arch && !options->arch[0])
        return lab_complain(LAB_EXIT_USAGE, "--arch: give the name of a GPU or a profile's path");
    if (options->arch && options->runtime == LAB_RUNTIME_GPU)
        return lab_complain(LAB_EXIT_USAGE, "--arch is for the simulator: not with --runtime gpu");
    if (options->sms && options->runtime == LAB_RUNTIME_GPU)
        return lab_complain(LAB_EXIT_USAGE, "--sms is for the simulator: not with --runtime gpu");
    if (options->study && (status = check_study(options)) != LAB_EXIT_OK)
        return status;
    if (options->thorough && (status = check_thorough(options)) != LAB_EXIT_OK)
        return status;
    return check_command(options);
}

static bool is_default_gpu(const struct lab_options *options)
{
    const char *gpu = getenv("LAB_SIM_GPU");
    return !options->arch && !(gpu && *gpu) && options->sms != LAB_SMS_ALL;
}

/* Whether the model was validated on a slice of the GPU that is meant, for all targets. */
static bool fit_a_slice(const struct lab_options *options)
{
    bool fit = options->target_count > 0 && is_default_gpu(options);
    for (int i = 0; i < options->target_count; i++)
        fit = fit && family_of(options->targets[i])->slice_size > 0;
    return fit;
}

bool lab_targets_are_lesson(const struct lab_options *options)
{
    bool is_lesson = fit_a_slice(options) && !options->check_only && !options->thorough &&
                     !options->sanitize && !options->lines && !options->under_tool &&
                     !options->default_size;
    if (options->command != LAB_COMMAND_RUN && options->command != LAB_COMMAND_COMPARE)
        return false;
    for (int i = 0; i < LAB_LETTERS && !options->sms; i++)
        is_lesson = is_lesson && options->problem.sizes[i] == 0;
    return is_lesson;
}

bool lab_targets_take_slice(const struct lab_options *options)
{
    const bool is_of_slice = lab_targets_study(options) || options->command == LAB_COMMAND_SWEEP;
    if (options->command ==
        LAB_COMMAND_EXERCISE) /* whose times are only compared with each other */
        return is_default_gpu(options);
    return lab_targets_are_lesson(options) || (is_of_slice && fit_a_slice(options));
}

const struct lab_stage *lab_targets_study(const struct lab_options *options)
{
    const bool takes = options->study || options->command == LAB_COMMAND_SWEEP;
    return takes && options->target_count == 1 && !options->source_count
               ? lab_registry_study(options->targets[0])
               : NULL;
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
        first = family_of(target);
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
        write_targets(lab_registry, has_heading, family->heading, targets, sizeof targets) ||
        write_targets(lab_registry_exercises, has_heading, family->heading, targets,
                      sizeof targets);
    snprintf(text, size, found ? "%s (%s):" : "%s:", family->heading, targets);
}

/* Lists the option tables of all targets; NULL ends the list. */
static void list_tables(const struct argp_option *tables[MOST_TABLES])
{
    const struct lab_family_options *families[MOST_FAMILIES];
    const int count = list_families(0, NULL, families);
    int t = 0;
    tables[t++] = option_table;
    tables[t++] = lab_run_parser.options;
    tables[t++] = lab_report_parser.options;
    tables[t++] = lab_problem_parser()->options;
    for (int i = 0; i < count; i++)
        if (families[i]->table)
            tables[t++] = families[i]->table;
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
    struct argp_child children[OWNERS + MOST_FAMILIES + 1] = {
        {&lab_run_parser, 0, "The run:", 1},
        {&lab_report_parser, 0, "The report:", 2},
        {lab_problem_parser(), 0, "The problem:", 3}};
    struct parsing parsing = {.options = options,
                              .family_count = list_families(argc, argv, families)};
    const struct argp parser = {option_table, parse_option, synopsis, about, children, 0, 0};
    *options = (struct lab_options){.problem = {.seed = 1}};
    if (check_spelling(argc, argv) != LAB_EXIT_OK)
        return LAB_EXIT_USAGE;
    for (int i = 0; i < parsing.family_count; i++) {
        if (!lab_family_parser_make(&parsers[i], families[i]))
            return lab_complain(LAB_EXIT_MISSING, "out of memory");
        parsing.families[i] = (struct lab_family_input){options, families[i]};
        write_heading(families[i], headings[i], sizeof headings[i]);
        children[OWNERS + i] = (struct argp_child){&parsers[i].parser, 0, headings[i], 4 + i};
    }
    argp_err_exit_status = LAB_EXIT_USAGE;
    argv[0] = "run"; /* the name in argp's messages */
    error_t failed = argp_parse(&parser, argc, argv, 0, 0, &parsing);
    for (int i = 0; i < parsing.family_count; i++)
        free(parsers[i].table);
    if (failed)
        return LAB_EXIT_USAGE;
    int status = check_combination(options);
    choose_tests(options);
    return status;
}
