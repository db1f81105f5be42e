/* Device memory of the simulator: placement, lookups, guards, limits, and that memory comes back.
 */
#include "sim/memory/memory.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static uint64_t device(size_t size)
{
    return sim_memory_allocate(size, SIM_MEMORY_DEVICE, NULL);
}

/* Resident pages of this process, in bytes. */
static size_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    cr_assert(file && fscanf(file, "%*u %lu", &pages) == 1);
    fclose(file);
    return pages * 4096;
}

Test(memory_map, nothing_is_found_before_the_first_allocation)
{
    cr_assert_null(sim_memory_find(0));
    cr_assert_null(sim_memory_find(0x7f0000000000));
    cr_assert_null(sim_memory_nearest(4096));
    cr_assert_not(sim_memory_free(4096));
}

Test(memory_map, both_ends_belong_and_their_neighbours_do_not)
{
    static const size_t sizes[] = {1, 4, 255, 256, 4096, 100000, 262144, 262145, 5 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t size = sizes[i];
        uint64_t address = device(size);
        cr_assert(address && address % 256 == 0);
        const struct sim_allocation *found = sim_memory_find(address);
        cr_assert(found && found->address == address && found->size == size);
        cr_assert_eq(found->serial, i + 1);
        cr_assert_eq(sim_memory_find(address + size - 1), found);
        cr_assert_null(sim_memory_find(address - 1));
        cr_assert_null(sim_memory_find(address + size));
        memset(sim_memory_host(address, size), 0x5a, size);
        cr_assert_null(sim_memory_host(address, size + 1));
        cr_assert_null(sim_memory_host(address + 1, size));
        cr_assert_null(sim_memory_host(address + 1, SIZE_MAX));
        cr_assert_not_null(sim_memory_host(address + size - 1, 1));
    }
}

Test(memory_map, a_device_pointer_faults_on_the_host, .signal = SIGSEGV)
{
    *(volatile char *)device(4096) = 1;
}

Test(memory_map, pinned_and_managed_memory_has_one_address)
{
    for (enum sim_memory_kind kind = SIM_MEMORY_HOST; kind <= SIM_MEMORY_MANAGED; kind++)
        for (size_t size = 8; size <= 8 << 20; size <<= 10) {
            uint64_t address = sim_memory_allocate(size, kind, NULL);
            cr_assert_eq(sim_memory_host(address, size), (void *)address);
            memset((void *)address, 1, size);
        }
}

Test(memory_map, there_is_room_behind_every_allocation)
{
    uint64_t last = device(1000);
    for (int i = 0; i < 100; i++) {
        uint64_t next = device(1000);
        cr_assert(next >= last + 1000 + 65536);
        last = next;
    }
}

Test(memory_map, many_allocations_freed_in_any_order)
{
    enum { COUNT = 100000 };
    static uint64_t address[COUNT];
    for (int i = 0; i < COUNT; i++) {
        address[i] = sim_memory_allocate(64, i % 2 ? SIM_MEMORY_DEVICE : SIM_MEMORY_MANAGED, NULL);
        cr_assert(address[i]);
        memset(sim_memory_host(address[i], 64), i, 64);
    }
    for (int i = 0; i < COUNT; i++) {
        const unsigned char *bytes = sim_memory_host(address[i], 64);
        cr_assert(bytes && bytes[0] == (unsigned char)i && bytes[63] == (unsigned char)i);
    }
    for (int i = 0; i < COUNT; i += 97)
        cr_assert(sim_memory_free(address[i]) && !sim_memory_free(address[i]));
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(sim_memory_find(address[i] + 63) == NULL, i % 97 == 0);
}

Test(memory_map, freed_memory_goes_back_to_the_system)
{
    size_t size = 64 << 20;
    sim_memory_free(
        device(size)); /* reserves addresses, for which an emulator keeps books of 3 GB */
    size_t before = resident();
    for (int i = 0; i < 8; i++) {
        uint64_t address = device(size);
        memset(sim_memory_host(address, size), 1, size);
        cr_assert(resident() > before + size / 2);
        cr_assert(sim_memory_free(address));
        cr_assert_null(sim_memory_find(address));
    }
    cr_assert(resident() < before + size / 4);
}

Test(memory_map, what_does_not_fit_is_refused)
{
    sim_memory_set_total(64 << 20);
    size_t free_bytes, total;
    sim_memory_info(&free_bytes, &total);
    cr_assert(total == 64 << 20 && free_bytes == total);
    cr_assert_eq(device(total + 1), 0);
    cr_assert_eq(device(SIZE_MAX), 0);
    uint64_t first = device(total - 100);
    cr_assert(first);
    cr_assert_eq(device(101), 0);
    cr_assert(device(100));
    sim_memory_info(&free_bytes, &total);
    cr_assert_eq(free_bytes, 0);
    cr_assert(sim_memory_free(first));
    sim_memory_info(&free_bytes, &total);
    cr_assert_eq(free_bytes, total - 100);
}

Test(memory_map, a_guard_narrows_and_names)
{
    uint64_t address = device(4096);
    cr_assert(sim_memory_guard(address + 256, 1000, "matrix A"));
    const struct sim_allocation *found = sim_memory_find(address);
    cr_assert(found->first == address + 256 && found->end == address + 1256);
    cr_assert_str_eq(found->name, "matrix A");
    cr_assert_not(sim_memory_guard(address + 1, 4096, "too long"));
    cr_assert_not(sim_memory_guard(address + 4096, 1, "behind"));
    cr_assert_str_eq(found->name, "matrix A");
    cr_assert_not_null(sim_memory_host(address, 4096));
}

/* Each word of the copy is written where its source is; its value plays no part. */
Test(memory_map, copies_carry_what_is_unwritten)
{
    const uint64_t from = device(64), to = device(64);
    cr_assert(sim_memory_mark_unwritten(from, 64));
    memset(sim_memory_host(from, 64), 1, 8); /* values tell that they were written */
    sim_memory_mark_written(from + 8, 8);
    memcpy(sim_memory_host(to, 64), sim_memory_host(from, 64), 64);
    sim_memory_copy_written(to, from, 64);
    size_t count = 0;
    cr_expect_eq(sim_memory_find_unwritten(to, 64, &count), to + 16);
    cr_expect_eq(count, 12);
    cr_expect_eq(sim_memory_find_unwritten(to, 17, NULL), UINT64_MAX, "half a word");
    cr_expect_eq(sim_memory_find_unwritten(to + 17, 47, NULL), to + 20);
    sim_memory_copy_written(to + 4, from + 8, 8);
    cr_expect_eq(sim_memory_find_unwritten(to + 4, 60, NULL), to + 16);
    sim_memory_copy_written(to + 18, from + 16, 32); /* words are split */
    cr_expect_eq(sim_memory_find_unwritten(to + 16, 48, &count), to + 52);
    cr_expect_eq(count, 3);
    cr_expect(sim_memory_is_news(from));
    cr_expect_not(sim_memory_is_news(from + 63));
    cr_expect(sim_memory_is_news(to));
    sim_memory_free(from);
    sim_memory_free(to);
}

Test(memory_map, the_nearest_allocation)
{
    uint64_t first = device(100), second = device(100);
    cr_assert_eq(sim_memory_nearest(first + 101)->address, first);
    cr_assert_eq(sim_memory_nearest(second - 1)->address, second);
    cr_assert_eq(sim_memory_nearest(0)->address, first);
    cr_assert_eq(sim_memory_nearest(UINT64_MAX)->address, second);
    cr_assert_eq(sim_memory_nearest(second + 50)->address, second);
}

Test(memory_map, registered_host_memory)
{
    static char array[10000];
    cr_assert(sim_memory_register(array + 1000, 9000, SIM_MEMORY_HOST));
    cr_assert_not(sim_memory_register(array + 1100, 8, SIM_MEMORY_HOST));
    cr_assert_not(sim_memory_register(array, 1001, SIM_MEMORY_HOST));
    cr_assert_not(sim_memory_reserved((uint64_t)array));
    cr_assert(sim_memory_reserved(device(1)));
    cr_assert_eq(sim_memory_host((uint64_t)array + 1010, 20), array + 1010);
    array[1000] = 42;
    cr_assert(sim_memory_free((uint64_t)array + 1000));
    cr_assert_eq(array[1000], 42);
    cr_assert_null(sim_memory_find((uint64_t)array + 1000));
}

static atomic_bool stop;

static void *look_up(void *argument)
{
    uint64_t address = *(uint64_t *)argument;
    long wrong = 0;
    while (!stop)
        wrong += !sim_memory_host(address, 1000) || sim_memory_find(address)->address != address;
    return (void *)wrong;
}

Test(memory_map, lookups_hold_while_others_allocate)
{
    uint64_t fixed[2] = {device(1000), 0}, others[64] = {0};
    for (int i = 0; i < 64; i++)
        others[i] = device(1000);
    fixed[1] = device(1000);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, &fixed[i]);
    for (int i = 0; i < 200000; i++) {
        cr_assert(sim_memory_free(others[i % 64]));
        cr_assert(others[i % 64] = device(1000));
    }
    stop = true;
    for (int i = 0; i < 2; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
    }
}
