/* Records requests. A hash table with a lock numbers the patterns for all threads of a launch. A
 * thread asks it only for patterns that are not in the thread's own small table. */
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_BITS = 3,
    PATTERN_BITS = 20,
    PATTERN_CAPACITY = 1 << PATTERN_BITS,
    TABLE_SIZE = 2 * PATTERN_CAPACITY,
    KNOWN_SIZE = 4096
};

struct trace_patterns {
    pthread_mutex_t adding;
    unsigned count;
    const struct trace_pattern *_Atomic *list; /* read by replaying threads without the lock */
    uint32_t *table;                           /* open addressing: number + 1 */
};

struct request {
    uint64_t line[TRACE_LINES];
    uint8_t sectors[TRACE_LINES];
    uint64_t largest; /* line; 0: none yet. Addresses mostly ascend, so that a larger one is new */
    unsigned count;
};

struct trace_recorder {
    struct trace_patterns *patterns;
    uint64_t base;
    bool has_failed;
    uint32_t known[KNOWN_SIZE]; /* by hash: number + 1 */
    struct words {
        uint64_t *list;
        size_t count, capacity;
    } warps[TRACE_WARPS];
};

/* ---- Patterns ---- */

struct trace_patterns *sim_trace_patterns_create(void)
{
    struct trace_patterns *const patterns = calloc(1, sizeof *patterns);
    if (!patterns)
        return NULL;
    pthread_mutex_init(&patterns->adding, NULL);
    patterns->list = calloc(PATTERN_CAPACITY, sizeof *patterns->list);
    patterns->table = calloc(TABLE_SIZE, sizeof *patterns->table);
    if (patterns->list && patterns->table)
        return patterns;
    sim_trace_patterns_free(patterns);
    return NULL;
}

void sim_trace_patterns_free(struct trace_patterns *patterns)
{
    if (!patterns)
        return;
    for (unsigned i = 0; i < patterns->count; i++)
        free((void *)patterns->list[i]);
    pthread_mutex_destroy(&patterns->adding);
    free((void *)patterns->list);
    free(patterns->table);
    free(patterns);
}

const struct trace_pattern *sim_trace_pattern(const struct trace_patterns *patterns, uint64_t word)
{
    return patterns->list[word >> KIND_BITS & (PATTERN_CAPACITY - 1)];
}

static uint64_t hash_of(const struct request *request)
{
    uint64_t hash = request->count;
    for (unsigned i = 0; i < request->count; i++)
        hash = (hash ^ (request->line[i] - request->line[0]) << 4 ^ request->sectors[i]) *
               UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool is_like(const struct trace_pattern *pattern, const struct request *request)
{
    if (pattern->count != request->count)
        return false;
    for (unsigned i = 0; i < request->count; i++)
        if (pattern->lines[i].sectors != request->sectors[i] ||
            pattern->lines[i].distance != (int64_t)(request->line[i] - request->line[0]))
            return false;
    return true;
}

static struct trace_pattern *pattern_of(const struct request *request)
{
    struct trace_pattern *const pattern =
        malloc(sizeof *pattern + request->count * sizeof pattern->lines[0]);
    if (!pattern)
        return NULL;
    pattern->count = request->count;
    for (unsigned i = 0; i < request->count; i++)
        pattern->lines[i] = (struct trace_line){(int64_t)(request->line[i] - request->line[0]),
                                                request->sectors[i]};
    return pattern;
}

/* The caller holds the lock. @return number + 1; 0 when no more fit. */
static uint32_t add_pattern(struct trace_patterns *patterns, const struct request *request,
                            uint64_t hash)
{
    uint64_t place = hash % TABLE_SIZE;
    for (; patterns->table[place]; place = (place + 1) % TABLE_SIZE)
        if (is_like(patterns->list[patterns->table[place] - 1], request))
            return patterns->table[place];
    if (patterns->count == PATTERN_CAPACITY)
        return 0;
    const struct trace_pattern *const pattern = pattern_of(request);
    if (!pattern)
        return 0;
    patterns->list[patterns->count] = pattern;
    return patterns->table[place] = ++patterns->count;
}

static uint32_t number_pattern(struct trace_recorder *recorder, const struct request *request)
{
    struct trace_patterns *const patterns = recorder->patterns;
    const uint64_t hash = hash_of(request);
    uint32_t *const known = &recorder->known[hash % KNOWN_SIZE];
    if (*known && is_like(patterns->list[*known - 1], request))
        return *known;
    pthread_mutex_lock(&patterns->adding);
    const uint32_t number = add_pattern(patterns, request, hash);
    pthread_mutex_unlock(&patterns->adding);
    return *known = number;
}

/* ---- Requests ---- */

struct trace_recorder *sim_trace_recorder_create(struct trace_patterns *patterns, uint64_t base)
{
    struct trace_recorder *const recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->patterns = patterns;
    recorder->base = base;
    return recorder;
}

void sim_trace_recorder_free(struct trace_recorder *recorder)
{
    if (!recorder)
        return;
    for (unsigned warp = 0; warp < TRACE_WARPS; warp++)
        free(recorder->warps[warp].list);
    free(recorder);
}

static void append(struct trace_recorder *recorder, unsigned warp, uint64_t word)
{
    struct words *const words = &recorder->warps[warp];
    if (words->count == words->capacity) {
        const size_t larger = words->capacity ? 2 * words->capacity : 1024;
        uint64_t *const moved = realloc(words->list, larger * sizeof *moved);
        if (!moved) {
            recorder->has_failed = true;
            return;
        }
        words->list = moved;
        words->capacity = larger;
    }
    words->list[words->count++] = word;
}

static void append_request(struct trace_recorder *recorder, unsigned warp, enum trace_kind kind,
                           uint64_t line, uint32_t pattern)
{
    append(recorder, warp,
           line << (KIND_BITS + PATTERN_BITS) | (uint64_t)(pattern - 1) << KIND_BITS | kind);
}

static void add_sector(struct request *request, uint64_t address)
{
    const uint64_t line = address >> CACHE_LINE_SHIFT;
    const uint8_t bit = (uint8_t)(1 << (address / CACHE_SECTOR_BYTES % CACHE_LINE_SECTORS));
    const bool is_new = request->count == 0 || line > request->largest;
    for (unsigned i = is_new ? 0 : request->count; i-- > 0;) {
        if (request->line[i] == line) {
            request->sectors[i] |= bit;
            return;
        }
    }
    if (is_new)
        request->largest = line;
    request->line[request->count] = line;
    request->sectors[request->count++] = bit;
}

unsigned sim_trace_request(struct trace_recorder *recorder, unsigned warp, enum trace_kind kind,
                           const uint64_t *address, uint32_t active, unsigned bytes,
                           uint32_t *pattern)
{
    struct request request;
    unsigned sectors = 0;
    request.count = 0; /* the lists stay unwritten: they are long, and this runs for every access */
    request.largest = 0;
    for (unsigned lane = 0; lane < TRACE_LANES; lane++) {
        if (!(active >> lane & 1))
            continue;
        const uint64_t first = address[lane] - recorder->base, last = first + bytes - 1;
        add_sector(&request, first);
        if ((first ^ last) / CACHE_SECTOR_BYTES)
            add_sector(&request, last);
    }
    for (unsigned i = 0; i < request.count; i++)
        sectors += (unsigned)__builtin_popcount(request.sectors[i]);
    *pattern = number_pattern(recorder, &request);
    if (*pattern == 0)
        recorder->has_failed = true;
    append_request(recorder, warp, kind, request.line[0], *pattern);
    return sectors;
}

void sim_trace_again(struct trace_recorder *recorder, unsigned warp, enum trace_kind kind,
                     uint64_t first_address, uint32_t pattern)
{
    append_request(recorder, warp, kind, (first_address - recorder->base) >> CACHE_LINE_SHIFT,
                   pattern);
}

void sim_trace_barrier(struct trace_recorder *recorder, unsigned warp)
{
    append(recorder, warp, TRACE_BARRIER);
}

struct trace_block *sim_trace_take(struct trace_recorder *recorder, unsigned warps,
                                   uint64_t instructions)
{
    size_t total = 0;
    for (unsigned warp = 0; warp < warps; warp++)
        total += recorder->warps[warp].count;
    struct trace_block *const block =
        recorder->has_failed ? NULL : malloc(sizeof *block + total * sizeof block->words[0]);
    size_t at = 0;
    for (unsigned warp = 0; warp < warps; warp++) {
        struct words *const words = &recorder->warps[warp];
        if (block) {
            block->first[warp] = at;
            if (words->count)
                memcpy(block->words + at, words->list, words->count * sizeof words->list[0]);
            at += words->count;
        }
        words->count = 0;
    }
    if (!block)
        return NULL;
    block->warps = warps;
    block->first[warps] = at;
    block->gap = total ? (double)instructions / (double)total : 0.0;
    return block;
}
