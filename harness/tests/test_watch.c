/* Watching: a save, by writing and by renaming, runs the exercise again; other files do not. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64] = "/tmp/lab-watch-XXXXXX";

static int shell(const char *format)
{
    char command[4096];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(command, sizeof command, "cd '%s' && D=%s && %s", root ? root : ".", folder, format);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Waits until the log has said `text` so many times. */
static bool has_said(const char *text, int times)
{
    char command[256];
    snprintf(command, sizeof command, "test $(grep -c '%s' $D/log) -ge %d", text, times);
    for (int i = 0; i < 600; i++) {
        if (shell(command) == 0)
            return true;
        usleep(100000);
    }
    return false;
}

Test(watch, runs_again_when_saved, .timeout = 240)
{
    char command[512];
    cr_assert(mkdtemp(folder));
    cr_assert_eq(shell("cp exercises/01_transposed_operand/kernel.cu $D/mine.cu; touch $D/log"), 0);
    snprintf(command, sizeof command,
             "cd '%s' && exec ./run watch exercise01 --source %s/mine.cu > %s/log 2>&1",
             getenv("LAB_TEST_ROOT"), folder, folder);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    cr_expect(has_said("watching mine.cu", 1), "the first run");
    cr_expect_eq(shell("grep -q '0 of 7 tests passed' $D/log"), 0);
    shell("echo > $D/other.cu");
    shell("cp solutions/01_transposed_operand/kernel.cu $D/mine.cu");
    cr_expect(has_said("watching mine.cu", 2), "a save by writing");
    cr_expect_eq(shell("grep -q solution01.transposed $D/log"), 0,
                 "the figures beside the solution");
    shell("cp exercises/01_transposed_operand/kernel.cu $D/new && mv $D/new $D/mine.cu");
    cr_expect(has_said("watching mine.cu", 3), "a save by renaming");
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_neq(shell("test $(grep -c 'watching mine.cu' $D/log) -gt 3"), 0,
                  "another file was taken for it");
    shell("rm -rf $D");
}

Test(watch, errors)
{
    cr_expect_eq(shell("./run watch 2>/dev/null"), 2);
    cr_expect_eq(shell("./run watch exercise99 2>/dev/null"), 2);
    cr_expect_eq(shell("./run watch step01 2>/dev/null"), 2);
    cr_expect_eq(shell("./run watch exercise01 --source /nowhere/x.cu 2>/dev/null"), 2);
}
