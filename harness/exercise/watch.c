/* Watches a kernel file through inotify. The folder is watched rather than the file, because
 * editors write a new file and rename it, several times in a row. Only the text counts: the file is
 * run when its text differs from the text that was run last. */
#include "exercise/exercise.h"

#include "base/files.h"
#include "base/text.h"
#include "base/status.h"
#include "exercise/results.h"
#include "run/step_file.h"
#include "series/list.h"
#include "series/registry.h"

#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { QUIET_MS = 150, EVENT_BYTES = 4096, MAKE_BYTES = 16384, FOOT_ROWS = 2 };

/* The file that is watched, and what is run for it. */
struct watch {
    const struct lab_registry_entry *entry;
    const char *source; /* NULL: the exercise's own file */
    char folder[LAB_PATH_BYTES], name[256], root[LAB_PATH_BYTES];
    int events, signals; /* descriptors */
    bool has_keys;       /* somebody may press keys */
    uint64_t text;       /* hash of the text that was run last */
};

/* What ends a wait. */
enum action { SAVED, NEXT, AGAIN, HINT, QUIT, ENDED };

/* --- running -----------------------------------------------------------------------------------*/

/* Runs this program in the checkout. */
static void run_self(const struct watch *watch, const char *const words[])
{
    char program[LAB_PATH_BYTES];
    lab_build_path(program, "run");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(watch->root) == 0)
            execv(program, (char *const *)words);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static struct lab_window window_of_terminal(void)
{
    struct winsize size;
    struct lab_window window = {0, 0};
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_row > FOOT_ROWS && size.ws_col)
        window = (struct lab_window){size.ws_row - FOOT_ROWS, size.ws_col};
    return window;
}

/* Builds, and prints what the compiler says. If make succeeds, warnings have a third of the window.
 * The window loses the rows that they take. */
static bool make(const struct watch *watch, struct lab_window *window)
{
    static char text[MAKE_BYTES]; /* written here only; the compiler may say a lot */
    const bool good = lab_rebuild_make(&watch->entry->target, 1, text, sizeof text) == 0;
    lab_wrap_to(window->columns); /* also for standard error, which may go elsewhere */
    struct lab_window room = *window;
    if (good && room.rows)
        room.rows = room.rows / 3 + LAB_WINDOW_OTHER_ROWS;
    const int rows = lab_window_print_compiler(text, room);
    if (window->rows)
        window->rows -= rows;
    return good;
}

static void say_watching(const struct watch *watch)
{
    lab_printf_wrapped(stdout, "\nwatching %s%s\n", watch->name,
                       watch->has_keys ? ", saved it runs | n next exercise, h hint, r run, q quit"
                                       : "; save it to run again, Ctrl-C ends");
    fflush(stdout);
}

static void build_and_run(const struct watch *watch)
{
    char source[LAB_PATH_BYTES + 300], fit[64];
    const char *words[8] = {"run", watch->entry->target};
    struct lab_window window = window_of_terminal();
    int count = 2;
    snprintf(source, sizeof source, "%s/%s", watch->folder, watch->name);
    if (isatty(STDOUT_FILENO))
        fputs("\033[2J\033[H", stdout);
    fflush(stdout);
    const bool is_built = watch->source || make(watch, &window);
    snprintf(fit, sizeof fit, "%dx%d", window.rows, window.columns);
    if (watch->source) {
        words[count++] = "--source";
        words[count++] = source;
    }
    if (window.rows) {
        words[count++] = "--fit";
        words[count++] = fit;
    }
    if (is_built)
        run_self(watch, words);
    say_watching(watch);
}

/* --- waiting -----------------------------------------------------------------------------------*/

/* FNV-1a of the file. 0: it cannot be read, because an editor is about to save it or it is gone. */
static uint64_t text_of(const struct watch *watch)
{
    char path[LAB_PATH_BYTES + 300];
    uint64_t hash = 0xcbf29ce484222325u;
    int byte;
    snprintf(path, sizeof path, "%s/%s", watch->folder, watch->name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while ((byte = fgetc(file)) != EOF)
        hash = (hash ^ (uint64_t)byte) * 0x100000001b3u;
    fclose(file);
    return hash;
}

static void say_gone(const struct watch *watch)
{
    if (watch->source)
        lab_printf_wrapped(stdout, "%s is gone: save it again, and it runs\n", watch->name);
    else
        lab_printf_wrapped(stdout,
                           "exercises/%s/%s is gone: save it again from the editor, and it runs; "
                           "or `make reset-%s` writes it as it was given\n",
                           watch->entry->directory, watch->name, watch->entry->target);
    fflush(stdout);
}

/* True when an event in `bytes` is about the file. */
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

/* A key without a meaning does nothing. If nobody can press keys any more, no key is waited for
 * from then on. */
static bool read_key(struct watch *watch, enum action *action)
{
    static const char keys[] = "nrhq";
    static const enum action meant[] = {NEXT, AGAIN, HINT, QUIT};
    char key;
    ssize_t got = read(STDIN_FILENO, &key, 1);
    const char *found = got == 1 && key ? strchr(keys, key) : NULL;
    watch->has_keys = got == 1 || (got < 0 && errno == EINTR);
    if (found)
        *action = meant[found - keys];
    else if (got == 1 && key > ' ' && key <= '~')
        lab_printf_wrapped(
            stdout, "no key '%c': press n (next exercise), h (hint), r (run) or q (quit)\n", key);
    fflush(stdout);
    return found != NULL;
}

static enum action wait_for_action(struct watch *watch)
{
    char bytes[EVENT_BYTES] __attribute__((aligned(8)));
    bool touched = false;
    for (;;) {
        enum action action;
        struct pollfd ready[] = {{watch->events, POLLIN, 0},
                                 {watch->signals, POLLIN, 0},
                                 {watch->has_keys ? STDIN_FILENO : -1, POLLIN, 0}};
        const int count = poll(ready, 3, touched ? QUIET_MS : -1);
        if (count < 0 && errno != EINTR)
            return ENDED;
        const uint64_t text = count == 0 ? text_of(watch) : watch->text;
        if (text && text != watch->text)
            return SAVED;
        if (text != watch->text)
            say_gone(watch);
        watch->text = text;
        if (count == 0)
            touched = false;
        if (count > 0 && ready[1].revents)
            return QUIT;
        if (count > 0 && ready[0].revents) {
            const ssize_t size = read(watch->events, bytes, sizeof bytes);
            if (size < 0 && errno != EINTR)
                return ENDED;
            touched = touched || (size > 0 && is_of_file(watch, bytes, size));
        }
        if (count > 0 && ready[2].revents && read_key(watch, &action))
            return action;
    }
}

/* The terminal gives single keys only during the wait, so a signal that ends this program while it
 * runs another one finds the terminal as it was. */
static enum action wait_with_keys(struct watch *watch)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct termios before, now;
    struct signalfd_siginfo info;
    struct sigaction given;
    sigset_t heard, mask;
    const bool is_terminal = watch->has_keys && tcgetattr(STDIN_FILENO, &before) == 0;
    sigemptyset(&heard);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &given) == 0 && given.sa_handler != SIG_IGN)
            sigaddset(&heard, ends[i]); /* what nohup has ignored stays ignored */
    sigprocmask(SIG_BLOCK, &heard, &mask);
    watch->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    if (is_terminal) {
        now = before;
        now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
    }
    const enum action action = wait_for_action(watch);
    if (is_terminal)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    if (watch->signals >= 0 && read(watch->signals, &info, sizeof info) == sizeof info)
        raise((int)info.ssi_signo); /* it ends this program when it is unblocked below */
    if (watch->signals >= 0)
        close(watch->signals);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return action;
}

/* --- what is watched ---------------------------------------------------------------------------*/

/* In the background of a terminal, reading keys would stop this program. */
static bool may_read_keys(void)
{
    struct stat info;
    if (isatty(STDIN_FILENO))
        return tcgetpgrp(STDIN_FILENO) == getpgrp();
    return fstat(STDIN_FILENO, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* Begins to watch the exercise's own file, or the file `source`. */
static int begin(struct watch *watch, const struct lab_registry_entry *entry, const char *source)
{
    char path[LAB_PATH_BYTES], again[LAB_PATH_BYTES];
    watch->entry = entry;
    watch->source = source;
    if (source)
        snprintf(path, sizeof path, "%s", source);
    else
        snprintf(path, sizeof path, "%.3000s/exercises/%s/kernel.cu", watch->root,
                 entry->directory);
    snprintf(again, sizeof again, "%s", path); /* basename() and dirname() write into their text */
    snprintf(watch->name, sizeof watch->name, "%s", basename(again));
    if (!realpath(dirname(path), watch->folder))
        return lab_complain(LAB_EXIT_USAGE, "%s: %s", path, strerror(errno));
    if (watch->events >= 0)
        close(watch->events);
    watch->events = inotify_init1(IN_CLOEXEC);
    if (watch->events < 0 ||
        inotify_add_watch(watch->events, watch->folder,
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM) < 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot watch %s: %s", watch->folder,
                            strerror(errno));
    return LAB_EXIT_OK;
}

const struct argp_option lab_watch_options[] = {
    {"source", 's', "FILE.cu", 0, "watch FILE in place of the exercise's own", 0}, {0}};

static bool is_source(const char *word)
{
    return strncmp(word, "--", 2) == 0 && strcmp(word + 2, lab_watch_options[0].name) == 0;
}

/* Reads the words; without an exercise it is the one that a learner is at. */
static int parse(int argc, char **argv, struct watch *watch)
{
    const bool is_named = argc > 1 && argv[1][0] != '-';
    const int first = is_named ? 2 : 1; /* of the options */
    const bool with_source = argc == first + 2 && is_source(argv[first]);
    const struct argp_option *const tables[] = {lab_watch_options, NULL};
    const struct lab_registry_entry *entry = NULL;
    if (lab_spelling_check(argc, argv, tables, "watch takes --source FILE.cu alone") != LAB_EXIT_OK)
        return LAB_EXIT_USAGE;
    if (is_named && strncmp(argv[1], "solution", 8) != 0)
        entry = lab_target_name_exercise(argv[1]);
    else if (!is_named)
        entry = lab_list_next(NULL);
    if (is_named && !entry)
        return lab_target_name_no_exercise(argv[1]);
    if (argc != first && !with_source)
        return lab_complain(LAB_EXIT_USAGE,
                            "give an exercise, such as `./run watch exercise01`, or none for the "
                            "next one, and perhaps --source FILE.cu");
    if (!entry)
        return lab_complain(LAB_EXIT_USAGE, "all exercises are passed; say which one to watch");
    lab_root(watch->root);
    return begin(watch, entry, with_source ? argv[first + 1] : NULL);
}

static int move_on(struct watch *watch)
{
    const struct lab_registry_entry *next = lab_list_next(watch->entry);
    if (next)
        return begin(watch, next, NULL);
    puts("no other exercise is left");
    return LAB_EXIT_OK;
}

static void give_hint(const struct watch *watch)
{
    const char *const words[] = {"run", "hint", watch->entry->target, NULL};
    puts("");
    run_self(watch, words);
    say_watching(watch);
}

int lab_watch(int argc, char **argv)
{
    struct watch watch = {.events = -1, .signals = -1, .has_keys = may_read_keys()};
    int status = parse(argc, argv, &watch);
    enum action action = AGAIN;
    while (status == LAB_EXIT_OK && action != ENDED && action != QUIT) {
        if (action == HINT) {
            give_hint(&watch);
        } else {
            watch.text = text_of(&watch); /* so a save during the run is noticed */
            build_and_run(&watch);
        }
        action = wait_with_keys(&watch);
        if (action == NEXT)
            status = move_on(&watch);
    }
    return status == LAB_EXIT_OK && action == ENDED
               ? lab_complain(LAB_EXIT_MISSING, "watching ended: %s", strerror(errno))
               : status;
}
