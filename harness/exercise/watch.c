/* Watching a kernel file through inotify. The folder is watched, not the file: editors save by
 * writing a new file and renaming it. */
#include "exercise/watch.h"

#include "base/paths.h"
#include "series/registry.h"
#include "base/status.h"

#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUIET_MS = 150, EVENT_BYTES = 4096 }; /* editors write several times in a row */

/* What is watched, and what is run for it. */
struct watch {
    const char *target, *source; /* source: NULL for the exercise's own file */
    char folder[LAB_PATH_BYTES], name[256], root[LAB_PATH_BYTES];
};

/* Runs a program in the checkout; its exit status, -1 when it did not end by itself. */
static int run_program(const struct watch *watch, const char *const words[])
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(watch->root) == 0)
            execvp(words[0], (char *const *)words);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void build_and_run(const struct watch *watch)
{
    char program[LAB_PATH_BYTES], source[LAB_PATH_BYTES + 300];
    const char *const make[] = {"make", "--no-print-directory", "BUILD=" LAB_BUILD, watch->target,
                                NULL};
    lab_build_path(program, "run");
    snprintf(source, sizeof source, "%s/%s", watch->folder, watch->name);
    const char *const run[] = {program, watch->target, watch->source ? "--source" : NULL, source,
                               NULL};
    if (isatty(STDOUT_FILENO))
        fputs("\033[2J\033[H", stdout);
    if (watch->source || run_program(watch, make) == 0)
        run_program(watch, run);
    printf("\nwatching %s; save it to run again, Ctrl-C ends\n", watch->name);
    fflush(stdout);
}

/* True when an event in `bytes` is of the file. */
static bool is_of_file(const struct watch *watch, const char *bytes, ssize_t size)
{
    for (const char *at = bytes; at < bytes + size;) {
        const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
        if (event->len && strcmp(event->name, watch->name) == 0)
            return true;
        at += sizeof *event + event->len;
    }
    return false;
}

/* Waits until the file is saved and stays so for a moment; false when watching has ended. */
static bool wait_for_save(const struct watch *watch, int events)
{
    char bytes[EVENT_BYTES] __attribute__((aligned(8)));
    struct pollfd ready = {events, POLLIN, 0};
    bool saved = false;
    for (;;) {
        int count = poll(&ready, 1, saved ? QUIET_MS : -1);
        if (count == 0)
            return true;
        ssize_t size = count > 0 ? read(events, bytes, sizeof bytes) : -1;
        if (size < 0 && errno != EINTR)
            return false;
        saved = saved || (size > 0 && is_of_file(watch, bytes, size));
    }
}

static int parse(int argc, char **argv, struct watch *watch)
{
    const struct lab_registry_entry *entry =
        argc > 1 && strncmp(argv[1], "exercise", 8) == 0 ? lab_registry_exercise(argv[1]) : NULL;
    char path[LAB_PATH_BYTES], again[LAB_PATH_BYTES];
    bool with_source = argc == 4 && strcmp(argv[2], "--source") == 0;
    if (!entry && argc > 1 && argv[1][0] != '-')
        return lab_complain(LAB_EXIT_USAGE, "no exercise '%s'; `./run list` shows all", argv[1]);
    if (!entry || (argc != 2 && !with_source))
        return lab_complain(LAB_EXIT_USAGE,
                            "give an exercise, such as `./run watch exercise01`, and "
                            "perhaps --source FILE.cu");
    watch->target = argv[1];
    watch->source = with_source ? argv[3] : NULL;
    lab_root(watch->root);
    if (with_source)
        snprintf(path, sizeof path, "%s", argv[3]);
    else
        snprintf(path, sizeof path, "%.3000s/exercises/%s/kernel.cu", watch->root,
                 entry->directory);
    snprintf(again, sizeof again, "%s", path); /* both of libgen write into their text */
    snprintf(watch->name, sizeof watch->name, "%s", basename(again));
    if (!realpath(dirname(path), watch->folder))
        return lab_complain(LAB_EXIT_USAGE, "%s: %s", path, strerror(errno));
    return LAB_EXIT_OK;
}

int lab_watch(int argc, char **argv)
{
    struct watch watch;
    int status = parse(argc, argv, &watch);
    if (status != LAB_EXIT_OK)
        return status;
    int events = inotify_init1(IN_CLOEXEC);
    if (events < 0 || inotify_add_watch(events, watch.folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot watch %s: %s", watch.folder, strerror(errno));
    do
        build_and_run(&watch);
    while (wait_for_save(&watch, events));
    return lab_complain(LAB_EXIT_MISSING, "watching ended: %s", strerror(errno));
}
