/* Confined children. Limits apply on every system. Where the system permits namespaces, bubblewrap
 * adds them: then the program sees only /usr and its own files, and no other process. Elsewhere
 * root can have another user run the program. */
#include "grade/sandbox/sandbox.h"

#include "base/time.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL_WORDS = 256, RESULT_DESCRIPTOR = 3 };

void lab_confine_word(struct lab_confine *what, const char *word)
{
    int count = 0;
    while (what->words[count])
        count++;
    if (count < LAB_CONFINE_WORDS)
        what->words[count] = word;
}

void lab_confine_bind(struct lab_confine *what, const char *path, bool writable)
{
    if (what->bind_count < LAB_CONFINE_BINDS)
        what->binds[what->bind_count++] = (struct lab_confine_bind){path, writable};
}

/* --- the command line --------------------------------------------------------------------------*/

static int add(const char **words, int count, const char *word)
{
    if (count < ALL_WORDS - 1)
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static int add_path(const char **words, int count, const char *how, const char *path)
{
    if (access(path, F_OK) != 0)
        return count;
    count = add(words, count, how);
    count = add(words, count, path);
    return add(words, count, path);
}

static int add_bind(const char **words, int count, const char *path, bool writable)
{
    return add_path(words, count, writable ? "--bind" : "--ro-bind", path);
}

/* Binds what the driver opens: its device files, and the system's files on PCI devices and
 * processors. The list of paths is not freed, because this process is about to become another
 * program. */
static int add_gpu(const char **words, int count)
{
    static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm",
                                           "/dev/nvidia-uvm-tools"};
    glob_t found = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found) != 0)
            continue;
    for (size_t i = 0; i < found.gl_pathc; i++)
        count = add_path(words, count, "--dev-bind", found.gl_pathv[i]);
    count = add_bind(words, count, "/sys", false);
    return add_bind(words, count, "/etc/ld.so.cache", false);
}

/* Binds what every program needs to start: libraries, and the links that Debian's compilers
 * follow. */
static int add_system(const char **words, int count)
{
    static const char *const paths[] = {"/usr", "/lib", "/lib64", "/bin", "/etc/alternatives"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        count = add_bind(words, count, paths[i], false);
    return count;
}

static void command_line(const struct lab_confine *what, const char *words[ALL_WORDS])
{
    int count = 0;
    if (what->isolate) {
        static const char *const opening[] = {"bwrap", "--unshare-all", "--die-with-parent",
                                              "--cap-drop", "ALL"};
        for (size_t i = 0; i < sizeof opening / sizeof *opening; i++)
            count = add(words, count, opening[i]);
        count = add_system(words, count);
        count = add(words, count, "--size");
        count = add(words, count, "536870912");
        count = add(words, count, "--tmpfs");
        count = add(words, count, "/tmp");
        count = add(words, count, "--proc");
        count = add(words, count, "/proc");
        count = add(words, count, "--dev");
        count = add(words, count, "/dev");
        if (what->gpu)
            count = add_gpu(words, count);
        for (int i = 0; i < what->bind_count; i++)
            count = add_bind(words, count, what->binds[i].path, what->binds[i].writable);
        count = add(words, count, "--");
    }
    for (int i = 0; what->words[i]; i++)
        count = add(words, count, what->words[i]);
}

/* --- the child ---------------------------------------------------------------------------------*/

static void limit(int which, size_t value)
{
    struct rlimit bound = {value, value};
    setrlimit(which, &bound);
}

static void set_limits(const struct lab_confine *what)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, (size_t)what->seconds + 2);
    limit(RLIMIT_FSIZE, what->file_bytes);
    limit(RLIMIT_NOFILE, what->gpu ? 1024 : 256);                 /* the driver opens many */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they reserve far more */
    if (what->memory_bytes)
        limit(RLIMIT_AS, what->memory_bytes);
#endif
}

/* Closes all other descriptors, also those that this process has inherited. */
static void close_from(int first)
{
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
    long most = sysconf(_SC_OPEN_MAX);
    for (int i = first; i < most; i++)
        close(i);
}

/* Waits for the confined program and ends as it did. If the grader is killed, ends all processes of
 * the session: a process of bwrap that has not asked yet to end with its parent would stay. */
static void keep(pid_t grader, pid_t child, const sigset_t *signals)
{
    int status = 0;
    close_from(0);
    while (getppid() == grader && waitpid(child, &status, WNOHANG) == 0)
        sigwaitinfo(signals, NULL);
    if (getppid() != grader)
        kill(0, SIGKILL); /* this one, too */
    if (WIFSIGNALED(status)) {
        limit(RLIMIT_CORE, 0);
        signal(WTERMSIG(status), SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

/* Leaves a process between the grader and the confined program, in a session with it. */
static void leave_keeper(pid_t grader)
{
    sigset_t signals, before;
    const pid_t keeper = getpid();
    setsid();
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, &before);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    const pid_t child = fork();
    if (child < 0)
        _exit(126);
    if (child > 0)
        keep(grader, child, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(126);
}

void lab_confine_become(const struct lab_confine *what, pid_t grader, int in, int out, int result)
{
    const char *words[ALL_WORDS];
    command_line(what, words);
    leave_keeper(grader);
    /* moved up first, so that none is overwritten before it is used */
    int from = fcntl(in, F_DUPFD, 32), to = fcntl(out, F_DUPFD, 32);
    int third = fcntl(result, F_DUPFD, 32);
    dup2(from, STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    if (third >= 0)
        dup2(third, RESULT_DESCRIPTOR);
    close_from(third >= 0 ? RESULT_DESCRIPTOR + 1 : 3);
    set_limits(what);
    /* the folder that this process is in may be closed to the account */
    if (what->account.user && (chdir("/") != 0 || !lab_account_become(&what->account)))
        _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* last, because a change of user takes it away */
    execvpe(words[0], (char *const *)words, (char *const *)what->environment);
    _exit(127);
}

/* --- what a child and its descendants have spent
 * ------------------------------------------------*/

/* A limit counts processor time, and time asleep, so that it means the same on a machine that is
 * busy: time in which a process could run and got no processor is not spent. */
struct spent {
    pid_t process;
    double computed, slept; /* seconds */
    double last;            /* look at the clock */
};

/* A thread's state, or a process's with the ticks that it and its ended children have run. */
static bool read_stat(const char *path, char *state, unsigned long *ticks)
{
    char text[1024];
    unsigned long ran[4] = {0};
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *const end = strrchr(text, ')'); /* of the name, which may hold anything */
    if (!end || sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", state,
                       &ran[0], &ran[1], &ran[2], &ran[3]) != 5)
        return false;
    *ticks = ran[0] + ran[1] + ran[2] + ran[3];
    return true;
}

/* Adds up a process and its descendants; false: one of their threads does not sleep. */
static bool add_process(pid_t process, unsigned long *ticks)
{
    char path[320], state;
    unsigned long own = 0, unused;
    bool sleeps = true;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    if (!read_stat(path, &state, &own))
        return true; /* it has ended */
    *ticks += own;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *const threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        int child;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, entry->d_name);
        if (read_stat(path, &state, &unused))
            sleeps &= state == 'S';
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)process, entry->d_name);
        FILE *const children = fopen(path, "r");
        while (children && fscanf(children, "%d", &child) == 1)
            sleeps &= add_process(child, ticks);
        if (children)
            fclose(children);
    }
    if (threads)
        closedir(threads);
    return sleeps;
}

static void begin_spent(struct spent *spent, pid_t process)
{
    *spent = (struct spent){.process = process, .last = lab_clock_seconds()};
}

/* The larger of the two sums; to be called every second or more often. */
static double look_at_spent(struct spent *spent)
{
    static const double MOST_PASSED = 2.0; /* more: this process was stopped meanwhile */
    unsigned long ticks = 0;
    const double now = lab_clock_seconds(), passed = now - spent->last;
    if (add_process(spent->process, &ticks))
        spent->slept += passed < MOST_PASSED ? passed : 0.0;
    spent->computed = (double)ticks / (double)sysconf(_SC_CLK_TCK);
    spent->last = now;
    return spent->computed > spent->slept ? spent->computed : spent->slept;
}

/* --- the parent --------------------------------------------------------------------------------*/

enum { LOOK_MS = 100 };

/* What the child may spend. */
struct limit {
    struct spent spent;
    double seconds;
    bool is_over;
};

static bool is_over(struct limit *limit)
{
    if (!limit->is_over && lab_clock_seconds() - limit->spent.last >= 1e-3 * LOOK_MS)
        limit->is_over = look_at_spent(&limit->spent) > limit->seconds;
    return limit->is_over;
}

/* A stream that is collected up to a limit. */
struct stream {
    int end; /* -1: closed */
    char *bytes;
    size_t size, most;
    bool over;
};

static void take(struct stream *s)
{
    char piece[65536];
    ssize_t got = read(s->end, piece, sizeof piece);
    if (got <= 0) {
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        close(s->end);
        s->end = -1;
        return;
    }
    size_t keep = (size_t)got < s->most - s->size ? (size_t)got : s->most - s->size;
    s->over = s->over || keep < (size_t)got;
    char *more = realloc(s->bytes, s->size + keep + 1);
    if (!more)
        return;
    memcpy(more + s->size, piece, keep);
    s->bytes = more;
    s->size += keep;
}

/* Reads until both streams are closed or a limit is met. A program may close its streams and go on,
 * so it is waited for afterwards. */
static void collect(struct stream *streams, struct limit *limit, struct lab_confined *how)
{
    while (streams[0].end >= 0 || streams[1].end >= 0) {
        struct pollfd ends[2] = {{streams[0].end, POLLIN, 0}, {streams[1].end, POLLIN, 0}};
        how->timed_out = is_over(limit);
        if (how->timed_out)
            return;
        if (poll(ends, 2, LOOK_MS) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++)
            if (streams[i].end >= 0 && ends[i].revents)
                take(&streams[i]);
        if (streams[0].over || streams[1].over) {
            how->too_much_output = true;
            return;
        }
    }
}

static void wait_for_end(pid_t child, struct limit *limit, struct lab_confined *how)
{
    int status = 0;
    bool over = how->timed_out || how->too_much_output;
    while (!over && waitpid(child, &status, WNOHANG) == 0) {
        over = how->timed_out = is_over(limit);
        usleep(1000);
    }
    kill(-child, SIGKILL); /* its whole session, even if it ended by itself but left processes */
    if (over) {
        kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    how->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    how->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* bwrap returns 128 + the signal of its child. */
static void translate_status(struct lab_confined *how)
{
    if (how->status > 128 && how->status < 128 + 65) {
        how->signal = how->status - 128;
        how->status = -1;
    }
}

/* Writes the child's input; a child that does not read is given until its limit. */
static void feed(int end, const void *input, size_t size, struct limit *limit)
{
    const char *at = input;
    fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK);
    while (size && !is_over(limit)) {
        struct pollfd ready = {.fd = end, .events = POLLOUT};
        if (poll(&ready, 1, LOOK_MS) == 0)
            continue;
        const ssize_t put = write(end, at, size);
        if (put <= 0)
            break;
        at += put;
        size -= (size_t)put;
    }
    close(end);
}

void lab_confine_run(const struct lab_confine *what, struct lab_confined *how)
{
    int in[2], out[2], result[2];
    double start = lab_clock_seconds();
    *how = (struct lab_confined){.status = -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0)
        return;
    fflush(NULL);
    signal(SIGPIPE, SIG_IGN); /* a child may end without reading its input */
    const pid_t grader = getpid();
    pid_t child = fork();
    if (child == 0)
        lab_confine_become(what, grader, in[0], out[1], what->result_bytes ? result[1] : -1);
    close(in[0]), close(out[1]), close(result[1]);
    how->started = child > 0;
    struct stream streams[2] = {{.end = out[0], .most = what->output_bytes},
                                {.end = result[0], .most = what->result_bytes}};
    if (how->started) {
        struct limit limit = {.seconds = what->seconds};
        begin_spent(&limit.spent, child);
        feed(in[1], what->input, what->input_bytes, &limit);
        collect(streams, &limit, how);
        wait_for_end(child, &limit, how);
        if (what->isolate)
            translate_status(how);
    } else {
        close(in[1]);
    }
    for (int i = 0; i < 2; i++) {
        if (streams[i].end >= 0)
            close(streams[i].end);
        if (!streams[i].bytes)
            streams[i].bytes = calloc(1, 1);
        else
            streams[i].bytes[streams[i].size] = '\0';
    }
    how->output = streams[0].bytes;
    how->result = streams[1].bytes;
    how->result_size = streams[1].size;
    how->seconds = lab_clock_seconds() - start;
}

void lab_confined_free(struct lab_confined *how)
{
    free(how->output);
    free(how->result);
    *how = (struct lab_confined){.status = -1};
}

bool lab_confine_can_isolate(char *why, size_t size)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct lab_confine what = {.words = {"/bin/true"},
                               .environment = environment,
                               .isolate = true,
                               .seconds = 10.0,
                               .file_bytes = 1 << 20,
                               .output_bytes = 4096};
    struct lab_confined how;
    lab_confine_run(&what, &how);
    bool can = how.started && how.status == 0;
    if (how.status == 127)
        snprintf(why, size, "bubblewrap is not installed");
    else
        snprintf(why, size, "bubblewrap may not make namespaces here (%.*s)",
                 how.output ? (int)strcspn(how.output, "\n") : 0, how.output ? how.output : "");
    lab_confined_free(&how);
    return can;
}
