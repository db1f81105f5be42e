/**
 * @file lane.h
 * @brief Reads and writes of one lane, where a whole warp's access cannot be done at once.
 */
#ifndef SIM_ACCESS_LANE_H
#define SIM_ACCESS_LANE_H

#include "sim/memory/places.h"

/** Copies one lane's bytes between a buffer and memory of any space. */
void sim_lane_read(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   void *buffer, unsigned bytes);
void sim_lane_write(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    const void *buffer, unsigned bytes);

#endif
