/* Submissions are regular files: a link could lead anywhere. */
#include "grade/submission.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCE = 1 << 20 };

static bool ends_in_cu(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && name[0] != '.' && strcmp(name + length - 3, ".cu") == 0;
}

static int add(struct lab_submissions *s, const char *student, size_t length, const char *path)
{
    struct lab_submission *more = realloc(s->list, ((size_t)s->count + 1) * sizeof *more);
    if (!more)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    s->list = more;
    snprintf(more[s->count].student, LAB_OUTCOME_NAME, "%.*s", (int)length, student);
    snprintf(more[s->count].path, LAB_PATH_BYTES, "%s", path);
    s->count++;
    return LAB_EXIT_OK;
}

/* The kernel file of a student's folder: kernel.cu, or the only one there. */
static void find_kernel(const char *folder, char path[LAB_PATH_BYTES])
{
    struct stat info;
    struct dirent **entries;
    int found = 0, count;
    snprintf(path, LAB_PATH_BYTES, "%.3800s/kernel.cu", folder);
    if (lstat(path, &info) == 0)
        return;
    count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (ends_in_cu(entries[i]->d_name) && ++found == 1)
            snprintf(path, LAB_PATH_BYTES, "%.3800s/%s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (found != 1)
        path[0] = '\0';
}

static int add_entry(struct lab_submissions *s, const char *folder, const char *name)
{
    char path[LAB_PATH_BYTES], kernel[LAB_PATH_BYTES];
    struct stat info;
    snprintf(path, sizeof path, "%.3700s/%s", folder, name);
    if (name[0] == '.' || lstat(path, &info) != 0)
        return LAB_EXIT_OK;
    if (S_ISDIR(info.st_mode)) {
        find_kernel(path, kernel);
        return add(s, name, strlen(name), kernel);
    }
    return ends_in_cu(name) ? add(s, name, strlen(name) - 3, path) : LAB_EXIT_OK;
}

/* --- reading one -------------------------------------------------------------------------------*/

static void refuse(struct lab_source *source, enum lab_check_status status, const char *message)
{
    source->status = status;
    snprintf(source->message, sizeof source->message, "%s", message);
}

static void read_bytes(struct lab_source *source, int file)
{
    ssize_t got = 1;
    source->bytes = malloc(MOST_SOURCE + 1);
    while (source->bytes && got > 0 && source->size <= MOST_SOURCE) {
        got = read(file, source->bytes + source->size, MOST_SOURCE + 1 - source->size);
        source->size += got > 0 ? (size_t)got : 0;
    }
    if (!source->bytes || got < 0)
        refuse(source, LAB_CHECK_NOT_RUN, strerror(errno));
    else if (source->size > MOST_SOURCE)
        refuse(source, LAB_CHECK_BUILD_ERROR, "larger than 1 MiB");
}

void lab_source_read(struct lab_source *source, const char *path)
{
    struct stat info;
    *source = (struct lab_source){.status = LAB_CHECK_OK};
    if (!path[0]) {
        refuse(source, LAB_CHECK_BUILD_ERROR,
               "no kernel.cu, and not a single .cu file, in the student's folder");
        return;
    }
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_theirs =
        errno == ELOOP || errno == EACCES || errno == ENXIO; /* a link, a lock, a pipe */
    if (file < 0 && !is_theirs)
        refuse(source, LAB_CHECK_NOT_RUN, strerror(errno));
    else if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        refuse(source, LAB_CHECK_BUILD_ERROR, "not a file that can be read, or a link to one");
    else
        read_bytes(source, file);
    if (file >= 0)
        close(file);
}

void lab_source_free(struct lab_source *source)
{
    free(source->bytes);
    *source = (struct lab_source){.bytes = NULL};
}

/* --- the list ----------------------------------------------------------------------------------*/

int lab_submissions_add(struct lab_submissions *s, const char *path)
{
    struct stat info;
    struct dirent **entries;
    int status = LAB_EXIT_OK, before = s->count;
    if (lstat(path, &info) != 0)
        return lab_complain(LAB_EXIT_USAGE, "%s: %s", path, strerror(errno));
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!S_ISDIR(info.st_mode))
        return ends_in_cu(name) ? add(s, name, strlen(name) - 3, path)
                                : lab_complain(LAB_EXIT_USAGE, "%s: not a .cu file", path);
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (status == LAB_EXIT_OK)
            status = add_entry(s, path, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (status == LAB_EXIT_OK && s->count == before)
        status = lab_complain(LAB_EXIT_USAGE,
                              "%s: no submissions; give .cu files, or a folder with "
                              "one file or one folder per student",
                              path);
    return status;
}

static int by_student(const void *a, const void *b)
{
    return strcmp(((const struct lab_submission *)a)->student,
                  ((const struct lab_submission *)b)->student);
}

void lab_submissions_sort(struct lab_submissions *s)
{
    if (s->count)
        qsort(s->list, (size_t)s->count, sizeof *s->list, by_student);
}
