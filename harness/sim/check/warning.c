/* Warnings. Each worker remembers the pairs of instructions that it has asked about. So only the
 * first of millions of equal findings compares lines. The process remembers the lines. On request
 * (sim_warnings_share()) it shares them with the processes that it forks one after the other. */
#include "warning.h"

#include "sim/memory/names.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_WARNINGS = 64, WARNED_PROBES = 8 };

/* The warnings of processes that run one after the other; NULL: warnings are not shared. */
static struct shared_warnings {
    int count;
    struct {
        int again;       /* in how many processes after the first */
        char text[1400]; /* as below */
        char place[640]; /* "gemm(int) at kernel.cu:12" */
    } list[MOST_WARNINGS];
} * shared;

/* The warnings that this process has printed, as "kernel line line". */
static struct {
    pthread_mutex_t mutex;
    int count;
    char *texts[MOST_WARNINGS];
} said = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Adds a text; false if it is there already. The caller holds the mutex. */
static bool enter(const char *text)
{
    for (int i = 0; i < said.count && i < MOST_WARNINGS; i++)
        if (strcmp(said.texts[i], text) == 0)
            return false;
    if (said.count == MOST_WARNINGS) {
        said.count++;
        fprintf(stderr, "warning: further warnings are not shown\n");
    }
    if (said.count > MOST_WARNINGS)
        return false;
    char *const copy = strdup(text);
    if (!copy)
        return false;
    said.texts[said.count++] = copy;
    return true;
}

/* As enter(), for the processes that share warnings. If there is no more room, every text is new.
 * The caller holds the mutex. */
static bool enter_shared(const char *text, const char *title, const char *place)
{
    for (int i = 0; i < shared->count; i++)
        if (strcmp(shared->list[i].text, text) == 0) {
            shared->list[i].again++;
            return false;
        }
    if (shared->count == MOST_WARNINGS)
        return true;
    snprintf(shared->list[shared->count].text, sizeof shared->list->text, "%s", text);
    snprintf(shared->list[shared->count].place, sizeof shared->list->place, "%s at %s", title,
             place);
    shared->count++;
    return true;
}

void sim_warnings_share(void)
{
    void *const memory =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = memory == MAP_FAILED ? NULL : memory;
}

int sim_warning_count(void)
{
    return said.count < MOST_WARNINGS ? said.count : MOST_WARNINGS;
}

int sim_warnings_again(int i, const char **place)
{
    if (!shared || i >= shared->count)
        return -1;
    *place = shared->list[i].place;
    return shared->list[i].again;
}

/* Whether the worker has asked about this pair. If the places for a pair are all taken, it replaces
 * one, which only costs time. */
static bool is_known(struct sim_checks *checks, const struct instruction *at, uint32_t earlier)
{
    const uint64_t pair = (uint64_t)(uintptr_t)at << 16 ^ earlier;
    const uint64_t hash = pair * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (unsigned i = 0; i < WARNED_PROBES; i++) {
        uint64_t *const known = &checks->warned[(hash + i) % WARNED_PAIRS];
        if (*known == pair)
            return true;
        if (*known == 0) {
            *known = pair;
            return false;
        }
    }
    checks->warned[hash % WARNED_PAIRS] = pair;
    return false;
}

/* Whether the process has not warned of these two lines yet. */
static bool is_first(const struct warp *warp, const struct instruction *at, uint32_t earlier)
{
    char here[560] = "", there[560] = "", text[1400];
    sim_name_source(warp->worker->launch->program, sim_source(warp, at), here, sizeof here);
    if (earlier)
        sim_name_place(warp->worker->launch->program, earlier, there, sizeof there);
    snprintf(text, sizeof text, "%s %s %s", warp->worker->launch->request->kernel->title, here,
             there);
    pthread_mutex_lock(&said.mutex);
    const char *const title = warp->worker->launch->request->kernel->title;
    const bool is_new = enter(text) && (!shared || enter_shared(text, title, here));
    pthread_mutex_unlock(&said.mutex);
    return is_new;
}

bool sim_warning_is_new(const struct warp *warp, const struct instruction *at, uint32_t earlier)
{
    return !is_known(warp->worker->checks, at, earlier) && is_first(warp, at, earlier);
}

void sim_warn(const struct warp *warp, const struct instruction *at, const char *format, ...)
{
    char message[1024], place[560] = "";
    const struct ptx_instruction *const source = sim_source(warp, at);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (source->line)
        snprintf(place, sizeof place, " at %s:%d", ptx_shown_path(source->file), source->line);
    fprintf(stderr, "warning: kernel %s%s: %s\n", warp->worker->launch->request->kernel->title,
            place, message);
}
