/* `run list`, and the notes of what has been passed: one empty file per target and runtime. */
#include "series/list.h"

#include "base/paths.h"
#include "series/registry.h"
#include "base/status.h"

#include <stdio.h>
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

/* A line of the list; of a stage, passed with its step is passed as well. */
static void print_line(const char *target, const char *step, const char *parent, const char *title)
{
    const bool gpu = was_passed(target, false) || was_passed(step, false);
    const bool sim = was_passed(target, true) || was_passed(step, true);
    printf("%-12s %-10s %-12s %s\n", target, parent[0] ? parent : "-",
           gpu && sim ? "gpu, sim"
           : gpu      ? "gpu"
           : sim      ? "sim"
                      : "-",
           title);
}

static void print_entry(const struct lab_registry_entry *entry)
{
    int count;
    const struct lab_stage *stages = lab_registry_stages(entry->target, &count);
    print_line(entry->target, entry->target, stages->parent, entry->title);
    for (int i = 0; count > 1 && i < count; i++)
        print_line(stages[i].target, entry->target, stages[i].parent, stages[i].title);
}

int lab_list(void)
{
    int count, passed = 0;
    const struct lab_registry_entry *series = lab_registry(&count);
    printf("%-12s %-10s %-12s %s\n", "step", "builds on", "passed on", "what it teaches");
    for (int i = 0; i < count; i++)
        print_entry(&series[i]);
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    printf("\n%-12s %-10s %-12s %s\n", "exercise", "applies", "passed on", "what is asked");
    for (int i = 0; i < count; i++) {
        passed += was_passed(exercises[i].target, false) || was_passed(exercises[i].target, true);
        print_entry(&exercises[i]);
    }
    printf("\n%d of %d exercises passed\n", passed, count);
    return LAB_EXIT_OK;
}
