/* If a kernel file was edited and not built again, the program would run the old kernels. A file
 * that was never built, or whose source is gone, is found in the same way. */
#include "series/outdated.h"

#include "base/files.h"
#include "series/registry.h"

#include <dirent.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Whether a file of the checkout was written after the time `built`. */
static bool is_newer(const char *path, const struct timespec *built)
{
    struct stat written;
    return stat(path, &written) == 0 && is_later(&written.st_mtim, built);
}

static int is_header(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0;
}

/* Finds the first newer header of common/. As in the makefile, each header concerns all kernels. */
static bool find_header(const char *root, const struct timespec *built, char source[256])
{
    static const char *const folders[] = {"common",       "common/families", "common/ptx",
                                          "common/md",    "common/semiring", "common/summation",
                                          "common/syr2k", "common/tile",     "common/trmm"};
    bool found = false;
    for (size_t f = 0; f < sizeof folders / sizeof *folders && !found; f++) {
        char path[LAB_PATH_BYTES];
        struct dirent **list;
        snprintf(path, sizeof path, "%.3000s/%s", root, folders[f]);
        const int count = scandir(path, &list, is_header, alphasort);
        for (int i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%.3000s/%s/%.255s", root, folders[f], list[i]->d_name);
            if (!found && is_newer(path, built)) {
                found = true;
                snprintf(source, 256, "%s/%.200s", folders[f], list[i]->d_name);
            }
            free(list[i]);
        }
        if (count >= 0)
            free(list);
    }
    return found;
}

/* Whether a shared object ends before its section table, which linkers write last. */
static bool is_cut(const char *path, off_t size)
{
    ElfW(Ehdr) header;
    FILE *file = fopen(path, "rb");
    const bool is_read = file && fread(&header, sizeof header, 1, file) == 1;
    const bool may_be_read = file != NULL;
    if (file)
        fclose(file);
    return may_be_read &&
           (!is_read || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_shoff + (size_t)header.e_shnum * header.e_shentsize > (size_t)size);
}

/* Whether an object is not what its source says. `source` becomes a header's path if a header was
 * changed. A checkout without sources has no such folder, and nothing is outdated then. */
static bool is_outdated(const char *object, char source[256], enum lab_outdated_why *why)
{
    char root[LAB_PATH_BYTES], path[LAB_PATH_BYTES], built[LAB_PATH_BYTES];
    struct stat made, found;
    lab_root(root);
    lab_build_path(built, "%s", object);
    snprintf(path, sizeof path, "%.3000s/%s", root, source);
    const bool is_built = stat(built, &made) == 0;
    const bool is_there = stat(path, &found) == 0;
    *why = !is_built ? LAB_OUTDATED_UNBUILT : !is_there ? LAB_OUTDATED_GONE : LAB_OUTDATED_CHANGED;
    if (!is_built)
        return is_there;
    if (!is_there) {
        snprintf(path, sizeof path, "%.3000s/%.*s", root, (int)strcspn(source, "/"), source);
        return stat(path, &found) == 0;
    }
    if (is_cut(built, made.st_size)) {
        *why = LAB_OUTDATED_CUT;
        return true;
    }
    return is_later(&found.st_mtim, &made.st_mtim) || find_header(root, &made.st_mtim, source);
}

void lab_outdated_find_kernels(const char *target, const struct lab_stage *stage,
                               struct lab_outdated *outdated)
{
    char source[256], *object = outdated->objects[outdated->count];
    enum lab_outdated_why why;
    lab_registry_source(target, stage, source);
    lab_registry_object(target, stage, object, LAB_OUTDATED_BYTES);
    for (int i = 0; i < outdated->count; i++)
        if (strcmp(outdated->objects[i], object) == 0)
            return;
    if (!is_outdated(object, source, &why))
        return;
    outdated->is_cut[outdated->count] = why == LAB_OUTDATED_CUT;
    if (!outdated->count) {
        outdated->why = why;
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
        lab_outdated_find_kernels(target, &stages[i], outdated);
        if (is_step && parent)
            lab_outdated_find_kernels(parent->target, parent, outdated);
    }
    if (is_step && count) {
        const struct lab_stage *first = lab_registry_first_of(lab_registry_target(target)->family);
        lab_outdated_find_kernels(first->target, first, outdated);
    }
}
