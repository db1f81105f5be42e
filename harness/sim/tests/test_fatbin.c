/* Reading fat binaries and cubins: made by hand, as nvcc made them, and damaged in every place.
 * All input ends at an inaccessible page, so that reading past its end crashes. */
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/fatbin/fatbin.h"

enum { PLAIN = 0, LZ4 = 0x2000, ZSTD = 0x8000 };

struct bytes {
    uint8_t *data;
    size_t size;
};

/* A copy that ends right before an inaccessible page. */
static struct bytes guarded(const void *data, size_t size)
{
    size_t pages = (size + 4095) / 4096 * 4096;
    uint8_t *base =
        mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(base != MAP_FAILED && mprotect(base + pages, 4096, PROT_NONE) == 0);
    struct bytes copy = {base + pages - size, size};
    memcpy(copy.data, data, size);
    return copy;
}

static void release(struct bytes copy)
{
    uint8_t *base = (uint8_t *)((uintptr_t)copy.data / 4096 * 4096);
    munmap(base, (size_t)(copy.data + copy.size - base) + 4096);
}

static void put(struct bytes *to, const void *data, size_t size)
{
    to->data = realloc(to->data, to->size + size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void put_number(struct bytes *to, uint64_t value, size_t size)
{
    put(to, &value, size);
}

/* Appends an entry of a container. */
static void put_entry(struct bytes *to, int kind, int arch, int packing, const void *data,
                      size_t size)
{
    size_t room = size + 1000, packed = size;
    const bool is_packed = packing == ZSTD || packing == LZ4;
    char *payload = calloc(1, room);
    if (packing == ZSTD)
        packed = ZSTD_compress(payload, room, data, size, 3);
    else if (packing == LZ4)
        packed = (size_t)LZ4_compress_default(data, payload, (int)size, (int)room);
    else
        memcpy(payload, data, size);
    size_t padded = (packed + 7) / 8 * 8;
    put_number(to, (uint64_t)kind, 2);
    put_number(to, 0x101, 2);
    put_number(to, 64, 4);
    put_number(to, padded, 8);
    put_number(to, is_packed ? packed : 0, 4);
    put_number(to, 0, 8);
    put_number(to, (uint64_t)arch, 4);
    put_number(to, 0, 8);
    put_number(to, 0x11 | (uint64_t)packing, 8);
    put_number(to, 0, 8);
    put_number(to, is_packed ? size : 0, 8);
    put(to, payload, padded);
    free(payload);
}

static struct bytes container(const struct bytes *entries)
{
    struct bytes made = {NULL, 0};
    put_number(&made, 0xBA55ED50, 4);
    put_number(&made, 1, 2);
    put_number(&made, 16, 2);
    put_number(&made, entries->size, 8);
    put(&made, entries->data, entries->size);
    return guarded(made.data, made.size);
}

static const char old_ptx[] = ".version 8.0\n.target sm_80\n// old old old old old old old old\n";
static const char new_ptx[] = ".version 9.0\n.target sm_90\n// new new new new new new new new\n";

enum { SPECIFIC = 0x100000 };

/* Code for sm_90a is the best for compute capability 9.0, and for no other one. */
Test(fatbin, takes_code_for_one_architecture_only_there)
{
    struct bytes entries = {NULL, 0};
    put_entry(&entries, SIM_FATBIN_PTX, 90, SPECIFIC, "of sm_90a", 9);
    struct bytes alone = container(&entries);
    put_entry(&entries, SIM_FATBIN_PTX, 90, PLAIN, "of sm_90", 8);
    struct bytes both = container(&entries);
    char error[256];
    size_t length;
    int arch;
    char *text = sim_fatbin_select(both.data, both.size, SIM_FATBIN_PTX, 90, &length, &arch, error,
                                   sizeof error);
    cr_assert_str_eq(text, "of sm_90a");
    free(text);
    text = sim_fatbin_select(both.data, both.size, SIM_FATBIN_PTX, 100, &length, &arch, error,
                             sizeof error);
    cr_assert_str_eq(text, "of sm_90");
    free(text);
    for (int i = 80; i <= 100; i += 20) {
        text = sim_fatbin_select(alone.data, alone.size, SIM_FATBIN_PTX, i, &length, &arch, error,
                                 sizeof error);
        cr_assert(!text && strstr(error, "for sm_90a") && strstr(error, "capability 9.0"), "%s",
                  error);
    }
    free(entries.data);
}

static struct bytes sample(int packing)
{
    struct bytes entries = {NULL, 0};
    put_entry(&entries, SIM_FATBIN_CUBIN, 90, PLAIN, "machine code", 12);
    put_entry(&entries, SIM_FATBIN_PTX, 80, packing, old_ptx, strlen(old_ptx));
    put_entry(&entries, SIM_FATBIN_PTX, 90, packing, new_ptx, strlen(new_ptx));
    put_entry(&entries, 77, 90, PLAIN, "of a kind yet unknown", 21);
    put_entry(&entries, SIM_FATBIN_PTX, 100, packing, "newer than the device", 21);
    struct bytes made = container(&entries);
    free(entries.data);
    return made;
}

Test(fatbin, unpacks_every_packing_and_takes_the_newest_that_fits)
{
    static const int packings[] = {PLAIN, LZ4, ZSTD};
    for (int i = 0; i < 3; i++) {
        struct bytes data = sample(packings[i]);
        char error[256];
        size_t length;
        int arch;
        char *text = sim_fatbin_select(data.data, data.size, SIM_FATBIN_PTX, 90, &length, &arch,
                                       error, sizeof error);
        cr_assert(text, "%s", error);
        cr_assert(arch == 90 && length == strlen(new_ptx));
        cr_assert_str_eq(text, new_ptx);
        free(text);
        text = sim_fatbin_select(data.data, data.size, SIM_FATBIN_PTX, 89, &length, &arch, error,
                                 sizeof error);
        cr_assert(text && arch == 80);
        cr_assert_str_eq(text, old_ptx);
        free(text);
        text = sim_fatbin_select(data.data, data.size, SIM_FATBIN_PTX, 75, &length, &arch, error,
                                 sizeof error);
        cr_assert(text && arch == 100, "newer PTX is better than none");
        free(text);
        cr_assert_null(sim_fatbin_select(data.data, data.size, SIM_FATBIN_CUBIN, 89, &length, &arch,
                                         error, sizeof error));
    }
}

Test(fatbin, says_how_to_get_ptx_where_there_is_none)
{
    struct bytes entries = {NULL, 0};
    put_entry(&entries, SIM_FATBIN_CUBIN, 90, PLAIN, "machine code", 12);
    struct bytes data = container(&entries);
    char error[256];
    size_t length;
    int arch;
    cr_assert_null(sim_fatbin_select(data.data, data.size, SIM_FATBIN_PTX, 90, &length, &arch,
                                     error, sizeof error));
    cr_assert(strstr(error, "no PTX inside") && strstr(error, "-arch=sm_90"), "%s", error);
}

Test(fatbin, wrapper_leads_to_the_container)
{
    struct bytes data = sample(PLAIN);
    struct {
        uint32_t magic, version;
        const void *data, *units;
    } wrapper = {0x466243B1, 1, data.data, &data};
    size_t size = 0;
    cr_assert_null(sim_fatbin_units(&wrapper));
    wrapper.version = 2;
    cr_assert_eq((const void *)sim_fatbin_units(&wrapper), (const void *)&data);
    wrapper.version = 1;
    cr_assert_eq(sim_fatbin_of_wrapper(&wrapper, &size), data.data);
    cr_assert_eq(size, data.size);
    wrapper.magic++;
    cr_assert_null(sim_fatbin_of_wrapper(&wrapper, &size));
    wrapper.magic--;
    data.data[0]++;
    cr_assert_null(sim_fatbin_of_wrapper(&wrapper, &size));
}

/* Reads all there is; the result does not matter, only that nothing outside is touched. */
static void read_all(const uint8_t *data, size_t size)
{
    char error[256];
    size_t length;
    int arch;
    free(sim_fatbin_select(data, size, SIM_FATBIN_PTX, 90, &length, &arch, error, sizeof error));
    struct sim_fatbin fatbin;
    struct sim_fatbin_entry entry;
    if (sim_fatbin_open(&fatbin, data, size, error, sizeof error))
        while (sim_fatbin_next(&fatbin, &entry, error, sizeof error))
            if (entry.unpacked < 1 << 20)
                free(sim_fatbin_unpack(&entry, error, sizeof error));
}

static void read_cubin(const uint8_t *data, size_t size)
{
    char error[256];
    struct sim_cubin cubin;
    if (sim_cubin_read(&cubin, data, size, error, sizeof error))
        sim_cubin_free(&cubin);
}

/* Every prefix, and every byte replaced by some others. */
static void damage(struct bytes good, void (*read)(const uint8_t *, size_t))
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t size = 0; size < good.size; size++) {
        struct bytes cut = guarded(good.data, size);
        read(cut.data, cut.size);
        release(cut);
    }
    for (size_t at = 0; at < good.size; at++) {
        uint8_t before = good.data[at];
        for (size_t i = 0; i < sizeof values; i++) {
            good.data[at] = values[i];
            read(good.data, good.size);
        }
        good.data[at] = before;
    }
}

Test(fatbin, damaged_containers_are_refused_not_followed)
{
    damage(sample(PLAIN), read_all);
    damage(sample(LZ4), read_all);
    damage(sample(ZSTD), read_all);
    char error[256];
    struct sim_fatbin fatbin;
    struct bytes data = sample(PLAIN);
    cr_assert_not(sim_fatbin_open(&fatbin, data.data, data.size - 1, error, sizeof error));
    cr_assert(strstr(error, "damaged"), "%s", error);
}

/* ---- cubins ---------------------------------------------------------------------------------- */

static const char section_names[] = "\0.shstrtab\0.strtab\0.symtab\0.nv.info\0.nv.info.kernel\0"
                                    ".nv.shared.kernel\0.nv.shared.reserved.0\0.debug_frame";

static uint32_t name_at(const char *name)
{
    for (size_t at = 0; at < sizeof section_names; at += strlen(section_names + at) + 1)
        if (strcmp(section_names + at, name) == 0)
            return (uint32_t)at;
    cr_assert_fail("no section name %s", name);
    return 0;
}

static void put_section(struct bytes *table, const char *name, uint32_t type, size_t offset,
                        size_t size, uint32_t link)
{
    Elf64_Shdr header = {.sh_name = name_at(name),
                         .sh_type = type,
                         .sh_offset = offset,
                         .sh_size = size,
                         .sh_link = link};
    put(table, &header, sizeof header);
}

/* A cubin with one kernel "kernel" of 42 registers, 320 bytes of stack, 128 threads at most and
 * 3072 bytes of shared memory, which calls a function with a frame of 208 bytes. */
static struct bytes sample_cubin(void)
{
    static const char names[] = "\0kernel\0$kernel$called";
    static const uint32_t info[] = {0x00082f04, 1, 42, 0x00081104, 1, 16, 0x00081204, 1, 320};
    static const uint32_t own[] = {0x0000fe03, 0x000c0504, 128, 1, 1};
    static const uint32_t frames[] = {0xffffffff, 24, 0,      ~0u, ~0u,        0,
                                      0,          0,  0, /* a CIE without instructions */
                                      0xffffffff, 37, 0,      0,   0, /* of that one; then the
                                                                         function */
                                      0x450,      0,  0x26c0, 0,   0x00000804, 0x80810c00,
                                      0xd0288080, /* advance; def_cfa of register 1, 208 bytes; stop
                                                   */
                                      0x01};
    Elf64_Sym symbols[3] = {
        {0}, {.st_name = 1}, {.st_name = 8, .st_value = 0x450, .st_size = 0x26c0}};
    struct bytes file = {NULL, 0}, table = {NULL, 0};
    Elf64_Ehdr head = {.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 9, .e_shstrndx = 1};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    put(&file, &head, sizeof head);
    put_section(&table, "", SHT_NULL, 0, 0, 0);
    put_section(&table, ".shstrtab", SHT_STRTAB, file.size, sizeof section_names, 0);
    put(&file, section_names, sizeof section_names);
    put_section(&table, ".strtab", SHT_STRTAB, file.size, sizeof names, 0);
    put(&file, names, sizeof names);
    put_section(&table, ".symtab", SHT_SYMTAB, file.size, sizeof symbols, 2);
    put(&file, symbols, sizeof symbols);
    put_section(&table, ".nv.info", 0x70000000, file.size, sizeof info, 3);
    put(&file, info, sizeof info);
    put_section(&table, ".nv.info.kernel", 0x70000000, file.size, sizeof own, 3);
    put(&file, own, sizeof own);
    put_section(&table, ".nv.shared.kernel", SHT_NOBITS, file.size, 3072, 0);
    put_section(&table, ".nv.shared.reserved.0", SHT_NOBITS, file.size, 1, 0);
    put_section(&table, ".debug_frame", SHT_PROGBITS, file.size, sizeof frames - 3, 0);
    put(&file, frames, sizeof frames);
    ((Elf64_Ehdr *)file.data)->e_shoff = file.size;
    put(&file, table.data, table.size);
    free(table.data);
    return guarded(file.data, file.size);
}

Test(cubin, tells_what_a_kernel_takes)
{
    struct bytes data = sample_cubin();
    struct sim_cubin cubin;
    char error[256];
    cr_assert(sim_cubin_read(&cubin, data.data, data.size, error, sizeof error), "%s", error);
    cr_assert_eq(cubin.kernel_count, 2);
    const struct sim_cubin_kernel *called = sim_cubin_find(&cubin, "$kernel$called");
    cr_assert(called && called->registers == 0 && called->stack_bytes == 208);
    const struct sim_cubin_kernel *kernel = sim_cubin_find(&cubin, "kernel");
    cr_assert(kernel && kernel->registers == 42 && kernel->stack_bytes == 320);
    cr_assert(kernel->max_threads == 128 && kernel->shared_bytes == 3072);
    cr_assert_null(sim_cubin_find(&cubin, "another"));
    sim_cubin_free(&cubin);
    cr_assert_not(sim_cubin_read(&cubin, "no ELF file", 11, error, sizeof error));
}

Test(cubin, damaged_files_are_refused_not_followed)
{
    damage(sample_cubin(), read_cubin);
}

/* ---- what nvcc writes ------------------------------------------------------------------------ */

/* The section `.nv_fatbin` of a file, on the heap. */
static struct bytes embedded(const char *path)
{
    struct bytes found = {NULL, 0};
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        return found;
    const uint8_t *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    cr_assert(data != MAP_FAILED);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)data;
    const Elf64_Shdr *table = (const Elf64_Shdr *)(data + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if (strcmp((const char *)data + table[head->e_shstrndx].sh_offset + table[i].sh_name,
                   ".nv_fatbin") == 0)
            put(&found, data + table[i].sh_offset, table[i].sh_size);
    close(file);
    return found;
}

/* A program as nvcc built it: its PTX, and machine code with sensible register counts. */
Test(fatbin, reads_a_program)
{
    const char *build = getenv("LAB_TEST_BUILD");
    if (!build)
        cr_skip_test("LAB_TEST_BUILD is not set: run by `make test`");
    char path[4096], error[256];
    snprintf(path, sizeof path, "%s/tests/programs/reduction", build);
    struct bytes data = embedded(path);
    cr_assert(data.size > 16, "no fat binary in %s", path);
    int kernels = 0;
    for (size_t at = 0; at + 16 <= data.size; at += 8) { /* several, one behind the other */
        size_t length;
        int arch;
        char *text = sim_fatbin_select(data.data + at, data.size - at, SIM_FATBIN_PTX, 90, &length,
                                       &arch, error, sizeof error);
        if (!text)
            continue;
        cr_assert(strstr(text, ".entry") && strstr(text, ".target sm_"));
        free(text);
        char *code = sim_fatbin_select(data.data + at, data.size - at, SIM_FATBIN_CUBIN, 90,
                                       &length, &arch, error, sizeof error);
        struct sim_cubin cubin;
        cr_assert(code && sim_cubin_read(&cubin, code, length, error, sizeof error), "%s", error);
        for (int i = 0; i < cubin.kernel_count; i++, kernels++)
            cr_assert(cubin.kernels[i].name[0] == '$' ||
                      (cubin.kernels[i].registers >= 8 && cubin.kernels[i].registers <= 255));
        free(code);
        sim_cubin_free(&cubin);
    }
    cr_assert(kernels >= 2, "the program has two kernels, found %d", kernels);
}
