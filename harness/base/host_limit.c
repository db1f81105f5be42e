/* Two timers, of the thread's CPU time and of wall time, and a count of launches. The CPU time and
 * the count do not depend on how busy the machine is. */
#include "base/host_limit.h"

#include <stdio.h>
#include <time.h>

enum { MOST_LAUNCHES = 1000000 };

/* A timer of CPU time, or of wall time. */
struct limit {
    timer_t timer;
    bool is_on;
    struct itimerspec left;
};

static struct limit limits[2];
static int launches;

static void begin(struct limit *limit, clockid_t clock, int number, time_t seconds)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    limit->left = (struct itimerspec){.it_value.tv_sec = seconds};
    limit->is_on = timer_create(clock, &event, &limit->timer) == 0;
}

void lab_host_limit_begin(void)
{
    launches = 0;
    begin(&limits[0], CLOCK_THREAD_CPUTIME_ID, LAB_HOST_SIGNAL, LAB_HOST_SECONDS);
    begin(&limits[1], CLOCK_MONOTONIC, LAB_WAIT_SIGNAL, LAB_WAIT_SECONDS);
    lab_host_limit_resume();
}

void lab_host_limit_end(void)
{
    for (int i = 0; i < 2; i++) {
        if (limits[i].is_on)
            timer_delete(limits[i].timer);
        limits[i].is_on = false;
    }
}

bool lab_host_limit_is_on(void)
{
    return limits[0].is_on;
}

void lab_host_limit_pause(void)
{
    const struct itimerspec none = {.it_value.tv_sec = 0};
    if (limits[0].is_on && ++launches > MOST_LAUNCHES)
        raise(LAB_HOST_SIGNAL);
    for (int i = 0; i < 2; i++)
        if (limits[i].is_on)
            timer_settime(limits[i].timer, 0, &none, &limits[i].left);
}

void lab_host_limit_resume(void)
{
    for (int i = 0; i < 2; i++)
        if (limits[i].is_on)
            timer_settime(limits[i].timer, 0, &limits[i].left, NULL);
}

bool lab_host_limit_explain(int number, char *text, size_t size)
{
    if (number == LAB_HOST_SIGNAL)
        snprintf(text, size,
                 "does not come to its end: a launch function, or the workspace function, has "
                 "computed on the host for %d seconds, or launched a million kernels; is there a "
                 "loop without end in it?",
                 LAB_HOST_SECONDS);
    else if (number == LAB_WAIT_SIGNAL)
        snprintf(text, size,
                 "does not come to its end: a launch function, or the workspace function, has not "
                 "returned for %d seconds and computes nothing; what does it wait for on the host?",
                 LAB_WAIT_SECONDS);
    return number == LAB_HOST_SIGNAL || number == LAB_WAIT_SIGNAL;
}
