/**
 * @file order.h
 * @brief The order of the work of streams, as a GPU would keep it.
 *
 * The simulator does work when it is enqueued. Clocks show what a GPU may do in another order:
 * each stream counts its work, and knows how much work of each other stream comes before its own.
 */
#ifndef SIM_RUNTIME_ORDER_H
#define SIM_RUNTIME_ORDER_H

#include "sim/check/global_footprint.h"
#include "sim/lab_sim.h"

#include <stdbool.h>
#include <stdint.h>

/** The number of streams that are distinguished; work of further streams counts as ordered. */
enum {
    SIM_ORDERED_STREAMS = LAB_SIM_STREAMS,
    SIM_ORDER_LEGACY = 0,
    SIM_ORDER_PER_THREAD = 1,
    SIM_ORDER_NONE = -1,
    SIM_ORDER_HOST = -2 /**< in place of a stream: what the host has waited for */
};

/** How much work of each stream comes before an event. */
struct sim_moment {
    uint64_t known[SIM_ORDERED_STREAMS];
};

/* The caller of these functions holds the API lock. A stream is given by its number. */

/** Opens a stream; `blocking` if it and the default stream wait for each other. `name`, such as
 *  "stream 3", is copied. */
int sim_order_open(bool blocking, const char *name);
void sim_order_close(int stream);
/** Work is enqueued on a stream; `what` is a kernel or a call. */
void sim_order_work(int stream, const char *what);
/** An event is recorded on a stream; a stream waits for an event. */
void sim_order_record(int stream, struct sim_moment *moment);
void sim_order_wait(int stream, const struct sim_moment *moment);
/** The host has waited for a stream, an event, or everything. */
void sim_order_host_waits(int stream);
void sim_order_host_waits_for(const struct sim_moment *moment);
void sim_order_host_waits_for_all(void);

/** Whether work may come in any order: more than one stream is in use. */
bool sim_order_is_shared(void);
/** The order of the last work of any stream. */
struct lab_sim_order sim_order_last(void);
/** The number of a stream's last work, from 1 on. */
uint64_t sim_order_number(int stream);
/** Whether work `number` of stream `earlier` comes before the last work of `stream`. With
 *  SIM_ORDER_HOST as `stream`: whether it comes before what the host does next. */
bool sim_order_is_before(int earlier, uint64_t number, int stream);
/** A stream's name, for messages. Valid until the next call that opens a stream. */
const char *sim_order_name(int stream);

/** For lab_sim_streams_begin() and lab_sim_streams_end(). */
void sim_order_begin(int stream);
const char *sim_order_end(void);

/* Races between work of several streams: kernels and copies that use the same words, and that
 * nothing puts in order.
 *
 * Work that may still run beside later work is remembered, with the words that it uses. While only
 * one stream is in use, nothing is remembered. */

/** Call this after sim_order_work(). @return what receives the work's footprint; NULL: no footprint
 * is wanted. */
struct sim_footprint *sim_concurrent_begin(int stream);

/**
 * @brief Compares the current work, now done, with all work that may run beside it. Remembers it.
 * @param what     a kernel or a call; copied
 * @param program  of a kernel, else NULL
 * @param outcome  receives a race
 * @return whether there is a race.
 */
bool sim_concurrent_end(const char *what, const struct program *program,
                        struct sim_outcome *outcome);

/** From now on, work is remembered even if only one stream is in use, because its kernels may
 * overlap. */
void sim_concurrent_want(void);

/** The previous kernel in the stream of the current work. It may still run when the work begins
 * (programmatic dependent launch). NULL: there is none, or the host has waited for it. Call this
 * only after sim_concurrent_begin() gave a footprint. Valid until the current work has ended. */
const struct sim_beside *sim_concurrent_earlier(void);

/** Forgets all work, because programs are about to be unloaded. */
void sim_concurrent_forget(void);

/* --- what the host does meanwhile --------------------------------------------------------------*/

/* What the host does beside the device while a launch function runs: host functions that are
 * enqueued on streams, and accesses to memory that kernels use in place (pinned, managed).
 *
 * The simulator does work when it is enqueued; a GPU may do it later. So a host function is called
 * as late as is allowed, and memory that a kernel has used must not change until the host has
 * waited. */

/* The caller of these functions holds the API lock. */

/** A launch function begins; it ends with sim_host_end(). */
void sim_host_begin(void);
/** @return a sentence on how the launch function changes, or reads too early, memory that a kernel
 *  uses; NULL: it does not. Valid until the next begin. */
const char *sim_host_end(void);

/** Keeps a host function for later; false: no launch function runs, or too many are kept. */
bool sim_host_keep(void (*function)(void *), void *argument);

/** Call this before work of any stream is done. */
void sim_host_before_work(void);
/** Call this after a copy, a fill or a kernel; `kernel` is the kernel's name, else NULL. */
void sim_host_after_work(const char *kernel);
/** Call this when the host has waited for work. */
void sim_host_waits(void);

#endif
