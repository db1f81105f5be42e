/* Device memory of the simulator: placement in one reserved range, and the address map. A mutex
 * guards changes of placement and map. Lookups take no lock, since nearly every memory instruction
 * makes one; a lookup starts again if the sequence counter shows that the map changed meanwhile. */
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

enum {
    ALIGNMENT = 512,         /* of every allocation, as cudaMalloc aligns in practice */
    PAGE = 4096,             /* of x86-64; only rounding depends on it */
    TABLE_CAPACITY = 1 << 20 /* live allocations; reserved address space, not memory */
};

#define HUGE_PAGE   (2 * MIB)
#define SMALL_LIMIT (256 * KIB) /* allocations up to this size share the protection of a chunk */
#define SMALL_CHUNK (2 * MIB)
#define WIDE_GAP    (64 * KIB) /* at least this much after each of the first allocations */
#define WIDEST_GAP  (64 * MIB)
#define MANY        4096 /* live allocations; with more, gaps shrink to save address space */

/* A part of the arena. Small allocations have areas of their own, because with a protection for
 * each there would be more mappings than the kernel allows. Device memory and host-visible memory
 * have different areas, so that the order of device addresses is the order of storage. */
struct area {
    uint64_t begin, end; /* device addresses */
    uint64_t cursor;     /* where the next search starts, so that freed addresses are reused late */
    uint64_t committed;  /* small areas: [begin, committed) is accessible */
    int64_t to_host;     /* device address + to_host = storage */
    bool small;
};

enum { DEVICE_SMALL, DEVICE_LARGE, HOST_SMALL, HOST_LARGE, AREA_COUNT };

/* A row of the map, which is sorted by address. Atomic, since lookups read during a change. */
struct row {
    _Atomic uint64_t address, end;
    struct sim_allocation *_Atomic allocation;
};

/* The process has one device and so one memory; the API that uses it is global, too. */
static struct {
    pthread_mutex_t mutex;
    bool ready;
    struct area areas[AREA_COUNT];
    struct row *_Atomic rows;
    _Atomic size_t count;
    _Atomic uint64_t sequence;    /* odd while the map changes */
    struct sim_allocation *spare; /* freed records, linked through `name` */
    uint64_t serial;
    size_t total, used;
    uint64_t low, high;       /* of both halves together */
    uint64_t spare_addresses; /* up to `high`: the twins of host-visible memory, without a use */
} memory = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* RAM of this machine, or the limit of the process's container if that is less. */
static uint64_t host_memory(void)
{
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (file) {
        unsigned long long limit;
        if (fscanf(file, "%llu", &limit) == 1 && limit < bytes)
            bytes = limit;
        fclose(file);
    }
    return bytes;
}

static void set_area(int which, uint64_t begin, uint64_t end, int64_t to_host, bool small)
{
    memory.areas[which] = (struct area){.begin = begin,
                                        .end = end,
                                        .cursor = begin,
                                        .committed = begin,
                                        .to_host = to_host,
                                        .small = small};
}

/* Reserves both halves and divides them; the mutex is held. */
static bool prepare(void)
{
    if (memory.ready)
        return true;
    void *rows = mmap(NULL, TABLE_CAPACITY * sizeof(struct row), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (rows == MAP_FAILED)
        return false;
    uint64_t half = 512 * GIB;
    void *base;
    do { /* a limit on address space may refuse this size */
        half /= 2;
        base = mmap(NULL, 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    } while (base == MAP_FAILED && half > 64 * MIB);
    if (base == MAP_FAILED) {
        munmap(rows, TABLE_CAPACITY * sizeof(struct row));
        return false;
    }
    uint64_t storage = round_up((uint64_t)base, HUGE_PAGE);
    half = half / HUGE_PAGE * HUGE_PAGE - HUGE_PAGE;
    uint64_t twin = storage + half;
    uint64_t eighth = half / 8 / HUGE_PAGE * HUGE_PAGE;
    int64_t back = -(int64_t)half;
    memory.low = storage;
    memory.high = twin + half;
    set_area(DEVICE_SMALL, twin, twin + eighth, back, true);
    set_area(DEVICE_LARGE, twin + eighth, twin + 5 * eighth, back, false);
    memory.spare_addresses = twin + 5 * eighth;
    set_area(HOST_SMALL, storage + 5 * eighth, storage + 6 * eighth, 0, true);
    set_area(HOST_LARGE, storage + 6 * eighth, storage + half, 0, false);
    uint64_t most = host_memory() / 4 * 3;
    if (!memory.total || memory.total > most)
        memory.total = most;
    atomic_store(&memory.rows, rows);
    memory.ready = true;
    return true;
}

/* ---- the map -------------------------------------------------------------------------------- */

/* Index of the first row that starts behind `address`. Rows may move meanwhile; callers check. */
static size_t rows_after(const struct row *rows, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (atomic_load_explicit(&rows[middle].address, memory_order_relaxed) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void copy_row(struct row *to, struct row *from)
{
    atomic_store_explicit(&to->address, atomic_load_explicit(&from->address, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&to->end, atomic_load_explicit(&from->end, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&to->allocation,
                          atomic_load_explicit(&from->allocation, memory_order_relaxed),
                          memory_order_relaxed);
}

static void begin_change(void)
{
    atomic_fetch_add(&memory.sequence, 1);
    atomic_thread_fence(memory_order_seq_cst);
}

static void end_change(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    atomic_fetch_add(&memory.sequence, 1);
}

static void insert_row(struct sim_allocation *allocation)
{
    struct row *rows = memory.rows;
    size_t place = rows_after(rows, memory.count, allocation->address);
    begin_change();
    for (size_t i = memory.count; i > place; i--)
        copy_row(&rows[i], &rows[i - 1]);
    atomic_store_explicit(&rows[place].address, allocation->address, memory_order_relaxed);
    atomic_store_explicit(&rows[place].end, allocation->address + allocation->size,
                          memory_order_relaxed);
    atomic_store_explicit(&rows[place].allocation, allocation, memory_order_relaxed);
    memory.count++;
    end_change();
}

static void remove_row(size_t place)
{
    struct row *rows = memory.rows;
    begin_change();
    for (size_t i = place + 1; i < memory.count; i++)
        copy_row(&rows[i - 1], &rows[i]);
    memory.count--;
    end_change();
}

const struct sim_allocation *sim_memory_find(uint64_t address)
{
    struct row *rows = atomic_load_explicit(&memory.rows, memory_order_acquire);
    if (!rows)
        return NULL;
    for (;;) {
        uint64_t before = atomic_load_explicit(&memory.sequence, memory_order_acquire);
        size_t count = atomic_load_explicit(&memory.count, memory_order_relaxed);
        size_t after = rows_after(rows, count, address);
        const struct sim_allocation *found = NULL;
        if (after > 0 && address < atomic_load_explicit(&rows[after - 1].end, memory_order_relaxed))
            found = atomic_load_explicit(&rows[after - 1].allocation, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && before == atomic_load(&memory.sequence))
            return found;
    }
}

void sim_memory_each(void (*visit)(struct sim_allocation *allocation, void *context), void *context)
{
    pthread_mutex_lock(&memory.mutex);
    for (size_t i = 0; i < memory.count; i++)
        visit(memory.rows[i].allocation, context);
    pthread_mutex_unlock(&memory.mutex);
}

size_t sim_memory_count(void)
{
    return atomic_load(&memory.count);
}

static uint64_t distance(const struct sim_allocation *allocation, uint64_t address)
{
    if (address < allocation->address)
        return allocation->address - address;
    uint64_t end = allocation->address + allocation->size;
    return address < end ? 0 : address - end + 1;
}

const struct sim_allocation *sim_memory_nearest(uint64_t address)
{
    pthread_mutex_lock(&memory.mutex);
    const struct sim_allocation *below = NULL, *above = NULL;
    if (memory.count > 0) {
        struct row *rows = memory.rows;
        size_t after = rows_after(rows, memory.count, address);
        below = after > 0 ? rows[after - 1].allocation : NULL;
        above = after < memory.count ? rows[after].allocation : NULL;
    }
    pthread_mutex_unlock(&memory.mutex);
    if (!below || !above)
        return below ? below : above;
    return distance(above, address) < distance(below, address) ? above : below;
}

void *sim_memory_host(uint64_t address, size_t size)
{
    const struct sim_allocation *allocation = sim_memory_find(address);
    if (!allocation || size > allocation->address + allocation->size - address)
        return NULL;
    return allocation->host + (address - allocation->address);
}

/* ---- placement ------------------------------------------------------------------------------ */

/* Free address space behind an allocation. Few allocations get large gaps, so that even an index
 * that is wrong by a row or by the size of the array hits no other allocation. */
static uint64_t gap_after(uint64_t size)
{
    if (memory.count > MANY)
        return ALIGNMENT;
    uint64_t gap = size < WIDE_GAP ? WIDE_GAP : size;
    return round_up(gap > WIDEST_GAP ? WIDEST_GAP : gap, PAGE);
}

/* First place in [from, area end) with `need` free bytes, or 0. */
static uint64_t place_from(const struct area *area, uint64_t from, uint64_t need, uint64_t unit)
{
    struct row *rows = memory.rows;
    size_t next = rows_after(rows, memory.count, from);
    uint64_t candidate = round_up(from, unit);
    if (next > 0 && rows[next - 1].address >= area->begin) {
        uint64_t end = round_up(rows[next - 1].end + ALIGNMENT, unit);
        candidate = end > candidate ? end : candidate;
    }
    while (candidate < area->end && need <= area->end - candidate) {
        if (next == memory.count || rows[next].address - candidate >= need)
            return candidate;
        candidate = round_up(rows[next].end + ALIGNMENT, unit);
        next++;
    }
    return 0;
}

/* Makes [address, address + size) accessible. */
static bool commit(struct area *area, uint64_t address, uint64_t size)
{
    uint64_t begin = address, end = round_up(address + size, PAGE);
    if (area->small) {
        begin = area->committed;
        end = round_up(address + size, SMALL_CHUNK);
        if (end <= begin)
            return true;
    }
    void *host = (void *)(begin + (uint64_t)area->to_host);
    if (mprotect(host, end - begin, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (area->small)
        area->committed = end;
    else if (size >= 2 * HUGE_PAGE)
        madvise(host, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* it may fail */
    return true;
}

/* Returns the pages to the system; pages of large allocations become inaccessible. */
static void decommit(const struct area *area, uint64_t address, uint64_t size)
{
    if (area->small) { /* a page shared with a neighbour stays */
        uint64_t begin = round_up(address, PAGE), end = (address + size) / PAGE * PAGE;
        if (begin < end)
            madvise((void *)(begin + (uint64_t)area->to_host), end - begin, MADV_DONTNEED);
        return;
    }
    mmap((void *)(address + (uint64_t)area->to_host), round_up(size, PAGE), PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static struct area *area_for(size_t size, enum sim_memory_kind kind)
{
    bool device = kind == SIM_MEMORY_DEVICE || kind == SIM_MEMORY_SYMBOL;
    bool small = size <= SMALL_LIMIT;
    return &memory.areas[device ? (small ? DEVICE_SMALL : DEVICE_LARGE)
                                : (small ? HOST_SMALL : HOST_LARGE)];
}

static struct area *area_of(uint64_t address)
{
    for (int i = 0; i < AREA_COUNT; i++)
        if (address >= memory.areas[i].begin && address < memory.areas[i].end)
            return &memory.areas[i];
    return NULL;
}

/* A record with a copy of the name, or NULL. Records are reused but never freed, since a lookup in
 * another thread may still read one. */
static struct sim_allocation *new_record(const char *name)
{
    char *copy = NULL;
    if (name && !(copy = strdup(name)))
        return NULL;
    struct sim_allocation *record = memory.spare;
    if (record)
        memory.spare = (struct sim_allocation *)record->name;
    else if (!(record = malloc(sizeof *record))) {
        free(copy);
        return NULL;
    }
    *record = (struct sim_allocation){.name = copy, .serial = ++memory.serial};
    return record;
}

static void drop_record(struct sim_allocation *record)
{
    free((void *)atomic_exchange(&record->written, NULL));
    free((char *)record->name);
    record->name = (const char *)memory.spare;
    memory.spare = record;
}

/* Enters [address, address + size) into the map; the mutex is held. */
static bool enter(uint64_t address, size_t size, void *host, enum sim_memory_kind kind,
                  const char *name)
{
    struct sim_allocation *record = new_record(name);
    if (!record)
        return false;
    record->address = record->first = address;
    record->size = size;
    record->end = address + size;
    record->host = host;
    record->kind = kind;
    insert_row(record);
    return true;
}

static bool counts(enum sim_memory_kind kind)
{
    return kind != SIM_MEMORY_HOST;
}

static uint64_t allocate(size_t size, enum sim_memory_kind kind, const char *name)
{
    if (!prepare() || memory.count >= TABLE_CAPACITY)
        return 0;
    if (size > memory.total || (counts(kind) && size > memory.total - memory.used))
        return 0;
    struct area *area = area_for(size, kind);
    uint64_t unit = area->small ? ALIGNMENT : size >= 2 * HUGE_PAGE ? HUGE_PAGE : PAGE;
    uint64_t held = round_up(size ? size : 1, unit < PAGE ? unit : PAGE);
    uint64_t need = held + gap_after(size);
    uint64_t address = place_from(area, area->cursor, need, unit);
    if (!address)
        address = place_from(area, area->begin, need, unit);
    if (!address)
        address = place_from(area, area->begin, held + PAGE, unit);
    if (!address || !commit(area, address, held))
        return 0;
    if (!enter(address, size, (void *)(address + (uint64_t)area->to_host), kind, name)) {
        decommit(area, address, size);
        return 0;
    }
    area->cursor = address + need;
    if (counts(kind))
        memory.used += size;
    return address;
}

uint64_t sim_memory_allocate(size_t size, enum sim_memory_kind kind, const char *name)
{
    pthread_mutex_lock(&memory.mutex);
    uint64_t address = allocate(size, kind, name);
    pthread_mutex_unlock(&memory.mutex);
    return address;
}

/* The row that starts at `address`, or the count of rows. */
static size_t row_at(uint64_t address)
{
    size_t after = memory.count ? rows_after(memory.rows, memory.count, address) : 0;
    bool found = after > 0 && memory.rows[after - 1].address == address;
    return found ? after - 1 : memory.count;
}

bool sim_memory_free(uint64_t address)
{
    pthread_mutex_lock(&memory.mutex);
    size_t place = row_at(address);
    bool found = place < memory.count;
    if (found) {
        struct sim_allocation *record = memory.rows[place].allocation;
        struct area *area = area_of(address);
        remove_row(place);
        if (area) {
            if (counts(record->kind))
                memory.used -= record->size;
            decommit(area, address, record->size);
        }
        drop_record(record);
    }
    pthread_mutex_unlock(&memory.mutex);
    return found;
}

/* Enters the caller's storage. */
static bool enter_storage(uint64_t address, void *host, size_t size, enum sim_memory_kind kind)
{
    pthread_mutex_lock(&memory.mutex);
    bool done = false;
    if (size > 0 && address + size > address && prepare() && memory.count < TABLE_CAPACITY) {
        size_t after = rows_after(memory.rows, memory.count, address);
        bool overlaps = (after > 0 && memory.rows[after - 1].end > address) ||
                        (after < memory.count && memory.rows[after].address < address + size);
        done = !overlaps && enter(address, size, host, kind, NULL);
    }
    pthread_mutex_unlock(&memory.mutex);
    return done;
}

bool sim_memory_register(void *host, size_t size, enum sim_memory_kind kind)
{
    return enter_storage((uint64_t)host, host, size, kind);
}

bool sim_memory_map(uint64_t address, void *host, size_t size)
{
    return enter_storage(address, host, size, SIM_MEMORY_MAPPED);
}

void sim_memory_spare_addresses(uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&memory.mutex);
    prepare();
    *first = memory.spare_addresses;
    *end = memory.high;
    pthread_mutex_unlock(&memory.mutex);
}

bool sim_memory_take(size_t size)
{
    pthread_mutex_lock(&memory.mutex);
    const bool fits = prepare() && size <= memory.total - memory.used;
    if (fits)
        memory.used += size;
    pthread_mutex_unlock(&memory.mutex);
    return fits;
}

void sim_memory_give_back(size_t size)
{
    pthread_mutex_lock(&memory.mutex);
    memory.used -= size;
    pthread_mutex_unlock(&memory.mutex);
}

uint64_t sim_memory_base(void)
{
    return memory.low;
}

bool sim_memory_reserved(uint64_t address)
{
    pthread_mutex_lock(&memory.mutex);
    bool reserved = memory.ready && address >= memory.low && address < memory.high;
    pthread_mutex_unlock(&memory.mutex);
    return reserved;
}

/* msync() looks at no byte. */
bool sim_memory_is_of_host(uint64_t address, uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = address / page * page;
    return bytes && address + bytes > address && !sim_memory_reserved(address) &&
           msync((void *)(uintptr_t)first, address + bytes - first, MS_ASYNC) == 0;
}

void sim_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    pthread_mutex_lock(&memory.mutex);
    prepare();
    *total_bytes = memory.total;
    *free_bytes = memory.total - memory.used;
    pthread_mutex_unlock(&memory.mutex);
}

void sim_memory_set_total(size_t total_bytes)
{
    pthread_mutex_lock(&memory.mutex);
    if (!memory.ready)
        memory.total = total_bytes;
    pthread_mutex_unlock(&memory.mutex);
}

bool sim_memory_guard(uint64_t address, size_t size, const char *name)
{
    pthread_mutex_lock(&memory.mutex);
    struct sim_allocation *allocation = (struct sim_allocation *)sim_memory_find(address);
    bool inside = allocation && size <= allocation->address + allocation->size - address;
    char *copy = inside && name ? strdup(name) : NULL;
    if (inside) {
        allocation->first = address;
        allocation->end = address + size;
        if (copy) {
            free((char *)allocation->name);
            allocation->name = copy;
        }
    }
    pthread_mutex_unlock(&memory.mutex);
    return inside;
}

bool sim_memory_set_rows(uint64_t address, size_t element, size_t row, size_t columns)
{
    pthread_mutex_lock(&memory.mutex);
    struct sim_allocation *allocation = (struct sim_allocation *)sim_memory_find(address);
    if (allocation && element) {
        allocation->element = element;
        allocation->row = row;
        allocation->columns = columns;
    }
    pthread_mutex_unlock(&memory.mutex);
    return allocation != NULL;
}

bool sim_memory_protect(uint64_t address)
{
    pthread_mutex_lock(&memory.mutex);
    struct sim_allocation *allocation = (struct sim_allocation *)sim_memory_find(address);
    if (allocation)
        allocation->is_input = true;
    pthread_mutex_unlock(&memory.mutex);
    return allocation != NULL;
}

/* ---- what was written ----------------------------------------------------------------------- */

enum { WORD_BITS = 32 };

static void set_bits(_Atomic uint32_t *bits, uint64_t first, uint64_t end, bool value)
{
    for (uint64_t i = first; i < end;) {
        uint32_t mask = UINT32_MAX << i % WORD_BITS;
        uint64_t next = (i / WORD_BITS + 1) * WORD_BITS;
        if (next > end)
            mask &= UINT32_MAX >> (next - end);
        if (value)
            atomic_fetch_or_explicit(&bits[i / WORD_BITS], mask, memory_order_relaxed);
        else
            atomic_fetch_and_explicit(&bits[i / WORD_BITS], ~mask, memory_order_relaxed);
        i = next;
    }
}

/* Gives an allocation its bits, all set except [first, end). */
static bool make_bits(struct sim_allocation *allocation, uint64_t first, uint64_t end)
{
    uint64_t words = (allocation->size + 3) / 4;
    _Atomic uint32_t *bits = calloc(words / WORD_BITS + 1, sizeof *bits);
    if (!bits)
        return false;
    set_bits(bits, 0, first, true);
    set_bits(bits, end, words, true);
    allocation->written = bits;
    return true;
}

bool sim_memory_mark_unwritten(uint64_t address, size_t size)
{
    pthread_mutex_lock(&memory.mutex);
    struct sim_allocation *allocation = (struct sim_allocation *)sim_memory_find(address);
    bool inside = allocation && size <= allocation->address + allocation->size - address;
    if (inside) {
        uint64_t first = (address - allocation->address + 3) / 4;
        uint64_t end = (address - allocation->address + size) / 4;
        if (first < end && !allocation->written)
            inside = make_bits(allocation, first, end);
        else if (first < end)
            set_bits(allocation->written, first, end, false);
        if (inside && first < end)
            memset(allocation->host + first * 4, 0xFF, (end - first) * 4);
    }
    pthread_mutex_unlock(&memory.mutex);
    return inside;
}

void sim_memory_mark_written(uint64_t address, size_t size)
{
    const struct sim_allocation *allocation = sim_memory_find(address);
    if (!allocation || !allocation->written || size == 0)
        return;
    uint64_t end = allocation->address + allocation->size;
    uint64_t last = size < end - address ? address + size : end;
    set_bits(allocation->written, (address - allocation->address) / 4,
             (last - allocation->address + 3) / 4, true);
}

bool sim_memory_is_written(uint64_t address)
{
    const struct sim_allocation *allocation = sim_memory_find(address);
    if (!allocation || !allocation->written)
        return true;
    uint64_t word = (address - allocation->address) / 4;
    return atomic_load_explicit(&allocation->written[word / WORD_BITS], memory_order_relaxed) >>
               word % WORD_BITS &
           1;
}

/* Calls `visit` for the whole words of [address, address + size) that nothing has written. */
static void each_unwritten(uint64_t address, size_t size,
                           void (*visit)(uint64_t address, void *context), void *context)
{
    const struct sim_allocation *const allocation = sim_memory_find(address);
    if (!allocation || !allocation->written)
        return;
    const uint64_t room = allocation->address + allocation->size - address;
    const uint64_t end = (address + (size < room ? size : room)) & ~UINT64_C(3);
    for (uint64_t at = (address + 3) & ~UINT64_C(3); at < end; at += 4) {
        uint32_t word;
        memcpy(&word, allocation->host + (at - allocation->address), sizeof word);
        if (word == UINT32_MAX && !sim_memory_is_written(at))
            visit(at, context);
    }
}

struct found {
    uint64_t first;
    size_t count;
};

static void note_found(uint64_t address, void *context)
{
    struct found *const found = context;
    if (!found->count++)
        found->first = address;
}

uint64_t sim_memory_find_unwritten(uint64_t address, size_t size, size_t *count)
{
    struct found found = {.first = UINT64_MAX};
    each_unwritten(address, size, note_found, &found);
    if (count)
        *count = found.count;
    return found.first;
}

struct shift {
    const struct sim_allocation *to;
    uint64_t distance; /* from the source to the target */
};

static void note_copied(uint64_t address, void *context)
{
    const struct shift *const shift = context;
    const uint64_t word = (address + shift->distance - shift->to->address) / 4;
    set_bits(shift->to->written, word, word + 1, false);
}

/* Words count as written if source and target overlap or differ in alignment. */
void sim_memory_copy_written(uint64_t to, uint64_t from, size_t size)
{
    struct shift shift = {(struct sim_allocation *)sim_memory_find(to), to - from};
    const bool overlaps = to < from + size && from < to + size;
    sim_memory_mark_written(to, size);
    if (!shift.to || shift.distance % 4 != 0 || overlaps ||
        sim_memory_find_unwritten(from, size, NULL) == UINT64_MAX)
        return;
    pthread_mutex_lock(&memory.mutex);
    const bool has_bits = shift.to->written || make_bits((struct sim_allocation *)shift.to, 0, 0);
    pthread_mutex_unlock(&memory.mutex);
    if (has_bits)
        each_unwritten(from, size, note_copied, &shift);
}

bool sim_memory_is_news(uint64_t address)
{
    pthread_mutex_lock(&memory.mutex);
    struct sim_allocation *const allocation = (struct sim_allocation *)sim_memory_find(address);
    const bool is_news = allocation && !allocation->is_told;
    if (allocation)
        allocation->is_told = true;
    pthread_mutex_unlock(&memory.mutex);
    return is_news;
}
