/**
 * @file lab_sim.h
 * @brief What the simulator offers beyond CUDA; exported by its libcudart.so.13.
 *
 * The harness looks these up with dlsym(): a real libcudart.so.13 has none of them.
 */
#ifndef LAB_SIM_H
#define LAB_SIM_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What kernels executed since the start or the last lab_sim_reset_totals(). */
struct lab_sim_totals {
    uint64_t launches;            /**< that ran, whether or not to the end */
    uint64_t warp_instructions;   /**< PTX instructions, one per warp */
    uint64_t thread_instructions; /**< the same, counted per active lane */
    double seconds;               /**< time that the simulation took */
};

/** How the last launch of this process ended; status SIM_OK before the first. Never NULL; the
 *  contents change with the next launch. */
const struct sim_outcome *lab_sim_last_outcome(void);

/** Nonzero: nothing is printed on standard error about faults; the caller reports them. */
void lab_sim_set_quiet(int quiet);

/**
 * @brief Narrows what kernels may touch of an allocation to [device_pointer, device_pointer +
 * size), so that guard zones around it are guarded exactly, and names it for messages.
 * @param name  copied; NULL leaves the name as it is
 * @return 1, or 0 when the range does not lie inside one allocation.
 */
int lab_sim_guard(const void *device_pointer, size_t size, const char *name);

/**
 * @brief Kernels may only read the allocation that holds the address from now on: a write, whatever
 * the value, stops them.
 * @return 1, or 0 when no allocation holds it.
 */
int lab_sim_protect(const void *device_pointer);

/**
 * @brief Fills memory with ones and forgets that it was ever written: a kernel that reads it before
 * something writes it is stopped.
 * @return 1, or 0 when the range does not lie inside one allocation.
 */
int lab_sim_mark_unwritten(const void *device_pointer, size_t size);

/** 0: the launches that follow are checked for addresses and barriers only, not for reads of
 *  unwritten memory and races. */
void lab_sim_set_checks(int on);

/** Executed instructions since the start or the last reset. */
void lab_sim_get_totals(struct lab_sim_totals *totals);

/** Sets all totals to 0. */
void lab_sim_reset_totals(void);

/**
 * @brief Storage of device memory that a library running on the host may use like a kernel would.
 * @return NULL unless [device_pointer, device_pointer + size) lies inside what kernels may touch of
 *         one allocation. Valid until that is freed.
 */
void *lab_sim_memory_host(const void *device_pointer, size_t size);

/** One counter, named as Nsight Compute names it; lab__ptx_... where it is of PTX, whose
 *  instructions are not those of the machine code one by one. */
struct lab_sim_counter {
    const char *name; /**< valid for good */
    double value;
};

/**
 * @brief Counts what the launches from now on do, from zero; 0 stops counting.
 *
 * Off at first. Counting slows launches down several times.
 */
void lab_sim_set_counting(int on);

/**
 * @brief Counters of the launches since counting was last switched on.
 *
 * Neighbouring accesses to shared memory count as the one access that ptxas makes of them. The
 * traffic of caches and DRAM is from a model (cache/replay.h); it is left out where a launch was
 * too large for that.
 * @param list  receives the counters; valid until the next call of this function
 * @return how many there are.
 */
int lab_sim_counters(const struct lab_sim_counter **list);

/** Counts of the instructions of one source line, by file and line. Instructions are PTX ones;
 *  accesses are those of the machine code. */
struct lab_sim_line {
    const char *file; /**< as the compiler was given it; valid for good */
    int line;
    double warp_instructions;
    double global_requests; /**< loads, stores, atomics and asynchronous copies */
    double global_sectors;  /**< of 32 bytes */
    double global_needed;   /**< sectors that would hold the bytes that each request asks for */
    double shared_requests;
    double shared_wavefronts;
    double shared_conflicts; /**< wavefronts that a conflict-free access would not need */
};

/**
 * @brief Counts by source line of the launches since counting was last switched on.
 * @param list  receives the lines, sorted; valid until the next launch or call of this function
 * @return how many there are; 0 for kernels without line information.
 */
int lab_sim_lines(const struct lab_sim_line **list);

/** Prints `library (simulator): text` on standard error unless quiet. */
void lab_sim_report(const char *library, const char *text);

#ifdef __cplusplus
}
#endif

#endif
