/* The file is written beside its place and renamed. Otherwise the next program could read half a
 * file as a whole one, and the old file would be gone. */
#include "base/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Devices such as /dev/stderr cannot be replaced by a rename. */
static bool is_plain(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

/* A link stays a link: the file that it leads to is replaced. */
static bool find_place(struct lab_new_file *file, const char *path)
{
    *file = (struct lab_new_file){.stream = NULL};
    if (strlen(path) >= sizeof file->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!is_plain(path) || !realpath(path, file->path))
        strcpy(file->path, path);
    const char *const slash = strrchr(file->path, '/');
    const int folder = slash ? (int)(slash + 1 - file->path) : 0;
    if (is_plain(path)) /* a short name: the file's own may be the longest possible */
        snprintf(file->beside, sizeof file->beside, "%.*s.new-XXXXXX", folder, file->path);
    return true;
}

bool lab_new_file_begin(struct lab_new_file *file, const char *path)
{
    if (!find_place(file, path))
        return false;
    if (!file->beside[0])
        return (file->stream = fopen(file->path, "w")) != NULL;
    int made = mkstemp(file->beside);
    if (made < 0)
        return false;
    file->stream = fdopen(made, "w");
    if (file->stream)
        return true;
    close(made);
    unlink(file->beside);
    return false;
}

bool lab_new_file_end(struct lab_new_file *file)
{
    bool failed = ferror(file->stream); /* of an earlier write; its reason is lost */
    bool written = fflush(file->stream) == 0 && !failed;
    int reason = failed ? EIO : errno;
    if (fclose(file->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && file->beside[0]) {
        mode_t mask = umask(0);
        umask(mask);
        chmod(file->beside, 0666 & ~mask);
        written = rename(file->beside, file->path) == 0;
        reason = errno;
    }
    if (!written && file->beside[0])
        unlink(file->beside);
    errno = reason;
    return written;
}

void lab_new_file_drop(struct lab_new_file *file)
{
    fclose(file->stream);
    if (file->beside[0])
        unlink(file->beside);
}

int lab_new_file_try(const char *path)
{
    struct lab_new_file file;
    struct stat info;
    if (stat(path, &info) == 0 && (S_ISDIR(info.st_mode) || access(path, W_OK) != 0))
        return S_ISDIR(info.st_mode) ? EISDIR : errno;
    if (!find_place(&file, path))
        return errno;
    if (!file.beside[0])
        return 0;
    int made = mkstemp(file.beside);
    if (made < 0)
        return errno;
    close(made);
    unlink(file.beside);
    return 0;
}
