/**
 * @file overrun.h
 * @brief Arrays with rows: accesses that go on behind the end of a row into the next one.
 */
#ifndef SIM_MEMORY_OVERRUN_H
#define SIM_MEMORY_OVERRUN_H

#include "memory.h"

#include "sim/machine/warp.h"

/** An access to an array with rows whose lanes go on behind the last column. */
struct overrun {
    const struct sim_allocation *array;
    uint64_t row, column; /**< as the thread means it: column is none of the row's */
};

/** Whether the address is that of an element, in or behind the array, of rows that are known. */
bool sim_row_element(const struct sim_allocation *array, uint64_t address, uint64_t *row,
                     uint64_t *column);

/** "C[0][15]" */
void sim_name_element(const struct sim_allocation *array, uint64_t row, uint64_t column, char *text,
                      size_t size);

/** Whether the threads of a launch seem to count through the elements of an array, rows or not: one
 *  dimension, and a warp at neighbours. */
bool sim_is_flat(const struct warp *warp, const struct instruction *at, unsigned bytes);

/**
 * @brief Whether a lane's access of `bytes` at an address of global memory follows upon those of
 * the lanes before it out of an earlier row. The registers tell, those of a warp that has gone on
 * too as long as they hold what they held: @return false where they do not.
 */
bool sim_find_overrun(const struct warp *warp, const struct instruction *at, int lane,
                      uint64_t address, unsigned bytes, struct overrun *found);

/** The same of whichever lane of the warp accesses the address. */
bool sim_find_overrun_of_warp(const struct warp *warp, const struct instruction *at,
                              uint64_t address, unsigned bytes, struct overrun *found);

/** "C[0][15], column 15 of 15, runs into the next row: ..." */
void sim_say_overrun(const struct overrun *overrun, char *text, size_t size);

#endif
