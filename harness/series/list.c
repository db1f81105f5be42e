/* `run list`, and the notes on what has been passed: one empty file per target and runtime. */
#include "series/list.h"

#include "base/files.h"
#include "base/text.h"
#include "series/registry.h"
#include "base/status.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void note_path(char path[LAB_PATH_BYTES], const char *target, bool is_sim)
{
    lab_build_path(path, "passed/%s.%s", target, is_sim ? "sim" : "gpu");
}

void lab_list_note_passed(const char *target, bool is_sim)
{
    char path[LAB_PATH_BYTES];
    lab_build_path(path, "passed");
    mkdir(path, 0777);
    note_path(path, target, is_sim);
    FILE *note = fopen(path, "w");
    if (note)
        fclose(note);
}

static bool was_passed(const char *target, bool is_sim)
{
    char path[LAB_PATH_BYTES];
    note_path(path, target, is_sim);
    return access(path, F_OK) == 0;
}

/* Where it passed. A stage has passed if its step has. */
static const char *passed_on(const char *target, const char *step)
{
    const bool gpu = was_passed(target, false) || was_passed(step, false);
    const bool sim = was_passed(target, true) || was_passed(step, true);
    return gpu && sim ? "gpu, sim" : gpu ? "gpu" : sim ? "sim" : "-";
}

/* The columns of the list, before what is wrapped behind them. */
static void print_line(const char *columns, const char *title)
{
    fputs(columns, stdout);
    lab_print_wrapped(stdout, (int)strlen(columns), title);
    puts("");
}

static void print_step(const struct lab_registry_entry *entry)
{
    char columns[64];
    snprintf(columns, sizeof columns, "%-8s %-10s ", entry->target,
             passed_on(entry->target, entry->target));
    print_line(columns, entry->title);
}

static void print_exercise(const struct lab_registry_entry *entry)
{
    char columns[64];
    snprintf(columns, sizeof columns, "%-12s %-10s %5d %8d  ", entry->target,
             passed_on(entry->target, entry->target), entry->level, entry->minutes);
    print_line(columns, entry->title);
}

enum { SHORT_MINUTES = 10 };

/* "level 2, about 45 minutes" */
static void say_effort(const struct lab_registry_entry *exercise)
{
    printf("level %d, about %d minutes", exercise->level, exercise->minutes);
}

/* A step or an exercise with its stages, and what each builds on. */
static void print_stages(const char *target)
{
    const struct lab_registry_entry *const entry = lab_registry_target(target);
    int count;
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    char columns[64];
    printf("%-11s %-10s %-10s %s\n", "stage", "builds on", "passed on", "what it teaches");
    for (int i = 0; i < count; i++) {
        snprintf(columns, sizeof columns, "%-11s %-10s %-10s ", stages[i].target,
                 stages[i].parent[0] ? stages[i].parent : "-",
                 passed_on(stages[i].target, entry->target));
        print_line(columns, stages[i].title[0] ? stages[i].title : entry->title);
    }
}

static bool is_passed(const struct lab_registry_entry *entry)
{
    return was_passed(entry->target, false) || was_passed(entry->target, true);
}

/* Exercises of few minutes on one line, so that a list fits a screen: "00e (passed), 00f, ..." */
static void print_short_ones(void)
{
    char line[512] = "";
    int count, used = 0;
    const struct lab_registry_entry *const exercises = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++)
        if (exercises[i].minutes <= SHORT_MINUTES)
            used += snprintf(line + used, sizeof line - (size_t)used, "%s%s%s", used ? ", " : "",
                             exercises[i].number, is_passed(&exercises[i]) ? " (passed)" : "");
    if (used)
        lab_printf_wrapped(stdout, "of ten minutes each: exercise%s\n", line);
}

/* How many exercises are passed. */
static int count_passed(void)
{
    int count, passed = 0;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++)
        passed += is_passed(&exercises[i]);
    return passed;
}

/* When an exercise was passed last, in nanoseconds; 0: never. */
static int64_t passed_at(const struct lab_registry_entry *entry)
{
    int64_t last = 0;
    for (int is_sim = 0; is_sim < 2; is_sim++) {
        char path[LAB_PATH_BYTES];
        struct stat note;
        note_path(path, entry->target, is_sim);
        if (stat(path, &note) != 0)
            continue;
        const int64_t at = note.st_mtim.tv_sec * INT64_C(1000000000) + note.st_mtim.tv_nsec;
        last = at > last ? at : last;
    }
    return last;
}

static bool is_warm_up(const struct lab_registry_entry *entry)
{
    return strncmp(entry->number, "00", 2) == 0;
}

/* Whether warm-ups have been run, and no other step. */
static bool has_begun_with_warm_ups(void)
{
    int count, warm_ups = 0;
    const struct lab_registry_entry *series = lab_registry(&count);
    for (int i = 0; i < count; i++) {
        if (is_passed(&series[i]) && !is_warm_up(&series[i]))
            return false;
        warm_ups += is_passed(&series[i]);
    }
    return warm_ups > 0;
}

/* Where a learner goes on: after the exercise that was passed last, or else at the exercise of step
 * 01. The warm-ups before it come first only for somebody who has begun with warm-ups. */
static int first_exercise(void)
{
    int count, first = 0;
    int64_t last = 0;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    while (first < count - 1 && is_warm_up(&exercises[first]) && !has_begun_with_warm_ups())
        first++;
    for (int i = 0; i < count; i++)
        if (passed_at(&exercises[i]) > 0 && passed_at(&exercises[i]) >= last) {
            last = passed_at(&exercises[i]);
            first = i + 1;
        }
    return first;
}

const struct lab_registry_entry *lab_list_next(const struct lab_registry_entry *behind)
{
    int count;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    const int first = behind ? (int)(behind - exercises) + 1 : first_exercise();
    for (int i = 0; i < count; i++) {
        const struct lab_registry_entry *entry = &exercises[(first + i) % count];
        if (entry != behind && !is_passed(entry))
            return entry;
    }
    return NULL;
}

void lab_list_say_passed(const struct lab_registry_entry *passed)
{
    int count;
    const struct lab_registry_entry *next = lab_list_next(passed);
    lab_registry_exercises(&count);
    char then[256] = "No other is left.";
    if (next)
        snprintf(then, sizeof then, "Next: %s, %s (level %d, about %d minutes)", next->target,
                 next->title, next->level, next->minutes);
    lab_printf_wrapped(stdout, "%s passed (%d of %d). %s\n", passed->target, count_passed(), count,
                       then);
}

int lab_list(const char *const *targets, int target_count)
{
    int count;
    for (int i = 0; i < target_count; i++)
        print_stages(targets[i]);
    if (target_count)
        return LAB_EXIT_OK;
    const struct lab_registry_entry *next = lab_list_next(NULL);
    const struct lab_registry_entry *series = lab_registry(&count);
    puts("step     passed on  what it teaches");
    for (int i = 0; i < count; i++)
        print_step(&series[i]);
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    puts("\nexercise     passed on  level  minutes  what is asked");
    for (int i = 0; i < count; i++)
        if (exercises[i].minutes > SHORT_MINUTES)
            print_exercise(&exercises[i]);
    print_short_ones();
    printf("%d of %d exercises passed", count_passed(), count);
    if (next) {
        printf("; next: %s, ", next->target);
        say_effort(next);
    }
    puts("\n`./run list step07` shows a step's stages, and what each builds on");
    return LAB_EXIT_OK;
}

static void say_numbers(void)
{
    int count;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++)
        if (is_passed(&exercises[i]))
            printf(" %s", exercises[i].number);
}

static void say_command(const char *format, const char *word, const char *what)
{
    char command[64];
    snprintf(command, sizeof command, format, word, word);
    printf("  %-38s %s\n", command, what);
}

int lab_list_standing(void)
{
    int count;
    const struct lab_registry_entry *series = lab_registry(&count), *next = lab_list_next(NULL);
    int ran = 0;
    for (int i = 0; i < count; i++)
        ran += is_passed(&series[i]);
    printf("steps run: %d of %d\n", ran, count);
    lab_registry_exercises(&count);
    printf("exercises passed: %d of %d", count_passed(), count);
    if (count_passed()) {
        printf(":");
        say_numbers();
    }
    if (next) {
        printf("\nnext: %s%s, %s (", ran ? "" : "step01, then ", next->target, next->title);
        say_effort(next);
        puts(")\n");
    } else {
        puts("\n");
    }
    if (!ran)
        say_command("make setup step01 && ./run step01", "",
                    "the first step, and what it measures");
    if (!ran && !count_passed())
        say_command("make setup step00a && ./run step00a", "",
                    "first, if you have written one kernel, from a tutorial");
    if (next) {
        say_command("make %s && ./run %s", next->target, "what is asked, and its tests");
        say_command("./run watch", "", "tests again each time you save it");
        say_command("./run hint", "", "a hint");
    }
    say_command("./run list", "", "all steps and exercises");
    say_command("./run --help", "", "all options");
    return LAB_EXIT_OK;
}
