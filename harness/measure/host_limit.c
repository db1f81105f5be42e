/* A timer of what the thread computes, and a count of launches: neither depends on how busy the
 * machine is. */
#include "measure/host_limit.h"

#include <stdbool.h>
#include <time.h>

enum { MOST_LAUNCHES = 1000000 };

static struct {
    timer_t timer;
    bool is_on;
    struct itimerspec left;
    int launches;
} limit;

void lab_host_limit_begin(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = LAB_HOST_SIGNAL};
    limit.launches = 0;
    limit.left = (struct itimerspec){.it_value.tv_sec = LAB_HOST_SECONDS};
    limit.is_on = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &limit.timer) == 0;
    lab_host_limit_resume();
}

void lab_host_limit_end(void)
{
    if (limit.is_on)
        timer_delete(limit.timer);
    limit.is_on = false;
}

void lab_host_limit_pause(void)
{
    const struct itimerspec none = {.it_value.tv_sec = 0};
    if (!limit.is_on)
        return;
    if (++limit.launches > MOST_LAUNCHES)
        raise(LAB_HOST_SIGNAL);
    timer_settime(limit.timer, 0, &none, &limit.left);
}

void lab_host_limit_resume(void)
{
    if (limit.is_on)
        timer_settime(limit.timer, 0, &limit.left, NULL);
}
