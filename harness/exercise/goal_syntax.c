/* The lines of goal.txt hold words of the command line. They are checked before a submission is
 * run, because a mistake in them would else look like the student's. */
#include "exercise/goal_syntax.h"

#include "base/status.h"
#include "exercise/drawn_line.h"
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The options' parser complains and ends its process, so it runs in a child, whose words are read.
 * --thorough is many problems, for which a goal has no figure. */
static bool parses(const char *target, const char *line, bool may_be_thorough, char *why,
                   size_t size)
{
    int ends[2], status = -1;
    why[0] = '\0';
    fflush(NULL);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        struct lab_options options;
        struct lab_option_text words;
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO); /* for --help */
        close(ends[0]);
        close(ends[1]);
        setvbuf(stderr, NULL, _IONBF, 0);
        status = lab_options_parse_text(target, line, &words, &options);
        fflush(NULL);
        _exit(status == LAB_EXIT_OK && options.target_count == 1 && !options.source &&
                      (may_be_thorough || !options.thorough)
                  ? 0
                  : 1);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (child > 0 && used < size - 1 && (got = read(ends[0], why + used, size - 1 - used)) > 0)
        used += (size_t)got;
    why[used] = '\0';
    why[strcspn(why, "\n")] = '\0';
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && used == 0 && status == 0;
}

static int check_line(const struct lab_registry_entry *entry, const char *kind, const char *line)
{
    const bool takes_ranges = strcmp(kind, "hidden") == 0 || strcmp(kind, "also") == 0;
    const bool takes_lists = takes_ranges || strcmp(kind, "goal") == 0;
    bool is_test = strcmp(kind, "test") == 0 || strcmp(kind, "hidden") == 0;
    char target[32], text[LAB_EXERCISE_LINE], why[512] = "";
    const char *said =
        "'1..9' stands for a number in lines `hidden` and `also`, the smaller end "
        "first, and '1,9' there and in lines `goal`, as '[-k 9]' does, in one bracket";
    snprintf(target, sizeof target, "exercise%s", entry->number);
    for (int last = 0; last < 2; last++) {
        bool read = lab_drawn_line(line, last ? LAB_DRAWN_LAST : LAB_DRAWN_SHOWN, NULL, text);
        if (read && (takes_ranges || !strstr(line, "..")) &&
            (takes_lists || strcmp(text, line) == 0)) {
            if (parses(target, text, is_test, why, sizeof why))
                continue;
            said = strncmp(why, "run: ", 5) == 0 ? why + 5 : why[0] ? why : "not options of `run`";
        }
        return lab_complain(LAB_EXIT_USAGE, "solutions/%s/goal.txt: '%s %s': %s", entry->directory,
                            kind, line, said);
    }
    return LAB_EXIT_OK;
}

int lab_exercise_check(const struct lab_registry_entry *entry, const struct lab_exercise *e)
{
    int status = e->test_count ? LAB_EXIT_OK
                               : lab_complain(LAB_EXIT_USAGE,
                                              "solutions/%s/goal.txt has no line "
                                              "`test OPTIONS`",
                                              entry->directory);
    for (int i = 0; i < e->test_count && status == LAB_EXIT_OK; i++)
        status = check_line(entry, "test", e->tests[i]);
    for (int i = 0; i < e->hidden_count && status == LAB_EXIT_OK; i++)
        status = check_line(entry, "hidden", e->hidden[i]);
    for (int i = 0; i < e->goal_count && status == LAB_EXIT_OK; i++)
        status = check_line(entry, "goal", e->goals[i].drawn);
    for (int i = 0; i < e->goal_count && status == LAB_EXIT_OK; i++)
        if (e->goals[i].also[0])
            status = check_line(entry, "also", e->goals[i].also);
    return status == LAB_EXIT_OK && e->timed[0] ? check_line(entry, "time", e->timed) : status;
}
