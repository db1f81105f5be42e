/**
 * @file shared_short_row.h
 * @brief Arrays in shared memory whose rows are shorter than what is indexed in them.
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
 * @brief Whether two threads that one line has store to the same place mean elements of different
 * rows, as the addresses of the lanes beside them tell; says so. The registers tell, as long as
 * they hold what they held: @return false where they do not.
 */
bool sim_say_short_row(const struct row_writer *one, const struct row_writer *other, char *text,
                       size_t size);

#endif
