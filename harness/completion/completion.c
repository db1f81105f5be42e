/* The table of words that shells complete. It is made from the program's own tables, so the scripts
 * for the shells hold no words themselves. Each line is one word, in cells with tabs between.
 *
 *   word    CONTEXTS NAME TEXT         a target, or with the text - a command
 *   short   CONTEXTS NAME TEXT         what may be typed in place of a target
 *   option  CONTEXTS NAME TAKES TEXT   TAKES: none, value, file, or words such as auto|gpu|sim;
 *                                      after a ? the value may only follow a =
 *   rest    CONTEXT many|files         what follows the first word, if anything does
 *
 * CONTEXTS are commands; `run` stands for no command, where a target may be. */
#include "completion/completion.h"

#include "base/files.h"
#include "base/status.h"
#include "exec/exec.h"
#include "exercise/exercise.h"
#include "grade/grade.h"
#include "options/parsers.h"
#include "series/registry.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_BYTES = 512, CONTEXTS_BYTES = 64 };

static const char *const shells[] = {"bash", "zsh", "fish"};
enum { SHELLS = sizeof shells / sizeof *shells };

/* --- commands and targets ----------------------------------------------------------------------*/

enum takes { NOTHING, TARGETS, STUDY, EXERCISE, SUBMISSIONS, SHELL, TOPIC };

static const struct {
    const char *word;
    enum takes takes;
} commands[] = {
#define LAB_RUN_COMMAND(word, arguments, takes) {word, takes},
#include "series/commands.def"
#undef LAB_RUN_COMMAND
};

static void put_word(FILE *table, const char *contexts, const char *name, const char *text)
{
    fprintf(table, "word\t%s\t%s\t%s\n", contexts, name, text[0] ? text : "-");
}

/* The commands that take a target of this kind: "run compare help". */
static void list_contexts(char text[CONTEXTS_BYTES], bool is_exercise, bool has_study)
{
    snprintf(text, CONTEXTS_BYTES, "run");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const enum takes takes = commands[i].takes;
        if (takes == TARGETS || takes == TOPIC || (takes == STUDY && has_study) ||
            (takes == EXERCISE && is_exercise))
            snprintf(text + strlen(text), CONTEXTS_BYTES - strlen(text), " %s", commands[i].word);
    }
}

static void put_commands(FILE *table)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const enum takes takes = commands[i].takes;
        put_word(table, takes == SUBMISSIONS ? "run help" : "run", commands[i].word, "-");
        if (takes == TARGETS || takes == SUBMISSIONS)
            fprintf(table, "rest\t%s\t%s\n", commands[i].word, takes == TARGETS ? "many" : "files");
        for (int s = 0; takes == SHELL && s < SHELLS; s++)
            put_word(table, commands[i].word, shells[s], "-");
    }
}

static void put_steps(FILE *table)
{
    char contexts[CONTEXTS_BYTES];
    int count, stage_count;
    const struct lab_registry_entry *steps = lab_registry(&count);
    for (int i = 0; i < count; i++) {
        const struct lab_family_options *family = lab_family_options_find(steps[i].family);
        const struct lab_stage *stages = lab_registry_stages(steps[i].target, &stage_count);
        list_contexts(contexts, false, family->study != NULL);
        put_word(table, contexts, steps[i].target, steps[i].title);
        list_contexts(contexts, false, family->study_of_stages);
        for (int s = 0; stage_count > 1 && s < stage_count; s++)
            put_word(table, contexts, stages[s].target, stages[s].title);
    }
}

static void put_exercises(FILE *table)
{
    char contexts[CONTEXTS_BYTES], solution[32];
    int count;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++) {
        const bool has_study = lab_family_options_find(exercises[i].family)->study != NULL;
        list_contexts(contexts, true, has_study);
        put_word(table, contexts, exercises[i].target, exercises[i].title);
        list_contexts(contexts, false, has_study);
        snprintf(solution, sizeof solution, "solution%s", exercises[i].number);
        put_word(table, contexts, solution, exercises[i].title);
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
            if (commands[c].takes == SUBMISSIONS)
                put_word(table, commands[c].word, exercises[i].number, exercises[i].title);
            else if (commands[c].takes == EXERCISE)
                fprintf(table, "short\t%s\t%s\t%s\n", commands[c].word, exercises[i].number,
                        exercises[i].title);
    }
}

/* --- options -----------------------------------------------------------------------------------*/

/* The GPUs that the simulator has a profile for: "a100|gtx480". */
static void list_gpus(char words[WORDS_BYTES])
{
    char pattern[LAB_PATH_BYTES], root[LAB_PATH_BYTES];
    glob_t found;
    lab_root(root);
    snprintf(pattern, sizeof pattern, "%.3000s/harness/sim/gpu/*.json", root);
    words[0] = '\0';
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        snprintf(words + strlen(words), WORDS_BYTES - strlen(words), "%s%.*s", i ? "|" : "",
                 (int)strcspn(name, "."), name);
    }
    globfree(&found);
}

struct words {
    const char *name; /* of the option */
    char text[WORDS_BYTES];
};

/* Adds the words that this option takes to the words of options with the same name, since several
 * families use one name. */
static void add_words(const struct argp_option *option, void *subject)
{
    struct words *words = subject;
    char copy[WORDS_BYTES], *rest = copy;
    if (!option->name || strcmp(option->name, words->name) != 0 || !option->arg)
        return;
    snprintf(copy, sizeof copy, "%s", option->arg);
    for (char *word; (word = strsep(&rest, "|"));) {
        const size_t length = strlen(words->text), size = strlen(word);
        bool is_new = true;
        for (const char *had = words->text; had;
             had = strchr(had, '|') ? strchr(had, '|') + 1 : NULL)
            is_new &= strncmp(had, word, size) != 0 || (had[size] != '|' && had[size] != '\0');
        if (is_new)
            snprintf(words->text + length, WORDS_BYTES - length, "%s%s", length ? "|" : "", word);
    }
}

/* Finds what an option takes from the name that --help gives its value. */
static void put_takes(const struct argp_option *option, char words[WORDS_BYTES])
{
    static const char *const files[] = {"FILE", "FILE.cu", "FOLDER", "PATH"};
    const char *argument = option->arg;
    struct words all = {.name = option->name};
    snprintf(words, WORDS_BYTES, "%s", argument ? "value" : "none");
    if (argument && strchr(argument, '|')) {
        add_words(option, &all);
        lab_options_each(add_words, &all);
        snprintf(words, WORDS_BYTES, "%s", all.text);
    }
    for (size_t i = 0; argument && i < sizeof files / sizeof *files; i++)
        if (strcmp(argument, files[i]) == 0)
            snprintf(words, WORDS_BYTES, "file");
    if (argument && strcmp(argument, "GPU") == 0)
        list_gpus(words);
}

struct option_table {
    FILE *table;
    const char *contexts;
};

/* Leaves out hidden options, which only the program itself uses. Letters stay: they are hidden only
 * because --help shows them under each problem. */
static void put_option(const struct argp_option *option, void *subject)
{
    const struct option_table *to = subject;
    const bool is_letter = !option->name && option->key > ' ' && option->key < 127;
    char words[WORDS_BYTES], letter[2] = {(char)option->key, '\0'};
    if (!is_letter && (!option->name || (option->flags & OPTION_HIDDEN)))
        return;
    put_takes(option, words);
    fprintf(to->table, "option\t%s\t%s%s\t%s%s\t%s\n", to->contexts, is_letter ? "-" : "--",
            is_letter ? letter : option->name, option->flags & OPTION_ARG_OPTIONAL ? "?" : "",
            words, option->doc ? option->doc : "-");
}

static void put_table(FILE *table, const char *contexts, const struct argp_option *option)
{
    struct option_table to = {table, contexts};
    for (; option->name || option->key; option++)
        put_option(option, &to);
}

static void put_options(FILE *table)
{
    static const struct argp_option of_argp[] = {{"help", '?', 0, 0, "print all options", 0},
                                                 {"version", 'V', 0, 0, "print the version", 0},
                                                 {"usage", 1, 0, 0, "the same, shortly", 0},
                                                 {0}};
    struct option_table to = {table, "run compare sweep"};
    lab_options_each(put_option, &to);
    put_table(table, "run compare sweep grade", of_argp);
    put_table(table, "grade", lab_grade_options);
    put_table(table, "exec", lab_exec_options);
    put_table(table, "hint", lab_hint_options);
    put_table(table, "watch", lab_watch_options);
}

/* --- the script --------------------------------------------------------------------------------*/

/* Puts a text in quotes. Inside, fish escapes a quote by a backslash; others close and reopen. */
static void put_quoted(const char *text, bool is_fish)
{
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'')
            fputs(is_fish ? "\\'" : "'\\''", stdout);
        else if (*text == '\\' && is_fish)
            fputs("\\\\", stdout);
        else
            putchar(*text);
    puts("'");
}

static int put_script(const char *shell)
{
    char path[LAB_PATH_BYTES], root[LAB_PATH_BYTES], *words = NULL;
    size_t size;
    int character;
    lab_root(root);
    snprintf(path, sizeof path, "%.3000s/harness/completion/run.%s", root, shell);
    FILE *script = fopen(path, "r"), *table = open_memstream(&words, &size);
    if (!script || !table)
        return lab_complain(LAB_EXIT_MISSING, "%s cannot be read", path);
    put_commands(table);
    put_steps(table);
    put_exercises(table);
    put_options(table);
    fclose(table);
    const bool is_fish = strcmp(shell, "fish") == 0;
    printf("# Completion of `run` for %s, made by `run completion %s`: source it.\n", shell, shell);
    fputs(is_fish ? "set -g _lab_run_words " : "_lab_run_words=", stdout);
    put_quoted(words, is_fish);
    while ((character = getc(script)) != EOF)
        putchar(character);
    free(words);
    fclose(script);
    return LAB_EXIT_OK;
}

int lab_completion(int argc, char **argv)
{
    for (int i = 0; argc == 2 && i < SHELLS; i++)
        if (strcmp(argv[1], shells[i]) == 0)
            return put_script(shells[i]);
    return lab_complain(LAB_EXIT_USAGE,
                        "give a shell: bash, zsh or fish; `make completion` writes a "
                        "file for each");
}
