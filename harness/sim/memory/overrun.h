/**
 * @file overrun.h
 * @brief Arrays with rows: accesses that run past the end of a row into the next one.
 */
#ifndef SIM_MEMORY_OVERRUN_H
#define SIM_MEMORY_OVERRUN_H

#include "memory.h"

#include "sim/machine/warp.h"

/** An access to an array with rows that runs past the last column. */
struct overrun {
    const struct sim_allocation *array;
    uint64_t row, column; /**< that the thread means: the column is past the end of the row */
};

/** Finds the element at an address in or behind an array; false: its rows are not known. */
bool sim_row_element(const struct sim_allocation *array, uint64_t address, uint64_t *row,
                     uint64_t *column);

/** "C[0][15]" */
void sim_name_element(const struct sim_allocation *array, uint64_t row, uint64_t column, char *text,
                      size_t size);

/** Whether the threads of a launch seem to take the elements of an array one by one, without regard
 *  to rows: the launch has one dimension, and the lanes of the warp access neighbours. */
bool sim_is_flat(const struct warp *warp, const struct instruction *at, unsigned bytes);

/**
 * @brief Whether a lane's access of `bytes` in global memory continues the accesses of the lanes
 * before it, which began in an earlier row. This reads the warp's address registers. If the warp
 * has gone on since, they may have changed. @return false also where they no longer hold `address`.
 */
bool sim_find_overrun(const struct warp *warp, const struct instruction *at, int lane,
                      uint64_t address, unsigned bytes, struct overrun *found);

/** The same for any lane of the warp that accesses the address. */
bool sim_find_overrun_of_warp(const struct warp *warp, const struct instruction *at,
                              uint64_t address, unsigned bytes, struct overrun *found);

/** "C[0][15], column 15 of 15, runs into the next row: ..." */
void sim_say_overrun(const struct overrun *overrun, char *text, size_t size);

#endif
