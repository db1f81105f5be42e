/* Whole CUDA programs, built by nvcc as anybody would and run on the simulator: each checks itself
 * and exits with 0. The makefile builds harness/sim/tests/programs/NAME.cu to
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

/* Runs it with the simulator's libraries first; returns its exit status, or 128 + its signal. What
 * it says on standard error goes to `said`. */
static int run(const char *path, FILE *said)
{
    char *arguments[] = {(char *)path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    cr_assert_eq(posix_spawn(&child, path, &actions, NULL, arguments, environ), 0,
                 "%s does not start", path);
    posix_spawn_file_actions_destroy(&actions);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* It succeeds, and is warned of only if that is what it is about. */
static void expect_right(const char *path)
{
    const bool warned = strstr(path, "ordered_blocks");
    static char text[10000];
    FILE *said = tmpfile();
    cr_assert_not_null(said);
    const int status = run(path, said);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    fclose(said);
    cr_expect_eq(status, 0, "%s failed: %s", path, text);
    cr_expect_eq(strstr(text, "warning:") != NULL, warned, "%s: %s", path, text);
}

Test(programs, all_of_them_pass)
{
    const char *root = getenv("LAB_TEST_ROOT"), *build = getenv("LAB_TEST_BUILD");
    if (!root || !build)
        cr_skip_test("LAB_TEST_ROOT and LAB_TEST_BUILD are not set: run by `make test`");
    char path[4096];
    snprintf(path, sizeof path, "%s/sim", build);
    setenv("LD_LIBRARY_PATH", path, 1);
    snprintf(path, sizeof path, "%s/harness/sim/tests/programs", root);
    DIR *sources = opendir(path);
    cr_assert_not_null(sources, "no folder %s", path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(sources));) {
        char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".cu") != 0)
            continue;
        snprintf(path, sizeof path, "%s/tests/programs/%.*s", build, (int)(dot - entry->d_name),
                 entry->d_name);
        expect_right(path);
        count++;
    }
    closedir(sources);
    cr_assert(count >= 7, "only %d programs", count);
}
