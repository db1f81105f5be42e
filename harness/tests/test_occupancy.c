/* Theoretical occupancy against cases that NVIDIA publishes, and others worked out by the rules of
 * its calculator: registers are given to warps in portions of 256, each quarter of a multiprocessor
 * has a quarter of them; shared memory is given to blocks in portions of 128 bytes (256
 * before 8.0), from 8.0 on with 1 KB more for the system. Limits are those of the programming
 * guide's table "Technical specifications per compute capability". */
#include "measure/launches/launches.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { KB = 1024 };

/* Per multiprocessor: threads, blocks, shared memory; per block: shared memory at most, reserved.
 */
static struct cudaDeviceProp gpu(int major, int minor, int threads, int blocks, int shared,
                                 int shared_block, int reserved)
{
    return (struct cudaDeviceProp){.major = major,
                                   .minor = minor,
                                   .warpSize = 32,
                                   .maxThreadsPerBlock = 1024,
                                   .maxThreadsPerMultiProcessor = threads,
                                   .maxBlocksPerMultiProcessor = blocks,
                                   .regsPerBlock = 65536,
                                   .regsPerMultiprocessor = 65536,
                                   .sharedMemPerBlock = 48 * KB,
                                   .sharedMemPerMultiprocessor = (size_t)shared * KB,
                                   .sharedMemPerBlockOptin = (size_t)shared_block * KB,
                                   .reservedSharedMemPerBlock = (size_t)reserved * KB,
                                   .multiProcessorCount = 1};
}

static double occupancy(const struct cudaDeviceProp *p, int threads, int registers, int shared,
                        int dynamic)
{
    const struct cudaFuncAttributes kernel = {.maxThreadsPerBlock = 1024,
                                              .numRegs = registers,
                                              .sharedSizeBytes = (size_t)shared,
                                              .maxDynamicSharedSizeBytes = dynamic};
    return lab_occupancy(p, &kernel, threads, (size_t)dynamic);
}

#define EXPECT(p, threads, registers, shared, dynamic, warps, of)                                  \
    cr_expect_float_eq(occupancy(p, threads, registers, shared, dynamic), (double)(warps) / (of),  \
                       1e-12, "%d threads, %d registers, %d + %d bytes: %g", threads, registers,   \
                       shared, dynamic, occupancy(p, threads, registers, shared, dynamic))

/* Capability 7.0. */
Test(occupancy, of_the_best_practices_guide)
{
    const struct cudaDeviceProp v100 = gpu(7, 0, 2048, 32, 96, 96, 0);
    /* CUDA C++ Best Practices Guide, "Calculating Occupancy": 32 registers leave room for all 64
     * warps; 37 registers for 12 blocks of 128 threads, 75 %, and for 4 of 320, 63 %. (37 x 32 =
     * 1184, rounded up to 1280; 16384 / 1280 = 12 warps a quarter, 48 in all.) */
    EXPECT(&v100, 128, 32, 0, 0, 64, 64);
    EXPECT(&v100, 128, 37, 0, 0, 48, 64);
    EXPECT(&v100, 320, 37, 0, 0, 40, 64);
    /* CUDA C++ Programming Guide, "Multiprocessor Level": 64 registers and 512 threads, two blocks;
     * one register more, one block. */
    EXPECT(&v100, 512, 64, 0, 0, 32, 64);
    EXPECT(&v100, 512, 65, 0, 0, 16, 64);
    /* 32 blocks at most. */
    EXPECT(&v100, 32, 16, 0, 0, 32, 64);
    /* Of 96 KB: 2 blocks of 48, 3 of 32, 12 of 8. */
    EXPECT(&v100, 256, 16, 48 * KB, 0, 16, 64);
    EXPECT(&v100, 256, 16, 32 * KB, 0, 24, 64);
    EXPECT(&v100, 128, 16, 0, 8 * KB, 48, 64);
}

/* Capability 7.5: 32 warps and 16 blocks. */
Test(occupancy, turing)
{
    const struct cudaDeviceProp t4 = gpu(7, 5, 1024, 16, 64, 64, 0);
    EXPECT(&t4, 256, 64, 0, 0, 32, 32);         /* 2048 a warp, 8 a quarter: 32 */
    EXPECT(&t4, 256, 72, 0, 0, 24, 32);         /* 2304, 7: 28 warps, 3 blocks of 8 */
    EXPECT(&t4, 32, 16, 0, 0, 16, 32);          /* 16 blocks of a warp */
    EXPECT(&t4, 768, 16, 0, 0, 24, 32);         /* 1024 threads hold one block of 768 */
    EXPECT(&t4, 128, 16, 20 * KB, 0, 12, 32);   /* 64 / 20: 3 blocks */
    EXPECT(&t4, 64, 16, 16 * KB + 1, 0, 6, 32); /* one byte too many for 4 */
}

/* Capability 8.6: 48 warps, 16 blocks; 8.0: 64 warps, 32 blocks. */
Test(occupancy, ampere)
{
    const struct cudaDeviceProp ga102 = gpu(8, 6, 1536, 16, 100, 99, 1);
    const struct cudaDeviceProp a100 = gpu(8, 0, 2048, 32, 164, 163, 1);
    EXPECT(&ga102, 256, 40, 0, 0, 48, 48);       /* 1280 a warp, 12 a quarter: 48 */
    EXPECT(&ga102, 256, 41, 0, 0, 40, 48);       /* 1536, 10: 40 */
    EXPECT(&ga102, 1024, 32, 0, 0, 32, 48);      /* one block of 32 warps */
    EXPECT(&ga102, 64, 16, 0, 0, 32, 48);        /* 16 blocks of 2 warps */
    EXPECT(&ga102, 128, 16, 24 * KB, 0, 16, 48); /* 100 / 25: 4, with the KB reserved */
    EXPECT(&ga102, 128, 16, 24 * KB + 128, 0, 12, 48);
    EXPECT(&a100, 1024, 32, 0, 0, 64, 64);
    EXPECT(&a100, 1024, 33, 0, 0, 32, 64);           /* 1280 a warp: 48 warps hold one block */
    EXPECT(&a100, 256, 128, 0, 0, 16, 64);           /* 4096, 4: 16 */
    EXPECT(&a100, 256, 32, 40 * KB, 0, 32, 64);      /* 164 / 41: 4 */
    EXPECT(&a100, 256, 32, 8 * KB, 155 * KB, 8, 64); /* one block has it all: 163 KB */
}

/* Capability 9.0. */
Test(occupancy, hopper)
{
    const struct cudaDeviceProp h200 = gpu(9, 0, 2048, 32, 228, 227, 1);
    EXPECT(&h200, 256, 96, 0, 0, 16, 64);             /* 3072 a warp, 5 a quarter: 20, 2 blocks */
    EXPECT(&h200, 384, 168, 0, 0, 12, 64);            /* 5376, 3: 12, one block of 12 */
    EXPECT(&h200, 1024, 64, 0, 0, 32, 64);            /* 2048, 8: 32 */
    EXPECT(&h200, 128, 255, 0, 0, 8, 64);             /* 8192 (rounded up), 2: 8 */
    EXPECT(&h200, 100, 16, 0, 0, 64, 64);             /* 100 threads take 4 warps */
    EXPECT(&h200, 32, 16, 0, 0, 32, 64);              /* 32 blocks */
    EXPECT(&h200, 256, 32, 56 * KB, 0, 32, 64);       /* 228 / 57: 4 */
    EXPECT(&h200, 256, 32, 0, 227 * KB, 8, 64);       /* all of it */
    EXPECT(&h200, 128, 32, 16 * KB, 59 * KB, 12, 64); /* static and dynamic: 228 / 76: 3 */
}

/* Capability 2.0: 48 warps, 8 blocks, which the calculator has forgotten. */
Test(occupancy, fermi)
{
    const struct cudaDeviceProp m2070 = gpu(2, 0, 1536, 8, 48, 48, 0);
    EXPECT(&m2070, 64, 16, 0, 0, 16, 48); /* 8 blocks of 2 warps */
    EXPECT(&m2070, 192, 16, 0, 0, 48, 48);
}

/* What cannot be launched has none: a register too many for one block, and too much memory. */
Test(occupancy, none)
{
    const struct cudaDeviceProp h200 = gpu(9, 0, 2048, 32, 228, 227, 1);
    EXPECT(&h200, 1024, 65, 0, 0, 0, 64);
    EXPECT(&h200, 64, 32, 0, 228 * KB, 0, 64);
}

/* The table's facts fit together: on an H200 the occupancy of step 05 is that of the registers,
 * shared memory and threads printed beside it, by the rules above. */
Test(occupancy, of_a_row_follows_from_its_facts)
{
    static struct run_lab result;
    run_lab(&result, "step05 -m 64 --check-only --arch h200 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    int rows = 0;
    for (const char *at = result.out; (at = strstr(at, "\"registers\"")); at++, rows++) {
        int block[3];
        const int registers = (int)run_lab_figure(at, "registers");
        const int shared = (int)run_lab_figure(at, "shared_bytes");
        cr_assert_eq(sscanf(strstr(at, "\"block\": "), "\"block\": [%d, %d, %d]", &block[0],
                            &block[1], &block[2]),
                     3);
        const int warps = (block[0] * block[1] * block[2] + 31) / 32;
        const int of_registers = 4 * (16384 / ((registers * 32 + 255) / 256 * 256)) / warps;
        const int of_shared = 228 * KB / ((shared + KB + 127) / 128 * 128);
        int blocks = of_registers < of_shared ? of_registers : of_shared;
        blocks = blocks < 64 / warps ? blocks : 64 / warps;
        blocks = blocks < 32 ? blocks : 32;
        cr_expect_float_eq(run_lab_figure(at, "occupancy"), blocks * warps / 64.0, 1e-6, "%.300s",
                           at);
        cr_expect(registers >= 16 && registers <= 255);
    }
    cr_expect_geq(rows, 2);
}

/* More than 48 KB of shared memory is dynamic: what a launch asks for counts, too. */
Test(occupancy, dynamic_shared_memory_is_told)
{
    static struct run_lab result;
    run_lab(&result,
            "step09 -n 130 -m 66 --check-only --arch h200 --variant register_tile --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_expect_gt(run_lab_figure(strstr(result.out, "register_tile"), "shared_bytes"), 48 * KB);
}
