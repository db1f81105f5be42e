/* The table of names. Symbols never move, so pointers to them stay valid while the table grows. */
#include "sim/ptx/parser.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static struct ptx_symbol **slot_of(const struct ptx_symbols *symbols, const char *text,
                                   size_t length, uint32_t hash)
{
    size_t mask = symbols->slot_count - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        const struct ptx_symbol *symbol = symbols->slots[i];

        if (!symbol || (symbol->hash == hash && symbol->length == length &&
                        memcmp(symbol->name, text, length) == 0))
            return &symbols->slots[i];
    }
}

/* The old slots stay in the arena. As the table doubles, they waste at most its size again. */
static bool grow(struct ptx_symbols *symbols)
{
    struct ptx_symbols larger = *symbols;

    larger.slot_count = symbols->slot_count ? symbols->slot_count * 2 : FIRST_SLOTS;
    larger.slots =
        ptx_arena_allocate(symbols->arena, larger.slot_count * sizeof(struct ptx_symbol *));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < symbols->slot_count; i++) {
        struct ptx_symbol *symbol = symbols->slots[i];

        if (symbol)
            *slot_of(&larger, symbol->name, symbol->length, symbol->hash) = symbol;
    }
    *symbols = larger;
    return true;
}

struct ptx_symbol *ptx_symbols_intern(struct ptx_symbols *symbols, const char *text, size_t length)
{
    uint32_t hash = hash_text(text, length);

    if (2 * symbols->used >= symbols->slot_count && !grow(symbols))
        return NULL;

    struct ptx_symbol **slot = slot_of(symbols, text, length, hash);
    if (*slot)
        return *slot;

    struct ptx_symbol *symbol = ptx_arena_allocate(symbols->arena, sizeof *symbol + length + 1);
    if (!symbol)
        return NULL;
    char *name = (char *)(symbol + 1);
    memcpy(name, text, length);
    *symbol = (struct ptx_symbol){.name = name, .length = length, .hash = hash};
    *slot = symbol;
    symbols->used++;
    return symbol;
}

struct ptx_symbol *ptx_symbols_find(const struct ptx_symbols *symbols, const char *text,
                                    size_t length)
{
    if (!symbols->slot_count)
        return NULL;
    return *slot_of(symbols, text, length, hash_text(text, length));
}
