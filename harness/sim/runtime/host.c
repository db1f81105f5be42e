/* What a launch function's host code does beside the device. Host functions are called at the next
 * work or wait. Memory that kernels use in place is compared with its old contents. Memory that
 * kernels write in place is protected from the host until the host has waited. A read of it faults;
 * the fault is noted, and the read is repeated and succeeds. */
#include "order.h"
#include "runtime.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_CALLS = 64, MOST_PIECES = 32, MOST_BYTES = 1 << 20 };

/* Memory that a kernel has used, and its contents at that time. */
struct piece {
    const char *host;
    size_t size;
    char *as_it_was;
    char name[128], kernel[128], writer[128];
    bool is_away;          /* the host cannot access it */
    volatile bool is_read; /* the host has read it while it was away */
};

/* What is known of the launch function that runs now. */
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
    struct sigaction before; /* the program's own handler, for other faults */
} host;

bool sim_host_keep(void (*function)(void *), void *argument)
{
    if (!host.is_on || host.call_count == MOST_CALLS)
        return false;
    host.calls[host.call_count].function = function;
    host.calls[host.call_count++].argument = argument;
    return true;
}

/* ---- What the host reads too early ---- */

/* Protects the whole pages of a piece, or makes them accessible again. Accesses to other data in
 * these pages are let through. */
static void set_away(struct piece *piece, bool is_away)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)piece->host / page * page;
    const uintptr_t end = ((uintptr_t)piece->host + piece->size + page - 1) / page * page;
    if (piece->is_away != is_away &&
        mprotect((void *)first, end - first, is_away ? PROT_NONE : PROT_READ | PROT_WRITE) == 0)
        piece->is_away = is_away;
}

/* Whether a read caused a fault; only x86-64 tells. */
static bool is_of_read(const void *context)
{
#ifdef __x86_64__
    enum { IS_WRITE = 2 };
    return !(((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & IS_WRITE);
#else
    return (void)context, false;
#endif
}

/* Makes all pieces of the page accessible, so that the access is repeated and succeeds. Notes
 * reads; compare() finds writes. */
static void note_access(int number, siginfo_t *about, void *context)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)about->si_addr;
    bool is_known = false;
    for (int i = 0; i < host.piece_count; i++) {
        struct piece *const piece = &host.pieces[i];
        const uintptr_t first = (uintptr_t)piece->host, end = first + piece->size;
        if (!piece->is_away || at < first / page * page || at / page * page >= end)
            continue;
        is_known = true;
        piece->is_read |= at >= first && at < end && is_of_read(context);
        set_away(piece, false);
    }
    if (is_known)
        return;
    sigaction(number, &host.before, NULL); /* the access then faults again */
    if (about->si_code <= 0)               /* a process sent the signal: no access repeats it */
        raise(number);
}

static void take_away(void)
{
    for (int i = 0; i < host.piece_count; i++)
        if (host.pieces[i].writer[0] && sim_memory_reserved((uint64_t)host.pieces[i].host))
            set_away(&host.pieces[i], true);
}

static void give_back(void)
{
    for (int i = 0; i < host.piece_count; i++)
        set_away(&host.pieces[i], false);
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
        if (piece->is_read)
            snprintf(host.changed, sizeof host.changed,
                     "the launch function reads %s after the launch of %s, which writes it and "
                     "may not have ended: let a kernel go on with it, in the same stream",
                     piece->name, piece->writer);
        else if (memcmp(piece->host, piece->as_it_was, piece->size) != 0)
            snprintf(host.changed, sizeof host.changed,
                     "the launch function changes %s after the launch of %s, which uses it and "
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

/* Calls the host functions, now that the work before them is done. Host functions may change the
 * memory. */
static void run_calls(void)
{
    give_back();
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

/* Whether host and device both use an allocation in place. A managed variable is a symbol of the
 * module, and its storage also has an address on the host. */
static bool is_of_both(const struct sim_allocation *allocation)
{
    return allocation->kind == SIM_MEMORY_HOST || allocation->kind == SIM_MEMORY_MANAGED ||
           sim_memory_find((uint64_t)allocation->host);
}

static struct piece *make_piece(const struct sim_allocation *allocation, const char *kernel)
{
    if (host.piece_count == MOST_PIECES || allocation->size > MOST_BYTES || !is_of_both(allocation))
        return NULL;
    struct piece *const piece = &host.pieces[host.piece_count];
    *piece = (struct piece){.host = NULL};
    piece->host = allocation->host;
    piece->size = allocation->size;
    piece->as_it_was = malloc(piece->size);
    if (!piece->as_it_was)
        return NULL;
    snprintf(piece->name, sizeof piece->name, "%s",
             allocation->name ? allocation->name : "pinned or managed memory");
    snprintf(piece->kernel, sizeof piece->kernel, "%s", kernel);
    memcpy(piece->as_it_was, piece->host, piece->size);
    host.piece_count++;
    return piece;
}

static void keep_used(struct sim_allocation *allocation, void *kernel)
{
    struct piece *piece = allocation->is_used ? piece_at(allocation->host) : NULL;
    if (allocation->is_used && !piece)
        piece = make_piece(allocation, kernel);
    if (piece && allocation->is_changed && !piece->writer[0])
        snprintf(piece->writer, sizeof piece->writer, "%s", (const char *)kernel);
}

static void forget_use(struct sim_allocation *allocation, void *unused)
{
    (void)unused;
    allocation->is_used = allocation->is_changed = false;
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
    take_away();
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
    struct sigaction action = {.sa_sigaction = note_access, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    host.is_on = true;
    host.changed[0] = '\0';
    sigaction(SIGSEGV, &action, &host.before);
}

const char *sim_host_end(void)
{
    sim_host_waits();
    sigaction(SIGSEGV, &host.before, NULL);
    host.is_on = false;
    return host.changed[0] ? host.changed : NULL;
}
