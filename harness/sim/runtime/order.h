/**
 * @file order.h
 * @brief In which order the work of streams stands to each other, as a GPU would keep it.
 *
 * Here work is done when it is enqueued. What a GPU may do in another order is known by clocks:
 * each stream counts its work, and knows up to where that of the others comes before its own.
 */
#ifndef SIM_RUNTIME_ORDER_H
#define SIM_RUNTIME_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/** Streams that are told apart; further ones count as ordered. */
enum {
    SIM_ORDERED_STREAMS = 32,
    SIM_ORDER_LEGACY = 0,
    SIM_ORDER_PER_THREAD = 1,
    SIM_ORDER_NONE = -1
};

/** What an event has seen. */
struct sim_moment {
    uint64_t known[SIM_ORDERED_STREAMS];
};

/* All under the API lock. A stream is its number here. */

/** A new stream; `blocking` if the default stream waits for it and it for that. */
int sim_order_open(bool blocking);
void sim_order_close(int stream);
/** Work is enqueued on a stream; `what` is a kernel or a call. */
void sim_order_work(int stream, const char *what);
/** An event is recorded on a stream, or a stream waits for one. */
void sim_order_record(int stream, struct sim_moment *moment);
void sim_order_wait(int stream, const struct sim_moment *moment);
/** The host has waited for a stream, an event, or everything. */
void sim_order_host_waits(int stream);
void sim_order_host_waits_for(const struct sim_moment *moment);
void sim_order_host_waits_for_all(void);

/** For lab_sim_streams_begin() and lab_sim_streams_end(). */
void sim_order_begin(int stream);
const char *sim_order_end(void);

#endif
