/* Reads registers, shared memory and stack of each kernel from a cubin, which is an ELF file.
 * `.nv.info` lists attributes of all kernels by symbol number; `.nv.info.NAME` lists attributes of
 * one kernel; `.debug_frame` has the frames of the functions that it calls. */
#include "fatbin.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORMAT_SIZED =
        4, /* {u8 format, u8 attribute, u16 size}, then size bytes; other formats have 4 bytes */
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_REQUIRED_THREADS = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_STACK_SIZE = 0x12,
    ATTRIBUTE_REGISTERS = 0x2f
};

/* The file that is being read; tables lie inside [data, data + size). */
struct reader {
    const uint8_t *data;
    size_t size;
    Elf64_Ehdr head;
    struct sim_cubin *cubin;
    const uint8_t *symbols; /* Elf64_Sym, maybe unaligned */
    size_t symbol_count;
    const char *names; /* of the symbols */
    size_t names_size;
};

static bool inside(const struct reader *reader, uint64_t offset, uint64_t size)
{
    return offset <= reader->size && size <= reader->size - offset;
}

static bool section(const struct reader *reader, unsigned index, Elf64_Shdr *header)
{
    if (index >= reader->head.e_shnum)
        return false;
    memcpy(header, reader->data + reader->head.e_shoff + (uint64_t)index * sizeof *header,
           sizeof *header);
    return header->sh_type == SHT_NOBITS || inside(reader, header->sh_offset, header->sh_size);
}

/* A name in a string table; "": the name does not end inside the table. */
static const char *string(const char *table, size_t size, uint64_t offset)
{
    if (offset >= size || !memchr(table + offset, '\0', size - offset))
        return "";
    return table + offset;
}

static const char *section_name(const struct reader *reader, const Elf64_Shdr *header)
{
    Elf64_Shdr table;
    if (!section(reader, reader->head.e_shstrndx, &table) || table.sh_type == SHT_NOBITS)
        return "";
    return string((const char *)reader->data + table.sh_offset, table.sh_size, header->sh_name);
}

/* The record of a kernel. The first call for a kernel makes the record. NULL: the name is "", or
 * memory has run out. */
static struct sim_cubin_kernel *kernel_named(struct sim_cubin *cubin, const char *name)
{
    for (int i = 0; i < cubin->kernel_count; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0)
            return &cubin->kernels[i];
    if (!name[0])
        return NULL;
    size_t count = (size_t)cubin->kernel_count + 1;
    struct sim_cubin_kernel *grown = realloc(cubin->kernels, count * sizeof *grown);
    if (!grown)
        return NULL;
    cubin->kernels = grown;
    char *copy = strdup(name);
    if (!copy)
        return NULL;
    struct sim_cubin_kernel *added = &cubin->kernels[cubin->kernel_count++];
    *added = (struct sim_cubin_kernel){.name = copy};
    return added;
}

static struct sim_cubin_kernel *kernel_of_symbol(const struct reader *reader, uint32_t index)
{
    Elf64_Sym symbol;
    if (index >= reader->symbol_count)
        return NULL;
    memcpy(&symbol, reader->symbols + (size_t)index * sizeof symbol, sizeof symbol);
    return kernel_named(reader->cubin, string(reader->names, reader->names_size, symbol.st_name));
}

/* Takes an attribute of `.nv.info.NAME`, or of `.nv.info`. In `.nv.info` the first word is the
 * number of the kernel's symbol, and `kernel` is NULL. */
static void take_attribute(const struct reader *reader, struct sim_cubin_kernel *kernel,
                           unsigned attribute, const uint8_t *data, size_t size)
{
    uint32_t word[3] = {0};
    memcpy(word, data, size < sizeof word ? size : sizeof word);
    if (attribute == ATTRIBUTE_MAX_THREADS || attribute == ATTRIBUTE_REQUIRED_THREADS) {
        uint64_t plane = (uint64_t)word[0] * word[1];
        if (kernel && size >= 12 && plane <= 1024 && plane * word[2] <= 1024)
            kernel->max_threads = (int)(plane * word[2]);
        return;
    }
    bool known = attribute == ATTRIBUTE_REGISTERS || attribute == ATTRIBUTE_FRAME_SIZE ||
                 attribute == ATTRIBUTE_STACK_SIZE;
    if (!known || kernel || size < 8 || !(kernel = kernel_of_symbol(reader, word[0])))
        return;
    if (attribute == ATTRIBUTE_REGISTERS)
        kernel->registers = word[1] <= 255 ? (int)word[1] : 255;
    else if (word[1] > kernel->stack_bytes) /* STACK_SIZE also counts frames of functions called */
        kernel->stack_bytes = word[1];
}

static void take_attributes(const struct reader *reader, struct sim_cubin_kernel *kernel,
                            const Elf64_Shdr *header)
{
    const uint8_t *at = reader->data + header->sh_offset, *end = at + header->sh_size;
    while (end - at >= 4) {
        size_t size = at[0] == FORMAT_SIZED ? (size_t)(at[2] | at[3] << 8) : 0;
        if (size > (size_t)(end - at) - 4)
            return;
        if (at[0] == FORMAT_SIZED)
            take_attribute(reader, kernel, at[1], at + 4, size);
        at += 4 + size;
    }
}

static bool find_symbols(struct reader *reader)
{
    Elf64_Shdr header, names;
    for (unsigned i = 0; i < reader->head.e_shnum; i++) {
        if (!section(reader, i, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        if (!section(reader, header.sh_link, &names) || names.sh_type != SHT_STRTAB)
            return false;
        reader->symbols = reader->data + header.sh_offset;
        reader->symbol_count = header.sh_size / sizeof(Elf64_Sym);
        reader->names = (const char *)reader->data + names.sh_offset;
        reader->names_size = names.sh_size;
        return true;
    }
    return false;
}

/* The function at an offset from its kernel's begin, of this size: "$KERNEL$FUNCTION". */
static struct sim_cubin_kernel *function_at(const struct reader *reader, uint64_t at, uint64_t size)
{
    for (size_t i = 0; i < reader->symbol_count; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, reader->symbols + i * sizeof symbol, sizeof symbol);
        const char *const name = string(reader->names, reader->names_size, symbol.st_name);
        if (name[0] == '$' && symbol.st_value == at && symbol.st_size == size)
            return kernel_named(reader->cubin, name);
    }
    return NULL;
}

/* The largest frame of a function, in bytes: what its first instructions take from the stack
 * pointer, by DW_CFA_def_cfa (DWARF 6.4.2). */
static uint64_t frame_of(const uint8_t *at, const uint8_t *end)
{
    enum { ADVANCE_LOC4 = 0x04, DEF_CFA = 0x0c };
    uint64_t most = 0;
    while (end - at > 4 && (*at == ADVANCE_LOC4 || *at == DEF_CFA)) {
        if (*at == ADVANCE_LOC4) {
            at += 5;
            continue;
        }
        uint64_t value[2] = {0}; /* register and offset, in LEB128 */
        at++;
        for (int i = 0; i < 2; i++) {
            int shift = 0;
            do
                value[i] |= shift < 64 ? (uint64_t)(*at & 0x7f) << shift : 0;
            while (at++, shift += 7, at < end && at[-1] & 0x80);
            if (at == end)
                break;
        }
        most = value[1] > most ? value[1] : most;
    }
    return most;
}

/* Entries of 64-bit DWARF: {u32 ~0, u64 length, u64 CIE or ~0 in a CIE itself, u64 where a function
 * begins, u64 its bytes}, and instructions. */
static void take_frames(const struct reader *reader, const Elf64_Shdr *header)
{
    enum { HEAD = 12, FIXED = 24 };
    const uint8_t *at = reader->data + header->sh_offset;
    const uint8_t *const end = at + header->sh_size;
    while (end - at >= HEAD + FIXED) {
        uint64_t length, fields[3];
        memcpy(&length, at + 4, sizeof length);
        memcpy(fields, at + HEAD, sizeof fields);
        if (length < FIXED || length > (uint64_t)(end - at) - HEAD)
            return;
        if (fields[0] != UINT64_MAX) {
            const uint64_t bytes = frame_of(at + HEAD + FIXED, at + HEAD + length);
            struct sim_cubin_kernel *const function =
                bytes ? function_at(reader, fields[1], fields[2]) : NULL;
            if (function && bytes > function->stack_bytes)
                function->stack_bytes = bytes;
        }
        at += HEAD + length;
    }
}

static void take_section(const struct reader *reader, const Elf64_Shdr *header)
{
    static const char info[] = ".nv.info.", shared[] = ".nv.shared.";
    const char *name = section_name(reader, header);
    bool in_file = header->sh_type != SHT_NOBITS;
    if (strcmp(name, ".nv.info") == 0 && in_file)
        take_attributes(reader, NULL, header);
    if (strcmp(name, ".debug_frame") == 0 && in_file)
        take_frames(reader, header);
    struct sim_cubin_kernel *kernel = NULL;
    if (strncmp(name, info, sizeof info - 1) == 0 && in_file &&
        (kernel = kernel_named(reader->cubin, name + sizeof info - 1)))
        take_attributes(reader, kernel, header);
    if (strncmp(name, shared, sizeof shared - 1) == 0 && strncmp(name + 11, "reserved.", 9) != 0 &&
        (kernel = kernel_named(reader->cubin, name + sizeof shared - 1)))
        kernel->shared_bytes = header->sh_size;
}

/* Drops functions without a frame, and what else has no registers of its own. */
static void drop_helpers(struct sim_cubin *cubin)
{
    int kept = 0;
    for (int i = 0; i < cubin->kernel_count; i++) {
        if (cubin->kernels[i].registers > 0 ||
            (cubin->kernels[i].name[0] == '$' && cubin->kernels[i].stack_bytes > 0))
            cubin->kernels[kept++] = cubin->kernels[i];
        else
            free(cubin->kernels[i].name);
    }
    cubin->kernel_count = kept;
}

bool sim_cubin_read(struct sim_cubin *cubin, const void *data, size_t size, char *error,
                    size_t error_size)
{
    struct reader reader = {.data = data, .size = size, .cubin = cubin};
    *cubin = (struct sim_cubin){0};
    bool good = size >= sizeof reader.head;
    if (good)
        memcpy(&reader.head, data, sizeof reader.head);
    good =
        good && memcmp(reader.head.e_ident, ELFMAG, SELFMAG) == 0 &&
        reader.head.e_ident[EI_CLASS] == ELFCLASS64 &&
        reader.head.e_shentsize == sizeof(Elf64_Shdr) &&
        inside(&reader, reader.head.e_shoff, (uint64_t)reader.head.e_shnum * sizeof(Elf64_Shdr)) &&
        find_symbols(&reader);
    if (!good) {
        snprintf(error, error_size, "the machine code is no readable ELF file");
        return false;
    }
    Elf64_Shdr header;
    for (unsigned i = 0; i < reader.head.e_shnum; i++)
        if (section(&reader, i, &header))
            take_section(&reader, &header);
    drop_helpers(cubin);
    return true;
}

void sim_cubin_free(struct sim_cubin *cubin)
{
    for (int i = 0; i < cubin->kernel_count; i++)
        free(cubin->kernels[i].name);
    free(cubin->kernels);
    *cubin = (struct sim_cubin){0};
}

const struct sim_cubin_kernel *sim_cubin_find(const struct sim_cubin *cubin, const char *name)
{
    for (int i = 0; i < cubin->kernel_count; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0)
            return &cubin->kernels[i];
    return NULL;
}
