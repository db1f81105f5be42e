/* Reading relocatable ELF files. Every offset is checked, because the file was compiled from
 * untrusted source. */
#include "grade/recorded_launches/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONTAINER_MAGIC 0xBA55ED50u

enum { MOST_BYTES = 256 << 20 };

static const char fatbin_name[] = ".nv_fatbin";

static const Elf64_Ehdr *header(const struct lab_object *o)
{
    return (const Elf64_Ehdr *)o->bytes;
}

static const Elf64_Shdr *section(const struct lab_object *o, unsigned i)
{
    const Elf64_Ehdr *h = header(o);
    return i < h->e_shnum ? (const Elf64_Shdr *)(o->bytes + h->e_shoff) + i : NULL;
}

/* Contents of a section; NULL: the section has none, or lies outside the file. */
static const unsigned char *contents(const struct lab_object *o, const Elf64_Shdr *s)
{
    bool inside = s && s->sh_type != SHT_NOBITS && s->sh_offset <= o->size &&
                  s->sh_size <= o->size - s->sh_offset;
    return inside ? o->bytes + s->sh_offset : NULL;
}

/* A string of a string table; "" when it is not one. */
static const char *string_at(const struct lab_object *o, const Elf64_Shdr *table, size_t offset)
{
    const char *strings = (const char *)contents(o, table);
    bool ends = strings && table->sh_size && strings[table->sh_size - 1] == '\0';
    return ends && offset < table->sh_size ? strings + offset : "";
}

static const char *section_name(const struct lab_object *o, const Elf64_Shdr *s)
{
    return string_at(o, section(o, header(o)->e_shstrndx), s->sh_name);
}

static bool is_object(const struct lab_object *o)
{
    const Elf64_Ehdr *h = header(o);
    return o->size >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
           h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_type == ET_REL &&
           h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff % 8 == 0 && h->e_shoff <= o->size &&
           h->e_shnum <= (o->size - h->e_shoff) / sizeof(Elf64_Shdr);
}

/* Whether one container fills the section, as nvcc writes it. Anything more was put there by
 * somebody, and then it is unclear which container is used. */
static bool is_one_container(const struct lab_object *o)
{
    struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes; /* after the header */
    } head;
    if (o->fatbin_size < sizeof head)
        return false;
    memcpy(&head, o->fatbin, sizeof head);
    return head.magic == CONTAINER_MAGIC && head.header_bytes >= sizeof head &&
           head.header_bytes <= o->fatbin_size && head.bytes == o->fatbin_size - head.header_bytes;
}

/* Finds the fat binary; false when there is none. */
static bool find_fatbin(struct lab_object *o)
{
    int count = 0;
    for (unsigned i = 0; i < header(o)->e_shnum; i++) {
        if (strncmp(section_name(o, section(o, i)), fatbin_name, strlen(fatbin_name)) != 0)
            continue;
        count++;
        o->fatbin = contents(o, section(o, i));
        o->fatbin_size = o->fatbin ? section(o, i)->sh_size : 0;
    }
    if (count != 1 || !o->fatbin || !is_one_container(o)) {
        o->fatbin = NULL;
        o->fatbin_size = 0;
    }
    return count > 0;
}

bool lab_object_open(struct lab_object *o, const char *path, char *why, size_t size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    *o = (struct lab_object){.bytes = NULL};
    snprintf(why, size, "the compiler wrote no usable object file");
    if (!file)
        return false;
    if (fstat(fileno(file), &info) == 0 && info.st_size > 0 && info.st_size < MOST_BYTES) {
        o->size = (size_t)info.st_size;
        o->bytes = malloc(o->size);
    }
    bool good = o->bytes && fread(o->bytes, 1, o->size, file) == o->size && is_object(o);
    fclose(file);
    if (good && !(good = find_fatbin(o)))
        snprintf(why, size, "there is no kernel in it");
    return good;
}

void lab_object_close(struct lab_object *o)
{
    free(o->bytes);
    *o = (struct lab_object){.bytes = NULL};
}

/* --- what is allowed ---------------------------------------------------------------------------*/

/* Undefined symbols that are allowed: those that nvcc's own code needs, and those for launching
 * kernels. A launch function that ends the process by one of them never comes to its end, which the
 * recorder's answers show. */
static const char *const allowed[] = {
    "_GLOBAL_OFFSET_TABLE_",
    "_Unwind_Resume",
    "__assert_fail",
    "__cudaGetKernel",
    "__cudaInitModule",
    "__cudaLaunchKernel",
    "__cudaPopCallConfiguration",
    "__cudaPushCallConfiguration",
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaRegisterFunction",
    "__cudaRegisterVar",
    "__cudaUnregisterFatBinary",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_guard_abort",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_pure_virtual", /* in tables of virtual functions, which nvcc makes for the host, too */
    "__dso_handle",
    "__gxx_personality_v0",
    "__memcpy_chk", /* of compilers that check sizes, as Ubuntu's do */
    "__memmove_chk",
    "__memset_chk",
    "__stack_chk_fail",
    "_ZSt9terminatev",                       /* where something is thrown that nobody catches */
    "_ZTVN10__cxxabiv117__class_type_infoE", /* of classes with virtual functions, likewise */
    "_ZTVN10__cxxabiv120__si_class_type_infoE",
    "_ZTVN10__cxxabiv121__vmi_class_type_infoE",
    "_ZdlPv", /* in virtual destructors: there is no new */
    "_ZdlPvm",
    "abort",
    "atexit", /* for nvcc's code; the recorder never runs what it registers */
    "cudaDeviceGetAttribute",
    "cudaFuncGetAttributes",
    "cudaFuncSetAttribute",
    "cudaFuncSetCacheConfig",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaGetLastError",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaMemsetAsync",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaPeekAtLastError",
    "exit", /* nvcc's host code of a __device__ function that is not static: nothing calls it */
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "strlen",
};

/* Functions of numbers, for double and, with an f behind the name, for float: helpers for the host
 * and the device use them. */
static const char *const mathematics[] = {
    "acos",   "acosh",    "asin",    "asinh",     "atan",      "atan2",  "atanh",     "cbrt",
    "ceil",   "copysign", "cos",     "cosh",      "erf",       "erfc",   "exp",       "exp10",
    "exp2",   "expm1",    "fabs",    "fdim",      "floor",     "fma",    "fmax",      "fmin",
    "fmod",   "frexp",    "hypot",   "ilogb",     "j0",        "j1",     "jn",        "ldexp",
    "lgamma", "llrint",   "llround", "log",       "log10",     "log1p",  "log2",      "logb",
    "lrint",  "lround",   "modf",    "nearbyint", "nextafter", "pow",    "remainder", "remquo",
    "rint",   "round",    "scalbln", "scalbn",    "sin",       "sincos", "sinh",      "sqrt",
    "tan",    "tanh",     "tgamma",  "trunc",     "y0",        "y1",     "yn",
};

/* libstdc++'s functions that throw and do nothing else: std::array::at() has one. */
static bool only_throws(const char *name)
{
    static const char throws[] = "__throw_";
    if (strncmp(name, "_ZSt", 4) != 0)
        return false;
    name += 4 + strspn(name + 4, "0123456789");
    return strncmp(name, throws, sizeof throws - 1) == 0;
}

/* What prints on the host. The recorder has functions of these names, which print nothing. */
static const char *const printers[] = {
    "printf",       "fprintf", "puts",   "fputs",  "putchar", "fputc",
    "__printf_chk", "fwrite",  "fflush", "stdout", "stderr",  "__fprintf_chk",
};

static bool prints(const char *name)
{
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (strcmp(name, printers[i]) == 0)
            return true;
    return false;
}

static bool is_allowed(const char *name)
{
    const size_t length = strlen(name);
    if (only_throws(name) || prints(name))
        return true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(name, allowed[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof mathematics / sizeof *mathematics; i++) {
        const size_t same = strlen(mathematics[i]);
        if (strncmp(name, mathematics[i], same) == 0 &&
            (length == same || (length == same + 1 && name[same] == 'f')))
            return true;
    }
    return false;
}

/* Names that C and C++ keep for compilers and libraries, among them those that a shared object's
 * start code calls, such as __gmon_start__ and _ITM_registerTMCloneTable. Also names with a
 * version, which the linker takes for the names without it. nvcc makes the stubs of kernels. */
static bool is_reserved(const char *name)
{
    return strncmp(name, "__", 2) == 0 || (name[0] == '_' && name[1] >= 'A' && name[1] <= 'Y') ||
           strcmp(name, "_init") == 0 || strcmp(name, "_fini") == 0 || strchr(name, '@');
}

/* Names that a submission must not define: the contract's other names, and functions of the
 * libraries that this program itself has loaded. */
static bool stands_in(const char *name)
{
    if (is_reserved(name))
        return true;
    static const char *const prefixes[] = {"cuda", "__cuda", "cublas", "lab_", "cu"};
    if (strcmp(name, "lab_step") == 0 || strncmp(name, "_Z", 2) == 0 ||
        strncmp(name, "DW.ref.", 7) == 0)
        return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return dlsym(RTLD_DEFAULT, name) != NULL;
}

/* --- what a student is told --------------------------------------------------------------------*/

/* A name as a student wrote it, without its parameters: std::cout of _ZSt4cout. What is not so
 * simple stays as the compiler wrote it. */
static void write_readable(const char *name, char *text, size_t size)
{
    const char *at = name;
    size_t used = 0;
    snprintf(text, size, "%s", name);
    if (strncmp(at, "_Z", 2) != 0)
        return;
    at += 2;
    at += strspn(at, "NLKV");
    if (strncmp(at, "St", 2) == 0) {
        used = (size_t)snprintf(text, size, "std");
        at += 2;
    }
    while (*at >= '1' && *at <= '9') {
        char *word;
        const unsigned long length = strtoul(at, &word, 10);
        if (length > strlen(word) || used + length + 3 > size) /* no such name, or no room */
            return;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "::" : "", (int)length,
                                 word);
        at = word + length;
    }
}

/* The name of the function in which an address of a section lies; "" if in none. */
static const char *function_at(const struct lab_object *o, const Elf64_Shdr *table,
                               const Elf64_Shdr *names, unsigned in_section, uint64_t address)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)contents(o, table);
    for (size_t s = 0; s < table->sh_size / sizeof *symbols; s++)
        if (ELF64_ST_TYPE(symbols[s].st_info) == STT_FUNC && symbols[s].st_shndx == in_section &&
            symbols[s].st_value <= address && address - symbols[s].st_value < symbols[s].st_size)
            return string_at(o, names, symbols[s].st_name);
    return "";
}

/* The name of the first function that uses a symbol; "" if it is not known. A helper for the host
 * and the device may do so without its author's knowledge. */
static const char *user_of(const struct lab_object *o, const Elf64_Shdr *table,
                           const Elf64_Shdr *names, size_t symbol)
{
    for (unsigned i = 0; i < header(o)->e_shnum; i++) {
        const Elf64_Shdr *s = section(o, i);
        const unsigned char *bytes = contents(o, s);
        Elf64_Rela one;
        if (s->sh_type != SHT_RELA || !bytes || section(o, s->sh_link) != table)
            continue;
        for (size_t at = 0; at + sizeof one <= s->sh_size; at += sizeof one) {
            memcpy(&one, bytes + at, sizeof one);
            const char *user = ELF64_R_SYM(one.r_info) == symbol
                                   ? function_at(o, table, names, s->sh_info, one.r_offset)
                                   : "";
            if (user[0])
                return user;
        }
    }
    return "";
}

static void write_use(const struct lab_object *o, const Elf64_Shdr *table, const Elf64_Shdr *names,
                      size_t symbol, char *why, size_t size)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)contents(o, table);
    char used[128], user[128];
    write_readable(string_at(o, names, symbols[symbol].st_name), used, sizeof used);
    write_readable(user_of(o, table, names, symbol), user, sizeof user);
    snprintf(
        why, size,
        "uses %s on the host%s%s%s; a submission launches kernels on the given stream and does "
        "nothing else on the host: remove that, or make the function __device__ alone",
        used, user[0] ? ", in " : "", user, user[0] ? "()" : "");
}

static bool symbol_allowed(const Elf64_Sym *symbol, const char *name, char *why, size_t size)
{
    int bind = ELF64_ST_BIND(symbol->st_info);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) {
        snprintf(why, size, "%s is resolved by code that runs when the file is loaded", name);
        return false;
    }
    if (bind == STB_LOCAL || !name[0])
        return true;
    if (symbol->st_shndx != SHN_UNDEF && stands_in(name)) {
        snprintf(why, size, "defines %s, a name of the system's or the lab's", name);
        return false;
    }
    return true;
}

static bool is_used_only(const Elf64_Sym *symbol, const char *name)
{
    return symbol->st_shndx == SHN_UNDEF && name[0] && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

/* The string table of a symbol table; every symbol's name lies inside. NULL if there is no such
 * table. */
static const Elf64_Shdr *names_of(const struct lab_object *o, const Elf64_Shdr *table)
{
    const Elf64_Shdr *names = section(o, table->sh_link);
    const unsigned char *strings = contents(o, names);
    const Elf64_Sym *symbols = (const Elf64_Sym *)contents(o, table);
    if (!strings || !names->sh_size || strings[names->sh_size - 1] != '\0' || !symbols ||
        table->sh_offset % 8 || table->sh_size % sizeof *symbols)
        return NULL;
    for (size_t s = 0; s < table->sh_size / sizeof *symbols; s++)
        if (symbols[s].st_name >= names->sh_size)
            return NULL;
    return names;
}

/* nvcc's own registration is the one thing that runs when the object is loaded. */
static bool starts_quietly(const struct lab_object *o, char *why, size_t size)
{
    static const char *const early[] = {".init_array", ".fini_array", ".preinit_array", ".ctors",
                                        ".dtors",      ".init",       ".fini"};
    const size_t allowed_bytes = sizeof(void *);
    size_t first = 0, others = 0;
    for (unsigned i = 0; i < header(o)->e_shnum; i++) {
        const char *name = section_name(o, section(o, i));
        for (size_t e = 0; e < sizeof early / sizeof *early; e++) {
            size_t length = strlen(early[e]);
            if (strncmp(name, early[e], length) == 0 && (!name[length] || name[length] == '.'))
                *(e == 0 ? &first : &others) += section(o, i)->sh_size > allowed_bytes
                                                    ? allowed_bytes + 1
                                                    : section(o, i)->sh_size;
        }
    }
    if (first <= allowed_bytes && others == 0)
        return true;
    snprintf(why, size,
             "has code that runs when the file is loaded or the program ends "
             "(constructors, objects with static storage)");
    return false;
}

/* Whether a section is one that compilers make from C++: not one that the linker writes, a table
 * for the dynamic linker, or code that is yet to be compiled. */
static bool section_allowed(const struct lab_object *o, const Elf64_Shdr *s, char *why, size_t size)
{
    static const uint32_t types[] = {SHT_NULL,
                                     SHT_PROGBITS,
                                     SHT_SYMTAB,
                                     SHT_STRTAB,
                                     SHT_RELA,
                                     SHT_NOTE,
                                     SHT_NOBITS,
                                     SHT_INIT_ARRAY,
                                     SHT_REL,
                                     SHT_FINI_ARRAY,
                                     SHT_GROUP,
                                     SHT_SYMTAB_SHNDX,
                                     0x70000001 /* unwinding */,
                                     0x6FFF4C03 /* clang's hints */};
    static const char *const linkers[] = {
        ".dynamic",  ".interp",    ".got",  ".plt",  ".gnu.lto_",      ".gnu.version",
        ".rela.plt", ".rela.iplt", ".iplt", ".igot", ".tm_clone_table"};
    const char *name = section_name(o, s);
    bool known = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        known = known || s->sh_type == types[i];
    for (size_t i = 0; i < sizeof linkers / sizeof *linkers; i++)
        known = known && strncmp(name, linkers[i], strlen(linkers[i])) != 0;
    /* code that runs at loading must be where it is counted */
    if (s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY)
        known = known &&
                (strncmp(name, ".init_array", 11) == 0 || strncmp(name, ".fini_array", 11) == 0);
    if (!known)
        snprintf(why, size, "has a section %.64s, which no compiler makes of CUDA C++", name);
    return known;
}

/* Refuses relocations that only a linker makes, for the dynamic linker: one of them calls a
 * function. */
static bool relocations_allowed(const struct lab_object *o, const Elf64_Shdr *s, char *why,
                                size_t size)
{
    const unsigned char *bytes = contents(o, s);
    bool arm = header(o)->e_machine == EM_AARCH64, good = true;
    if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL)
        return true;
    const size_t each = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t at = 0; bytes && at + each <= s->sh_size && good; at += each) {
        Elf64_Rel one;
        memcpy(&one, bytes + at, sizeof one);
        uint32_t type = (uint32_t)ELF64_R_TYPE(one.r_info);
        good = arm ? type < R_AARCH64_COPY || type > R_AARCH64_IRELATIVE
                   : (type < R_X86_64_COPY || type > R_X86_64_RELATIVE) &&
                         type != R_X86_64_DTPMOD64 && type != R_X86_64_IRELATIVE &&
                         type != R_X86_64_RELATIVE64;
    }
    if (!good)
        snprintf(why, size, "has relocations that only a linker makes");
    return good;
}

bool lab_object_allowed(const struct lab_object *o, char *why, size_t size)
{
    if (!o->fatbin) {
        snprintf(why, size,
                 "its section %s is not as nvcc writes it: one container with the kernels, and "
                 "nothing else",
                 fatbin_name);
        return false;
    }
    if (!starts_quietly(o, why, size))
        return false;
    for (unsigned i = 0; i < header(o)->e_shnum; i++) {
        const Elf64_Shdr *table = section(o, i);
        if (!section_allowed(o, table, why, size) || !relocations_allowed(o, table, why, size))
            return false;
        if (table->sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)contents(o, table);
        const Elf64_Shdr *names = names_of(o, table);
        if (!names) {
            snprintf(why, size, "its list of symbols is damaged");
            return false;
        }
        for (size_t s = 0; s < table->sh_size / sizeof *symbols; s++) {
            const char *name = string_at(o, names, symbols[s].st_name);
            if (!symbol_allowed(&symbols[s], name, why, size))
                return false;
            if (is_used_only(&symbols[s], name) && !is_allowed(name)) {
                write_use(o, table, names, s, why, size);
                return false;
            }
        }
    }
    return true;
}

bool lab_object_prints(const struct lab_object *o)
{
    static const char name[] = "vprintf"; /* what nvcc makes of printf, as PTX and cubin spell it */
    if (o->fatbin && memmem(o->fatbin, o->fatbin_size, name, sizeof name - 1))
        return true;
    for (unsigned i = 0; i < header(o)->e_shnum; i++) {
        const Elf64_Shdr *table = section(o, i);
        const Elf64_Shdr *names = table->sh_type == SHT_SYMTAB ? names_of(o, table) : NULL;
        const Elf64_Sym *symbols = (const Elf64_Sym *)contents(o, table);
        for (size_t s = 0; names && s < table->sh_size / sizeof *symbols; s++)
            if (is_used_only(&symbols[s], string_at(o, names, symbols[s].st_name)) &&
                prints(string_at(o, names, symbols[s].st_name)))
                return true;
    }
    return false;
}
