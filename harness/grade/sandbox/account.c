/* The wall that a user of its own is. What it keeps from a submission follows from the modes of
 * files, which nobody sees when a run begins; so every run tries them. */
#include "grade/sandbox/sandbox.h"

#include "base/files.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int lab_account_find(const char *name, struct lab_account *account)
{
    errno = 0;
    const struct passwd *user = getpwnam(name);
    if (!user)
        return lab_complain(LAB_EXIT_USAGE,
                            "--account %s: no such user here; make one, as with `useradd --system "
                            "%s`",
                            name, name);
    if (user->pw_uid == 0)
        return lab_complain(LAB_EXIT_USAGE, "--account %s: root may read everything", name);
    if (geteuid() != 0)
        return lab_complain(LAB_EXIT_USAGE,
                            "--account %s: only root may run programs as another user", name);
    *account = (struct lab_account){user->pw_uid, user->pw_gid};
    return LAB_EXIT_OK;
}

bool lab_account_become(const struct lab_account *account)
{
    return setgroups(0, NULL) == 0 &&
           setresgid(account->group, account->group, account->group) == 0 &&
           setresuid(account->user, account->user, account->user) == 0 && setuid(0) != 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* --- what must be closed -----------------------------------------------------------------------*/

/* Paths, listed by root, since the user may not be able to list them and still know their names. */
struct paths {
    char **list;
    int count;
};

static void add(struct paths *paths, const char *path)
{
    char **more = realloc(paths->list, ((size_t)paths->count + 1) * sizeof *more);
    char *copy = strdup(path);
    if (!more || !copy)
        _exit(lab_complain(LAB_EXIT_MISSING, "out of memory"));
    paths->list = more;
    paths->list[paths->count++] = copy;
}

/* What is in a folder, but for some names, for links, since what they lead to has other names, and
 * for the build folder, which is looked at by itself. */
static void add_folder(struct paths *paths, const char *folder, const char *const *except)
{
    DIR *entries = opendir(folder);
    char build[LAB_PATH_BYTES];
    struct stat built = {.st_ino = 0};
    lab_build_path(build, ".");
    stat(build, &built);
    for (struct dirent *one; entries && (one = readdir(entries));) {
        char path[LAB_PATH_BYTES];
        struct stat info;
        bool skip = strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0;
        for (int i = 0; except[i] && !skip; i++)
            skip = strcmp(one->d_name, except[i]) == 0;
        snprintf(path, sizeof path, "%.3800s/%.255s", folder, one->d_name);
        skip = skip || lstat(path, &info) != 0 || S_ISLNK(info.st_mode);
        if (!skip && (info.st_ino != built.st_ino || info.st_dev != built.st_dev))
            add(paths, path);
    }
    if (entries)
        closedir(entries);
}

/* All of the checkout, except what bubblewrap would show: the headers, the toolkit, the recorder,
 * and the folders to work in, of which only the names of other submissions' folders are secret. */
static void add_checkout(struct paths *paths)
{
    static const char *const of_root[] = {"common", NULL},
                             *const of_build[] = {"toolkit", "recorder", "grading", NULL},
                             *const of_grading[] = {"work", NULL};
    char root[LAB_PATH_BYTES], build[LAB_PATH_BYTES], grading[LAB_PATH_BYTES];
    lab_root(root);
    lab_build_path(build, ".");
    lab_build_path(grading, "grading");
    add_folder(paths, root, of_root);
    add_folder(paths, build, of_build);
    add_folder(paths, grading, of_grading);
}

/* A folder is open that can be listed or entered; a link is as open as what it leads to. */
static bool is_open(const char *path)
{
    struct stat info;
    return access(path, R_OK) == 0 ||
           (stat(path, &info) == 0 && S_ISDIR(info.st_mode) && access(path, X_OK) == 0);
}

static int try_needed(const char *name)
{
    char common[LAB_PATH_BYTES], root[LAB_PATH_BYTES], needed[2][LAB_PATH_BYTES];
    lab_root(root);
    snprintf(common, sizeof common, "%.4000s/common/step.h", root);
    lab_build_path(needed[0], "recorder");
    lab_build_path(needed[1], "grading/work");
    const char *missing = access(common, R_OK) != 0      ? common
                          : access(needed[0], X_OK) != 0 ? needed[0]
                          : access(needed[1], X_OK) != 0 ? needed[1]
                                                         : NULL;
    return missing ? lab_complain(LAB_EXIT_MISSING,
                                  "--account %s: %s cannot be opened by that user, who compiles "
                                  "with it",
                                  name, missing)
                   : LAB_EXIT_OK;
}

static int try_all(const struct paths *paths, const char *name)
{
    for (int i = 0; i < paths->count; i++)
        if (is_open(paths->list[i]))
            return lab_complain(LAB_EXIT_MISSING,
                                "--account %s: nothing was graded, since a submission could show "
                                "%s, which that user may open; close it (chmod go-rwx), or all of "
                                "the checkout at once: bash harness/recipes/prepare.sh EXERCISE",
                                name, paths->list[i]);
    return try_needed(name);
}

int lab_account_try(const struct lab_account *account, const char *name, const char *const *closed)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct paths paths = {.list = NULL};
        for (; *closed; closed++)
            add(&paths, *closed);
        add_checkout(&paths);
        if (!lab_account_become(account))
            _exit(lab_complain(LAB_EXIT_MISSING, "--account %s: %s", name, strerror(errno)));
        _exit(try_all(&paths, name));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return lab_complain(LAB_EXIT_MISSING, "--account %s: cannot be tried", name);
    return WEXITSTATUS(status);
}
