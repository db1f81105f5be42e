/**
 * @file fatbin.h
 * @brief Reads the container ("fat binary") in which nvcc embeds PTX and machine code.
 *
 * The bytes come from whatever program is run. So every offset and size is checked against the
 * container before use.
 */
#ifndef SIM_FATBIN_FATBIN_H
#define SIM_FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What an entry of the container holds. */
enum sim_fatbin_kind { SIM_FATBIN_PTX = 1, SIM_FATBIN_CUBIN = 2 };

/** One entry, where it lies in the container. */
struct sim_fatbin_entry {
    int kind;            /**< a sim_fatbin_kind, or something unknown */
    int arch;            /**< compute capability times ten: 90 */
    uint64_t flags;      /**< say how the payload is packed, among other things */
    const uint8_t *data; /**< the payload as stored */
    size_t size;         /**< bytes stored */
    size_t unpacked;     /**< bytes after unpacking; equal to `size` if not packed */
};

/** A walk over the entries of a container. */
struct sim_fatbin {
    const uint8_t *next, *end;
};

/**
 * @brief The container that a wrapper in a program's `.nvFatBinSegment` points to.
 * @return the container, with the size that its header gives; NULL: this is no wrapper.
 */
const void *sim_fatbin_of_wrapper(const void *wrapper, size_t *size);

/**
 * @brief The containers of the translation units that a program was linked from, compiled
 * separately (nvcc -rdc=true): the PTX is in these, and the linked machine code in the wrapper's
 * own.
 * @return a list with NULL at its end; NULL: the program was compiled as a whole.
 */
const void *const *sim_fatbin_units(const void *wrapper);

/** The size of a container by its header; 0: this is none. */
size_t sim_fatbin_size(const void *container);

/**
 * @brief Starts a walk over the container in [data, data + available).
 * @param error  receives one line on failure (error_size bytes)
 */
bool sim_fatbin_open(struct sim_fatbin *fatbin, const void *data, size_t available, char *error,
                     size_t error_size);

/** Gives the next entry; false at the end, or, with *error not empty, in a damaged container. */
bool sim_fatbin_next(struct sim_fatbin *fatbin, struct sim_fatbin_entry *entry, char *error,
                     size_t error_size);

/**
 * @brief Unpacks the payload of an entry (stored, LZ4 or zstd).
 * @return `entry->unpacked` bytes and a NUL behind them, which the caller frees; NULL on
 * failure.
 */
char *sim_fatbin_unpack(const struct sim_fatbin_entry *entry, char *error, size_t error_size);

/**
 * @brief Unpacks the entry of a kind that suits a device of compute capability `arch` best. This is
 *        the newest entry not newer than the device. If all PTX is newer, the newest PTX is taken.
 *        Code such as that for sm_90a suits this compute capability alone, and that best of all.
 * @param[out] length  bytes without the NUL behind them
 * @param[out] found   compute capability of the entry
 * @return as sim_fatbin_unpack(); NULL also if no entry suits the device, which *error then says.
 */
char *sim_fatbin_select(const void *data, size_t available, enum sim_fatbin_kind kind, int arch,
                        size_t *length, int *found, char *error, size_t error_size);

/* Reads what ptxas decided about each kernel. The source is the machine code, an ELF file. */

/** Resources of one kernel on the hardware that the machine code is for. A function that a kernel
 *  calls is there as "$KERNEL$FUNCTION", with its frame as `stack_bytes` and nothing else. */
struct sim_cubin_kernel {
    char *name;          /**< mangled */
    int registers;       /**< per thread */
    size_t shared_bytes; /**< static, and what the hardware reserves (1 KiB from sm_80 on) */
    size_t stack_bytes;  /**< per thread: local arrays and spilled registers */
    int max_threads;     /**< from __launch_bounds__; 0 if none */
};

/** All kernels of one piece of machine code. */
struct sim_cubin {
    struct sim_cubin_kernel *kernels;
    int kernel_count;
};

/**
 * @brief Reads [data, data + size); nothing in it is trusted.
 * @param error  receives one line on failure (error_size bytes)
 * @return false: the data is no readable cubin. On success, free `cubin` with sim_cubin_free().
 */
bool sim_cubin_read(struct sim_cubin *cubin, const void *data, size_t size, char *error,
                    size_t error_size);

/** Frees what sim_cubin_read() made. */
void sim_cubin_free(struct sim_cubin *cubin);

/** The kernel of a mangled name, or NULL. */
const struct sim_cubin_kernel *sim_cubin_find(const struct sim_cubin *cubin, const char *name);

#endif
