/* A bump allocator over zeroed chunks. A module has very many small objects of one lifetime. */
#include "sim/ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 16, CHUNK_BYTES = 256 * 1024, LARGE_BYTES = CHUNK_BYTES / 4 };

struct chunk {
    struct chunk *next;
    size_t unused; /* keeps `bytes` aligned */
    _Alignas(ALIGNMENT) char bytes[];
};

struct ptx_arena {
    struct chunk *chunks;
    char *free, *end; /* the rest of the chunk that small objects come from */
};

struct ptx_arena *ptx_arena_create(void)
{
    return calloc(1, sizeof(struct ptx_arena));
}

static char *add_chunk(struct ptx_arena *arena, size_t bytes)
{
    struct chunk *chunk = calloc(1, sizeof *chunk + bytes);

    if (!chunk)
        return NULL;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk->bytes;
}

void *ptx_arena_allocate(struct ptx_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    /* A large object gets its own chunk, so that it does not waste the rest of the current one. */
    if (size > LARGE_BYTES)
        return add_chunk(arena, size);
    if (!arena->free || (size_t)(arena->end - arena->free) < size) {
        arena->free = add_chunk(arena, CHUNK_BYTES);
        if (!arena->free)
            return NULL;
        arena->end = arena->free + CHUNK_BYTES;
    }
    char *result = arena->free;
    arena->free += size;
    return result;
}

void ptx_arena_destroy(struct ptx_arena *arena)
{
    if (!arena)
        return;
    while (arena->chunks) {
        struct chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        free(chunk);
    }
    free(arena);
}
