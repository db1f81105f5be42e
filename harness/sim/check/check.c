/* The check of an atomic operation. */
#include "check.h"

void sim_check_atomic(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                      const void *cell, unsigned bytes, bool reads)
{
    if (reads)
        sim_check_lane_unwritten(warp, at, lane, address, cell, bytes);
    if ((address & WINDOW_MASK) == SHARED_WINDOW)
        sim_check_shared_atomic(warp, at, lane, (uint32_t)(address - SHARED_WINDOW), bytes);
    else if ((address & WINDOW_MASK) == 0)
        sim_global_atomic(warp, at, lane, cell, bytes);
}
