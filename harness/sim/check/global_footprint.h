/**
 * @file global_footprint.h
 * @brief Which words of global memory a piece of work (a launch or a copy) reads and writes. If no
 * stream and no event puts two pieces in order, they must not use the same word, unless both read
 * it or both change it atomically.
 *
 * Words with volatile or ordered accesses are left out, and so are parts of words, as in the check
 * of one launch (global_race.h).
 */
#ifndef SIM_CHECK_GLOBAL_FOOTPRINT_H
#define SIM_CHECK_GLOBAL_FOOTPRINT_H

#include "tags.h"

#include "sim/memory/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct global_tags;
struct program;
struct sim_allocation;

enum sim_use { SIM_READS, SIM_CHANGES, SIM_WRITES }; /**< SIM_CHANGES: changes atomically */

static inline const char *sim_use_name(enum sim_use use)
{
    return use == SIM_READS ? "read" : use == SIM_CHANGES ? "atomic access" : "write";
}

/** Neighbouring words that are used in the same way. */
struct sim_used {
    uint64_t first, end; /**< device addresses */
    uint64_t serial;     /**< of the allocation */
    enum sim_use use;
    uint32_t place; /**< the instruction, by its `cache` (program.h); 0: several, or a copy */
};

/** All zero: nothing is used. */
struct sim_footprint {
    struct sim_used *list; /**< by address after sim_footprint_sort(); owned */
    size_t count, capacity;
    _Atomic bool has_waited;  /**< a thread has waited for the previous kernel, so that the launch
                                 ends after that one */
    _Atomic bool waits_first; /**< and before its block let the next kernel begin, so that the next
                                 one begins after it, too */
};

/** Adds what a launch has done in an allocation, from its tags. */
void sim_footprint_add_tags(struct sim_footprint *footprint, const struct program *program,
                            const struct sim_allocation *allocation,
                            const struct global_tags *tags);

/** Adds `size` bytes from `address` on; adds nothing if this is no memory of the device. */
void sim_footprint_add(struct sim_footprint *footprint, uint64_t address, size_t size,
                       enum sim_use use);

/** Call this before footprints are compared. */
void sim_footprint_sort(struct sim_footprint *footprint);

/** Whether two footprints use the same words in the same way. */
bool sim_footprints_equal(const struct sim_footprint *one, const struct sim_footprint *other);

/** The first word that two unordered pieces of work must not both use.
 *  @return its address, and how each piece uses it; 0: there is none. */
uint64_t sim_footprints_clash(const struct sim_footprint *one, const struct sim_footprint *other,
                              const struct sim_used **by_one, const struct sim_used **by_other);

void sim_footprint_free(struct sim_footprint *footprint);

/* Accesses of a kernel that begins before the previous kernel of its stream has ended (programmatic
 * dependent launch). Until a thread has waited for the previous kernel, it must not use what that
 * kernel uses; and after that, not what that kernel has not waited for. */

/** The kernel that runs beside the first part of this one. */
struct sim_beside {
    const char *what;
    const struct program *program;
    const struct sim_footprint *footprint; /**< sorted */
    bool is_awaited; /**< the kernel behind it has waited for it: whoever waits for the one has
                        waited for both */
    const struct sim_beside *rest; /**< the kernel before it, where that may still run, too, because
                                      this one began early; or NULL */
};

/** Before a lane's access of global memory; faults if the previous kernel uses the word, too. */
void sim_early_lane(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    unsigned bytes, enum sim_use use);
/** As sim_early_lane(), for all active lanes. */
void sim_early_warp(struct warp *warp, const struct instruction *at, const struct places *places,
                    unsigned bytes, enum sim_use use);

ALWAYS_INLINE bool sim_is_early(const struct warp *warp)
{
    return __builtin_expect(warp->worker->checks->global.beside != NULL, 0);
}

#endif
