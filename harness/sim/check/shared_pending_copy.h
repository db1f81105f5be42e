/**
 * @file shared_pending_copy.h
 * @brief Asynchronous copies to shared memory that their thread has not waited for.
 *
 * What such a copy writes has a tag that clashes with every use, whatever barriers are between.
 * When the thread waits, the tag becomes the tag of a plain write made at that time.
 */
#ifndef SIM_CHECK_SHARED_PENDING_COPY_H
#define SIM_CHECK_SHARED_PENDING_COPY_H

#include "tags.h"

#include "sim/memory/places.h"

struct pending_copies *sim_pending_create(void);
void sim_pending_free(struct pending_copies *copies);
/** Before a block starts: forgets all pending copies. */
void sim_pending_clear(struct shared_tags *tags);
/** After all tags were cleared: sets the tags of pending copies again. */
void sim_pending_mark(struct shared_tags *tags);

/** What a lane's copy reads from global memory, and where in shared memory it writes. */
struct copied {
    uint64_t source;
    uint32_t source_bytes, offset;
    unsigned bytes;
};
/** A lane has started a copy. */
void sim_pending_start(struct warp *warp, const struct instruction *at, int lane,
                       struct copied copied);
/** After a store to global memory while copies are pending: faults if the store has changed what a
 *  pending copy reads. `old` has the old words, lane by lane. */
void sim_pending_source_written(struct warp *warp, const struct instruction *at,
                                const struct places *places, unsigned bytes, const uint32_t *old);
/** Commits the copies of each active lane as a group. */
void sim_pending_commit(struct warp *warp);
/** The active lanes wait for all groups but the latest `latest`. */
void sim_pending_wait(struct warp *warp, const struct instruction *at, uint32_t latest);
/** The active lanes wait for all copies. */
void sim_pending_wait_all(struct warp *warp, const struct instruction *at);

/** What is known of a lane's pending copy to an offset, for messages. */
struct pending_state {
    bool is_committed;
    bool is_behind_wait; /**< its group was committed after the last wait of its lane */
    bool is_behind_none; /**< no group was committed between that wait and the same wait one
                            iteration of the loop earlier */
    const struct ptx_instruction *wait; /**< the last wait of its warp; NULL: there was none */
    unsigned committed,
        left; /**< groups committed before that wait, and how many of these it leaves pending */
    unsigned later; /**< groups committed after its own and before that wait */
};
struct pending_state sim_pending_state(const struct shared_tags *tags, unsigned warp, unsigned lane,
                                       uint32_t offset);

#endif
