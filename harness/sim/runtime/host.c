/* What a launch function's host code does beside the device: host functions wait for the next work,
 * and memory that kernels use in place is compared with what it was. */
#include "host.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 64, MOST_PIECES = 32, MOST_BYTES = 1 << 20 };

/* Memory that a kernel has used, and what it held then. */
struct piece {
    const char *host;
    size_t size;
    char *as_it_was;
    char name[128], kernel[128];
};

/* Of the launch function under way. */
static struct {
    bool is_on;
    struct {
        void (*function)(void *);
        void *argument;
    } calls[MOST_CALLS];
    int call_count;
    struct piece pieces[MOST_PIECES];
    int piece_count;
    char changed[600];
} host;

bool sim_host_keep(void (*function)(void *), void *argument)
{
    if (!host.is_on || host.call_count == MOST_CALLS)
        return false;
    host.calls[host.call_count].function = function;
    host.calls[host.call_count++].argument = argument;
    return true;
}

static void drop_pieces(void)
{
    for (int i = 0; i < host.piece_count; i++)
        free(host.pieces[i].as_it_was);
    host.piece_count = 0;
}

static void compare(void)
{
    for (int i = 0; i < host.piece_count && !host.changed[0]; i++) {
        const struct piece *const piece = &host.pieces[i];
        if (memcmp(piece->host, piece->as_it_was, piece->size) != 0)
            snprintf(host.changed, sizeof host.changed,
                     "the launch function changes %s behind the launch of %s, which uses it and "
                     "may not have begun: pass such values as arguments of the kernel, or let each "
                     "launch have memory of its own",
                     piece->name, piece->kernel);
    }
}

static void take_anew(void)
{
    for (int i = 0; i < host.piece_count; i++)
        memcpy(host.pieces[i].as_it_was, host.pieces[i].host, host.pieces[i].size);
}

/* Functions come behind what was enqueued before them, and change memory in their turn. */
static void run_calls(void)
{
    compare();
    for (int i = 0; i < host.call_count; i++)
        sim_call_host(host.calls[i].function, host.calls[i].argument);
    if (host.call_count)
        take_anew();
    host.call_count = 0;
}

static struct piece *piece_at(const char *storage)
{
    for (int i = 0; i < host.piece_count; i++)
        if (host.pieces[i].host == storage)
            return &host.pieces[i];
    return NULL;
}

/* A managed variable is a symbol of the module, whose storage the host has an address of. */
static bool is_of_both(const struct sim_allocation *allocation)
{
    return allocation->kind == SIM_MEMORY_HOST || allocation->kind == SIM_MEMORY_MANAGED ||
           sim_memory_find((uint64_t)allocation->host);
}

static void keep_used(struct sim_allocation *allocation, void *kernel)
{
    if (!allocation->is_used || piece_at(allocation->host) || host.piece_count == MOST_PIECES ||
        allocation->size > MOST_BYTES || !is_of_both(allocation))
        return;
    struct piece *const piece = &host.pieces[host.piece_count];
    piece->host = allocation->host;
    piece->size = allocation->size;
    piece->as_it_was = malloc(piece->size);
    if (!piece->as_it_was)
        return;
    snprintf(piece->name, sizeof piece->name, "%s",
             allocation->name ? allocation->name : "pinned or managed memory");
    snprintf(piece->kernel, sizeof piece->kernel, "%s", (const char *)kernel);
    memcpy(piece->as_it_was, piece->host, piece->size);
    host.piece_count++;
}

static void forget_use(struct sim_allocation *allocation, void *unused)
{
    (void)unused;
    allocation->is_used = false;
}

void sim_host_before_work(void)
{
    if (!host.is_on)
        return;
    run_calls();
    sim_memory_each(forget_use, NULL);
}

void sim_host_after_work(const char *kernel)
{
    if (!host.is_on)
        return;
    take_anew();
    if (kernel)
        sim_memory_each(keep_used, (void *)kernel);
}

void sim_host_waits(void)
{
    if (!host.is_on)
        return;
    run_calls();
    drop_pieces();
}

void sim_host_begin(void)
{
    host.is_on = true;
    host.changed[0] = '\0';
}

const char *sim_host_end(void)
{
    sim_host_waits();
    host.is_on = false;
    return host.changed[0] ? host.changed : NULL;
}
