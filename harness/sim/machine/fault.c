/* What is reported when a launch fails. */
#include "warp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct ptx_instruction *sim_source(const struct warp *warp, const struct instruction *at)
{
    const struct ptx_function *const ptx = warp->function->ptx;
    const int last = ptx->instruction_count - 1;
    return &ptx->instructions[(int)at->source < last ? (int)at->source : last];
}

int sim_nearest_line(const struct warp *warp, const struct instruction *at, const char **file)
{
    const struct ptx_function *const ptx = warp->function->ptx;
    const struct ptx_instruction *source = sim_source(warp, at);
    while (source->line == 0 && source > ptx->instructions)
        source--;
    *file = source->file ? source->file : "";
    return source->line;
}

void sim_report(struct sim_outcome *outcome, enum sim_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->message, sizeof outcome->message, format, arguments);
    va_end(arguments);
    outcome->status = status;
}

/* In a function that is called from several places, the message says from where it was called. */
static void append_call(const struct warp *warp, const struct instruction *at,
                        struct sim_outcome *outcome)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    const size_t length = strlen(outcome->message);
    if (source->line && source->call_line)
        snprintf(outcome->message + length, sizeof outcome->message - length,
                 "; this function was called at %s:%d", ptx_shown_path(source->call_file),
                 source->call_line);
}

/* A segment is counted when it starts, but its instructions after the fault were not executed. */
static void uncount_rest(struct worker *worker, const struct warp *warp, uint32_t source)
{
    const struct function *const function = warp->function;
    for (int i = 0; i < function->segment_count; i++) {
        const struct segment *const segment = &function->segments[i];
        const int executed = (int)source - segment->first + 1;
        if (executed <= 0 || executed > segment->count)
            continue;
        const uint64_t missing = (uint64_t)(segment->count - executed);
        worker->unexecuted_warps += missing;
        worker->unexecuted_threads += missing * (unsigned)__builtin_popcount(warp->active);
    }
}

void sim_locate(const struct warp *warp, const struct instruction *at, int lane,
                enum sim_status status, uint64_t address, struct sim_outcome *outcome)
{
    const char *file;
    append_call(warp, at, outcome);
    outcome->status = status;
    outcome->address = address;
    outcome->line = sim_nearest_line(warp, at, &file);
    snprintf(outcome->file, sizeof outcome->file, "%s", file);
    for (int i = 0; i < 3; i++) {
        outcome->block[i] = warp->block->id[i];
        outcome->thread[i] = warp->thread[i][lane];
    }
}

void sim_fault(struct warp *warp, const struct instruction *at, int lane, enum sim_status status,
               uint64_t address, const char *format, ...)
{
    struct worker *const worker = sim_leader(warp->worker);
    struct sim_outcome *const outcome = &worker->outcome;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->message, sizeof outcome->message, format, arguments);
    va_end(arguments);
    sim_locate(warp, at, lane, status, address, outcome);
    uncount_rest(worker, warp, at->source);
    longjmp(worker->stop, 1);
}
