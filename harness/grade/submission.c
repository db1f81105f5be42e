/* Submissions are regular files: a link could lead anywhere. */
#include "grade/submission.h"

#include "base/text.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCE = 1 << 20, LEFT_OUT = 512 };

#define A_LINK "a link, and links are not followed: hand in the file itself"

static bool ends_in_cu(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && name[0] != '.' && strcmp(name + length - 3, ".cu") == 0;
}

static bool ends_in_any_cu(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && name[0] != '.' && strcasecmp(name + length - 3, ".cu") == 0;
}

/* The place of an entry: its folder is resolved, the entry is not, so that a link stays a link. */
static void find_place(const char *entry, char place[LAB_PATH_BYTES])
{
    char copy[LAB_PATH_BYTES], again[LAB_PATH_BYTES]; /* each is written to by libgen */
    snprintf(copy, sizeof copy, "%s", entry);
    snprintf(again, sizeof again, "%s", entry);
    char *folder = realpath(dirname(copy), NULL);
    snprintf(place, LAB_PATH_BYTES, "%.3800s/%.255s", folder ? folder : copy, basename(again));
    free(folder);
}

/* Adds a submission; returns NULL after complaining. */
static struct lab_submission *add(struct lab_submissions *s, const char *student, size_t length,
                                  const char *entry, const char *path)
{
    char name[LAB_PATH_BYTES];
    struct lab_submission *more = realloc(s->list, ((size_t)s->count + 1) * sizeof *more);
    if (!more) {
        lab_complain(LAB_EXIT_MISSING, "out of memory");
        return NULL;
    }
    s->list = more;
    more += s->count++;
    *more = (struct lab_submission){.shares_name = false};
    snprintf(name, sizeof name, "%.*s", (int)length, student);
    lab_printable(name, false, more->student, sizeof more->student);
    snprintf(more->entry, LAB_PATH_BYTES, "%s", entry);
    snprintf(more->path, LAB_PATH_BYTES, "%s", path);
    find_place(entry, more->place);
    return more;
}

/* Says why a student's folder has no kernel file. `other`: a file whose name ends in .cu but for
 * the case of its letters; "": none. */
static void explain(struct lab_submission *one, int found, const char *other)
{
    char name[128];
    lab_printable(other, false, name, sizeof name);
    if (found)
        snprintf(one->fault, sizeof one->fault,
                 "%d .cu files, and none is kernel.cu: hand in one, named kernel.cu", found);
    else if (other[0])
        snprintf(one->fault, sizeof one->fault, "no .cu file, but %.100s: name it kernel.cu", name);
    else
        snprintf(one->fault, sizeof one->fault,
                 "no kernel.cu and no other .cu file in the student's folder: hand in kernel.cu");
}

/* Finds the kernel file of a student's folder: kernel.cu, or the only one there. */
static void find_kernel(struct lab_submission *one)
{
    struct stat info;
    struct dirent **entries;
    char other[256] = "";
    int found = 0, count;
    snprintf(one->path, LAB_PATH_BYTES, "%.3800s/kernel.cu", one->entry);
    if (lstat(one->path, &info) == 0)
        return;
    count = scandir(one->entry, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (ends_in_cu(name) && ++found == 1)
            snprintf(one->path, LAB_PATH_BYTES, "%.3800s/%s", one->entry, name);
        else if (!ends_in_cu(name) && ends_in_any_cu(name))
            snprintf(other, sizeof other, "%s", name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (found == 1)
        return;
    one->path[0] = '\0';
    explain(one, found, other);
}

/* Adds a student's file or folder, or notes that it is left out. A link to a folder has a row, too,
 * which says why it is refused, as has a file whose name is right but for the case of its letters.
 */
static int add_entry(struct lab_submissions *s, const char *folder, const char *name,
                     char left_out[LEFT_OUT])
{
    char path[LAB_PATH_BYTES];
    struct stat info;
    int length = (int)strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    snprintf(path, sizeof path, "%.*s/%s", length < 3700 ? length : 3700, folder, name);
    if ((name[0] == '.' && !strstr(name, ".cu")) || lstat(path, &info) != 0)
        return LAB_EXIT_OK;
    const bool is_folder = S_ISDIR(info.st_mode), is_link = S_ISLNK(info.st_mode);
    const bool to_folder = is_link && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (name[0] == '.' || (!is_folder && !to_folder && !ends_in_any_cu(name))) {
        char shown[64];
        const size_t used = strlen(left_out);
        lab_printable(name, false, shown, sizeof shown);
        snprintf(left_out + used, LEFT_OUT - used, "%s%s", used ? ", " : "", shown);
        return LAB_EXIT_OK;
    }
    const size_t ending = is_folder || to_folder ? 0 : 3;
    struct lab_submission *one = add(s, name, strlen(name) - ending, path, ending ? path : "");
    if (!one)
        return LAB_EXIT_MISSING;
    if (is_folder)
        find_kernel(one);
    else if (is_link)
        snprintf(one->fault, sizeof one->fault, "%s", A_LINK);
    else if (!ends_in_cu(name))
        snprintf(one->fault, sizeof one->fault, "its name must end in .cu, in small letters");
    return LAB_EXIT_OK;
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

void lab_source_read(struct lab_source *source, const struct lab_submission *submission)
{
    struct stat info;
    *source = (struct lab_source){.status = LAB_CHECK_OK};
    if (submission->fault[0]) {
        refuse(source, LAB_CHECK_BUILD_ERROR, submission->fault);
        return;
    }
    int file = open(submission->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_theirs =
        errno == ELOOP || errno == EACCES || errno == ENXIO; /* a link, a lock, a pipe */
    if (file < 0 && !is_theirs)
        refuse(source, LAB_CHECK_NOT_RUN, strerror(errno));
    else if (file < 0 && errno == ELOOP)
        refuse(source, LAB_CHECK_BUILD_ERROR, A_LINK);
    else if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        refuse(source, LAB_CHECK_BUILD_ERROR, "not a file that can be read");
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
    char left_out[LEFT_OUT] = "";
    int status = LAB_EXIT_OK, before = s->count;
    if (lstat(path, &info) != 0)
        return lab_complain(LAB_EXIT_USAGE, "%s: %s", path, strerror(errno));
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!S_ISDIR(info.st_mode))
        return !ends_in_cu(name) ? lab_complain(LAB_EXIT_USAGE, "%s: not a .cu file", path)
               : add(s, name, strlen(name) - 3, path, path) ? LAB_EXIT_OK
                                                            : LAB_EXIT_MISSING;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (status == LAB_EXIT_OK)
            status = add_entry(s, path, entries[i]->d_name, left_out);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (left_out[0] && s->count > before)
        lab_complain(LAB_EXIT_OK,
                     "%s: left out, for its name does not end in .cu, or begins with "
                     "a dot: %s",
                     path, left_out);
    if (status == LAB_EXIT_OK && s->count == before)
        status = lab_complain(LAB_EXIT_USAGE,
                              "%s: no submissions; give .cu files, or a folder with "
                              "one file or one folder per student",
                              path);
    return status;
}

int lab_submissions_add_one(struct lab_submissions *s, const char *folder)
{
    struct stat info;
    char path[LAB_PATH_BYTES];
    snprintf(path, sizeof path, "%s", folder);
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return lab_complain(LAB_EXIT_USAGE, "--student %s: not a folder", folder);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct lab_submission *one = add(s, name, strlen(name), path, "");
    if (!one)
        return LAB_EXIT_MISSING;
    find_kernel(one);
    return LAB_EXIT_OK;
}

/* --- telling them apart ------------------------------------------------------------------------*/

static int by_student(const void *a, const void *b)
{
    return strcmp(((const struct lab_submission *)a)->student,
                  ((const struct lab_submission *)b)->student);
}

static int by_place(const void *a, const void *b)
{
    return strcmp(((const struct lab_submission *)a)->place,
                  ((const struct lab_submission *)b)->place);
}

static void drop_repeated(struct lab_submissions *s)
{
    int kept = 0;
    qsort(s->list, (size_t)s->count, sizeof *s->list, by_place);
    for (int i = 0; i < s->count; i++)
        if (i == 0 || by_place(&s->list[kept - 1], &s->list[i]) != 0)
            s->list[kept++] = s->list[i];
    s->count = kept;
}

/* Length of the folders that all entries begin with. A slash is left in each entry, so that none
 * looks like a student's own name. */
static size_t common_folders(const struct lab_submissions *s)
{
    const char *first = s->list[0].entry;
    size_t common = 0;
    for (size_t end = 1; first[end - 1]; end++) {
        bool all = first[end - 1] == '/';
        for (int i = 0; i < s->count && all; i++)
            all = strncmp(s->list[i].entry, first, end) == 0 &&
                  strchr(s->list[i].entry + end, '/') != NULL;
        common = all ? end : common;
    }
    return common;
}

/* Names a submission by its entry without the common folders. All entries differ, so the names do,
 * too. */
static int name_by_entry(struct lab_submission *one, size_t common)
{
    char name[LAB_PATH_BYTES + 2];
    const char *entry = one->entry + common;
    snprintf(name, sizeof name, "%s%s", strchr(entry, '/') ? "" : "./", entry);
    return lab_printable(name, false, one->student, sizeof one->student)
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_USAGE, "%s: too long a path to tell students apart by",
                              one->entry);
}

int lab_submissions_settle(struct lab_submissions *s)
{
    int status = LAB_EXIT_OK;
    if (!s->count)
        return status;
    drop_repeated(s);
    qsort(s->list, (size_t)s->count, sizeof *s->list, by_student);
    for (int i = 1; i < s->count; i++)
        if (by_student(&s->list[i - 1], &s->list[i]) == 0)
            s->list[i - 1].shares_name = s->list[i].shares_name = true;
    const size_t common = common_folders(s);
    for (int i = 0; i < s->count && status == LAB_EXIT_OK; i++)
        if (s->list[i].shares_name)
            status = name_by_entry(&s->list[i], common);
    qsort(s->list, (size_t)s->count, sizeof *s->list, by_student);
    return status;
}

/* Writes a character as it stands in the name of a file. */
static void spell(const char *at, bool is_first, char spelt[8])
{
    int length = lab_printable_bytes(at, 1);
    if (*at == '/' || *at == '%' || (*at == '.' && is_first))
        snprintf(spelt, 8, "%%%02X", (unsigned char)*at);
    else
        snprintf(spelt, 8, "%.*s", length, at);
}

void lab_submission_file(const char *student, int number, const char *ending,
                         char name[LAB_SUBMISSION_FILE])
{
    enum { MARK = 16 }; /* bytes that the number may take */
    char spelt[8], whole[3 * LAB_OUTCOME_NAME];
    size_t used = 0, fits = 0, most = LAB_SUBMISSION_FILE - 1 - strlen(ending);
    for (const char *at = student; *at; at += lab_printable_bytes(at, 1)) {
        spell(at, at == student, spelt);
        used += (size_t)snprintf(whole + used, sizeof whole - used, "%s", spelt);
        fits = used + MARK <= most ? used : fits;
    }
    if (used <= most)
        snprintf(name, LAB_SUBMISSION_FILE, "%.*s%s", (int)used, whole, ending);
    else /* only cut names have a percent sign and a tilde */
        snprintf(name, LAB_SUBMISSION_FILE, "%.*s%%~%d%s", (int)fits, whole, number, ending);
}
