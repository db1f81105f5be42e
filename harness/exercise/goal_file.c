/* The file of an exercise's goals: read, its lines drawn and checked. */
#include "exercise/goal_file.h"

#include "base/files.h"
#include "base/text.h"
#include "base/status.h"
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- lines of goal.txt with numbers to be drawn ------------------------------------------------*/

enum { NUMBERS = 12, NUMBER_BYTES = 24 };

uint64_t lab_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Reads "FIRST..LAST". An invalid range has `*last` below `*first`. */
static bool read_range(const char *word, long *first, long *last)
{
    char *end;
    *last = *first = strtol(word, &end, 10);
    if (end == word || strncmp(end, "..", 2) != 0)
        return false;
    const char *second = end + 2;
    *last = strtol(second, &end, 10);
    if (end == second || *end)
        *last = *first - 1;
    return true;
}

/* Reads "128,160,192" or "-0.3,1,2.5e3"; 0: it is no list. */
static int read_list(const char *word, char values[NUMBERS][NUMBER_BYTES])
{
    int count = 0;
    for (char *end; count < NUMBERS; word = end + 1) {
        strtod(word, &end);
        const size_t length = (size_t)(end - word);
        if (end == word || (*end && *end != ',') || length >= NUMBER_BYTES ||
            strspn(word, "+-.0123456789e") < length)
            return 0;
        memcpy(values[count], word, length);
        values[count++][length] = '\0';
        if (!*end)
            return count > 1 ? count : 0;
    }
    return 0;
}

/* One of `count` numbers. Of those that students know the first is not drawn. */
static uint64_t choose(uint64_t count, enum lab_drawn_from from, bool is_known, uint64_t *state)
{
    const uint64_t known = is_known && from == LAB_DRAWN_ANEW;
    return from == LAB_DRAWN_SHOWN  ? 0
           : from == LAB_DRAWN_LAST ? count - 1
                                    : known + lab_draw(state) % (count - known);
}

bool lab_drawn_line(const char *line, enum lab_drawn_from from, uint64_t *state,
                    char text[LAB_DRAWN_LINE])
{
    char values[NUMBERS][NUMBER_BYTES], words[LAB_DRAWN_LINE];
    size_t used = 0;
    bool in_bracket = false;
    text[0] = '\0';
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        long first, last;
        const bool begins = word[0] == '[';
        word += begins;
        const size_t length = strlen(word);
        const bool ends = length && word[length - 1] == ']';
        if (ends)
            word[length - 1] = '\0';
        if ((begins && in_bracket) || (ends && !begins && !in_bracket) || !word[0])
            return false;
        in_bracket = in_bracket || begins;
        const bool is_range = read_range(word, &first, &last);
        const int count = read_list(word, values);
        if (is_range && last < first)
            return false;
        const char *const blank = used ? " " : "";
        const size_t room = LAB_DRAWN_LINE - used;
        if (in_bracket && from == LAB_DRAWN_SHOWN)
            ;
        else if (is_range)
            used += (size_t)snprintf(
                text + used, room, "%s%ld", blank,
                first + (long)choose((uint64_t)(last - first) + 1, from, false, state));
        else
            used += (size_t)snprintf(
                text + used, room, "%s%s", blank,
                count ? values[choose((uint64_t)count, from, !in_bracket, state)] : word);
        if (used >= LAB_DRAWN_LINE)
            return false;
        in_bracket = in_bracket && !ends;
    }
    return !in_bracket;
}

/* --- reading -----------------------------------------------------------------------------------*/

/* Reads an exercise's goal.txt and hints.txt. They belong to the lab, but a mistake in them is
 * still reported with file and line. */

static FILE *open_file(const struct lab_registry_entry *entry, const char *name,
                       char path[LAB_PATH_BYTES])
{
    char root[LAB_PATH_BYTES];
    lab_root(root);
    snprintf(path, LAB_PATH_BYTES, "%.3000s/solutions/%s/%s", root, entry->directory, name);
    return fopen(path, "r");
}

/* Cuts off the next field, which ends at a bar, and the blanks around it. */
static char *next_field(char **rest)
{
    char *field = *rest ? strsep(rest, "|") : NULL;
    if (!field)
        return NULL;
    field += strspn(field, " ");
    for (size_t end = strlen(field); end && field[end - 1] == ' '; end--)
        field[end - 1] = '\0';
    return field;
}

static bool read_goal(char *line, struct lab_exercise_goal *goal)
{
    char word[16] = "", more, *rest = line;
    const char *options = next_field(&rest), *bound = next_field(&rest);
    const char *counter = next_field(&rest), *label = next_field(&rest);
    const char *advice = next_field(&rest);
    if (!advice || rest || strlen(options) >= sizeof goal->options ||
        strlen(counter) >= sizeof goal->counter || strlen(advice) >= sizeof goal->advice ||
        strlen(label) >= sizeof goal->label ||
        sscanf(bound, "%15s %lf %c", word, &goal->factor, &more) != 2 ||
        !(goal->factor >= 0.0 && goal->factor < 1e9))
        return false;
    goal->least = strcmp(word, "least") == 0;
    goal->exactly = strcmp(word, "exactly") == 0;
    snprintf(goal->drawn, sizeof goal->drawn, "%s", options);
    if (!lab_drawn_line(goal->drawn, LAB_DRAWN_SHOWN, NULL, goal->options))
        return false;
    snprintf(goal->counter, sizeof goal->counter, "%s", counter);
    snprintf(goal->label, sizeof goal->label, "%s", label);
    snprintf(goal->advice, sizeof goal->advice, "%s", advice);
    return goal->least || goal->exactly || strcmp(word, "most") == 0;
}

bool lab_exercise_goal_is_pace(const struct lab_exercise_goal *goal)
{
    return strcmp(goal->counter, "time") == 0;
}

bool lab_exercise_goal_guards(const struct lab_exercise_goal *goal)
{
    return goal->guards || lab_exercise_goal_is_pace(goal);
}

/* Takes further sizes for the last goal, and for all with the same first ones. */
static bool take_also(const char *options, struct lab_exercise *exercise)
{
    const int count = exercise->goal_count;
    for (int i = 0; i < count; i++) {
        struct lab_exercise_goal *const goal = &exercise->goals[i];
        if (strcmp(goal->drawn, exercise->goals[count - 1].drawn) == 0)
            snprintf(goal->also, sizeof goal->also, "%s", options);
    }
    return count > 0;
}

/* Reads one line; false: it is not a line of goal.txt. */
static bool read_line(char *line, struct lab_exercise *exercise)
{
    size_t used = strlen(exercise->text);
    if (strncmp(line, "test ", 5) == 0) {
        if (exercise->test_count == LAB_EXERCISE_TESTS)
            return false;
        snprintf(exercise->tests[exercise->test_count++], LAB_EXERCISE_LINE, "%s", line + 5);
        return true;
    }
    if (strncmp(line, "hidden ", 7) == 0) {
        if (exercise->hidden_count == LAB_EXERCISE_TESTS)
            return false;
        snprintf(exercise->hidden[exercise->hidden_count++], LAB_EXERCISE_LINE, "%s", line + 7);
        return true;
    }
    if (strncmp(line, "time ", 5) == 0 && !exercise->timed[0]) {
        snprintf(exercise->timed, sizeof exercise->timed, "%s", line + 5);
        return true;
    }
    if (strncmp(line, "without ", 8) == 0 && !exercise->without[0]) {
        snprintf(exercise->without, sizeof exercise->without, "%s", line + 8);
        return true;
    }
    if (strncmp(line, "learned ", 8) == 0 && !exercise->learned[0]) {
        snprintf(exercise->learned, sizeof exercise->learned, "%s", line + 8);
        return true;
    }
    if (strncmp(line, "also ", 5) == 0)
        return take_also(line + 5, exercise);
    const bool is_guard = strncmp(line, "guard ", 6) == 0;
    if (is_guard || strncmp(line, "goal ", 5) == 0) {
        if (exercise->goal_count == LAB_EXERCISE_GOALS)
            return false;
        exercise->goals[exercise->goal_count].guards = is_guard;
        return read_goal(strchr(line, ' ') + 1, &exercise->goals[exercise->goal_count++]);
    }
    if (line[0] && exercise->test_count == 0)
        snprintf(exercise->text + used, sizeof exercise->text - used, "%s\n", line);
    return !line[0] || exercise->test_count == 0;
}

/* What was meant by the first word of a line, or by the first word of a goal's bound. */
static const char *suggestion(const char *line)
{
    static const char *const kinds[] = {"test",    "hidden", "time",  "without",
                                        "learned", "goal",   "guard", "also"};
    static const char *const bounds[] = {"most", "least", "exactly"};
    const bool is_goal = strncmp(line, "goal ", 5) == 0 || strncmp(line, "guard ", 6) == 0;
    const char *bound = is_goal ? strchr(line, '|') : NULL;
    const char *word = bound ? bound + 1 + strspn(bound + 1, " ") : line;
    struct lab_spelling spelling = lab_spelling_of(word, (int)strcspn(word, " |"));
    for (size_t i = 0; bound && i < sizeof bounds / sizeof *bounds; i++)
        lab_spelling_try(&spelling, bounds[i]);
    for (size_t i = 0; !bound && i < sizeof kinds / sizeof *kinds; i++)
        lab_spelling_try(&spelling, kinds[i]);
    return spelling.distance ? lab_spelling_suggest(&spelling) : "";
}

int lab_exercise_read(const struct lab_registry_entry *entry, struct lab_exercise *exercise)
{
    char path[LAB_PATH_BYTES], *line = NULL;
    size_t room = 0;
    FILE *file = open_file(entry, "goal.txt", path);
    *exercise = (struct lab_exercise){.test_count = 0};
    if (!file)
        return lab_complain(LAB_EXIT_MISSING, "%s is not there", path);
    int status = LAB_EXIT_OK, number = 0;
    while (status == LAB_EXIT_OK && getline(&line, &room, file) > 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        bool fits = strlen(line) < LAB_EXERCISE_LINE || strncmp(line, "goal ", 5) == 0 ||
                    strncmp(line, "guard ", 6) == 0 || exercise->test_count == 0;
        char as_read[LAB_EXERCISE_LINE]; /* read_line() cuts up the line of a goal */
        snprintf(as_read, sizeof as_read, "%s", line);
        if (!fits || !read_line(line, exercise))
            status = lab_complain(LAB_EXIT_MISSING, "%s:%d: not a line of goal.txt%s", path, number,
                                  suggestion(as_read));
    }
    for (int i = 0; i < exercise->goal_count; i++)
        memcpy(exercise->goals[i].timed, exercise->timed, sizeof exercise->timed);
    free(line);
    fclose(file);
    return status;
}

int lab_exercise_hints(const struct lab_registry_entry *entry,
                       char hints[LAB_EXERCISE_HINTS][LAB_EXERCISE_TEXT])
{
    char path[LAB_PATH_BYTES], *line = NULL;
    size_t room = 0;
    int count = 0;
    FILE *file = open_file(entry, "hints.txt", path);
    if (!file)
        return -1;
    hints[0][0] = '\0';
    while (getline(&line, &room, file) > 0 && count < LAB_EXERCISE_HINTS) {
        size_t used = strlen(hints[count]);
        if (strcmp(line, "---\n") != 0)
            snprintf(hints[count] + used, LAB_EXERCISE_TEXT - used, "%s", line);
        else if (++count < LAB_EXERCISE_HINTS)
            hints[count][0] = '\0';
    }
    free(line);
    fclose(file);
    return count < LAB_EXERCISE_HINTS && hints[count][0] ? count + 1 : count;
}

/* --- the lines as command lines ----------------------------------------------------------------*/

/* The lines of goal.txt hold words of the command line. They are checked before a submission is
 * run, because a mistake in them would else look like the student's. */

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
