/**
 * @file arena.h
 * @brief Memory of a parsed module: many small objects, freed all at once.
 */
#ifndef SIM_PTX_ARENA_H
#define SIM_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

/** @return an empty arena, or NULL when there is no memory. */
struct ptx_arena *ptx_arena_create(void);

/** @return `size` zeroed bytes aligned to 16, or NULL when there is no memory. */
void *ptx_arena_allocate(struct ptx_arena *arena, size_t size);

/** Frees everything that came from the arena; NULL is allowed. */
void ptx_arena_destroy(struct ptx_arena *arena);

#endif
