/* Time that passes, and limits of time for host code. */
#include "base/time.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- a clock -----------------------------------------------------------------------------------*/

/* A clock that nobody sets: the difference of two readings is a duration. */

double lab_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- limits of host code -----------------------------------------------------------------------*/

/* A timer of the thread's CPU time, a count of launches, and a second thread that looks whether the
 * first one sleeps. None depends on how busy the machine is: time in which the thread could run and
 * got no processor counts for nothing. */

enum { MOST_LAUNCHES = 1000000, HOST_SECONDS = 8 };

/* Seconds of CPU time, or what LAB_HOST_SECONDS has in their place. */
static int host_seconds(void)
{
    const char *const text = getenv("LAB_HOST_SECONDS");
    const int seconds = text ? atoi(text) : 0;
    return seconds > 0 ? seconds : HOST_SECONDS;
}

static struct {
    timer_t timer;
    bool is_on;
    struct itimerspec left;
} computing;
static int launches;

static struct {
    pid_t of; /* the process that has the thread that looks */
    pid_t thread;
    atomic_uint stretch; /* odd while the function runs; each stretch has its own number */
    atomic_bool is_new;
} sleeping;

/* How long the thread ran, or waited for a processor; `process` receives how long any ran. */
static double busy_seconds(double *process)
{
    char path[64];
    unsigned long long ran = 0, waited = 0;
    struct timespec all;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)sleeping.thread);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%llu %llu", &ran, &waited) != 2)
        ran = waited = 0;
    if (file)
        fclose(file);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
    *process = (double)all.tv_sec + 1e-9 * (double)all.tv_nsec;
    return 1e-9 * (double)(ran + waited);
}

/* Sums up how long the function has slept while no other thread computed. */
static void *look(void *unused)
{
    static const double MOST_BUSY = 0.05; /* of a stretch that counts as sleep */
    double slept = 0.0;
    for (;;) {
        double process_before, process;
        const unsigned stretch = atomic_load(&sleeping.stretch);
        const double begin = lab_clock_seconds(), before = busy_seconds(&process_before);
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        if (atomic_exchange(&sleeping.is_new, false))
            slept = 0.0;
        if (stretch % 2 == 0 || atomic_load(&sleeping.stretch) != stretch)
            continue;
        const double passed = lab_clock_seconds() - begin;
        const double busy = busy_seconds(&process) - before;
        if (busy < MOST_BUSY * passed && process - process_before < MOST_BUSY * passed)
            slept += passed < 2.0 ? passed : 0.0; /* else this program was stopped */
        if (slept >= LAB_WAIT_SECONDS)
            kill(getpid(), LAB_WAIT_SIGNAL);
    }
    return unused;
}

void lab_host_limit_begin(void)
{
    pthread_t thread;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = LAB_HOST_SIGNAL};
    launches = 0;
    computing.left = (struct itimerspec){.it_value.tv_sec = host_seconds()};
    computing.is_on = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &computing.timer) == 0;
    atomic_store(&sleeping.is_new, true);
    if (sleeping.of != getpid()) {
        sleeping.of = getpid();
        sleeping.thread = (pid_t)syscall(SYS_gettid);
        if (pthread_create(&thread, NULL, look, NULL) == 0)
            pthread_detach(thread);
    }
    lab_host_limit_resume();
}

void lab_host_limit_end(void)
{
    if (!computing.is_on)
        return;
    lab_host_limit_pause();
    timer_delete(computing.timer);
    computing.is_on = false;
}

bool lab_host_limit_is_on(void)
{
    return computing.is_on;
}

void lab_host_limit_pause(void)
{
    const struct itimerspec none = {.it_value.tv_sec = 0};
    if (!computing.is_on)
        return;
    if (++launches > MOST_LAUNCHES)
        raise(LAB_HOST_SIGNAL);
    atomic_store(&sleeping.stretch, (sleeping.stretch + 2) & ~1u);
    timer_settime(computing.timer, 0, &none, &computing.left);
}

void lab_host_limit_resume(void)
{
    if (!computing.is_on)
        return;
    timer_settime(computing.timer, 0, &computing.left, NULL);
    atomic_store(&sleeping.stretch, (sleeping.stretch + 1) | 1u);
}

bool lab_host_limit_explain(int number, char *text, size_t size)
{
    if (number == LAB_HOST_SIGNAL)
        snprintf(text, size,
                 "does not come to its end: a launch function, the workspace function or a "
                 "constructor has computed on the host for %d second%s, or launched a million "
                 "kernels; is there a loop without end in it?",
                 host_seconds(), host_seconds() == 1 ? "" : "s");
    else if (number == LAB_WAIT_SIGNAL)
        snprintf(text, size,
                 "does not come to its end: a launch function, the workspace function or a "
                 "constructor has slept for %d seconds; what does it wait for on the host?",
                 LAB_WAIT_SECONDS);
    return number == LAB_HOST_SIGNAL || number == LAB_WAIT_SIGNAL;
}
