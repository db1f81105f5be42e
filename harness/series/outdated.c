/* A kernel file that was edited and not built again: the program runs the old one. */
#include "series/outdated.h"

#include "base/paths.h"
#include "series/registry.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void source_of(const struct lab_stage *stage, const char *target, char path[LAB_PATH_BYTES])
{
    char root[LAB_PATH_BYTES];
    int kind = (int)strcspn(target, "0123456789");
    lab_root(root);
    snprintf(path, LAB_PATH_BYTES, "%.3000s/%.*ss/%s/%s.cu", root, kind, target,
             lab_registry_entry_of(stage)->directory, stage->file);
}

static int is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

void lab_outdated_note(const char *target)
{
    char source[LAB_PATH_BYTES], object[64], built[LAB_PATH_BYTES];
    struct stat written, made;
    int count;
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    for (int i = 0; i < count; i++) {
        source_of(&stages[i], target, source);
        lab_registry_object(target, &stages[i], object, sizeof object);
        lab_build_path(built, "%s", object);
        if (stat(source, &written) != 0 || stat(built, &made) != 0 ||
            !is_later(&written.st_mtim, &made.st_mtim))
            continue;
        fprintf(stderr, "run: %s was changed after it was built; `make %s` builds it\n", target,
                target);
        return;
    }
}
