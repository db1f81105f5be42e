/* Reads /proc. A process sleeps if all its threads and all its descendants do. */
#include "base/spent.h"

#include "base/clock.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void lab_spent_begin(struct lab_spent *spent, pid_t process)
{
    *spent = (struct lab_spent){.process = process, .last = lab_clock_seconds()};
}

double lab_spent_look(struct lab_spent *spent)
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
