/* Each hint helps more than the one before. A file in the build folder has as many bytes as hints
 * were given. */
#include "exercise/exercise.h"

#include "exercise/goal_file.h"
#include "base/files.h"
#include "base/text.h"
#include "series/list.h"
#include "series/registry.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void count_path(char path[LAB_PATH_BYTES], const struct lab_registry_entry *entry)
{
    lab_build_path(path, "hints");
    mkdir(path, 0777);
    lab_build_path(path, "hints/%s", entry->number);
}

static int given_so_far(const struct lab_registry_entry *entry)
{
    char path[LAB_PATH_BYTES];
    struct stat info;
    count_path(path, entry);
    return stat(path, &info) == 0 ? (int)info.st_size : 0;
}

/* Failing to write is no error: the same hint comes again. */
static void note_given(const struct lab_registry_entry *entry, int count)
{
    char path[LAB_PATH_BYTES];
    count_path(path, entry);
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < count; i++)
        fputc('.', file);
    if (file)
        fclose(file);
}

enum { ALL = 'a', AGAIN = 'n' };

const struct argp_option lab_hint_options[] = {
    {"all", ALL, 0, 0, "show every hint", 0},
    {"again", AGAIN, 0, 0, "begin again with the first hint", 0},
    {0}};

/* The key of the option that a word names; 0: no option. */
static int option_of(const char *word)
{
    const struct argp_option *option = lab_hint_options;
    while (option->name && (strncmp(word, "--", 2) != 0 || strcmp(word + 2, option->name) != 0))
        option++;
    return option->key;
}

/* Reads the exercise, by default the one that a learner is at, and at most one option. */
static int parse(int argc, char **argv, const struct lab_registry_entry **entry, bool *all,
                 bool *again)
{
    const char *target = NULL;
    bool good = true;
    const struct argp_option *const tables[] = {lab_hint_options, NULL};
    if (lab_spelling_check(argc, argv, tables, "hint takes --all and --again") != LAB_EXIT_OK)
        return LAB_EXIT_USAGE;
    for (int i = 1; i < argc && good; i++) {
        const int option = option_of(argv[i]);
        *all = *all || option == ALL;
        *again = *again || option == AGAIN;
        if (!option) {
            good = !target && argv[i][0] != '-';
            target = argv[i];
        }
    }
    if (!good || (*all && *again))
        return lab_complain(LAB_EXIT_USAGE, "give an exercise, such as `./run hint exercise01`, or "
                                            "none for the next one; --all shows every hint, "
                                            "--again begins anew");
    *entry = target ? lab_target_name_exercise(target) : lab_list_next(NULL);
    if (!*entry && !target)
        return lab_complain(LAB_EXIT_USAGE, "all exercises are passed; say which one's hint");
    if (!*entry)
        return lab_target_name_no_exercise(target);
    if (!target)
        printf("%s, %s\n", (*entry)->target, (*entry)->title);
    return LAB_EXIT_OK;
}

int lab_hint(int argc, char **argv)
{
    static char hints[LAB_EXERCISE_HINTS][LAB_EXERCISE_TEXT]; /* read once, too large for a stack */
    const struct lab_registry_entry *entry = NULL;
    bool all = false, again = false;
    int status = parse(argc, argv, &entry, &all, &again);
    if (status != LAB_EXIT_OK)
        return status;
    int count = lab_exercise_hints(entry, hints);
    if (count < 1)
        return lab_complain(LAB_EXIT_MISSING, "exercise%s has no hints here", entry->number);
    int first = all || again ? 0 : given_so_far(entry);
    if (first >= count)
        first = count - 1;
    for (int i = first; i < (all ? count : first + 1); i++) {
        printf("%shint %d of %d\n\n", i > first ? "\n" : "", i + 1, count);
        lab_print_wrapped(stdout, 0, hints[i]);
    }
    note_given(entry, all ? count : first + 1);
    if (!all && first + 1 == count && lab_registry_is_handout())
        puts("\nThat was the last one.");
    else if (!all && first + 1 == count)
        lab_printf_wrapped(stdout,
                           "\nThat was the last one; the solution is solutions/%s/kernel.cu.\n",
                           entry->directory);
    return LAB_EXIT_OK;
}
