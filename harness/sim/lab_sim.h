/**
 * @file lab_sim.h
 * @brief What the simulator offers beyond CUDA; exported by its libcudart.so.13. The one public
 * header: it needs no other file of the simulator.
 *
 * A program that also runs on a GPU looks the functions up with dlsym(), since a real
 * libcudart.so.13 has none of them:
 *
 *     __typeof__(lab_sim_counters) *counters = dlsym(RTLD_DEFAULT, "lab_sim_counters");
 */
#ifndef LAB_SIM_H
#define LAB_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- How a launch ended ---- */

/** Whether a launch ran to its end, and if not, why. */
enum sim_status {
    SIM_OK,
    SIM_OUT_OF_BOUNDS,
    SIM_MISALIGNED,
    SIM_DIVERGENT_BARRIER, /**< or a block can make no progress */
    SIM_ASSERT,
    SIM_TRAP,
    SIM_UNSUPPORTED,    /**< an opcode, modifier or call that the simulator does not know */
    SIM_UNINITIALIZED,  /**< a read of memory that nothing has written */
    SIM_INPUT_MODIFIED, /**< a write to memory that kernels may only read */
    SIM_RACE,           /**< two threads use a word in an order that nothing fixes */
    SIM_UNORDERED_SUM,  /**< the last bits depend on who comes first: see lab_sim_check_sums() */
    SIM_TIMEOUT,        /**< a block seems never to end */
    SIM_BAD_LAUNCH      /**< block too large, too much shared memory ... */
};

/** How a launch ended. On a fault: what, where, and the first offending thread. */
struct sim_outcome {
    enum sim_status status;
    char message[1024]; /**< one line for people: what happened and what usually causes it */
    char kernel[256];   /**< demangled name */
    char file[512];     /**< user's source file, or "" */
    int line;           /**< 0 if unknown */
    unsigned block[3], thread[3];
    uint64_t address;             /**< of a memory fault */
    uint64_t warp_instructions;   /**< PTX instructions executed, one per warp */
    uint64_t thread_instructions; /**< the same, counted per active lane */
};

/** How the last launch of this process ended; status SIM_OK before the first. Never NULL; the
 *  contents change with the next launch. */
const struct sim_outcome *lab_sim_last_outcome(void);

/** Nonzero: nothing is printed on standard error about faults; the caller reports them. */
void lab_sim_set_quiet(int quiet);

/** Zero: messages do not quote the source that the kernels' line information names. */
void lab_sim_set_quoting(int on);

/** Prints `library (simulator): text` on standard error unless quiet. */
void lab_sim_report(const char *library, const char *text);

/* ---- What is checked ---- */

/**
 * @brief Lets kernels touch only [device_pointer, device_pointer + size) of an allocation, so that
 * the guard zones around this range start right at its ends. Names the allocation for messages.
 * @param name  copied; NULL leaves the name as it is
 * @return 1, or 0 when the range does not lie inside one allocation.
 */
int lab_sim_guard(const void *device_pointer, size_t size, const char *name);

/**
 * @brief Messages name elements of the allocation that holds the address by row and column.
 * @param element  bytes of an element
 * @param row      elements from one row to the next
 * @param columns  elements of a row that hold data; the rest is padding
 * @return 1, or 0 when no allocation holds the address.
 */
int lab_sim_rows(const void *device_pointer, size_t element, size_t row, size_t columns);

/**
 * @brief From now on kernels may only read the allocation that holds the address. A write of any
 * value stops them.
 * @return 1, or 0 when no allocation holds the address.
 */
int lab_sim_protect(const void *device_pointer);

/**
 * @brief Fills memory with ones and marks it as never written. A kernel that reads it before
 * something writes it is stopped.
 * @return 1, or 0 when the range does not lie inside one allocation.
 */
int lab_sim_mark_unwritten(const void *device_pointer, size_t size);

/** Marks memory as written. For memory that a library on the host writes, or was given to read, in
 *  the storage that lab_sim_memory_host() returns. */
void lab_sim_mark_written(const void *device_pointer, size_t size);

/** 0: later launches are checked for addresses and barriers only, not for reads of unwritten
 *  memory and races. Returns the argument that restores the earlier setting. */
int lab_sim_set_checks(int on);

/** Nonzero: the checks, where they are on, also find sums of floats whose order nothing fixes. For
 *  kernels that promise the same bits in every launch. */
void lab_sim_check_sums(int on);

/**
 * @brief Nonzero: later launches begin with the last block of the grid and end with its first.
 * Where a block may wait for another one, each group of eight blocks runs in reverse instead. The
 * warps of a block run in reverse, too, and so do the lanes of a warp at a lock.
 * @return how many launches ran in reverse since the last call.
 */
int lab_sim_reverse_blocks(int on);

/** Nonzero: in later launches a block that has drawn a number by an atomic addition lets other
 *  blocks run first. So several blocks draw numbers where one block would have drawn them all. */
void lab_sim_share_draws(int on);

/** From now on the work of any stream has to come after the work that is on `stream` (a
 *  cudaStream_t) now, and before the work that is put there after lab_sim_streams_end(). */
void lab_sim_streams_begin(const void *stream);

/** Text that follows the word "race": which work may come earlier or later than that on a GPU, or
 *  may read memory after the host has changed it. NULL: none. Valid until the next call. */
const char *lab_sim_streams_end(void);

enum { LAB_SIM_STREAMS = 32 };

/** The place of the work that was enqueued last among the work of all streams. */
struct lab_sim_order {
    int stream;      /**< its stream; negative: one beyond LAB_SIM_STREAMS, not told apart */
    uint64_t number; /**< its number in the stream, from 1 on */
    uint64_t known[LAB_SIM_STREAMS]; /**< work of each stream that is before it on a GPU, too */
};
void lab_sim_last_order(struct lab_sim_order *order);

/** A library enqueues work on a stream, a cudaStream_t. @return a cudaError_t, as a call would. */
int lab_sim_stream_work(const void *stream, const char *what);

/** Nonzero: `text` says which store of the last launch, and of which thread, wrote the word. */
int lab_sim_writer(const void *device_pointer, char *text, size_t size);

/** From now on this process and the processes that it forks one after the other share their
 *  warnings: what one of them has printed, none prints again. */
void lab_sim_share_warnings(void);

/** How many more processes had cause to print shared warning `i` (from 0 on) after the first one;
 *  -1: there is no such warning. `place` receives its kernel and line. */
int lab_sim_warning_again(int i, const char **place);

/** Bytes that kernels have got from malloc() and have not freed. */
size_t lab_sim_heap_used(void);

/** Sets how many basic blocks a thread block, and all of a launch together, may execute before they
 *  count as endless; 0: no limit. The defaults are 256 million and none. The variable
 *  LAB_SIM_BUDGET, in millions, overrides what this call says of a thread block. */
void lab_sim_set_budget(uint64_t block, uint64_t launch);

/** Nonzero if later launches are checked for `check`: "race" or "uninitialized". */
int lab_sim_checks_for(const char *check);

/**
 * @brief Storage of device memory, for a library on the host that does a kernel's work.
 * @return NULL unless [device_pointer, device_pointer + size) lies inside what kernels may touch of
 *         one allocation. Valid until the allocation is freed.
 */
void *lab_sim_memory_host(const void *device_pointer, size_t size);

/* ---- What a program holds ---- */

/** A kernel in the PTX of a program. */
struct lab_sim_entry {
    const char *name; /**< mangled */
    int param_count;
    const size_t *param_sizes; /**< bytes of each; a launch passes them by pointer only */
};

/** Why there is no list of kernels. */
enum lab_sim_entries_error {
    LAB_SIM_ENTRIES_DAMAGED = -1, /**< the bytes are no fat binary, or have no PTX */
    LAB_SIM_ENTRIES_UNKNOWN = -2  /**< the simulator cannot read its PTX */
};

/**
 * @brief Lists the kernels in the fat binary [fatbin, fatbin + available). They are read, as for a
 * launch, from the PTX for a device of compute capability `arch` (such as 90). The bytes may be
 * damaged in any way. This needs no device: sim/ptx/ and sim/fatbin/ are linked into GPU programs.
 * @param list   receives the kernels, to be freed by one free()
 * @param error  receives one line on failure (error_size bytes)
 * @return how many, or an enum lab_sim_entries_error.
 */
int lab_sim_entries(const void *fatbin, size_t available, int arch, struct lab_sim_entry **list,
                    char *error, size_t error_size);

/* ---- What is counted ---- */

/** What kernels executed since the start or the last lab_sim_reset_totals(). */
struct lab_sim_totals {
    uint64_t launches;            /**< that ran, whether or not to the end */
    uint64_t warp_instructions;   /**< PTX instructions, one per warp */
    uint64_t thread_instructions; /**< the same, counted per active lane */
    double seconds;               /**< time that the simulation took */
};

/** Executed instructions since the start or the last reset. */
void lab_sim_get_totals(struct lab_sim_totals *totals);

/** Sets all totals to 0. */
void lab_sim_reset_totals(void);

/** One counter, named as Nsight Compute names it. The name is lab__ptx_... where PTX instructions
 *  are counted, since these do not match the machine code's one by one. */
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
 * Neighbouring accesses to shared memory count as the one access that ptxas makes of them. A model
 * gives the traffic of caches and DRAM; where a launch is too large for it, this is left out.
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
    /** What a copy by tensor map is in shared memory: rows, their bytes, and the bytes within which
     *  its swizzle moves pieces of 16; 0 rows: there is none, 0: no swizzle. */
    int box_rows, box_row_bytes, box_swizzle;
};

/**
 * @brief Counts by source line of the launches since counting was last switched on.
 * @param list  receives the lines, sorted; valid until the next launch or call of this function
 * @return how many there are; 0 for kernels without line information.
 */
int lab_sim_lines(const struct lab_sim_line **list);

/** The accesses of one source line to one array. Its counts have no instructions. The writes of
 *  asynchronous copies to shared memory belong to no operand. */
struct lab_sim_operand {
    const char
        *name; /**< "A", "a_tile": from lab_sim_guard(), or a shared array's; valid for good */
    struct lab_sim_line counts;
};

/** The same as lab_sim_lines(), by line and array. */
int lab_sim_operands(const struct lab_sim_operand **list);

/** One PTX opcode that the compiler made of a source line. */
struct lab_sim_opcode {
    const char *file; /**< as in struct lab_sim_line */
    int line;
    const char *opcode; /**< whole, such as "ld.global.nc.v4.f32"; valid for good */
    double warp_instructions;
};

/** The opcodes of all lines, by line, the most executed first. See lab_sim_lines(). */
int lab_sim_opcodes(const struct lab_sim_opcode **list);

/** One access of one warp: where each of its lanes went. */
struct lab_sim_access {
    const char *file; /**< of its source line; valid for good */
    int line;
    const char *array;         /**< as in struct lab_sim_operand; valid for good */
    const char *kind;          /**< "load", "store", "atomic", or "copy" (asynchronous: one access
                                    for each of its two sides) */
    unsigned turn;             /**< how often this line had accessed this array before */
    int is_shared;             /**< in the block's shared memory; else in global memory */
    unsigned bytes;            /**< of a lane, in the machine code */
    unsigned lanes;            /**< the lanes that take part, a bit for each */
    unsigned cost;             /**< wavefronts of shared memory, sectors of global memory */
    unsigned char pass[32][4]; /**< in shared memory: the wavefront of each word of each lane */
    uint64_t start;            /**< of the array in the block's shared memory; 0 in global memory */
    const char *type; /**< of an element, as PTX names it: "f32"; valid for good, "" if none */
    unsigned char value[16]; /**< in memory after the access, of the first lane that takes part */
    uint64_t place[32];      /**< of each lane: bytes from the start of the array in global memory,
                                  or of the block's shared memory */
};

/** While counting is on, keeps accesses of one warp of one block: the first accesses of each line
 *  to each array. on = 0: keeps none, as at first. */
void lab_sim_watch(int on, uint64_t block, unsigned warp);

/** The accesses that were kept since counting was last switched on, in their order.
 *  @param list  valid until the next launch or until counting is switched on. @return how many */
int lab_sim_accesses(const struct lab_sim_access **list);

/** Consecutive instructions of the watched warp that come from one source line. */
struct lab_sim_step {
    const char *file; /**< valid for good */
    int line;
    int first_access, access_count; /**< of those in lab_sim_accesses() */
    int more_accesses;              /**< accesses that were not kept */
};

/** What the watched warp executed, in order, in the first launch with this warp since counting was
 *  last switched on.
 *  @param list  valid until counting is switched on again. @return how many */
int lab_sim_steps(const struct lab_sim_step **list);

/** What a warp does for some cycles. */
enum lab_sim_span_kind {
    LAB_SIM_ISSUES,
    LAB_SIM_WAITS_FOR_GLOBAL, /**< for a load from global memory, or from local memory */
    LAB_SIM_WAITS_FOR_SHARED,
    LAB_SIM_WAITS_AT_BARRIER,
    LAB_SIM_WAITS_FOR_COPY, /**< for an asynchronous copy */
    LAB_SIM_WAITS_FOR_ARITHMETIC,
    LAB_SIM_WAITS_FOR_TURN, /**< it could issue, but another warp of its scheduler does */
    LAB_SIM_WAITS_AT_MBARRIER,
    LAB_SIM_WAITS_FOR_TENSOR_CORES,
    LAB_SIM_COPY_IS_UNDER_WAY, /**< at the same time as another span of the warp, as is the next */
    LAB_SIM_PRODUCTS_ARE_UNDER_WAY, /**< of wgmma */
    LAB_SIM_ALL_SPAN_KINDS
};
enum { LAB_SIM_SPAN_KINDS = LAB_SIM_COPY_IS_UNDER_WAY };

/** What a warp does from one cycle to another. */
struct lab_sim_span {
    uint32_t begin, length; /**< cycles */
    unsigned warp;
    enum lab_sim_span_kind kind;
    const char *file; /**< of the instruction that waits, copies, or is issued first;
                           valid for good, NULL where the compiler names none */
    int line;
};

/** The warps of a block over time, as a model of one block alone on an SM gives them. */
struct lab_sim_timeline {
    uint64_t cycles;
    unsigned warps;
    int is_cut;                        /**< it ends before the block does */
    uint64_t sums[LAB_SIM_SPAN_KINDS]; /**< cycles of all warps, by what they do */
    struct lab_sim_span *spans; /**< by warp and begin; short ones may be part of a neighbour */
    int span_count;
};

/** The block of the watched warp over time. Of the first launches with this warp since counting was
 *  last switched on, the longest is shown. NULL: none; valid until the next launch. */
const struct lab_sim_timeline *lab_sim_timeline(void);

/** The progress of the running launch, or of the last one: blocks begun, and all blocks. For
 *  another thread that shows it. */
void lab_sim_progress(uint64_t *begun, uint64_t *all);

/* ---- The simulated GPU ---- */

/** A GPU that can be simulated; gpu/ holds a JSON file for each. The first part is in the units of
 *  CUDA's device attributes. Rates are of one SM in one cycle, unless the member says something
 *  else. */
struct sim_gpu_profile {
    char name[64];                    /**< as the device calls itself */
    int compute_major, compute_minor; /**< compute capability */
    size_t memory_bytes;
    int sm_count;
    int clock_khz, memory_clock_khz;
    int memory_bus_bits;
    int l2_bytes, l2_persisting_bytes;
    int threads_per_sm, blocks_per_sm;
    int registers_per_sm, registers_per_block;
    int shared_per_sm;          /**< bytes */
    int shared_per_block;       /**< bytes, without opting in */
    int shared_per_block_optin; /**< bytes */
    int shared_reserved;        /**< bytes per block that the system keeps */
    int copy_engines;

    int schedulers;
    double issue_per_cycle; /**< warp instructions */
    int fp32_lanes, fp64_lanes, integer_lanes, mufu_lanes;
    /** Products of tensor cores by the type of A, FP8 as integers of 8 bits; and the share of these
     *  rates that mma.sync reaches. 0: none, or not known. */
    double tensor_f16, tensor_tf32, tensor_f64, tensor_8bit, tensor_mma_share;
    double tensor_latency;      /**< cycles, of mma.sync; 0: not known */
    int lsu_lanes;              /**< lanes of memory instructions */
    int shared_bytes_per_cycle; /**< moved by the data pipe of L1 and shared memory */
    int l1_bytes;               /**< with shared memory where the two share their storage */

    /* Where a file lacks one of these, the H200's is taken. */
    double l2_gb_per_s;   /**< read by all SMs; else the H200's bytes per cycle and SM */
    double dram_gb_per_s; /**< read */
    double shared_latency, l1_latency, l2_latency, dram_latency, arithmetic_latency; /**< cycles */
    double barrier_latency;      /**< cycles, where no warp has to wait for another one */
    double launch_us;            /**< between two events around an empty kernel */
    double atomic_cycles;        /**< of a slice of L2, for a turn of atomics at a sector */
    double float_atomic_cycles;  /**< of a sector, for a turn of atomics on floats */
    double atomics_per_cycle;    /**< turns of all slices of L2 */
    double shared_atomic_cycles; /**< of an SM, for a turn of an atomic that is a loop */

    int whole_sm_count; /**< of a slice: SMs of the whole GPU; else sm_count */
};

/**
 * @brief Reads a profile; every mistake is named with file and field.
 * @param name   a built-in profile (h200, a100, ..., in any case), or a path: a name that holds a
 *               slash or ends in .json is one
 * @param error  receives one line
 * @return 1, or 0 with `error` set.
 */
int lab_sim_gpu_read(const char *name, struct sim_gpu_profile *profile, char *error, size_t size);

/**
 * @brief Turns a GPU into a slice of it: some of its SMs with their share of L2, of L2's rate and
 * of DRAM's rate. Each SM, the latencies and the clocks stay the same.
 * @return 1; 0 when the GPU does not have that many SMs.
 */
int lab_sim_gpu_slice(struct sim_gpu_profile *profile, int sms);

/** The variable's name, then why the GPU that LAB_SIM_GPU and LAB_SIM_SMS name cannot be used; NULL
 *  when it can. */
const char *lab_sim_gpu_error(void);

/** Bytes of local memory per thread that the PTX of a kernel declares: arrays, and the buffers in
 *  which printf is given its values. Registers that ptxas spilled are not among them. 0
 *  before the kernel's first launch. */
size_t lab_sim_declared_local(const void *host);

/** The first of three: of x, y and z. */
enum { LAB_SIM_THREAD_INDEX = 0, LAB_SIM_BLOCK_INDEX = 6 };

/** 1: a kernel's instructions read a coordinate of threadIdx or blockIdx; 0: they do not; -1: it
 * has not run yet. */
int lab_sim_reads_coordinate(const void *host, int coordinate);

/** The simulated GPU. */
const struct sim_gpu_profile *lab_sim_gpu(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
