/* Work in a child process, and on all cores. */
#include "base/processes.h"

#include "base/time.h"
#include "base/status.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- a child -----------------------------------------------------------------------------------*/

/* The work is done in a child, so that this process only has to wait for signals. An orphan of the
 * child becomes a child of this process, so in the end no process is left, not even a compiler. */

/* The signals that end a program, unless this program's parent had it ignore them; and SIGCHLD. */
static sigset_t signals_to_hear(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction now;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, ends[i]);
    return set;
}

/* The most seconds that count between two looks: a job that was stopped for a while did not run. */
static const double MOST_PASSED = 2.0;

/* Waits until the child has ended, took too long, or a signal came; returns that signal, or 0. */
static int wait_for_end(const struct lab_supervised *what, pid_t child, const sigset_t *heard,
                        struct lab_supervised_end *end)
{
    const struct timespec second = {.tv_sec = 1};
    double spent = 0.0, told = 0.0, last = lab_clock_seconds();
    for (;;) {
        int status;
        pid_t ended;
        int number = sigtimedwait(heard, NULL, &second);
        const double passed = lab_clock_seconds() - last;
        last += passed;
        spent += passed < MOST_PASSED ? passed : MOST_PASSED;
        if (number > 0 && number != SIGCHLD)
            return number;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == child) {
                end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
                end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
                return 0;
            }
        if (ended < 0 && errno == ECHILD) {
            end->signal = SIGKILL;
            return 0;
        }
        if (what->seconds > 0.0 && spent >= what->seconds) {
            end->timed_out = true;
            return 0;
        }
        /* other processes of the child may end in between, each with a signal */
        if (what->is_waiting && spent - told >= 0.9) {
            told = spent;
            what->is_waiting(what->subject, spent);
        }
    }
}

static void kill_children(void)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "r");
    while (list && fscanf(list, "%d", &child) == 1)
        kill(child, SIGKILL);
    if (list)
        fclose(list);
}

/* The children of a child that ends become this process's, and are killed in the next round. */
static void end_all(pid_t child)
{
    kill(child, SIGKILL);
    do
        kill_children();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

static void become(pid_t parent, const struct lab_supervised *what, const sigset_t *before)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(LAB_EXIT_MISSING);
    sigprocmask(SIG_SETMASK, before, NULL);
    exit(what->run(what->subject));
}

/* Ends this process by the signal that it got, after all processes of the child are gone. */
static void end_by(const struct lab_supervised *what, int number, const sigset_t *before)
{
    if (what->was_interrupted)
        what->was_interrupted(what->subject);
    signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, before, NULL);
    raise(number);
    exit(LAB_EXIT_MISSING);
}

bool lab_supervise_to_end(const struct lab_supervised *what, struct lab_supervised_end *end)
{
    sigset_t heard = signals_to_hear(), before;
    *end = (struct lab_supervised_end){.status = 0};
    fflush(NULL);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigprocmask(SIG_BLOCK, &heard, &before);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become(parent, what, &before);
    if (child < 0)
        lab_complain(LAB_EXIT_MISSING, "cannot start a process: %s", strerror(errno));
    const int number = child > 0 ? wait_for_end(what, child, &heard, end) : 0;
    if (child > 0 && (number || end->signal || end->timed_out)) {
        end_all(child);
        if (isatty(STDERR_FILENO)) /* removes the child's line of progress */
            fputs("\r\033[K", stderr);
    }
    const bool was_asked = end->signal && sigismember(&heard, end->signal) == 1;
    const int interrupt = number ? number : was_asked ? end->signal : 0;
    if (interrupt)
        end_by(what, interrupt, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return child > 0;
}

int lab_supervise(const struct lab_supervised *what)
{
    struct lab_supervised_end end;
    if (!lab_supervise_to_end(what, &end))
        return LAB_EXIT_MISSING;
    if (!end.signal && !end.timed_out)
        return end.status;
    if (what->was_interrupted) /* for lack of memory, for example */
        what->was_interrupted(what->subject);
    return LAB_EXIT_MISSING;
}

/* --- shares ------------------------------------------------------------------------------------*/

/* Splits work of the host into equal shares. Each has a thread; a share for which no thread can be
 * made runs in this thread. */

struct share {
    void (*work)(void *context, int share, int shares);
    void *context;
    int number, count;
};

int lab_shares_of_cores(void)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count < LAB_MOST_SHARES ? count : LAB_MOST_SHARES;
}

static void *do_share(void *argument)
{
    const struct share *share = argument;
    share->work(share->context, share->number, share->count);
    return NULL;
}

void lab_share_out(void (*work)(void *context, int share, int shares), void *context, int shares)
{
    struct share list[LAB_MOST_SHARES];
    pthread_t threads[LAB_MOST_SHARES];
    bool started[LAB_MOST_SHARES] = {false};
    for (int i = 0; i < shares; i++)
        list[i] = (struct share){work, context, i, shares};
    for (int i = 1; i < shares; i++)
        started[i] = pthread_create(&threads[i], NULL, do_share, &list[i]) == 0;
    for (int i = 0; i < shares; i++)
        if (!started[i])
            do_share(&list[i]);
    for (int i = 1; i < shares; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}
