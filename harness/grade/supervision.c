/* The work is done in a child, so that this process has nothing to do but to hear signals. What
 * loses its parent becomes a child of this one: in the end none is left, compilers neither. */
#include "grade/supervision.h"

#include "base/status.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What ends a program, but for what this one's parent had it ignore; and the news of children. */
static sigset_t signals_to_hear(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, ends[i]);
    return set;
}

/* Until the child has ended, or a signal came: that signal, or the one that ended the child. */
static int wait_for_end(pid_t child, const sigset_t *heard, int *status)
{
    for (;;) {
        pid_t ended;
        int number = sigwaitinfo(heard, NULL);
        if (number > 0 && number != SIGCHLD)
            return number;
        while ((ended = waitpid(-1, status, WNOHANG)) > 0)
            if (ended == child)
                return WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
        if (ended < 0 && errno == ECHILD)
            return SIGKILL;
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

/* Those of a child that ends are this process's in the next round. */
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

int lab_supervise(const struct lab_supervised *what)
{
    sigset_t heard = signals_to_hear(), before;
    int status = 0;
    fflush(NULL);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigprocmask(SIG_BLOCK, &heard, &before);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become(parent, what, &before);
    if (child < 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot start a process: %s", strerror(errno));
    int number = wait_for_end(child, &heard, &status);
    if (!number)
        return WEXITSTATUS(status);
    end_all(child);
    what->was_interrupted(what->subject);
    if (!sigismember(&heard, number))
        return LAB_EXIT_MISSING; /* for want of memory, say */
    signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    raise(number);
    return LAB_EXIT_MISSING;
}
