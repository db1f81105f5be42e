/* ld and st in all spaces: one handler for each space and element; vectors go element by element.
 *
 * Volatile, relaxed, acquire and release accesses need nothing more: what a lane reads or writes is
 * one aligned access of the host, and the host orders them more strongly than PTX asks. */
#include "access.h"
#include "address.h"
#include "exec.h"

#include <string.h>

/* ---- Elements: what lies in memory, and the row it becomes ---- */

#define LOAD_ELEMENTS(X)                                                                           \
    X(u8_w, uint8_t, uint32_t, uint32_t)                                                           \
    X(s8_h, int8_t, uint32_t, uint16_t)                                                            \
    X(s8_w, int8_t, uint32_t, int32_t)                                                             \
    X(u16_w, uint16_t, uint32_t, uint32_t)                                                         \
    X(s16_w, int16_t, uint32_t, int32_t)                                                           \
    X(b32_w, uint32_t, uint32_t, uint32_t)                                                         \
    X(u8_l, uint8_t, uint64_t, uint64_t)                                                           \
    X(s8_l, int8_t, uint64_t, int64_t)                                                             \
    X(u16_l, uint16_t, uint64_t, uint64_t)                                                         \
    X(s16_l, int16_t, uint64_t, int64_t)                                                           \
    X(u32_l, uint32_t, uint64_t, uint64_t)                                                         \
    X(s32_l, int32_t, uint64_t, int64_t)                                                           \
    X(b64_l, uint64_t, uint64_t, uint64_t)

#define STORE_ELEMENTS(X)                                                                          \
    X(b8_w, uint8_t, uint32_t)                                                                     \
    X(b16_w, uint16_t, uint32_t)                                                                   \
    X(b32_w, uint32_t, uint32_t)                                                                   \
    X(b8_l, uint8_t, uint64_t)                                                                     \
    X(b16_l, uint16_t, uint64_t)                                                                   \
    X(b32_l, uint32_t, uint64_t)                                                                   \
    X(b64_l, uint64_t, uint64_t)

/* ---- Addresses of an instruction ---- */

ALWAYS_INLINE void addresses64(const struct warp *warp, const struct instruction *at,
                               struct places *places)
{
    places->address = sim_row(warp, at->a);
    places->plus = (uint64_t)at->offset;
    if (warp->active != ALL_LANES) {
        fill_inactive64(places->filled, places->address, warp->active);
        places->address = places->filled;
    }
}

/* Offsets in a window; those that do not fit in 32 bits become the largest, which never fits. */
ALWAYS_INLINE void offsets_of64(const struct warp *warp, const struct instruction *at,
                                uint32_t *offset)
{
    const uint64_t *const row = sim_row(warp, at->a);
    EACH_LANE
    {
        const uint64_t wide = row[lane] + (uint64_t)at->offset;
        offset[lane] = wide > 0xffffff00 ? 0xffffff00 : (uint32_t)wide;
    }
    if (warp->active != ALL_LANES)
        fill_inactive32(offset, warp->active);
}

ALWAYS_INLINE void offsets_of32(const struct warp *warp, const struct instruction *at,
                                uint32_t *offset)
{
    const uint32_t *const row = sim_row(warp, at->a);
    EACH_LANE offset[lane] = row[lane] + (uint32_t)at->offset;
    if (warp->active != ALL_LANES)
        fill_inactive32(offset, warp->active);
}

enum space { SPACE_DEVICE, SPACE_GENERIC, SPACE_SHARED, SPACE_SHARED32 };

ALWAYS_INLINE void resolve(struct warp *warp, const struct instruction *at, enum space space,
                           unsigned bytes, struct places *places)
{
    places->is_shared = false;
    places->base = NULL;
    if (space == SPACE_SHARED || space == SPACE_SHARED32) {
        if (space == SPACE_SHARED)
            offsets_of64(warp, at, places->offset);
        else
            offsets_of32(warp, at, places->offset);
        resolve_shared(warp, bytes, places);
        return;
    }
    addresses64(warp, at, places);
    if (space == SPACE_DEVICE)
        resolve_device(warp, at, bytes, places);
    else
        resolve_generic(warp, at, bytes, places);
}

/* ---- Loads ---- */

/* Copies elements to a row of 4- or 8-byte lanes. */
#define GATHER(MEMORY, ROW, CAST, row)                                                             \
    switch (places.pattern) {                                                                      \
    case PATTERN_UNIT:                                                                             \
        EACH_LANE row[lane] = (ROW)(CAST)((const MEMORY *)places.base)[lane];                      \
        break;                                                                                     \
    case PATTERN_SAME: {                                                                           \
        const ROW value = (ROW)(CAST) * (const MEMORY *)places.base;                               \
        EACH_LANE row[lane] = value;                                                               \
        break;                                                                                     \
    }                                                                                              \
    case PATTERN_OFFSETS:                                                                          \
        if (sizeof(MEMORY) == 4 && sizeof(ROW) == 4)                                               \
            gather_words((uint32_t *)row, places.base, places.offset);                             \
        else                                                                                       \
            for (int lane = 0; lane < WARP_LANES; lane++)                                          \
                row[lane] = (ROW)(CAST) * (const MEMORY *)(places.base + places.offset[lane]);     \
        break;                                                                                     \
    case PATTERN_ADDRESSES:                                                                        \
        if (sizeof(MEMORY) == 4 && sizeof(ROW) == 4)                                               \
            gather_words64((uint32_t *)row, places.address, places.bias);                          \
        else                                                                                       \
            for (int lane = 0; lane < WARP_LANES; lane++)                                          \
                row[lane] =                                                                        \
                    (ROW)(CAST) * (const MEMORY *)(uintptr_t)(places.address[lane] + places.bias); \
        break;                                                                                     \
    case PATTERN_SLOW:                                                                             \
        memset(row, 0, sizeof(ROW) * WARP_LANES);                                                  \
        EACH_ACTIVE(lane, warp->active)                                                            \
        {                                                                                          \
            MEMORY value;                                                                          \
            sim_lane_read(warp, at, (int)lane, slow_address(&places, lane), &value, sizeof value); \
            row[lane] = (ROW)(CAST)value;                                                          \
        }                                                                                          \
    }

#define DEFINE_LOAD(space_name, SPACE, name, MEMORY, ROW, CAST)                                    \
    static const struct instruction *load_##space_name##_##name(struct warp *warp,                 \
                                                                const struct instruction *at)      \
    {                                                                                              \
        struct places places;                                                                      \
        resolve(warp, at, SPACE, sizeof(MEMORY), &places);                                         \
        if (warp->active == ALL_LANES && places.pattern != PATTERN_SLOW) {                         \
            ROW *const d_row = sim_row(warp, at->d);                                               \
            GATHER(MEMORY, ROW, CAST, d_row)                                                       \
        } else {                                                                                   \
            ROW result[WARP_LANES];                                                                \
            GATHER(MEMORY, ROW, CAST, result)                                                      \
            BLEND_LANES(ROW, sim_row(warp, at->d), result, warp->active);                          \
        }                                                                                          \
        return at + 1;                                                                             \
    }

#define DEFINE_LOADS(name, MEMORY, ROW, CAST)                                                      \
    DEFINE_LOAD(device, SPACE_DEVICE, name, MEMORY, ROW, CAST)                                     \
    DEFINE_LOAD(generic, SPACE_GENERIC, name, MEMORY, ROW, CAST)                                   \
    DEFINE_LOAD(shared, SPACE_SHARED, name, MEMORY, ROW, CAST)                                     \
    DEFINE_LOAD(shared32, SPACE_SHARED32, name, MEMORY, ROW, CAST)

LOAD_ELEMENTS(DEFINE_LOADS)

/* ---- Stores ---- */

#define DEFINE_STORE(space_name, SPACE, name, MEMORY, ROW)                                         \
    static const struct instruction *store_##space_name##_##name(struct warp *warp,                \
                                                                 const struct instruction *at)     \
    {                                                                                              \
        struct places places;                                                                      \
        const ROW *const value = sim_row(warp, at->b);                                             \
        resolve(warp, at, SPACE, sizeof(MEMORY), &places);                                         \
        if (places.pattern == PATTERN_SLOW) {                                                      \
            EACH_ACTIVE(lane, warp->active)                                                        \
            {                                                                                      \
                const MEMORY one = (MEMORY)value[lane];                                            \
                sim_lane_write(warp, at, (int)lane, slow_address(&places, lane), &one,             \
                               sizeof one);                                                        \
            }                                                                                      \
        } else if (places.pattern == PATTERN_SAME) {                                               \
            *(MEMORY *)places.base = (MEMORY)value[31 - __builtin_clz(warp->active)];              \
        } else if (places.pattern == PATTERN_UNIT && warp->active == ALL_LANES) {                  \
            EACH_LANE((MEMORY *)places.base)[lane] = (MEMORY)value[lane];                          \
        } else if (places.pattern == PATTERN_UNIT) {                                               \
            EACH_ACTIVE(lane, warp->active)((MEMORY *)places.base)[lane] = (MEMORY)value[lane];    \
        } else {                                                                                   \
            EACH_ACTIVE(lane, warp->active)                                                        \
            *(MEMORY *)place_of(&places, lane, sizeof(MEMORY)) = (MEMORY)value[lane];              \
        }                                                                                          \
        return at + 1;                                                                             \
    }

#define DEFINE_STORES(name, MEMORY, ROW)                                                           \
    DEFINE_STORE(device, SPACE_DEVICE, name, MEMORY, ROW)                                          \
    DEFINE_STORE(generic, SPACE_GENERIC, name, MEMORY, ROW)                                        \
    DEFINE_STORE(shared, SPACE_SHARED, name, MEMORY, ROW)                                          \
    DEFINE_STORE(shared32, SPACE_SHARED32, name, MEMORY, ROW)

STORE_ELEMENTS(DEFINE_STORES)

/* ---- Local memory ---- */

/* Local addresses of an access; true if all lanes are at the same one. */
static bool local_offsets(struct warp *warp, const struct instruction *at, bool is_wide,
                          unsigned bytes, enum access_kind kind, uint32_t *offset)
{
    const size_t limit = warp->local_base + warp->function->local_bytes;
    if (is_wide)
        offsets_of64(warp, at, offset);
    else
        offsets_of32(warp, at, offset);
    uint32_t same = 0, all = 0, high = 0;
    EACH_LANE
    {
        same |= offset[lane] ^ offset[0];
        all |= offset[lane];
        high = offset[lane] > high ? offset[lane] : high;
    }
    if (all % bytes == 0 && (size_t)high + bytes <= limit)
        return same == 0;
    EACH_ACTIVE(lane, warp->active)
    if (offset[lane] % bytes != 0 || (size_t)offset[lane] + bytes > limit)
        sim_access_fault(warp, at, (int)lane, LOCAL_WINDOW + offset[lane], bytes, kind);
    return same == 0;
}

ALWAYS_INLINE uint64_t read_local(const struct warp *warp, int lane, uint32_t offset,
                                  unsigned bytes)
{
    const char *const word =
        warp->local + (size_t)(offset / 4) * ROW32_BYTES + (unsigned)lane * 4 + offset % 4;
    uint32_t low = 0, high = 0;
    memcpy(&low, word, bytes < 4 ? bytes : 4);
    if (bytes == 8)
        memcpy(&high, word + ROW32_BYTES, 4);
    return (uint64_t)high << 32 | low;
}

ALWAYS_INLINE void write_local(const struct warp *warp, int lane, uint32_t offset, uint64_t value,
                               unsigned bytes)
{
    char *const word =
        warp->local + (size_t)(offset / 4) * ROW32_BYTES + (unsigned)lane * 4 + offset % 4;
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    memcpy(word, &low, bytes < 4 ? bytes : 4);
    if (bytes == 8)
        memcpy(word + ROW32_BYTES, &high, 4);
}

/* One element of local memory at per-lane offsets, into or out of a row. */
#define DEFINE_LOCAL_LOAD(name, MEMORY, ROW, CAST)                                                 \
    static void take_local_##name(struct warp *warp, const uint32_t *offset, int32_t d)            \
    {                                                                                              \
        ROW result[WARP_LANES];                                                                    \
        for (int lane = 0; lane < WARP_LANES; lane++)                                              \
            result[lane] =                                                                         \
                (ROW)(CAST)(MEMORY)read_local(warp, lane, offset[lane], sizeof(MEMORY));           \
        if (sizeof(ROW) == 8)                                                                      \
            sim_write64(warp, d, result);                                                          \
        else                                                                                       \
            sim_write32(warp, d, result);                                                          \
    }
LOAD_ELEMENTS(DEFINE_LOCAL_LOAD)

#define DEFINE_LOCAL_STORE(name, MEMORY, ROW)                                                      \
    static void put_local_##name(struct warp *warp, const uint32_t *offset, int32_t row)           \
    {                                                                                              \
        const ROW *const value = sim_row(warp, row);                                               \
        EACH_ACTIVE(lane, warp->active)                                                            \
        write_local(warp, (int)lane, offset[lane], value[lane], sizeof(MEMORY));                   \
    }
STORE_ELEMENTS(DEFINE_LOCAL_STORE)

typedef void local_element(struct warp *warp, const uint32_t *offset, int32_t row);

/* What vectors and local accesses need to know; instruction.extra. */
struct elements {
    int count;
    unsigned bytes; /* of one */
    bool is_wide_address;
    bool is_wide_row;
    bool is_framed; /* the offset counts from the function's local frame */
    local_element *local;
    void (*spread)(struct warp *warp, const void *element, unsigned stride, int32_t row);
    int32_t rows[8]; /* -1: not wanted */
};

static const struct instruction *access_local(struct warp *warp, const struct instruction *at,
                                              enum access_kind kind)
{
    const struct elements *const elements = at->extra;
    const unsigned bytes = elements->bytes * (unsigned)elements->count;
    uint32_t offset[WARP_LANES];
    if (elements->is_framed) {
        EACH_LANE offset[lane] = warp->local_base + (uint32_t)at->offset;
    } else {
        local_offsets(warp, at, elements->is_wide_address, bytes, kind, offset);
    }
    for (int i = 0; i < elements->count; i++) {
        if (elements->rows[i] >= 0)
            elements->local(warp, offset, elements->rows[i]);
        EACH_LANE offset[lane] += elements->bytes;
    }
    return at + 1;
}

static const struct instruction *load_local(struct warp *warp, const struct instruction *at)
{
    return access_local(warp, at, ACCESS_READ);
}

static const struct instruction *store_local(struct warp *warp, const struct instruction *at)
{
    return access_local(warp, at, ACCESS_WRITE);
}

/* 4-byte elements of the frame, such as arguments of calls, are whole rows. */
static const struct instruction *load_frame_b32(struct warp *warp, const struct instruction *at)
{
    sim_write32(warp, at->d, sim_local_row(warp, warp->local_base, (int32_t)at->offset));
    return at + 1;
}

static const struct instruction *store_frame_b32(struct warp *warp, const struct instruction *at)
{
    void *const to = sim_local_row(warp, warp->local_base, (int32_t)at->offset);
    const void *const from = sim_row(warp, at->b);
    if (warp->active == ALL_LANES)
        memcpy(to, from, ROW32_BYTES);
    else
        sim_blend32(to, from, warp->active);
    return at + 1;
}

/* ---- Vectors ---- */

/* Spreads elements that lie `stride` bytes apart over the active lanes of a row. */
#define DEFINE_SPREAD(name, MEMORY, ROW, CAST)                                                     \
    static void spread_##name(struct warp *warp, const void *element, unsigned stride,             \
                              int32_t row)                                                         \
    {                                                                                              \
        ROW result[WARP_LANES];                                                                    \
        for (unsigned lane = 0; lane < WARP_LANES; lane++)                                         \
            result[lane] = (ROW)(CAST) * (const MEMORY *)((const char *)element + lane * stride);  \
        if (sizeof(ROW) == 8)                                                                      \
            sim_write64(warp, row, result);                                                        \
        else                                                                                       \
            sim_write32(warp, row, result);                                                        \
    }
LOAD_ELEMENTS(DEFINE_SPREAD)

/* The widest vector has 32 bytes; the buffer makes lanes of any pattern equally far apart. */
ALWAYS_INLINE const struct instruction *load_vector(struct warp *warp, const struct instruction *at,
                                                    enum space space, unsigned bytes)
{
    const struct elements *const elements = at->extra;
    struct places places;
    char buffer[WARP_LANES * 32] __attribute__((aligned(64)));
    const char *from = buffer;
    unsigned stride = bytes;
    resolve(warp, at, space, bytes, &places);
    if (places.pattern == PATTERN_UNIT || places.pattern == PATTERN_SAME) {
        from = places.base;
        stride = places.pattern == PATTERN_SAME ? 0 : bytes;
    } else if (places.pattern != PATTERN_SLOW) {
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            memcpy(buffer + lane * bytes, place_of(&places, lane, bytes), bytes);
    } else {
        memset(buffer, 0, sizeof buffer);
        EACH_ACTIVE(lane, warp->active)
        sim_lane_read(warp, at, (int)lane, slow_address(&places, lane), buffer + lane * bytes,
                      bytes);
    }
    for (int i = 0; i < elements->count; i++)
        if (elements->rows[i] >= 0)
            elements->spread(warp, from + (unsigned)i * elements->bytes, stride, elements->rows[i]);
    return at + 1;
}

ALWAYS_INLINE const struct instruction *
store_vector(struct warp *warp, const struct instruction *at, enum space space, unsigned bytes)
{
    const struct elements *const elements = at->extra;
    struct places places;
    char buffer[WARP_LANES * 32] __attribute__((aligned(64)));
    resolve(warp, at, space, bytes, &places);
    for (int i = 0; i < elements->count; i++) {
        const char *const row = sim_row(warp, elements->rows[i]);
        const unsigned width = elements->is_wide_row ? 8 : 4;
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            memcpy(buffer + lane * bytes + (unsigned)i * elements->bytes, row + lane * width,
                   elements->bytes);
    }
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const from = buffer + lane * bytes;
        if (places.pattern == PATTERN_SLOW)
            sim_lane_write(warp, at, (int)lane, slow_address(&places, lane), from, bytes);
        else
            memcpy(place_of(&places, lane, bytes), from, bytes);
    }
    return at + 1;
}

#define DEFINE_VECTORS(space_name, SPACE, bytes)                                                   \
    static const struct instruction *load_##space_name##_v##bytes(struct warp *warp,               \
                                                                  const struct instruction *at)    \
    {                                                                                              \
        return load_vector(warp, at, SPACE, bytes);                                                \
    }                                                                                              \
    static const struct instruction *store_##space_name##_v##bytes(struct warp *warp,              \
                                                                   const struct instruction *at)   \
    {                                                                                              \
        return store_vector(warp, at, SPACE, bytes);                                               \
    }
#define DEFINE_VECTOR_SIZES(space_name, SPACE)                                                     \
    DEFINE_VECTORS(space_name, SPACE, 2)                                                           \
    DEFINE_VECTORS(space_name, SPACE, 4)                                                           \
    DEFINE_VECTORS(space_name, SPACE, 8)                                                           \
    DEFINE_VECTORS(space_name, SPACE, 16)                                                          \
    DEFINE_VECTORS(space_name, SPACE, 32)

DEFINE_VECTOR_SIZES(device, SPACE_DEVICE)
DEFINE_VECTOR_SIZES(generic, SPACE_GENERIC)
DEFINE_VECTOR_SIZES(shared, SPACE_SHARED)
DEFINE_VECTOR_SIZES(shared32, SPACE_SHARED32)

/* ---- The entry's parameters ---- */

/* ld.param with a constant offset: the same value for every lane. */
static const struct instruction *load_param(struct warp *warp, const struct instruction *at)
{
    const struct elements *const elements = at->extra;
    const char *const from = warp->worker->launch->params + at->offset;
    for (int i = 0; i < elements->count; i++)
        if (elements->rows[i] >= 0)
            elements->spread(warp, from + (unsigned)i * elements->bytes, 0, elements->rows[i]);
    return at + 1;
}

/* ld.param through a register. */
static const struct instruction *load_param_at(struct warp *warp, const struct instruction *at)
{
    const struct elements *const elements = at->extra;
    const unsigned bytes = elements->bytes * (unsigned)elements->count;
    char buffer[WARP_LANES * 32] = {0};
    uint32_t offset[WARP_LANES];
    if (elements->is_wide_address)
        offsets_of64(warp, at, offset);
    else
        offsets_of32(warp, at, offset);
    EACH_ACTIVE(lane, warp->active)
    sim_lane_read(warp, at, (int)lane, PARAM_WINDOW + offset[lane], buffer + lane * bytes, bytes);
    for (int i = 0; i < elements->count; i++)
        if (elements->rows[i] >= 0)
            elements->spread(warp, buffer + (unsigned)i * elements->bytes, bytes,
                             elements->rows[i]);
    return at + 1;
}

/* ---- Decoding ---- */

enum place { PLACE_DEVICE, PLACE_GENERIC, PLACE_SHARED, PLACE_SHARED32, PLACE_COUNT };

#define NAME_LOADS(name, MEMORY, ROW, CAST)                                                        \
    {#name,                                                                                        \
     sizeof(MEMORY),                                                                               \
     sizeof(ROW) == 8,                                                                             \
     {load_device_##name, load_generic_##name, load_shared_##name, load_shared32_##name},          \
     take_local_##name,                                                                            \
     spread_##name},
#define NAME_STORES(name, MEMORY, ROW)                                                             \
    {#name,                                                                                        \
     sizeof(MEMORY),                                                                               \
     sizeof(ROW) == 8,                                                                             \
     {store_device_##name, store_generic_##name, store_shared_##name, store_shared32_##name},      \
     put_local_##name,                                                                             \
     NULL},

struct element {
    const char *name;
    unsigned bytes;
    bool is_wide_row;
    exec_handler *run[PLACE_COUNT];
    local_element *local;
    void (*spread)(struct warp *warp, const void *element, unsigned stride, int32_t row);
};

static const struct element load_elements[] = {LOAD_ELEMENTS(NAME_LOADS){.name = NULL}};
static const struct element store_elements[] = {STORE_ELEMENTS(NAME_STORES){.name = NULL}};

#define NAME_VECTORS(verb, bytes)                                                                  \
    {                                                                                              \
        verb##_device_v##bytes, verb##_generic_v##bytes, verb##_shared_v##bytes,                   \
            verb##_shared32_v##bytes                                                               \
    }
static exec_handler *const vector_loads[][PLACE_COUNT] = {
    NAME_VECTORS(load, 2), NAME_VECTORS(load, 4), NAME_VECTORS(load, 8), NAME_VECTORS(load, 16),
    NAME_VECTORS(load, 32)};
static exec_handler *const vector_stores[][PLACE_COUNT] = {
    NAME_VECTORS(store, 2), NAME_VECTORS(store, 4), NAME_VECTORS(store, 8), NAME_VECTORS(store, 16),
    NAME_VECTORS(store, 32)};

/* What the parts of an ld or st say. */
struct access_text {
    enum ptx_space space;
    enum ptx_type type;
    int count;
};

static const struct ptx_operand *value_operand(const struct ptx_instruction *source, bool is_load)
{
    return &source->operands[is_load ? 0 : 1];
}

/* Modifiers that change neither what is read nor what is written. */
bool sim_is_memory_hint(const char *part)
{
    static const char *const hints[] = {"volatile",
                                        "weak",
                                        "relaxed",
                                        "acquire",
                                        "release",
                                        "cta",
                                        "cluster",
                                        "gpu",
                                        "sys",
                                        "mmio",
                                        "ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "nc",
                                        "wb",
                                        "wt",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_last",
                                        "L2::cache_hint",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B",
                                        "level::eviction_priority",
                                        "unified"};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (strcmp(hints[i], part) == 0)
            return true;
    return false;
}

bool sim_read_space(const char *part, enum ptx_space *space)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{"global", PTX_GLOBAL},      {"const", PTX_CONST},        {"local", PTX_LOCAL},
                  {"shared", PTX_SHARED},      {"shared::cta", PTX_SHARED}, {"param", PTX_PARAM},
                  {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (strcmp(spaces[i].name, part) == 0) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

static struct access_text read_text(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct access_text text = {.space = PTX_GENERIC, .count = 1};
    for (int i = 1; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        const enum ptx_type type = sim_type(part);
        if (type != PTX_NONE && type != PTX_PRED)
            text.type = type;
        else if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0 || strcmp(part, "v8") == 0)
            text.count = part[1] - '0';
        else if (!sim_read_space(part, &text.space) && !sim_is_memory_hint(part))
            sim_refuse_opcode(decoder, source);
    }
    const size_t bytes = ptx_type_size(text.type) * (size_t)text.count;
    if (bytes == 0 || bytes > 32 || ptx_type_size(text.type) > 8)
        sim_refuse_opcode(decoder, source);
    return text;
}

/* "s8_w": the element of a type for a register. Only loads care about signs. */
static const struct element *find_element(struct decoder *decoder,
                                          const struct ptx_instruction *source, enum ptx_type type,
                                          const struct ptx_operand *value, bool is_load)
{
    const size_t bytes = ptx_type_size(type);
    const bool is_signed = type >= PTX_S8 && type <= PTX_S64;
    const enum ptx_type reg = sim_register_type(decoder, value);
    const char kind = reg == PTX_NONE ? bytes == 8 ? 'l' : 'w' : sim_register_class(decoder, value);
    const bool is_short = is_load && reg != PTX_NONE && ptx_type_size(reg) == 2;
    char name[16];
    char sign = bytes == 8 || (bytes == 4 && kind == 'w') || !is_load ? 'b' : is_signed ? 's' : 'u';
    if (is_short && bytes == 2)
        sign = 'u';
    const bool is_short_sign = is_short && bytes == 1 && is_signed;
    snprintf(name, sizeof name, "%c%zu_%c", sign, bytes * 8, is_short_sign ? 'h' : kind);
    const struct element *element = is_load ? load_elements : store_elements;
    for (; element->name; element++)
        if (strcmp(element->name, name) == 0)
            return element;
    sim_refuse(decoder, source, "%s with a register of that width is not known to the simulator",
               source->opcode);
}

static int32_t value_row(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_operand *value, const struct element *element,
                         bool is_load)
{
    const char kind = element->is_wide_row ? 'l' : 'w';
    if (!is_load)
        return sim_source_row(decoder, source, value, kind);
    return value->kind == PTX_OPERAND_SINK ? -1 : sim_destination_row(decoder, source, value, kind);
}

struct where sim_read_address(struct decoder *decoder, const struct ptx_instruction *source,
                              enum ptx_space *space, int index)
{
    const struct ptx_operand *const address = sim_operand(decoder, source, index);
    const struct ptx_variable *const variable = address->variable;
    struct where where = {.offset = address->offset, .is_wide = true};
    if (address->kind != PTX_OPERAND_ADDRESS)
        sim_refuse(decoder, source, "%s needs an address in brackets", source->opcode);
    if (address->reg >= 0) {
        const struct ptx_operand base = {.kind = PTX_OPERAND_REGISTER, .reg = address->reg};
        const char class = sim_register_class(decoder, &base);
        where.is_wide = class == 'l';
        where.row = sim_source_row(decoder, source, &base, class);
        return where;
    }
    if (variable && (variable->space == PTX_LOCAL || variable->space == PTX_PARAM)) {
        where.is_fixed = true;
        where.is_entry = sim_is_entry_param(decoder, variable);
        where.offset += sim_local_offset(decoder, source, variable);
        *space = where.is_entry ? PTX_PARAM : PTX_LOCAL;
        where.limit = where.is_entry ? sim_decoder_program(decoder)->param_bytes
                                     : sim_decoder_function(decoder)->local_bytes;
        return where;
    }
    if (variable) {
        struct ptx_operand base = {.kind = PTX_OPERAND_VARIABLE, .reg = -1, .variable = variable};
        if (*space == PTX_GENERIC)
            *space = variable->space;
        where.row = sim_address_row(decoder, source, &base, 'l');
        return where;
    }
    where.row = sim_constant64(decoder, 0);
    return where;
}

static struct elements *new_elements(struct decoder *decoder, const struct ptx_instruction *source,
                                     const struct element *element, const struct access_text *text,
                                     bool is_load)
{
    struct elements *const elements = sim_decoder_allocate(decoder, sizeof *elements);
    const struct ptx_operand *const value = value_operand(source, is_load);
    const bool is_vector = value->kind == PTX_OPERAND_VECTOR;
    if (is_vector ? value->element_count != text->count : text->count != 1)
        sim_refuse(decoder, source, "%s needs a list of %d registers", source->opcode, text->count);
    elements->count = text->count;
    elements->bytes = element->bytes;
    elements->is_wide_row = element->is_wide_row;
    elements->local = element->local;
    elements->spread = element->spread;
    for (int i = 0; i < text->count; i++)
        elements->rows[i] =
            value_row(decoder, source, is_vector ? &value->elements[i] : value, element, is_load);
    return elements;
}

static exec_handler *space_handler(const struct where *where, enum ptx_space space,
                                   const struct element *element, int count, bool is_load)
{
    enum place place = PLACE_DEVICE;
    if (space == PTX_GENERIC)
        place = PLACE_GENERIC;
    else if (space == PTX_SHARED)
        place = where->is_wide ? PLACE_SHARED : PLACE_SHARED32;
    if (count == 1)
        return element->run[place];
    const int size = __builtin_ctz(element->bytes * (unsigned)count) - 1;
    return is_load ? vector_loads[size][place] : vector_stores[size][place];
}

static exec_handler *choose(struct decoder *decoder, const struct ptx_instruction *source,
                            const struct where *where, enum ptx_space space,
                            const struct element *element, int count, bool is_load)
{
    const bool is_row = count == 1 && strcmp(element->name, "b32_w") == 0;
    const size_t bytes = element->bytes * (size_t)count;
    if (where->is_fixed) {
        if (where->offset < 0 || (uint64_t)where->offset + bytes > where->limit ||
            (uint64_t)where->offset % bytes != 0)
            sim_refuse(decoder, source, "%s: offset %lld is outside of the variable or misaligned",
                       source->opcode, (long long)where->offset);
        if (where->is_entry && !is_load)
            sim_refuse(decoder, source, "parameters of a kernel cannot be written");
        if (where->is_entry)
            return load_param;
        if (is_row)
            return is_load ? load_frame_b32 : store_frame_b32;
    }
    if (space == PTX_PARAM && sim_decoder_function(decoder)->ptx->is_entry) {
        if (!is_load)
            sim_refuse(decoder, source, "parameters of a kernel cannot be written");
        return load_param_at;
    }
    if (space == PTX_LOCAL || space == PTX_PARAM)
        return is_load ? load_local : store_local;
    if (!where->is_wide && space != PTX_SHARED)
        sim_refuse(decoder, source, "%s through a 32-bit address", source->opcode);
    return space_handler(where, space, element, count, is_load);
}

/* Loads that a loop may repeat until another thread has written. */
static bool may_poll(const struct ptx_instruction *source)
{
    return sim_has_part(source, "volatile") || sim_has_part(source, "relaxed") ||
           sim_has_part(source, "acquire") || sim_has_part(source, "mmio");
}

static void decode_access(struct decoder *decoder, const struct ptx_instruction *source,
                          bool is_load)
{
    struct access_text text = read_text(decoder, source);
    sim_operand(decoder, source, 1);
    const struct ptx_operand *const value = value_operand(source, is_load);
    const struct ptx_operand *sample = value;
    for (int i = 0; value->kind == PTX_OPERAND_VECTOR && i < value->element_count; i++)
        if (i == 0 || sample->kind == PTX_OPERAND_SINK)
            sample = &value->elements[i];
    const struct element *const element = find_element(decoder, source, text.type, sample, is_load);
    struct elements *const elements = new_elements(decoder, source, element, &text, is_load);
    const struct where where = sim_read_address(decoder, source, &text.space, is_load ? 1 : 0);
    exec_handler *const run =
        choose(decoder, source, &where, text.space, element, text.count, is_load);
    elements->is_wide_address = where.is_wide;
    elements->is_framed = where.is_fixed && !where.is_entry;
    struct instruction *const emitted = sim_emit(decoder, source, run);
    const int32_t row = elements->rows[0] >= 0 ? elements->rows[0] : sim_temporary(decoder, source);
    emitted->a = where.row;
    emitted->b = row;
    emitted->d = row;
    emitted->offset = where.offset;
    emitted->extra = elements;
    emitted->cache = sim_new_cache(decoder);
    if (is_load && may_poll(source))
        sim_emit_plain(decoder, source, sim_run_poll);
}

static void decode_load(struct decoder *decoder, const struct ptx_instruction *source)
{
    decode_access(decoder, source, true);
}

static void decode_store(struct decoder *decoder, const struct ptx_instruction *source)
{
    decode_access(decoder, source, false);
}

const struct family sim_memory_families[] = {
    {"ld", decode_load},
    {"ldu", decode_load},
    {"st", decode_store},
    {NULL, NULL},
};
