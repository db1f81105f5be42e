/* Talking to a confined program. The ends of the pipes on this side do not block: a program that
 * stops reading or writing costs its deadline and no more. */
#include "grade/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double END_SECONDS = 20.0; /* a driver may take long to stop a kernel */

double lab_live_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void close_pair(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

bool lab_live_start(const struct lab_confine *what, struct lab_live *live)
{
    int in[2] = {-1, -1}, result[2] = {-1, -1};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    *live = (struct lab_live){.to = -1, .from = -1};
    if (nowhere < 0 || pipe2(in, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        close_pair(in);
        return false;
    }
    fflush(NULL);
    signal(SIGPIPE, SIG_IGN); /* one that has ended */
    pid_t child = fork();
    if (child == 0)
        lab_confine_become(what, in[0], nowhere, result[1]);
    close(nowhere), close(in[0]), close(result[1]);
    live->process = child > 0 ? child : 0;
    live->to = in[1];
    live->from = result[0];
    fcntl(live->to, F_SETFL, O_NONBLOCK);
    fcntl(live->from, F_SETFL, O_NONBLOCK);
    return child > 0;
}

/* Waits until an end can be used; false when the deadline comes first. */
static bool wait_for(struct lab_live *live, int end, short event, double deadline)
{
    struct pollfd one = {end, event, 0};
    for (;;) {
        double left = deadline - lab_live_now();
        if (left <= 0.0) {
            live->timed_out = true;
            return false;
        }
        int ready = poll(&one, 1, (int)(left * 1e3) + 1);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

static bool may_go_on(ssize_t moved)
{
    return moved > 0 || (moved < 0 && (errno == EAGAIN || errno == EINTR));
}

bool lab_live_send(struct lab_live *live, const void *bytes, size_t size, double seconds)
{
    double deadline = lab_live_now() + seconds;
    const char *at = bytes;
    while (size) {
        if (!wait_for(live, live->to, POLLOUT, deadline))
            return false;
        ssize_t put = write(live->to, at, size);
        if (!may_go_on(put))
            return false;
        at += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

bool lab_live_receive(struct lab_live *live, void *bytes, size_t size, double seconds)
{
    double deadline = lab_live_now() + seconds;
    char *at = bytes;
    while (size) {
        if (!wait_for(live, live->from, POLLIN, deadline))
            return false;
        ssize_t got = read(live->from, at, size);
        if (!may_go_on(got))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Its descriptor 3 is closed when the last of its processes is gone. */
static void wait_until_gone(struct lab_live *live)
{
    char rest[4096];
    double deadline = lab_live_now() + END_SECONDS;
    while (wait_for(live, live->from, POLLIN, deadline)) {
        ssize_t got = read(live->from, rest, sizeof rest);
        if (!may_go_on(got))
            return;
    }
}

void lab_live_end(struct lab_live *live)
{
    bool timed_out = live->timed_out;
    if (live->process > 0) {
        kill(-live->process, SIGKILL);
        kill(live->process, SIGKILL); /* before it has a session of its own */
        while (waitpid(live->process, NULL, 0) < 0 && errno == EINTR)
            ;
        wait_until_gone(live);
    }
    close_pair((int[2]){live->to, live->from});
    *live = (struct lab_live){.to = -1, .from = -1, .timed_out = timed_out};
}
