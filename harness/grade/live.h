/**
 * @file live.h
 * @brief A confined program that is talked to while it runs: bytes both ways, each with a deadline,
 * and an end that leaves nothing of it behind.
 */
#ifndef LAB_LIVE_H
#define LAB_LIVE_H

#include "grade/confine.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** One that runs; what it prints goes nowhere. */
struct lab_live {
    pid_t process; /**< 0: none */
    int to, from;  /**< its standard input, its descriptor 3 */
    bool timed_out;
};

/** Starts it; false when it could not be started. lab_live_end() in either case. */
bool lab_live_start(const struct lab_confine *what, struct lab_live *live);

/** Sends or receives all bytes within so many seconds; false when it ended, or took longer. */
bool lab_live_send(struct lab_live *live, const void *bytes, size_t size, double seconds);
bool lab_live_receive(struct lab_live *live, void *bytes, size_t size, double seconds);

/** Ends its whole session and waits until all of it is gone, so that what it held is free again. */
void lab_live_end(struct lab_live *live);

/** Seconds of a clock that only runs forward. */
double lab_live_now(void);

#endif
