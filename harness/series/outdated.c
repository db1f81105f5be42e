/* A kernel file that was edited and not built again: the program runs the old one. */
#include "series/outdated.h"

#include "base/paths.h"
#include "series/registry.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void source_of(const struct lab_registry_entry *entry, const char *target,
                      char path[LAB_PATH_BYTES])
{
    char root[LAB_PATH_BYTES];
    int kind = (int)strcspn(target, "0123456789");
    lab_root(root);
    snprintf(path, LAB_PATH_BYTES, "%.3000s/%.*ss/%s/kernel.cu", root, kind, target,
             entry->directory);
}

static int is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

void lab_outdated_note(const char *target)
{
    char source[LAB_PATH_BYTES], object[64], built[LAB_PATH_BYTES];
    struct stat written, made;
    const struct lab_registry_entry *entry = lab_registry_target(target);
    if (!entry)
        return;
    source_of(entry, target, source);
    lab_registry_object(target, object, sizeof object);
    lab_build_path(built, "%s", object);
    if (stat(source, &written) == 0 && stat(built, &made) == 0 &&
        is_later(&written.st_mtim, &made.st_mtim))
        fprintf(stderr, "run: %s was changed after it was built; `make %s` builds it\n", target,
                target);
}
