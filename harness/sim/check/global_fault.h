/**
 * @file global_fault.h
 * @brief Messages about two unordered accesses to a word of global memory.
 */
#ifndef SIM_CHECK_GLOBAL_FAULT_H
#define SIM_CHECK_GLOBAL_FAULT_H

#include "global_footprint.h"
#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** A clash of an access with an earlier one. */
struct finding {
    int lane;
    enum sim_use use, earlier;
    uint64_t tag;      /**< of the earlier access */
    bool stayed;       /**< the later access writes the value that was there already */
    bool is_strong;    /**< the access that writes is volatile, relaxed or ordered */
    uint32_t place;    /**< of the later access; 0: the instruction that is checked */
    const char *cause; /**< NULL: it is found from the code around the accesses */
};

/** Reports the clash as a fault. */
void sim_global_fault(struct warp *warp, const struct instruction *at, const char *storage,
                      const struct finding *finding);

/** Warns of a clash that does no harm, because the written value is there already. */
void sim_global_warn(struct warp *warp, const struct instruction *at, const char *storage,
                     const struct finding *finding);

/** Writes "this write by thread (3, 0, 0) of block (1, 0, 0) and the read at kernel.cu:12 ..." */
void sim_global_describe(const struct warp *warp, const struct finding *finding, char *text,
                         size_t size);

#endif
