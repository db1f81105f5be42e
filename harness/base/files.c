/* Files: where they are, how they are read, written whole, and removed with a run. */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- paths -------------------------------------------------------------------------------------*/

/* Paths of built files. They are found from /proc/self/exe, so that `run` works from any folder and
 * after the checkout was moved. With a build folder elsewhere, LAB_BUILD is absolute and LAB_ROOT
 * is the checkout. */

/* The makefile defines them. */
#ifndef LAB_BUILD
#define LAB_BUILD "build"
#endif
#ifndef LAB_ROOT
#define LAB_ROOT "" /* found at run time */
#endif

/* Removes `end` from the end of a path; false: the path does not end with it. */
static bool take_off(char *path, const char *end)
{
    const size_t length = strlen(path), less = strlen(end);
    const bool ends = length >= less && strcmp(path + length - less, end) == 0;
    if (ends)
        path[length - less] = '\0';
    return ends;
}

/* Programs lie in the build folder, and tests in a folder of it. */
void lab_root(char path[LAB_PATH_BYTES])
{
    snprintf(path, LAB_PATH_BYTES, "%s", LAB_ROOT);
    if (path[0])
        return;
    char self[LAB_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    snprintf(path, LAB_PATH_BYTES, "%s", length < 0 ? "." : dirname(self));
    if (!take_off(path, "/" LAB_BUILD))
        take_off(path, "/" LAB_BUILD "/tests");
}

void lab_build_path(char path[LAB_PATH_BYTES], const char *format, ...)
{
    char root[LAB_PATH_BYTES], file[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file, sizeof file, format, arguments);
    va_end(arguments);
    lab_root(root);
    if (LAB_BUILD[0] == '/')
        snprintf(path, LAB_PATH_BYTES, "%s/%s", LAB_BUILD, file);
    else
        snprintf(path, LAB_PATH_BYTES, "%.3000s/%s/%s", root, LAB_BUILD, file);
}

const char *lab_shown_path(const char *path)
{
    char root[LAB_PATH_BYTES];
    lab_root(root);
    const size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* --- reading -----------------------------------------------------------------------------------*/

/* A mistyped name may be the name of a folder, of a device without an end, or of a pipe in which
 * nothing will ever come. */

FILE *lab_open_text(const char *path, const char **why)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0) {
        *why = strerror(errno);
    } else if (!S_ISREG(info.st_mode)) {
        *why = S_ISDIR(info.st_mode) ? strerror(EISDIR) : "give a file, not a pipe or a device";
    } else {
        FILE *stream = fdopen(file, "rb");
        if (stream)
            return stream;
        *why = strerror(errno);
    }
    if (file >= 0)
        close(file);
    return NULL;
}

char *lab_text_line(const char *path, int number)
{
    FILE *file = fopen(path, "r");
    char *text = NULL, *line = NULL;
    size_t room = 0;
    bool is_there = file != NULL;
    for (int i = 0; i < number && is_there; i++)
        is_there = getline(&text, &room, file) > 0;
    if (is_there && text)
        line = strndup(text + strspn(text, " \t"), strcspn(text + strspn(text, " \t"), "\n"));
    free(text);
    if (file)
        fclose(file);
    return line;
}

/* --- writing -----------------------------------------------------------------------------------*/

/* The file is written beside its place and renamed. Otherwise the next program could read half a
 * file as a whole one, and the old file would be gone. */

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

/* --- a run's own folder ------------------------------------------------------------------------*/

/* A run's own folder. The process that waits for the run removes it, so that an interrupt leaves no
 * file behind. Compilers leave none either, because they use TMPDIR. */

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
