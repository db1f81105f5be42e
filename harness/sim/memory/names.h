/**
 * @file names.h
 * @brief How messages name a place in memory and an earlier access.
 */
#ifndef SIM_MEMORY_NAMES_H
#define SIM_MEMORY_NAMES_H

#include "memory.h"

#include "sim/machine/warp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A C++ name as it is written in source code. */
void sim_demangle(const char *mangled, char *text, size_t size);

/** The same without its scope: "tile" for kernel(int)::tile. */
void sim_short_name(const char *mangled, char *text, size_t size);

/** The variable of shared memory that holds an offset; NULL: it is in dynamic shared memory. */
const struct shared_variable *sim_find_shared(const struct warp *warp, uint64_t offset);

/** The variable of shared memory that an address is computed from, of an instruction of the
 * function that the warp executes; NULL: unknown. */
const struct shared_variable *sim_shared_base(const struct warp *warp,
                                              const struct ptx_instruction *source);

/** "element 5 of tile in shared memory". */
void sim_name_shared(const struct warp *warp, uint64_t offset, unsigned bytes, char *text,
                     size_t size);

/** "C[1][5]" where the rows are known; else "element 5 of C", or of "the allocation of 64 bytes".
 */
void sim_name_global(uint64_t address, unsigned bytes, char *text, size_t size);

/** "thread (3, 0, 0) of block (1, 0, 0)" */
void sim_name_thread(const struct warp *warp, int lane, char *text, size_t size);

/** The instruction with a number of the allocation cache; NULL if there is none. */
const struct instruction *sim_find_instruction(const struct program *program, uint32_t cache);

/** The source of the instruction with a number of the allocation cache; NULL if there is none. */
const struct ptx_instruction *sim_find_place(const struct program *program, uint32_t cache);

/** "256 threads". A block of several dimensions is shown with its shape, since the kernel may use
 *  only threadIdx.x. */
void sim_name_threads(const struct launch *launch, char *text, size_t size);

/** sim_name_shared() or sim_name_global(), by the window of the address. */
void sim_name_memory(const struct warp *warp, uint64_t address, unsigned bytes, char *text,
                     size_t size);

/** Size of the elements that an instruction accesses, from its type. */
unsigned sim_element_bytes(const struct ptx_instruction *source);

/** "file.cu:12" of the instruction with a number of the allocation cache. */
void sim_name_place(const struct program *program, uint32_t cache, char *text, size_t size);
/** The same of an instruction; NULL: it is not known. */
void sim_name_source(const struct program *program, const struct ptx_instruction *source,
                     char *text, size_t size);
/** The same without the folder. */
void sim_name_short_place(const struct program *program, uint32_t cache, char *text, size_t size);

/* How the source declares an array in shared memory, and how a line of it uses the array. */

enum { SIM_MOST_INDICES = 3, SIM_INDEX_BYTES = 48 };

/** Texts between brackets, as the source has them: extents or indices. */
struct sim_indices {
    int count;
    char text[SIM_MOST_INDICES][SIM_INDEX_BYTES];
    bool is_kept[SIM_MOST_INDICES]; /**< of an index: a loop or a guard keeps it below its extent */
};

/** Messages quote the source from now on, or not: it may be somebody else's. */
void sim_declared_allow(bool allowed);

/**
 * @brief Finds the extents of array `name` in the last `__shared__` declaration before `line`, and
 * its indices on that line.
 * @return false unless both are known and as many, and all uses on the line are alike
 */
bool sim_declared_find(const char *file, int line, const char *name, struct sim_indices *extents,
                       struct sim_indices *indices);

/* ---- Arrays with rows: accesses that run past the end of a row into the next one ---- */

/** An access to an array with rows that runs past the last column. */
struct overrun {
    const struct sim_allocation *array;
    uint64_t row, column; /**< that the thread means: the column is past the end of the row */
};

/** For a launch in one dimension with a thread for each element of an output: whether the thread
 *  accesses the element that it would have if row and column were exchanged, and says so. */
bool sim_say_exchanged_element(const struct warp *warp, int lane, uint64_t address, char *text,
                               size_t size);

/** Finds the element at an address in or behind an array; false: its rows are not known. */
bool sim_row_element(const struct sim_allocation *array, uint64_t address, uint64_t *row,
                     uint64_t *column);

/** "C[0][15]" */
void sim_name_element(const struct sim_allocation *array, uint64_t row, uint64_t column, char *text,
                      size_t size);

/** How many bytes neighbouring threads' addresses lie apart, if that is the same for all of a full
 *  warp, and they rise; else 0. */
uint64_t sim_lanes_apart(const struct warp *warp, const struct instruction *at);

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

/** The same of a store, whose row and column may be those of an input that the output is the
 *  transpose of: then they may be exchanged. */
void sim_say_overrun_of(const struct warp *warp, const struct overrun *overrun, char *text,
                        size_t size);

#endif
