/* A kernel file that was edited and not built again: the program would run the old one. */
#include "series/outdated.h"

#include "base/paths.h"
#include "series/registry.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* "exercises/05_register_4x16/kernel.cu" */
static void source_of(const struct lab_stage *stage, const char *target, char path[256])
{
    int kind = (int)strcspn(target, "0123456789");
    snprintf(path, 256, "%.*ss/%s/%s.cu", kind, target, lab_registry_entry_of(stage)->directory,
             stage->file);
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Whether a file of the checkout was written after that time. */
static bool is_newer(const char *path, const struct timespec *built)
{
    struct stat written;
    return stat(path, &written) == 0 && is_later(&written.st_mtim, built);
}

/* The first header of common/ that was, into `source`; as the makefile has it, any concerns all. */
static bool find_header(const char *root, const struct timespec *built, char source[256])
{
    static const char *const folders[] = {"common", "common/families", "common/ptx"};
    bool found = false;
    for (size_t f = 0; f < sizeof folders / sizeof *folders && !found; f++) {
        char pattern[LAB_PATH_BYTES];
        glob_t list;
        snprintf(pattern, sizeof pattern, "%.3000s/%s/*.h", root, folders[f]);
        if (glob(pattern, 0, NULL, &list) != 0)
            continue;
        for (size_t i = 0; i < list.gl_pathc && !found; i++) {
            found = is_newer(list.gl_pathv[i], built);
            if (found)
                snprintf(source, 256, "%s", list.gl_pathv[i] + strlen(root) + 1);
        }
        globfree(&list);
    }
    return found;
}

static void look_at(const char *target, const struct lab_stage *stage, bool is_wanted,
                    struct lab_outdated *outdated)
{
    char root[LAB_PATH_BYTES], path[LAB_PATH_BYTES], built[LAB_PATH_BYTES], source[256];
    char *object = outdated->objects[outdated->count];
    struct stat made;
    lab_root(root);
    source_of(stage, target, source);
    lab_registry_object(target, stage, object, LAB_OUTDATED_BYTES);
    for (int i = 0; i < outdated->count; i++)
        if (strcmp(outdated->objects[i], object) == 0)
            return;
    lab_build_path(built, "%s", object);
    snprintf(path, sizeof path, "%.3000s/%s", root, source);
    const bool is_missing = stat(built, &made) != 0;
    if (is_missing ? !is_wanted
                   : !is_newer(path, &made.st_mtim) && !find_header(root, &made.st_mtim, source))
        return;
    if (!outdated->count) {
        outdated->is_missing = is_missing;
        snprintf(outdated->source, sizeof outdated->source, "%s", source);
    }
    if (outdated->count < LAB_OUTDATED_MOST - 1)
        outdated->count++;
}

void lab_outdated_find(const char *target, struct lab_outdated *outdated)
{
    int count;
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    const bool is_step = !lab_registry_exercise(target);
    for (int i = 0; i < count; i++) {
        const struct lab_stage *parent = lab_registry_stage(stages[i].parent);
        look_at(target, &stages[i], false, outdated);
        if (is_step && parent)
            look_at(parent->target, parent, false, outdated);
    }
    if (is_step && count)
        look_at(lab_registry_first_of(lab_registry_target(target)->family)->target,
                lab_registry_first_of(lab_registry_target(target)->family), false, outdated);
}

void lab_outdated_find_study(const char *target, const struct lab_stage *study,
                             struct lab_outdated *outdated)
{
    look_at(target, study, true, outdated);
}
