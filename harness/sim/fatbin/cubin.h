/**
 * @file cubin.h
 * @brief Reads what ptxas decided about each kernel. The source is the machine code, an ELF file.
 */
#ifndef SIM_CUBIN_H
#define SIM_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

/** Resources of one kernel on the hardware that the machine code is for. */
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
