/* A run's own folder. The process that waits for the run removes it, so that an interrupt leaves no
 * file behind. Compilers leave none either, because they use TMPDIR. */
#include "base/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { OPEN_FOLDERS = 16 };

static const char NAME[] = "LAB_SCRATCH";

void lab_scratch_begin(char folder[LAB_PATH_BYTES])
{
    const char *above = getenv(NAME);
    if (above && *above)
        snprintf(folder, LAB_PATH_BYTES, "%.4000s/run-XXXXXX", above);
    else
        lab_build_path(folder, "run-XXXXXX");
    const char *made = mkdtemp(folder);
    if (!made) { /* the build folder belongs to somebody else */
        snprintf(folder, LAB_PATH_BYTES, "/tmp/lab-run-XXXXXX");
        made = mkdtemp(folder);
    }
    if (!made) {
        folder[0] = '\0';
        return;
    }
    setenv(NAME, folder, 1);
    setenv("TMPDIR", folder, 1);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    remove(path);
    return 0;
}

void lab_scratch_remove(const char *folder)
{
    if (folder[0])
        nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void lab_scratch_path(char path[LAB_PATH_BYTES], const char *name)
{
    const char *folder = getenv(NAME);
    if (folder && *folder)
        snprintf(path, LAB_PATH_BYTES, "%.4000s/%s", folder, name);
    else
        lab_build_path(path, "%s", name);
}
