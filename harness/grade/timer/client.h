/**
 * @file client.h
 * @brief A kernel file whose launches are made in another process, confined, on the same device. It
 * is sent inputs, and returns outputs and times.
 */
#ifndef LAB_GRADE_TIMER_CLIENT_H
#define LAB_GRADE_TIMER_CLIENT_H

#include "grade/recorded_launches/recording.h"
#include "grade/sandbox/conversation.h"

/** How timers are started, and for how long. */
struct lab_timer_terms {
    bool is_sim;           /**< a rehearsal */
    bool isolate;          /**< through bubblewrap, with the GPU's device files */
    uint64_t poison_bytes; /**< of free device memory, at most */
    double seconds;        /**< for all calls */
    double call_seconds;   /**< the kernels of one call */
};

/** A submission, or the solution, with its timer. */
struct lab_timer_client {
    struct lab_recording *recording;
    struct lab_timer_terms terms;
    struct lab_conversation conversation;
    bool prepared; /**< the timer has the buffers and launches */
    size_t workspace_bytes, output_bytes;
    char *staging;
    double milliseconds, wall_milliseconds; /**< of the last call */
    struct lab_check fault;                 /**< the first thing that went wrong */
};

/** Starts the timer, with the device's free memory poisoned; false after setting `fault`. */
bool lab_timer_client_open(struct lab_timer_client *client, struct lab_recording *recording,
                           const char *object, const struct lab_timer_terms *terms);

/**
 * @brief Makes one call: sends the problem's buffers, and puts the outputs that come back into
 * their places.
 *
 * All problems of one client have the same sizes; the launches are recorded at the first.
 * @return false after setting `fault`
 */
bool lab_timer_client_call(struct lab_timer_client *client, const void *problem);

/** Ends it. */
void lab_timer_client_close(struct lab_timer_client *client);

#endif
