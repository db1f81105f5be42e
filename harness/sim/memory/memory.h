/**
 * @file memory.h
 * @brief Device memory of the simulator: allocations, and the map from device addresses to storage.
 *
 * Device addresses are not host addresses: storage lives in one reserved arena, and its device
 * addresses point at a twin range that is never accessible, so a host program that dereferences a
 * device pointer faults here as it does on a GPU. Pinned and managed memory has one address for
 * both. Free gaps lie between allocations, so that running past one is found.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct global_tags;

/** What an allocation was made for. */
enum sim_memory_kind {
    SIM_MEMORY_DEVICE, /**< cudaMalloc */
    SIM_MEMORY_SYMBOL, /**< a __device__ or __constant__ variable */
    SIM_MEMORY_HOST,   /**< pinned: device address equals host address */
    SIM_MEMORY_MANAGED /**< managed: the same */
};

/** One live allocation. Kernels may touch [address, address + size) less the guarded ends. */
struct sim_allocation {
    uint64_t address;    /**< first device address, aligned to 256 bytes */
    uint64_t size;       /**< bytes asked for */
    uint64_t first, end; /**< what kernels may touch: inside [address, address + size) */
    char *host;          /**< storage of `address` */
    enum sim_memory_kind kind;
    bool is_input;                  /**< kernels may only read it */
    _Atomic bool is_used;           /**< by a kernel, if it is no memory of cudaMalloc */
    _Atomic bool is_changed;        /**< likewise, by a store or an atomic operation */
    bool is_told;                   /**< that something unwritten was copied from it to the host */
    const char *name;               /**< of a symbol, or a label given by the harness; else NULL */
    uint64_t element, row, columns; /**< bytes of one, elements from row to row, and those that
                                         count; 0: no rows are known */
    /** Bits of words of ones that were written; NULL: everything counts as written. */
    _Atomic uint32_t *_Atomic written;
    uint64_t serial; /**< 1 for the first allocation of the process, and so on */
    /** Who uses which word in the launch that runs; NULL: not followed (check/tags.h). */
    struct global_tags *_Atomic tags;
};

/** Memory in the modelled device, for cudaMemGetInfo and for refusing what does not fit. */
void sim_memory_info(size_t *free_bytes, size_t *total_bytes);

/** Memory of the modelled device; three quarters of this machine's RAM if that is less. Has no
 *  effect after the first allocation. */
void sim_memory_set_total(size_t total_bytes);

/** @return device address, or 0 when there is no room. `name` is copied. Contents are undefined. */
uint64_t sim_memory_allocate(size_t size, enum sim_memory_kind kind, const char *name);

/** Frees the allocation that starts at `address`; false if none does. */
bool sim_memory_free(uint64_t address);

/** Makes host memory that the program owns usable on the device, at its own address; undone with
 *  sim_memory_free(). False if it overlaps an allocation. */
bool sim_memory_register(void *host, size_t size, enum sim_memory_kind kind);

/** Where the reserved range starts: differs from run to run, while distances from it do not. */
uint64_t sim_memory_base(void);

/** Whether the address lies in the ranges reserved here: no other memory of the program does. */
bool sim_memory_reserved(uint64_t address);

/** The allocation that holds `address` (guarded ends included), or NULL. Thread-safe; the result is
 *  valid until that allocation is freed. */
const struct sim_allocation *sim_memory_find(uint64_t address);

/** Calls `visit` for every live allocation, which it must not free, in the order of addresses. */
void sim_memory_each(void (*visit)(struct sim_allocation *allocation, void *context),
                     void *context);

/** How many there are. */
size_t sim_memory_count(void);

/** The live allocation nearest to `address`, or NULL when there is none at all. */
const struct sim_allocation *sim_memory_nearest(uint64_t address);

/** Host storage of [address, address + size), guarded ends included; NULL when not inside one
 *  allocation. */
void *sim_memory_host(uint64_t address, size_t size);

/** Narrows what kernels may touch to [address, address + size) and names it for messages. */
bool sim_memory_guard(uint64_t address, size_t size, const char *name);

/** Says that the allocation that holds `address` has rows, for messages; false if none holds it. */
bool sim_memory_set_rows(uint64_t address, size_t element, size_t row, size_t columns);

/** From now on kernels may only read the allocation that holds `address`. False if none does. */
bool sim_memory_protect(uint64_t address);

/** Makes [address, address + size) words of ones that nothing has written; the ends count as
 *  written where they are no whole words. False when it is not inside one allocation. */
bool sim_memory_mark_unwritten(uint64_t address, size_t size);

/** The bytes have been written, whatever they are. Nothing happens for memory unknown here. */
void sim_memory_mark_written(uint64_t address, size_t size);

/** Whether a word of ones at `address`, a multiple of 4, was written as that. */
bool sim_memory_is_written(uint64_t address);

/** The first whole word of [address, address + size) that nothing has written, UINT64_MAX where
 *  all of them were; counts them where `count` is not NULL. Quick where none is of ones. */
uint64_t sim_memory_find_unwritten(uint64_t address, size_t size, size_t *count);

/** Before bytes are copied: what nothing has written counts as unwritten where it goes, too, and
 *  all else as written. */
void sim_memory_copy_written(uint64_t to, uint64_t from, size_t size);

/** True the first time that it is called for the allocation that holds `address`. */
bool sim_memory_is_news(uint64_t address);

#endif
