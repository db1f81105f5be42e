/* What the grader reads of a submission's object file: made by hand, and damaged in every place.
 * Kernels and the sizes of their arguments are as the simulator's own reader of PTX finds them. */
#include "grade/recorded_launches/object.h"
#include "sim/lab_sim.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTIONS = 7, ROOM = 1 << 16, ENTRY = 64, CONTAINER = 16 };
enum { NAMES = 1, FATBIN, SYMBOLS, STRINGS, INIT, MORE };

/* An object file under construction, of SECTIONS sections; a test changes what it is about. */
struct made {
    union {
        char bytes[ROOM];
        Elf64_Ehdr head;
    };
    Elf64_Shdr *sections;
    size_t size;
};

static const char names[] =
    "\0.shstrtab\0.nv_fatbin\0.symtab\0.strtab\0.init_array\0.nv_fatbin.more\0.data";
enum { NAME_INIT = 37, NAME_MORE = 49, NAME_DATA = 65 };

static void add(struct made *o, int section, int type, int name, const void *bytes, size_t size)
{
    o->size = (o->size + 7) / 8 * 8;
    cr_assert_leq(o->size + size, sizeof o->bytes);
    memcpy(o->bytes + o->size, bytes, size);
    o->sections[section] = (Elf64_Shdr){.sh_name = (Elf64_Word)name,
                                        .sh_type = (Elf64_Word)type,
                                        .sh_offset = o->size,
                                        .sh_size = size};
    o->size += size;
}

static void put(char *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
}

/* A container with one entry of PTX, stored as it is. */
static size_t container(char *at, const char *ptx)
{
    size_t padded = (strlen(ptx) + 8) / 8 * 8;
    memset(at, 0, CONTAINER + ENTRY + padded);
    put(at, 0xBA55ED50, 4);
    put(at + 4, 1, 2);
    put(at + 6, CONTAINER, 2);
    put(at + 8, ENTRY + padded, 8);
    put(at + 16, 1, 2);
    put(at + 20, ENTRY, 4);
    put(at + 24, padded, 8);
    put(at + 44, 90, 4);
    strcpy(at + CONTAINER + ENTRY, ptx);
    return CONTAINER + ENTRY + padded;
}

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"
static const char plain[] =
    HEADER ".visible .entry gemm(.param .u32 n, .param .u64 c)\n{\nret;\n}\n";

static struct made *make(const char *ptx)
{
    static const char strings[] = "\0gemm\0cudaGetLastError";
    const Elf64_Sym symbols[] = {
        {0},
        {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = MORE},
        {.st_name = 6, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)}};
    static char fatbin[ROOM / 2];
    struct made *o = calloc(1, sizeof *o);
    o->sections = (Elf64_Shdr *)(o->bytes + sizeof o->head);
    o->size = sizeof o->head + SECTIONS * sizeof *o->sections;
    o->head = (Elf64_Ehdr){.e_type = ET_REL,
                           .e_shoff = sizeof o->head,
                           .e_shentsize = sizeof(Elf64_Shdr),
                           .e_shnum = SECTIONS,
                           .e_shstrndx = NAMES};
    memcpy(o->head.e_ident, ELFMAG, SELFMAG);
    o->head.e_ident[EI_CLASS] = ELFCLASS64;
    add(o, NAMES, SHT_STRTAB, 1, names, sizeof names);
    add(o, FATBIN, SHT_PROGBITS, 11, fatbin, container(fatbin, ptx));
    add(o, SYMBOLS, SHT_SYMTAB, 22, symbols, sizeof symbols);
    o->sections[SYMBOLS].sh_link = STRINGS;
    add(o, STRINGS, SHT_STRTAB, 30, strings, sizeof strings);
    add(o, INIT, SHT_INIT_ARRAY, NAME_INIT + 1, "12345678", 8);
    add(o, MORE, SHT_PROGBITS, NAME_DATA, "12345678", 8);
    return o;
}

/* What becomes of it: "allowed", or the reason why not. Frees it. */
static const char *verdict(struct made *made)
{
    static char why[512];
    char path[] = "/tmp/lab-object-XXXXXX";
    struct lab_object object;
    int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, made->bytes, made->size) == (ssize_t)made->size);
    close(file);
    why[0] = '\0';
    if (lab_object_open(&object, path, why, sizeof why) &&
        lab_object_allowed(&object, why, sizeof why))
        strcpy(why, "allowed");
    lab_object_close(&object);
    unlink(path);
    free(made);
    return why;
}

static void expect(struct made *made, const char *what)
{
    const char *got = verdict(made);
    cr_expect(strstr(got, what), "\"%s\", not \"%s\"", got, what);
}

static char *fatbin_of(struct made *o)
{
    return o->bytes + o->sections[FATBIN].sh_offset;
}

Test(objects, one_container_fills_its_section)
{
    static const uint64_t sizes[] = {
        0, 1, 15, 16, 1 << 20, 1ull << 32, UINT32_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 15};
    struct made *o;
    expect(make(plain), "allowed");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        o = make(plain);
        put(fatbin_of(o) + 8, sizes[i], 8);
        expect(o, "is not as nvcc writes it");
        o = make(plain);
        o->sections[FATBIN].sh_size = sizes[i];
        expect(o, "is not as nvcc writes it");
        o = make(plain);
        o->sections[FATBIN].sh_offset = sizes[i] + ROOM;
        expect(o, "is not as nvcc writes it");
    }
    for (unsigned header = 0; header < 16; header++) {
        o = make(plain);
        put(fatbin_of(o) + 6, header, 2);
        expect(o, "is not as nvcc writes it");
    }
    o = make(plain);
    put(fatbin_of(o) + 6, UINT16_MAX, 2);
    expect(o, "is not as nvcc writes it");
    o = make(plain);
    put(fatbin_of(o), 0x466243B1, 4);
    expect(o, "is not as nvcc writes it");
    o = make(plain);
    o->sections[FATBIN].sh_type = SHT_NOBITS;
    expect(o, "is not as nvcc writes it");
}

Test(objects, one_section_holds_it)
{
    struct made *o;
    for (int twin = 0; twin < 2; twin++)
        for (int alike = 0; alike < 2; alike++) {
            o = make(plain);
            if (twin)
                o->sections[MORE] = o->sections[FATBIN];
            o->sections[MORE].sh_name = alike ? NAME_MORE + 1 : o->sections[FATBIN].sh_name;
            expect(o, "is not as nvcc writes it");
        }
    o = make(plain);
    o->sections[FATBIN].sh_name = NAME_DATA;
    expect(o, "there is no kernel in it");
    o = make(plain); /* names without an end */
    o->bytes[o->sections[NAMES].sh_offset + sizeof names - 1] = 'x';
    expect(o, "there is no kernel in it");
}

Test(objects, headers_are_held_against_the_file)
{
    struct made *o;
    for (size_t size = 1; size < sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr); size += 13) {
        o = make(plain);
        o->size = size;
        expect(o, "no usable object file");
    }
    static const uint64_t offsets[] = {1, ROOM, 1ull << 32, 1ull << 63, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        o = make(plain);
        o->head.e_shoff = offsets[i];
        expect(o, "no usable object file");
    }
    o = make(plain);
    o->head.e_shnum = UINT16_MAX;
    expect(o, "no usable object file");
    o = make(plain);
    o->head.e_shentsize = 8;
    expect(o, "no usable object file");
    o = make(plain);
    o->head.e_shstrndx = SHN_XINDEX;
    expect(o, "there is no kernel in it");
}

/* A name that cannot be read is no name that is allowed. */
Test(objects, symbols_have_names)
{
    struct made *o = make(plain);
    Elf64_Sym *symbols = (Elf64_Sym *)(o->bytes + o->sections[SYMBOLS].sh_offset);
    symbols[2].st_name = 1;
    expect(o, "uses gemm");
    o = make(plain);
    symbols = (Elf64_Sym *)(o->bytes + o->sections[SYMBOLS].sh_offset);
    symbols[2].st_name = 1 << 20;
    expect(o, "its list of symbols is damaged");
    o = make(plain);
    o->bytes[o->sections[STRINGS].sh_offset + o->sections[STRINGS].sh_size - 1] = 'x';
    expect(o, "its list of symbols is damaged");
    o = make(plain);
    o->sections[SYMBOLS].sh_link = 1000;
    expect(o, "its list of symbols is damaged");
    o = make(plain);
    o->sections[SYMBOLS].sh_offset += 4;
    expect(o, "its list of symbols is damaged");
    o = make(plain);
    o->sections[SYMBOLS].sh_size = UINT64_MAX;
    expect(o, "its list of symbols is damaged");
    o = make(plain);
    o->sections[SYMBOLS].sh_size--;
    expect(o, "its list of symbols is damaged");
}

/* Two sizes whose sum wraps around to nothing. */
Test(objects, code_that_runs_early_is_counted)
{
    struct made *o = make(plain);
    o->sections[INIT].sh_size = 16;
    expect(o, "code that runs when the file is loaded");
    o = make(plain);
    o->sections[INIT].sh_size = 1ull << 63;
    o->sections[MORE].sh_name = NAME_INIT + 1;
    o->sections[MORE].sh_size = 1ull << 63;
    expect(o, "code that runs when the file is loaded");
}

/* --- kernels -----------------------------------------------------------------------------------*/

/* The kernels of a container, as "name:size,size name:..."; or the reason why there are none. */
static const char *kernels_of(const char *bytes, size_t size)
{
    static char text[4096];
    struct lab_object object = {.fatbin = (const unsigned char *)bytes, .fatbin_size = size};
    struct lab_kernels kernels;
    bool unsupported;
    int used = 0;
    if (!lab_kernels_read(&object, &kernels, &unsupported, text, sizeof text)) {
        free(kernels.list);
        return text;
    }
    text[0] = '\0';
    for (int i = 0; i < kernels.count; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s:", i ? " " : "",
                         kernels.list[i].name);
        for (uint32_t p = 0; p < kernels.list[i].count; p++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%u", p ? "," : "",
                             kernels.list[i].sizes[p]);
    }
    free(kernels.list);
    return text;
}

static void expect_kernels(const char *ptx, const char *what)
{
    static char bytes[ROOM];
    size_t size = container(bytes, ptx);
    const char *got = kernels_of(bytes, size);
    cr_expect(strstr(got, what) == got && (*what || !*got), "%s\nis \"%s\", not \"%s\"", ptx, got,
              what);
}

Test(objects, kernels_are_what_the_parser_finds)
{
    expect_kernels(plain, "gemm:4,8");
    expect_kernels(HEADER, "");
    expect_kernels(HEADER "/* .entry gemm(.param .u64 x) {} */.entry gemm(.param .u8 y) {ret;}",
                   "gemm:1");
    expect_kernels(HEADER "// .entry gemm(.param .u64 x) {}\n.entry\tgemm(\t.param\t.u8\ty) {ret;}",
                   "gemm:1");
    expect_kernels(HEADER ".entry/*.entry other(.param .u8 x)*/gemm/**/(/*)*/.param .u16 y){ret;}",
                   "gemm:2");
    expect_kernels(HEADER ".entry\ngemm\n{ret;}", "gemm:");
    expect_kernels(HEADER ".entry gemm(.param .u32 x);\n.entry gemm(.param .u32 x) {ret;}",
                   "gemm:4");
    expect_kernels(HEADER ".entry gemm(.param .u32 x);\n", "");
    expect_kernels(HEADER
                   ".file 1 \".entry gemm(.param .u8 x)\"\n.entry gemm(.param .u32 x) {ret;}",
                   "gemm:4");
    expect_kernels(HEADER ".entry gemm(.param .align 8 .b8 x[24], .param .b32 y[2][3]) {ret;}",
                   "gemm:24,24");
    expect_kernels(HEADER ".entry gemm(.param .u64 .ptr .global .align 16 x) {ret;}", "gemm:8");
    expect_kernels(HEADER ".entry a(.param .v4 .f32 x) {ret;} .func f() {ret;} .entry b {ret;}",
                   "a:16 b:");
}

Test(objects, sizes_are_bounded)
{
    static char many[ROOM / 2];
    size_t used = 0;
    const char *large = "it has too many kernels, or one with too many parameters";
    expect_kernels(HEADER ".entry gemm(.param .b8 x[4096]) {ret;}", "gemm:4096");
    expect_kernels(HEADER ".entry gemm(.param .b8 x[4097]) {ret;}", large);
    expect_kernels(HEADER ".entry gemm(.param .b8 x[32764]) {ret;}", large);
    expect_kernels(HEADER ".entry gemm(.param .b8 x[32765]) {ret;}", "PTX line 4");
    expect_kernels(HEADER ".entry gemm(.param .b8 x[4294967297]) {ret;}", "PTX line 4");
    expect_kernels(HEADER ".entry gemm(.param .b8 x[]) {ret;}", large);
    expect_kernels(HEADER ".entry gemm(.param .b8 x[18446744073709551615]) {ret;}", "PTX line 4");
    expect_kernels(HEADER ".entry gemm(.param .b64 x[1099511627776][16777216]) {ret;}",
                   "PTX line 4");
    expect_kernels(HEADER ".entry gemm(.param .b8 x[4096], .param .b8 y[4096], .param .b8 "
                          "z[4096], .param .b8 v[4096], .param .u8 w) {ret;}",
                   large);
    expect_kernels(HEADER ".entry gemm(.param .u32 x", "PTX line 4");
    expect_kernels(HEADER ".entry gemm(.param .u32 x) {ret;} .entry gemm {ret;}", "PTX line 4");
    for (int parameters = 64; parameters <= 65; parameters++) {
        used = (size_t)snprintf(many, sizeof many, HEADER ".entry gemm(");
        for (int i = 0; i < parameters; i++)
            used += (size_t)snprintf(many + used, sizeof many - used, "%s.param .u8 p%d",
                                     i ? ", " : "", i);
        snprintf(many + used, sizeof many - used, ") {ret;}");
        expect_kernels(many, parameters == 64 ? "gemm:1,1" : large);
    }
    for (int kernels = 256; kernels <= 257; kernels++) {
        used = (size_t)snprintf(many, sizeof many, HEADER);
        for (int i = 0; i < kernels; i++)
            used += (size_t)snprintf(many + used, sizeof many - used, ".entry k%d {ret;}", i);
        expect_kernels(many, kernels == 256 ? "k0: k1:" : large);
    }
}

/* Every field of the entry's header, with sizes that wrap around in 32 and in 64 bits. */
Test(objects, entries_are_held_against_the_container)
{
    static char bytes[ROOM];
    static const struct {
        size_t at, size;
    } fields[] = {{20, 4}, {24, 8}, {32, 4}, {72, 8}};
    static const uint64_t values[] = {1ull << 31,      UINT32_MAX - 63, UINT32_MAX,     1ull << 63,
                                      UINT64_MAX - 63, UINT64_MAX,      UINT64_MAX - 79};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (unsigned flags = 0; flags <= 0x8000; flags += flags ? 0x6000 : 0x2000) {
                size_t size = container(bytes, plain);
                put(bytes + 56, flags, 8);
                put(bytes + fields[f].at, values[v], fields[f].size);
                const char *got = kernels_of(bytes, size);
                /* what is not packed has no such size; some are none in 4 bytes */
                bool unread = !flags && (fields[f].at == 72 ||
                                         (fields[f].size == 4 && (uint32_t)values[v] == 0));
                cr_expect(strncmp(got, "gemm:4,8", 8) == 0
                              ? unread
                              : strstr(got, "damaged CUDA") || strstr(got, "PTX line 1"),
                          "field %zu, value %llx, flags %x: %s", fields[f].at,
                          (unsigned long long)values[v], flags, got);
            }
    for (size_t size = 0, whole = container(bytes, plain); size < whole; size++) {
        char *piece = malloc(size + 1);
        memcpy(piece, bytes, size);
        const char *got = kernels_of(piece, size);
        cr_expect(strstr(got, "damaged CUDA") || strstr(got, "not a CUDA"), "%zu bytes: %s", size,
                  got);
        free(piece);
    }
}

/* Containers within a container, and text in which one lies: only the outermost counts. */
Test(objects, nested_containers_are_text)
{
    static char inner[ROOM / 4], outer[ROOM / 2];
    size_t inside = container(inner, plain), size = container(outer, HEADER);
    memcpy(outer + size, inner, inside);
    put(outer + 8, size - CONTAINER + inside, 8);
    cr_expect(strstr(kernels_of(outer, size + inside), "damaged CUDA"), "%s",
              kernels_of(outer, size + inside));
    expect_kernels(HEADER "/* \x50\xed\x55\xba .entry gemm(.param .u8 x) */", "");
}

/* --- launches ----------------------------------------------------------------------------------*/

/* What the recorder says is held against what the kernel takes before anything reads it. */
Test(objects, launches_fit_their_kernel)
{
    static const uint32_t sizes[] = {0, 4, 11, 13, 24, LAB_RECORD_MOST_ARGUMENTS, UINT32_MAX};
    static char bytes[ROOM];
    bool unsupported;
    char why[256];
    struct lab_kernels kernels;
    struct lab_record_answer answer = {.kind = LAB_RECORD_KERNEL, .values = {1, 1, 1, 32, 1, 1, 0}};
    struct lab_object object = {.fatbin = (const unsigned char *)bytes,
                                .fatbin_size = container(bytes, plain)};
    cr_assert(lab_kernels_read(&object, &kernels, &unsupported, why, sizeof why));
    strcpy(answer.name, "gemm");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        answer.bytes = sizes[i];
        cr_expect_eq(lab_launch_recorded(&kernels, &answer, bytes, NULL), cudaErrorInvalidValue,
                     "%u bytes", sizes[i]);
    }
    answer.bytes = 12;
    strcpy(answer.name, "gem");
    cr_expect_eq(lab_launch_recorded(&kernels, &answer, bytes, NULL),
                 cudaErrorInvalidDeviceFunction);
    answer.kind = LAB_RECORD_ATTRIBUTE;
    cr_expect_eq(lab_launch_recorded(&kernels, &answer, bytes, NULL),
                 cudaErrorInvalidDeviceFunction);
    answer.kind = 7;
    cr_expect_eq(lab_launch_recorded(&kernels, &answer, bytes, NULL), cudaErrorInvalidValue);
    free(kernels.list);
}
