/**
 * @file global_report.h
 * @brief What is said of two accesses to a word of global memory that come in any order.
 */
#ifndef SIM_CHECK_GLOBAL_REPORT_H
#define SIM_CHECK_GLOBAL_REPORT_H

#include "global_footprint.h"
#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** A clash of an access with an earlier one. */
struct finding {
    int lane;
    enum sim_use use, earlier;
    uint64_t tag;      /**< of the earlier one */
    bool stayed;       /**< a write, of the value that was there */
    bool is_strong;    /**< the write */
    uint32_t place;    /**< of the later one, where it is not the instruction itself */
    const char *cause; /**< NULL: what the code around the two tells */
};

/** Faults with the clash. */
void sim_global_report(struct warp *warp, const struct instruction *at, const char *storage,
                       const struct finding *finding);

/** Warns of a clash that does no harm, as the value written is the one that is there. */
void sim_global_warn(struct warp *warp, const struct instruction *at, const char *storage,
                     const struct finding *finding);

/** "this write by thread (3, 0, 0) of block (1, 0, 0) and the read at kernel.cu:12 by block ..." */
void sim_global_describe(const struct warp *warp, const struct finding *finding, char *text,
                         size_t size);

#endif
