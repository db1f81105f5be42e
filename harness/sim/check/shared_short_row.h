/**
 * @file shared_short_row.h
 * @brief Arrays in shared memory that are indexed beyond the end of their rows.
 */
#ifndef SIM_CHECK_SHARED_SHORT_ROW_H
#define SIM_CHECK_SHARED_SHORT_ROW_H

#include "sim/machine/warp.h"

#include <stdbool.h>

/** A thread of the block that uses shared memory. */
struct row_writer {
    const struct warp *warp;
    const struct instruction *at;
    unsigned lane;
};

/**
 * @brief Whether two threads that store to the same place from one line mean elements of different
 * rows, by the addresses of their neighbouring lanes; if so, writes a sentence. It reads the
 * addresses from registers.
 * @return false also if the registers no longer hold the addresses.
 */
bool sim_say_short_row(const struct row_writer *one, const struct row_writer *other, char *text,
                       size_t size);

#endif
