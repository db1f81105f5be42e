/* Talking to a confined program. The ends of the pipes on this side do not block, so a program that
 * stops reading or writing is waited for only until the deadline. */
#include "grade/sandbox/sandbox.h"

#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double END_SECONDS = 20.0; /* a driver may take long to stop a kernel */

static void close_pair(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

bool lab_conversation_start(const struct lab_confine *what, struct lab_conversation *conversation)
{
    int in[2] = {-1, -1}, result[2] = {-1, -1};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    *conversation = (struct lab_conversation){.to = -1, .from = -1};
    if (nowhere < 0 || pipe2(in, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        close_pair(in);
        return false;
    }
    fflush(NULL);
    signal(SIGPIPE, SIG_IGN); /* the program may have ended */
    const pid_t grader = getpid();
    pid_t child = fork();
    if (child == 0)
        lab_confine_become(what, grader, in[0], nowhere, result[1]);
    close(nowhere), close(in[0]), close(result[1]);
    conversation->process = child > 0 ? child : 0;
    conversation->to = in[1];
    conversation->from = result[0];
    fcntl(conversation->to, F_SETFL, O_NONBLOCK);
    fcntl(conversation->from, F_SETFL, O_NONBLOCK);
    return child > 0;
}

/* Waits until an end can be used; false when the deadline comes first. */
static bool wait_for(struct lab_conversation *conversation, int end, short event, double deadline)
{
    struct pollfd one = {end, event, 0};
    for (;;) {
        double left = deadline - lab_clock_seconds();
        if (left <= 0.0) {
            conversation->timed_out = true;
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

bool lab_conversation_send(struct lab_conversation *conversation, const void *bytes, size_t size,
                           double seconds)
{
    double deadline = lab_clock_seconds() + seconds;
    const char *at = bytes;
    while (size) {
        if (!wait_for(conversation, conversation->to, POLLOUT, deadline))
            return false;
        ssize_t put = write(conversation->to, at, size);
        if (!may_go_on(put))
            return false;
        at += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

bool lab_conversation_receive(struct lab_conversation *conversation, void *bytes, size_t size,
                              double seconds)
{
    double deadline = lab_clock_seconds() + seconds;
    char *at = bytes;
    while (size) {
        if (!wait_for(conversation, conversation->from, POLLIN, deadline))
            return false;
        ssize_t got = read(conversation->from, at, size);
        if (!may_go_on(got))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Its descriptor 3 is closed when the last of its processes is gone. */
static void wait_until_gone(struct lab_conversation *conversation)
{
    char rest[4096];
    double deadline = lab_clock_seconds() + END_SECONDS;
    while (wait_for(conversation, conversation->from, POLLIN, deadline)) {
        ssize_t got = read(conversation->from, rest, sizeof rest);
        if (!may_go_on(got))
            return;
    }
}

void lab_conversation_end(struct lab_conversation *conversation)
{
    bool timed_out = conversation->timed_out;
    if (conversation->process > 0) {
        kill(-conversation->process, SIGKILL);
        kill(conversation->process, SIGKILL); /* before it has a session of its own */
        while (waitpid(conversation->process, NULL, 0) < 0 && errno == EINTR)
            ;
        wait_until_gone(conversation);
    }
    close_pair((int[2]){conversation->to, conversation->from});
    *conversation = (struct lab_conversation){.to = -1, .from = -1, .timed_out = timed_out};
}
