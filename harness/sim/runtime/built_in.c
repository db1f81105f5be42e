/* Programs that have CUDA's runtime built in, as nvcc links it unless it is told otherwise. When
 * such a program starts, each function of that runtime gets a jump to the simulator's function of
 * the same name, which the file's table of symbols tells. */
#include "runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A jump to an address anywhere: machine code, then the address. Functions begin at a multiple of
 * ALIGNMENT, so that each has that many bytes. */
enum { ALIGNMENT = 16 };
#if defined __x86_64__
static const unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(%rip) */
#elif defined __aarch64__
static const unsigned char code[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6}; /* ldr x16; br x16 */
#else
static const unsigned char code[ALIGNMENT] = {0}; /* and no room for the address */
#endif
_Static_assert(sizeof code == ALIGNMENT || sizeof code + sizeof(void *) <= ALIGNMENT,
               "a jump fits");

/* A file's table of symbols, as the file has it. */
struct symbols {
    const unsigned char *table;
    const char *names;
    size_t count, names_size;
};

/* False: the file is no ELF file of 64 bits, is damaged, or its symbols were stripped. */
static bool find_symbols(const unsigned char *file, size_t size, struct symbols *symbols)
{
    Elf64_Ehdr header;
    Elf64_Shdr section, names;
    if (size < sizeof header)
        return false;
    memcpy(&header, file, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shoff > size || (size - header.e_shoff) / sizeof section < header.e_shnum)
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        memcpy(&section, file + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum)
            continue;
        memcpy(&names, file + header.e_shoff + section.sh_link * sizeof names, sizeof names);
        if (section.sh_offset > size || section.sh_size > size - section.sh_offset ||
            names.sh_offset > size || names.sh_size > size - names.sh_offset ||
            names.sh_size == 0 || file[names.sh_offset + names.sh_size - 1] != '\0')
            return false;
        *symbols = (struct symbols){
            .table = file + section.sh_offset,
            .names = (const char *)file + names.sh_offset,
            .count = section.sh_size / sizeof(Elf64_Sym),
            .names_size = names.sh_size,
        };
        return true;
    }
    return false;
}

/* The name of a function that the file itself has; "": it is something else. */
static const char *function_name(const struct symbols *symbols, size_t i, Elf64_Sym *symbol)
{
    memcpy(symbol, symbols->table + i * sizeof *symbol, sizeof *symbol);
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
                   symbol->st_name < symbols->names_size
               ? symbols->names + symbol->st_name
               : "";
}

static bool has_runtime(const struct symbols *symbols)
{
    Elf64_Sym symbol;
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(function_name(symbols, i, &symbol), "__cudaRegisterFatBinary") == 0)
            return true;
    return false;
}

/* Writes over the beginning of a function. Its page may be executed and written to meanwhile. */
static bool put_jump(unsigned char *function, const void *to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char *const first = function - (uintptr_t)function % page;
    if (sizeof code + sizeof to > ALIGNMENT || (uintptr_t)function % ALIGNMENT != 0 ||
        mprotect(first, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    memcpy(function, code, sizeof code);
    memcpy(function + sizeof code, &to, sizeof to);
    __builtin___clear_cache((char *)function, (char *)function + ALIGNMENT);
    return mprotect(first, page, PROT_READ | PROT_EXEC) == 0;
}

/* A function that the simulator has not stays as it is. */
static void redirect(const struct symbols *symbols, unsigned char *base, void *ours)
{
    for (size_t i = 0; i < symbols->count; i++) {
        Elf64_Sym symbol;
        const char *const name = function_name(symbols, i, &symbol);
        const bool is_of_runtime = strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
        const void *const to = is_of_runtime ? dlsym(ours, name) : NULL;
        if (to && !put_jump(base + symbol.st_value, to)) {
            sim_runtime_report("the CUDA runtime that is built into the program cannot be "
                               "replaced at %s: compile with `nvcc -cudart shared`",
                               name);
            _exit(3); /* it would look for a GPU */
        }
    }
}

/* Looks at the program, and at each of its libraries but this one. */
static int look_at(struct dl_phdr_info *object, size_t object_size, void *ours)
{
    struct link_map *map;
    struct stat status;
    struct symbols symbols;
    const bool is_program = object->dlpi_name[0] == '\0';
    const int file = open(is_program ? "/proc/self/exe" : object->dlpi_name, O_RDONLY | O_CLOEXEC);
    (void)object_size;
    if (file < 0)
        return 0;
    const bool is_this =
        dlinfo(ours, RTLD_DI_LINKMAP, &map) == 0 && map->l_addr == object->dlpi_addr;
    if (!is_this && fstat(file, &status) == 0 && status.st_size > 0) {
        const size_t size = (size_t)status.st_size;
        unsigned char *const bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            if (find_symbols(bytes, size, &symbols) && has_runtime(&symbols))
                redirect(&symbols, (unsigned char *)object->dlpi_addr, ours);
            munmap(bytes, size);
        }
    }
    close(file);
    return 0;
}

/* Before the program's own constructors, which register its kernels: this library is preloaded. */
__attribute__((constructor)) static void replace_built_in(void)
{
    Dl_info self;
    if (!getenv("LAB_SIM_BUILT_IN") || !dladdr((const void *)code, &self))
        return;
    void *const ours = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (ours)
        dl_iterate_phdr(look_at, ours);
}
