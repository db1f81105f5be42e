/**
 * @file shape.h
 * @brief Which grids and blocks may be launched.
 */
#ifndef SIM_LAUNCH_SHAPE_H
#define SIM_LAUNCH_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * @brief Whether a kernel may be launched in this shape.
 * @param max_threads  of a block, from the kernel's launch bounds
 * @param why  receives one line when it may not
 */
bool sim_shape_allowed(const unsigned grid[3], const unsigned block[3], int max_threads, char *why,
                       size_t size);

#endif
