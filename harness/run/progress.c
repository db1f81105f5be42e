/* A launch on the simulator may take minutes: a thread looks how far it is and says it, four times
 * a second. */
#include "run/progress.h"

#include "sim/lab_sim.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double EVERY_S = 0.25, SURE_AFTER_S = 1.0;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* False: the time is up, and it has not ended. */
static bool wait_for_end(struct lab_progress *progress)
{
    const double until = now() + EVERY_S;
    const struct timespec time = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
    pthread_mutex_lock(&progress->lock);
    if (!progress->ends)
        pthread_cond_timedwait(&progress->ending, &progress->lock, &time);
    const bool ends = progress->ends;
    pthread_mutex_unlock(&progress->lock);
    return ends;
}

static void show(const struct lab_progress *progress, uint64_t begun, uint64_t all, double seconds)
{
    const double rest = seconds * (double)(all - begun) / (double)begun;
    char left[48] = "";
    if (seconds >= SURE_AFTER_S && rest >= 120.0)
        snprintf(left, sizeof left, ", about %.0f minutes left", rest / 60.0);
    else if (seconds >= SURE_AFTER_S && rest >= 1.0)
        snprintf(left, sizeof left, ", about %.0f s left", rest);
    fprintf(stderr, "\r%s: launch %.0f%%%s \033[K", progress->text,
            100.0 * (double)begun / (double)all, left);
}

/* A launch that has fewer blocks behind it than a moment ago is another one. */
static void *follow(void *argument)
{
    struct lab_progress *const progress = argument;
    __typeof__(lab_sim_progress) *look = dlsym(RTLD_DEFAULT, "lab_sim_progress");
    uint64_t begun = 0, all = 0, before = 0;
    double start = now();
    while (look && !wait_for_end(progress)) {
        look(&begun, &all);
        if (begun < before)
            start = now();
        before = begun;
        if (begun > 0 && begun <= all)
            show(progress, begun, all, now() - start);
    }
    return NULL;
}

void lab_progress_begin(struct lab_progress *progress, bool is_sim, const char *format, ...)
{
    va_list arguments;
    *progress = (struct lab_progress){.is_shown = isatty(STDERR_FILENO)};
    if (!progress->is_shown)
        return;
    va_start(arguments, format);
    vsnprintf(progress->text, sizeof progress->text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\r%s \033[K", progress->text);
    if (!is_sim)
        return;
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->ending, NULL);
    progress->is_followed = pthread_create(&progress->thread, NULL, follow, progress) == 0;
}

void lab_progress_end(struct lab_progress *progress)
{
    if (progress->is_followed) {
        pthread_mutex_lock(&progress->lock);
        progress->ends = true;
        pthread_cond_signal(&progress->ending);
        pthread_mutex_unlock(&progress->lock);
        pthread_join(progress->thread, NULL);
    }
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
}
