/**
 * @file names.h
 * @brief How messages name a place in memory and an earlier access.
 */
#ifndef SIM_MEMORY_NAMES_H
#define SIM_MEMORY_NAMES_H

#include "sim/machine/warp.h"

#include <stddef.h>
#include <stdint.h>

/** A C++ name as it is written in source code. */
void sim_demangle(const char *mangled, char *text, size_t size);

/** The same without its scope: "tile" for kernel(int)::tile. */
void sim_short_name(const char *mangled, char *text, size_t size);

/** The variable of shared memory that holds an offset; NULL: it is in dynamic shared memory. */
const struct shared_variable *sim_find_shared(const struct warp *warp, uint64_t offset);

/** The variable of shared memory that an instruction's address is computed from; NULL: unknown. */
const struct shared_variable *sim_shared_base(const struct warp *warp,
                                              const struct instruction *at);

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
/** The same without the folder. */
void sim_name_short_place(const struct program *program, uint32_t cache, char *text, size_t size);

#endif
