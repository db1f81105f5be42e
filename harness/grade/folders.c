/* Folders that the grader writes to. A file as large as what will be written is made and removed
 * again: nothing less says that the disk has room. */
#include "grade/folders.h"

#include "grade/outcome/outcome.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORK_BYTES = 4 << 20, MOST_TRIED = 64 << 20 }; /* an object file; and enough is enough */

int lab_folders_try(const char *folder, size_t bytes)
{
    char path[LAB_PATH_BYTES];
    snprintf(path, sizeof path, "%.4000s/.room-XXXXXX", folder);
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return errno;
    int error = posix_fallocate(file, 0, (off_t)(bytes < MOST_TRIED ? bytes : MOST_TRIED));
    if (close(file) != 0 && !error)
        error = errno;
    unlink(path);
    return error;
}

/* Bad input where the name is the mistake, else something of this machine. */
static int complain_of(const char *folder, int error)
{
    bool named = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP;
    return lab_complain(named ? LAB_EXIT_USAGE : LAB_EXIT_MISSING,
                        "%s: %s; nothing was graded, since outcomes could not be kept", folder,
                        strerror(error));
}

static int make_and_try(const char *folder, mode_t mode, size_t bytes)
{
    int error = mkdir(folder, mode) != 0 && errno != EEXIST ? errno : 0;
    if (!error)
        error = lab_folders_try(folder, bytes);
    return error ? complain_of(folder, error) : LAB_EXIT_OK;
}

int lab_folders_state(const char *state, int submissions)
{
    char above[LAB_PATH_BYTES];
    lab_build_path(above, "grading");
    mkdir(above, 0777);
    return make_and_try(state, 0777, (size_t)submissions * sizeof(struct lab_outcome));
}

int lab_folders_work(char work[LAB_PATH_BYTES])
{
    lab_build_path(work, "grading/work");
    return make_and_try(work, 0700, WORK_BYTES);
}
