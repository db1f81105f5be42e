/* What keeps a program from using the simulator, read from its ELF sections and asked of the
 * dynamic linker, so that the user gets a line that says what to do, and not CUDA's "driver version
 * is insufficient". */
#include "exec/exec.h"

#include "base/status.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The simulator is this version's runtime. */
#define OUR_RUNTIME "libcudart.so.13"

/* A text of the static runtime. A program for the driver API that nvcc linked has a section of
 * kernels and needs no shared runtime, too, so these two do not tell. */
#define STATIC_RUNTIME_TEXT "CUDA driver version is insufficient for CUDA runtime version"

/* A function that the runtime of version 12 has, and that of 13 has not. */
#define OLD_RUNTIME_TEXT "cudaGetDeviceProperties_v2"

/* What an ELF file says of itself. */
struct program {
    char linker[256];       /* its dynamic linker; "": it is linked statically */
    bool has_kernels;       /* it holds a fat binary of its own */
    bool needs_runtime;     /* CUDA's runtime as a shared library, of any version */
    bool has_runtime;       /* CUDA's runtime is part of the file */
    bool has_symbols;       /* the names of its functions were not stripped */
    char other_runtime[64]; /* a version that is not the simulator's; "": none */
};

/* The bytes [offset, offset + size) of the file; NULL: they are not all in it. */
static const void *part(const uint8_t *file, size_t file_size, uint64_t offset, uint64_t size)
{
    return offset <= file_size && size <= file_size - offset ? file + offset : NULL;
}

/* A name in a table of strings; "" if it has no end there. */
static const char *name_in(const char *strings, uint64_t size, uint64_t at)
{
    return strings && at < size && memchr(strings + at, '\0', size - at) ? strings + at : "";
}

/* Notes what a section says. */
static void look_at_section(const uint8_t *file, size_t size, const Elf64_Shdr *section,
                            const Elf64_Shdr *strings_section, const char *name,
                            struct program *program)
{
    if (strcmp(name, ".nv_fatbin") == 0)
        program->has_kernels = section->sh_size > 0;
    program->has_symbols |= section->sh_type == SHT_SYMTAB;
    if (strcmp(name, ".interp") == 0) {
        const char *const linker = part(file, size, section->sh_offset, section->sh_size);
        snprintf(program->linker, sizeof program->linker, "%.*s",
                 linker ? (int)strnlen(linker, section->sh_size) : 0, linker ? linker : "");
    }
    if (section->sh_type != SHT_DYNAMIC || !strings_section)
        return;
    const char *const strings =
        part(file, size, strings_section->sh_offset, strings_section->sh_size);
    const uint8_t *const entries = part(file, size, section->sh_offset, section->sh_size);
    for (uint64_t i = 0; entries && i < section->sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn entry;
        memcpy(&entry, entries + i * sizeof entry, sizeof entry);
        const char *const needed =
            entry.d_tag == DT_NEEDED ? name_in(strings, strings_section->sh_size, entry.d_un.d_val)
                                     : "";
        if (strncmp(needed, "libcudart.so", 12) != 0)
            continue;
        program->needs_runtime = true;
        if (strcmp(needed, OUR_RUNTIME) != 0)
            snprintf(program->other_runtime, sizeof program->other_runtime, "%s", needed);
    }
}

/* Reads an ELF file of 64 bits; false: it is none, or a damaged one, which the system will say. */
static bool read_elf(const uint8_t *file, size_t size, struct program *program)
{
    Elf64_Ehdr header;
    if (size < sizeof header || memcmp(file, ELFMAG, SELFMAG) != 0 || file[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(&header, file, sizeof header);
    const uint8_t *const table =
        part(file, size, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
    if (!table || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
        return false;
    Elf64_Shdr *const sections = calloc(header.e_shnum, sizeof *sections);
    if (!sections)
        return false;
    memcpy(sections, table, header.e_shnum * sizeof *sections);
    const Elf64_Shdr *const names = &sections[header.e_shstrndx];
    const char *const text = part(file, size, names->sh_offset, names->sh_size);
    for (const Elf64_Shdr *s = sections; s < sections + header.e_shnum; s++)
        look_at_section(file, size, s, s->sh_link < header.e_shnum ? &sections[s->sh_link] : NULL,
                        name_in(text, names->sh_size, s->sh_name), program);
    free(sections);
    return true;
}

static bool read_program(const char *path, struct program *program)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = false;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        const size_t size = (size_t)status.st_size;
        void *const bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            is_read = read_elf(bytes, size, program);
            program->has_runtime =
                is_read && !program->needs_runtime &&
                memmem(bytes, size, STATIC_RUNTIME_TEXT, strlen(STATIC_RUNTIME_TEXT)) != NULL;
            if (program->has_runtime &&
                memmem(bytes, size, OLD_RUNTIME_TEXT, strlen(OLD_RUNTIME_TEXT)))
                snprintf(program->other_runtime, sizeof program->other_runtime,
                         "whose runtime it has built in");
            munmap(bytes, size);
        }
    }
    if (file >= 0)
        close(file);
    return is_read;
}

/* Starts the dynamic linker, which lists a program's libraries and does not run it. */
static FILE *list_libraries(const char *linker, const char *path, const char *libraries,
                            pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    fflush(NULL);
    *child = fork();
    if (*child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        setenv("LD_LIBRARY_PATH", libraries, 1);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); /* as ldd: --list ends at what is missing */
        dup2(ends[1], STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl(linker, linker, path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

/* What the libraries of a program say, as text for people; "": nothing. */
struct libraries {
    char missing[1024];  /* names with ", " between them */
    char built_in[1024]; /* the path of one that has CUDA's runtime built in, and no symbols */
    bool has_built_in;   /* one has kernels, CUDA's runtime and symbols */
};

static void read_libraries(const char *linker, const char *path, const char *search,
                           struct libraries *libraries)
{
    char line[2048];
    pid_t child = -1;
    FILE *const list = list_libraries(linker, path, search, &child);
    while (list && fgets(line, sizeof line, list)) {
        struct program library = {.linker = ""};
        char *const name = line + strspn(line, " \t");
        char *const arrow = strstr(name, " => ");
        const size_t used = strlen(libraries->missing);
        char *const found = arrow ? arrow + strlen(" => ") : name;
        if (!arrow && !strchr(name, '/'))
            continue; /* of the system's kernel */
        if (arrow)
            *arrow = '\0';
        found[strcspn(found, " \n")] = '\0';
        if (!strchr(found, '/'))
            snprintf(libraries->missing + used, sizeof libraries->missing - used, "%s%s",
                     used ? ", " : "", name);
        else if (!read_program(found, &library) || !library.has_kernels || !library.has_runtime)
            continue;
        else if (library.has_symbols)
            libraries->has_built_in = true;
        else
            snprintf(libraries->built_in, sizeof libraries->built_in, "%.1000s", found);
    }
    if (list)
        fclose(list);
    if (child > 0)
        waitpid(child, NULL, 0);
}

int lab_program_check(const char *path, const char *name, const char *search, bool *is_built_in)
{
    struct program program = {.linker = ""};
    struct libraries libraries = {.missing = ""};
    if (!read_program(path, &program))
        return LAB_EXIT_OK;
    if (program.other_runtime[0])
        return lab_complain(
            LAB_EXIT_MISSING,
            "%s is built for another version of CUDA, %s; the simulator is " OUR_RUNTIME
            ": compile it with CUDA 13",
            name, program.other_runtime);
    if (program.linker[0])
        read_libraries(program.linker, path, search, &libraries);
    *is_built_in = program.has_runtime || libraries.has_built_in;
    if (program.has_runtime && (!program.has_symbols || !program.linker[0]))
        return lab_complain(LAB_EXIT_USAGE,
                            "%s has CUDA's runtime built into it, and no names of its functions by "
                            "which the simulator could take its place: do not strip it, nor link "
                            "it with -static, or compile with `nvcc -cudart shared`; with CMake, "
                            "set CMAKE_CUDA_RUNTIME_LIBRARY to Shared",
                            name);
    if (libraries.built_in[0])
        return lab_complain(LAB_EXIT_MISSING,
                            "%s uses %s, which has CUDA's runtime built into it, and no names of "
                            "its functions: a library of your own is compiled with `nvcc -cudart "
                            "shared`, or not stripped; of NVIDIA's the simulator has cuBLAS alone",
                            name, libraries.built_in);
    if (libraries.missing[0])
        return lab_complain(
            LAB_EXIT_MISSING,
            "%s: not found: %s; the simulator has the runtime, the driver and cuBLAS. Where a "
            "library is elsewhere, name its folder in LD_LIBRARY_PATH",
            name, libraries.missing);
    return LAB_EXIT_OK;
}
