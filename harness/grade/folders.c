/* Folders that the grader writes to. To find out whether the disk has room, a file as large as what
 * will be written is made and removed again. A lock that ends with its processes shows which
 * folders are in use. */
#include "grade/folders.h"

#include "grade/outcome/outcome.h"
#include "base/files.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORK_BYTES = 4 << 20, MOST_TRIED = 64 << 20 }; /* an object file; the most that is tried */

int lab_folders_try(const char *folder, size_t bytes)
{
    char path[LAB_PATH_BYTES];
    snprintf(path, sizeof path, "%.4000s/.room-XXXXXX", folder);
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return errno;
    unlink(path); /* at once, because this process may be killed */
    int error = posix_fallocate(file, 0, (off_t)(bytes < MOST_TRIED ? bytes : MOST_TRIED));
    if (close(file) != 0 && !error)
        error = errno;
    return error;
}

/* Complains of a bad name, which is the user's mistake, or else of this machine. */
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
    return make_and_try(state, 0700, (size_t)submissions * sizeof(struct lab_outcome));
}

bool lab_folders_secret(const char *state, char *secret, size_t size)
{
    char path[LAB_PATH_BYTES], beside[LAB_PATH_BYTES];
    unsigned char bytes[16];
    snprintf(path, sizeof path, "%.4000s/secret", state);
    snprintf(beside, sizeof beside, "%.4000s/secret.XXXXXX", state);
    int file = access(path, F_OK) == 0 ? -1 : mkostemp(beside, O_CLOEXEC);
    if (file >= 0) {
        char made[2 * sizeof bytes + 1] = "";
        const bool drawn = getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes;
        for (size_t i = 0; drawn && i < sizeof bytes; i++)
            snprintf(made + 2 * i, 3, "%02x", bytes[i]);
        const bool written = drawn && write(file, made, strlen(made)) == (ssize_t)strlen(made);
        if (close(file) == 0 && written)
            (void)!link(beside, path); /* unless another grader was quicker */
        unlink(beside);
    }
    file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, secret, size - 1) : 0;
    if (file >= 0)
        close(file);
    secret[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* --- to work in --------------------------------------------------------------------------------*/

/* Locks a folder. The returned descriptor, and its copies in forked processes, hold the lock; -1 if
 * another process has it. */
static int lock(const char *folder, int how)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0 && flock(file, how) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* "run-HOST-", which begins the names of a host's folders. In a build folder that hosts share, the
 * locks of one say nothing to the others. */
static void name_start(char start[80])
{
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(start, 80, "run-%s-", host);
}

/* Removes this host's folders that no process has locked. The caller holds the lock of `above`, so
 * a new folder there is locked by its maker already. */
static void remove_unused(const char *above)
{
    struct dirent **entries;
    char start[80];
    name_start(start);
    int count = scandir(above, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char path[LAB_PATH_BYTES];
        snprintf(path, sizeof path, "%.3800s/%s", above, entries[i]->d_name);
        const bool is_own = strncmp(entries[i]->d_name, start, strlen(start)) == 0;
        int held = is_own ? lock(path, LOCK_EX | LOCK_NB) : -1;
        if (held >= 0) {
            lab_scratch_remove(path);
            close(held);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void lab_folders_clean(void)
{
    char above[LAB_PATH_BYTES];
    lab_build_path(above, "grading/work");
    int held = lock(above, LOCK_EX);
    if (held < 0)
        return;
    remove_unused(above);
    close(held);
}

bool lab_folders_let_pass(const char *work)
{
    char above[LAB_PATH_BYTES];
    lab_build_path(above, "grading/work");
    return chmod(above, 0711) == 0 && chmod(work, 0711) == 0;
}

int lab_folders_work(char work[LAB_PATH_BYTES])
{
    char above[LAB_PATH_BYTES], start[80];
    lab_build_path(above, "grading/work");
    int status = make_and_try(above, 0700, 1);
    if (status != LAB_EXIT_OK)
        return status;
    int held = lock(above, LOCK_EX);
    if (held >= 0)
        remove_unused(above);
    name_start(start);
    snprintf(work, LAB_PATH_BYTES, "%.3900s/%sXXXXXX", above, start);
    int error = mkdtemp(work) ? 0 : errno;
    if (!error)
        lock(work, LOCK_EX); /* held to the end of this process */
    if (held >= 0)
        close(held);
    if (!error)
        error = lab_folders_try(work, WORK_BYTES);
    return error ? complain_of(work, error) : LAB_EXIT_OK;
}
