/* Long work shows that it goes on: a thread looks four times a second how far the work is. */
#include "base/progress.h"

#include "base/simulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double EVERY_S = 0.25, SURE_AFTER_S = 1.0, NOTICED_AFTER_S = 1.0;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits for the end of the work or for the next look; false: it is time to look. */
static bool wait_for_end(struct lab_progress_line *line)
{
    const double until = now() + EVERY_S;
    const struct timespec time = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
    pthread_mutex_lock(&line->lock);
    if (!line->ends)
        pthread_cond_timedwait(&line->ending, &line->lock, &time);
    const bool ends = line->ends;
    pthread_mutex_unlock(&line->lock);
    return ends;
}

/* Shows the part that has been done in so many seconds, and about how long the rest takes. */
static void show_part(const struct lab_progress_line *line, const char *of, double done,
                      double seconds)
{
    const double rest = seconds * (1.0 - done) / done;
    char left[48] = "";
    if (seconds >= SURE_AFTER_S && rest >= 120.0)
        snprintf(left, sizeof left, ", about %.0f minutes left", rest / 60.0);
    else if (seconds >= SURE_AFTER_S && rest >= 1.0)
        snprintf(left, sizeof left, ", about %.0f s left", rest);
    fprintf(stderr, "\r%s: %s%.0f%%%s \033[K", line->text, of, 100.0 * done, left);
}

/* Shows only the time, for work without known parts: the last blocks of a launch, or the comparison
 * after the launch. */
static void show_time(const struct lab_progress_line *line, double seconds)
{
    if (seconds >= NOTICED_AFTER_S)
        fprintf(stderr, "\r%s: %.0f s \033[K", line->text, seconds);
}

/* If fewer blocks have begun than at the last look, another launch has begun. */
static void *follow(void *argument)
{
    struct lab_progress_line *const line = argument;
    uint64_t begun = 0, all = 0, before = 0;
    const double start = now();
    double launched = start;
    while (!wait_for_end(line)) {
        const double done = line->done ? atomic_load(line->done) : 0.0;
        if (line->is_sim && lab_simulator())
            lab_simulator()->progress(&begun, &all);
        if (begun < before)
            launched = now();
        before = begun;
        if (begun > 0 && begun < all)
            show_part(line, "launch ", (double)begun / (double)all, now() - launched);
        else if (done > 0.0 && done < 1.0)
            show_part(line, "", done, now() - start);
        else
            show_time(line, now() - start);
    }
    return NULL;
}

static void begin(struct lab_progress_line *line)
{
    fprintf(stderr, "\r%s \033[K", line->text);
    pthread_mutex_init(&line->lock, NULL);
    pthread_cond_init(&line->ending, NULL);
    line->is_followed = pthread_create(&line->thread, NULL, follow, line) == 0;
}

void lab_progress_begin(struct lab_progress_line *line, bool is_sim, const char *format, ...)
{
    va_list arguments;
    *line = (struct lab_progress_line){.is_shown = isatty(STDERR_FILENO), .is_sim = is_sim};
    if (!line->is_shown)
        return;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    begin(line);
}

void lab_progress_begin_share(struct lab_progress_line *line, const lab_share *done,
                              const char *text)
{
    *line = (struct lab_progress_line){.is_shown = isatty(STDERR_FILENO), .done = done};
    snprintf(line->text, sizeof line->text, "%s", text);
    if (line->is_shown)
        begin(line);
}

void lab_progress_end(struct lab_progress_line *line)
{
    if (line->is_followed) {
        pthread_mutex_lock(&line->lock);
        line->ends = true;
        pthread_cond_signal(&line->ending);
        pthread_mutex_unlock(&line->lock);
        pthread_join(line->thread, NULL);
    }
    if (line->is_shown)
        fputs("\r\033[K", stderr);
}
