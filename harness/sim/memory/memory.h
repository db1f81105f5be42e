/**
 * @file memory.h
 * @brief Device memory of the simulator: allocations, and the map from device addresses to
 * storage.
 *
 * Device addresses are not host addresses. The storage lies in one reserved arena. Its device
 * addresses point into a twin range that is never accessible, so that a host program that
 * dereferences a device pointer faults as it does with a GPU. Pinned and managed memory has the
 * same address on host and device. Gaps between allocations show accesses that run past one.
 */
#ifndef SIM_MEMORY_MEMORY_H
#define SIM_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct global_tags;

/** What an allocation was made for. */
enum sim_memory_kind {
    SIM_MEMORY_DEVICE,  /**< cudaMalloc */
    SIM_MEMORY_SYMBOL,  /**< a __device__ or __constant__ variable */
    SIM_MEMORY_HOST,    /**< pinned: device address equals host address */
    SIM_MEMORY_MANAGED, /**< managed: likewise */
    SIM_MEMORY_MAPPED   /**< of the device, by cuMemMap() */
};

/** One live allocation. Kernels may touch only [first, end) of it. */
struct sim_allocation {
    uint64_t address;    /**< first device address, aligned to 512 bytes if allocated here */
    uint64_t size;       /**< bytes asked for */
    uint64_t first, end; /**< what kernels may touch: inside [address, address + size) */
    char *host;          /**< storage of `address` */
    enum sim_memory_kind kind;
    bool is_input;                  /**< kernels may only read it */
    _Atomic bool is_used;           /**< by a kernel; set for memory that is not from cudaMalloc */
    _Atomic bool is_changed;        /**< likewise: by a store or an atomic operation */
    bool is_told;                   /**< a copy of unwritten memory to the host was reported */
    const char *name;               /**< of a symbol, or given by the harness; else NULL */
    uint64_t element, row, columns; /**< bytes of an element, elements from row to row, elements
                                         of a row that hold data; 0: no rows are known */
    /** A bit for each word: it was written. Matters for words of ones. NULL: all were written. */
    _Atomic uint32_t *_Atomic written;
    uint64_t serial; /**< 1 for the first allocation of the process, and so on */
    /** Which threads use which word in the running launch; NULL: not recorded (check/tags.h). */
    struct global_tags *_Atomic tags;
};

/** Memory of the modelled device, for cudaMemGetInfo and to refuse allocations that do not fit. */
void sim_memory_info(size_t *free_bytes, size_t *total_bytes);

/** Sets the memory of the modelled device; at most three quarters of this machine's RAM are used.
 *  Has no effect after the first allocation. */
void sim_memory_set_total(size_t total_bytes);

/** @return device address, or 0 when there is no room. `name` is copied. Contents are undefined. */
uint64_t sim_memory_allocate(size_t size, enum sim_memory_kind kind, const char *name);

/** Frees the allocation that starts at `address`; false if none does. */
bool sim_memory_free(uint64_t address);

/** Makes host memory of the program usable on the device at the same address; sim_memory_free()
 *  undoes this. False if it overlaps an allocation. */
bool sim_memory_register(void *host, size_t size, enum sim_memory_kind kind);

/** Counts physical memory of the device as used. False: there is not as much. */
bool sim_memory_take(size_t size);
void sim_memory_give_back(size_t size);

/** Device addresses that sim_memory_allocate() never gives: for sim_memory_map(). */
void sim_memory_spare_addresses(uint64_t *first, uint64_t *end);

/** Makes storage of the caller's usable on the device at a spare address; sim_memory_free() undoes
 *  this. False if it overlaps an allocation. */
bool sim_memory_map(uint64_t address, void *host, size_t size);

/** Where the reserved range starts. This differs from run to run; distances from it do not. */
uint64_t sim_memory_base(void);

/** Whether an address lies in the reserved ranges, where the program has no other memory. */
bool sim_memory_reserved(uint64_t address);

/** Whether the program has host memory at all of [address, address + bytes). */
bool sim_memory_is_of_host(uint64_t address, uint64_t bytes);

/** The allocation that holds `address` (guarded ends included), or NULL. Thread-safe. The result is
 *  valid until the allocation is freed. */
const struct sim_allocation *sim_memory_find(uint64_t address);

/** Calls `visit` for every live allocation, which it must not free, in the order of addresses. */
void sim_memory_each(void (*visit)(struct sim_allocation *allocation, void *context),
                     void *context);

/** The number of live allocations. */
size_t sim_memory_count(void);

/** The live allocation nearest to `address`; NULL: there is no allocation. */
const struct sim_allocation *sim_memory_nearest(uint64_t address);

/** Host storage of [address, address + size), guarded ends included; NULL when not inside one
 *  allocation. */
void *sim_memory_host(uint64_t address, size_t size);

/** Lets kernels touch only [address, address + size), and names the allocation for messages. */
bool sim_memory_guard(uint64_t address, size_t size, const char *name);

/** Says that the allocation that holds `address` has rows, for messages; false if none holds it. */
bool sim_memory_set_rows(uint64_t address, size_t element, size_t row, size_t columns);

/** From now on kernels may only read the allocation that holds `address`. False if none does. */
bool sim_memory_protect(uint64_t address);

/** Fills [address, address + size) with words of ones that count as unwritten. Bytes at its ends
 *  that are no whole words count as written. False when it is not inside one allocation. */
bool sim_memory_mark_unwritten(uint64_t address, size_t size);

/** Marks bytes as written, whatever their values. Ignores memory that is in no allocation. */
void sim_memory_mark_written(uint64_t address, size_t size);

/** Whether something has written the word of ones at `address`, a multiple of 4. */
bool sim_memory_is_written(uint64_t address);

/** The first whole word of [address, address + size) that nothing has written; UINT64_MAX: none.
 *  `count`, if not NULL, receives their number. Quick where no word is all ones. */
uint64_t sim_memory_find_unwritten(uint64_t address, size_t size, size_t *count);

/** Before bytes are copied: words of the target count as unwritten where the source's words do, and
 *  as written otherwise. */
void sim_memory_copy_written(uint64_t to, uint64_t from, size_t size);

/** True at the first call for the allocation that holds `address`. */
bool sim_memory_is_news(uint64_t address);

/* The heap of malloc() in kernels: ordinary device memory, of which kernels get no more than
 * cudaLimitMallocHeapSize. */

/** Device address; 0: the heap is used up. Thread-safe. */
uint64_t sim_heap_allocate(size_t size);

/** False if sim_heap_allocate() did not return `address`, or if it was freed already. */
bool sim_heap_free(uint64_t address);

/** Bytes of the recently freed allocation that held `address`; 0: none did. */
size_t sim_heap_freed(uint64_t address);

/** Bytes that kernels hold at the moment. */
size_t sim_heap_used(void);

/** Sets the bytes in use to 0, after all memory has been freed. */
void sim_heap_reset(void);

/** Sets how many bytes kernels may hold at the same time; at first 8 MiB. */
void sim_heap_set_limit(size_t bytes);

#endif
