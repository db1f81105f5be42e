/* Whole CUDA programs, built by nvcc as anybody would and run on the simulator: each checks itself
 * and exits with 0. The makefile builds harness/tests/programs/NAME.cu to
 * build/tests/programs/NAME. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs it with the simulator's libraries first; returns its exit status, or 128 + its signal. */
static int run(const char *path)
{
    char *arguments[] = {(char *)path, NULL};
    pid_t child;
    int status;
    cr_assert_eq(posix_spawn(&child, path, NULL, NULL, arguments, environ), 0, "%s does not start",
                 path);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Test(programs, all_of_them_pass, .timeout = 300)
{
    const char *root = getenv("LAB_TEST_ROOT"), *build = getenv("LAB_TEST_BUILD");
    if (!root || !build)
        cr_skip_test("LAB_TEST_ROOT and LAB_TEST_BUILD are not set: run by `make test`");
    char path[4096];
    snprintf(path, sizeof path, "%s/sim", build);
    setenv("LD_LIBRARY_PATH", path, 1);
    snprintf(path, sizeof path, "%s/harness/tests/programs", root);
    DIR *sources = opendir(path);
    cr_assert_not_null(sources, "no folder %s", path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(sources));) {
        char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".cu") != 0)
            continue;
        snprintf(path, sizeof path, "%s/tests/programs/%.*s", build, (int)(dot - entry->d_name),
                 entry->d_name);
        cr_expect_eq(run(path), 0, "%s failed", path);
        count++;
    }
    closedir(sources);
    cr_assert(count >= 6, "only %d programs", count);
}
