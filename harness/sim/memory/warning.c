/* Warnings. Each worker remembers the pairs of instructions that it has asked about. So only the
 * first of millions of equal findings compares lines. The process remembers the lines. On request
 * (sim_warnings_share()) it shares them with the processes that it forks one after the other. */
#include "warning.h"

#include "names.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_WARNINGS = 64, SHOWN_WARNINGS = 10, WARNED_PROBES = 8 };

static bool only_warns;

/* The warnings of processes that run one after the other; NULL: warnings are not shared. */
static struct shared_warnings {
    int count;
    struct {
        int again;       /* in how many processes after the first */
        char text[1400]; /* as below */
        char place[640]; /* "gemm(int) at kernel.cu:12" */
    } list[MOST_WARNINGS];
} * shared;

/* The warnings of this process: what was asked about, as "kernel status line line", and what was
 * told. */
static struct {
    pthread_mutex_t mutex;
    int count, told_count;
    char *texts[MOST_WARNINGS];
    struct sim_outcome *told[MOST_WARNINGS];
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

int sim_warnings_again(int i, const char **place)
{
    if (!shared || i >= shared->count)
        return -1;
    *place = shared->list[i].place;
    return shared->list[i].again;
}

/* Whether the worker has asked about this pair. If the places for a pair are all taken, it replaces
 * one, which only costs time. */
static bool is_known(struct worker *worker, const struct instruction *at, enum sim_status status,
                     uint32_t earlier)
{
    const uint64_t pair = (uint64_t)(uintptr_t)at << 16 ^ (uint64_t)status << 12 ^ earlier;
    const uint64_t hash = pair * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (unsigned i = 0; i < WARNED_PROBES; i++) {
        uint64_t *const known = &worker->warned[(hash + i) % WARNED_PAIRS];
        if (*known == pair)
            return true;
        if (*known == 0) {
            *known = pair;
            return false;
        }
    }
    worker->warned[hash % WARNED_PAIRS] = pair;
    return false;
}

/* Whether the process has not warned of these two lines yet. */
static bool is_first(const struct warp *warp, const struct instruction *at, enum sim_status status,
                     uint32_t earlier)
{
    char here[560] = "", there[560] = "", text[1400];
    sim_name_source(warp->worker->launch->program, sim_source(warp, at), here, sizeof here);
    if (earlier)
        sim_name_place(warp->worker->launch->program, earlier, there, sizeof there);
    snprintf(text, sizeof text, "%s %d %s %s", warp->worker->launch->request->kernel->title,
             (int)status, here, there);
    pthread_mutex_lock(&said.mutex);
    const char *const title = warp->worker->launch->request->kernel->title;
    const bool is_new = enter(text) && (!shared || enter_shared(text, title, here));
    pthread_mutex_unlock(&said.mutex);
    return is_new;
}

static bool is_new(const struct warp *warp, const struct instruction *at, enum sim_status status,
                   uint32_t earlier)
{
    return !is_known(warp->worker, at, status, earlier) && is_first(warp, at, status, earlier);
}

bool sim_warning_is_new(const struct warp *warp, const struct instruction *at, uint32_t earlier)
{
    return is_new(warp, at, SIM_OK, earlier);
}

bool sim_is_told(const struct warp *warp, const struct instruction *at, enum sim_status status)
{
    return only_warns && !is_new(warp, at, status, 0);
}

/* ---- Telling ---- */

/* Read when the library is loaded, before the program can set it itself. */
__attribute__((constructor)) static void read_mode(void)
{
    const char *const text = getenv("LAB_SIM_WARN");
    only_warns = text && strcmp(text, "1") == 0;
}

bool sim_only_warns(void)
{
    return only_warns;
}

const char *sim_warning_switch(enum sim_status status)
{
    return !only_warns                   ? ""
           : status == SIM_RACE          ? " (--check no-race leaves this check out)"
           : status == SIM_UNINITIALIZED ? " (--check no-uninitialized leaves this check out)"
                                         : " (--strict stops here)";
}

bool sim_warning_add(const struct sim_outcome *warning)
{
    struct sim_outcome *const copy = malloc(sizeof *copy);
    pthread_mutex_lock(&said.mutex);
    const int place = said.told_count;
    const bool has_place = copy && place < MOST_WARNINGS;
    if (has_place) {
        *copy = *warning;
        said.told[said.told_count++] = copy;
    } else {
        free(copy);
    }
    if (only_warns && place == SHOWN_WARNINGS)
        fprintf(stderr, "warning: further warnings are counted, and not shown\n");
    pthread_mutex_unlock(&said.mutex);
    return !only_warns || place < SHOWN_WARNINGS;
}

const struct sim_outcome *sim_warning_at(int i)
{
    return i < said.told_count ? said.told[i] : NULL;
}

static void tell(const struct warp *warp, struct sim_outcome *warning, const char *where)
{
    const char *const title = warp->worker->launch->request->kernel->title;
    char place[560] = "";
    snprintf(warning->kernel, sizeof warning->kernel, "%s", title);
    if (warning->line)
        snprintf(place, sizeof place, " at %s:%d", ptx_shown_path(warning->file), warning->line);
    if (sim_warning_add(warning))
        fprintf(stderr, "warning: kernel %s%s: %s%s%s\n", title, place, where, warning->message,
                sim_warning_switch(warning->status));
}

void sim_warn(const struct warp *warp, const struct instruction *at, enum sim_status status,
              const char *format, ...)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    struct sim_outcome warning = {.status = status, .line = source->line};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning.message, sizeof warning.message, format, arguments);
    va_end(arguments);
    if (source->line)
        snprintf(warning.file, sizeof warning.file, "%s", source->file);
    tell(warp, &warning, "");
}

void sim_find(struct warp *warp, const struct instruction *at, int lane, enum sim_status status,
              uint64_t address, const char *format, ...)
{
    struct sim_outcome warning = {.status = status};
    char where[160], text[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning.message, sizeof warning.message, format, arguments);
    va_end(arguments);
    if (!only_warns)
        sim_fault(warp, at, lane, status, address, "%s", warning.message);
    sim_locate(warp, at, lane, status, address, &warning);
    const unsigned *const block = warning.block, *const thread = warning.thread;
    if (address && !(address & WINDOW_MASK))
        snprintf(text, sizeof text, ", address 0x%" PRIx64, address);
    snprintf(where, sizeof where, "block (%u, %u, %u), thread (%u, %u, %u)%s: ", block[0], block[1],
             block[2], thread[0], thread[1], thread[2], text);
    tell(warp, &warning, where);
}
