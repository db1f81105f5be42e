/**
 * @file timer.h
 * @brief Timing a submission's kernels in a process of its own: the GPU and its lock, what the
 * process may see, and the grader's side of the messages.
 */
#ifndef LAB_GRADE_TIMER_TIMER_H
#define LAB_GRADE_TIMER_TIMER_H

#include "base/files.h"
#include "grade/recorded_launches/recording.h"
#include "grade/sandbox/sandbox.h"

#include <stdbool.h>
#include <stdint.h>

/* The GPU that submissions are timed on, and the lock that allows one timing at a time. */

/** The GPU that programs of this environment use first. */
struct lab_gpu_identity {
    char name[128];              /**< "NVIDIA H200"; "" when unknown */
    char bus[32];                /**< its PCI address, which no other GPU here has */
    char driver[LAB_PATH_BYTES]; /**< folder of libcuda.so.1 */
};

/** Asks the driver; false when there is no GPU. */
bool lab_gpu_identify(struct lab_gpu_identity *identity);

/**
 * @brief Waits until no process on this machine holds the GPU's lock, in this or another run, and
 * takes it.
 * @return what lab_gpu_unlock() takes; -1 when there can be no lock
 */
int lab_gpu_lock(const char *bus);

/** Releases the lock. The end of the process does, too. */
void lab_gpu_unlock(int lock);

/* How a timer is started: the program that runs the timed kernels, what it may see, and which CUDA
 * runtime it gets. See grade/timer/protocol.h for the messages. */

/** Texts that the description of a timer points to; they must live as long as it. */
struct lab_timer_texts {
    char program[LAB_PATH_BYTES], runtime[LAB_PATH_BYTES], driver[LAB_PATH_BYTES];
    char libraries[2 * LAB_PATH_BYTES + 32], visible[256], poison[32];
    const char *environment[8];
};

/**
 * @brief Describes a timer.
 * @param object  the object whose kernels are launched; "probe": only open the device, and end
 * @param is_sim  with the simulator in place of a GPU: a rehearsal
 * @param isolate through bubblewrap
 * @param poison  bytes of free device memory that are overwritten first, at most
 */
void lab_timer_describe(const char *object, bool is_sim, bool isolate, uint64_t poison,
                        struct lab_timer_texts *texts, struct lab_confine *what);

/** Tries whether a timer can open the device in this way; if not, `why` receives one line. */
bool lab_timer_works(bool is_sim, bool isolate, char *why, size_t size);

/* A kernel file whose launches are made in another process, confined, on the same device. It is
 * sent inputs, and returns outputs and times. */

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
