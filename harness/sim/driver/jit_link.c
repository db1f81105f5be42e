/* nvJitLink: the image that comes of linking is the PTX of all inputs, as in link.c. LTO-IR goes to
 * the library that the program would have without the simulator, which makes PTX of it. The types
 * are plain ones, since a machine need not have the library's header. */
#include "driver.h"
#include "original.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Results and types of inputs, with nvJitLink's numbers. */
enum result { DONE, INVALID_INPUT = 3, INTERNAL = 6, UNRECOGNIZED_INPUT = 8, NO_LTO = 18 };
enum input { PTX = 2, LTO_IR = 3, ANY = 10 };

typedef struct link {
    struct link *original; /* the library's own handle; NULL: there is no -lto */
    bool has_ir;
    char *text;
    size_t length; /* without the NUL behind it */
} * handle;

#define LIBRARY "libnvJitLink.so.13"

static void *function_of(const char *name)
{
    static void *library;
    if (!library)
        library = sim_driver_original(LIBRARY);
    return library ? dlsym(library, name) : NULL;
}

/* The results of the library's functions by their types. */
#define ORIGINAL(name, types, ...)                                                                 \
    (function_of(name) ? ((int(*) types)function_of(name))(__VA_ARGS__) : INTERNAL)

static int append(handle link, const char *text, size_t size)
{
    size = strnlen(text, size);
    char *const longer = realloc(link->text, link->length + size + 2);
    if (!longer)
        return INTERNAL;
    memcpy(longer + link->length, text, size);
    memcpy(longer + link->length + size, "\n", 2);
    link->text = longer;
    link->length += size + 1;
    return DONE;
}

#pragma GCC visibility push(default)

/* A function under the names that the header and programs which load the library have for it. */
#define EXPORT(name, ...)                                                                          \
    int __##name##_13_0(__VA_ARGS__);                                                              \
    int name(__VA_ARGS__) __attribute__((alias("__" #name "_13_0")));                              \
    int __##name##_13_0(__VA_ARGS__)

int nvJitLinkVersion(unsigned *major, unsigned *minor);
int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return INVALID_INPUT;
    *major = CUDA_VERSION / 1000;
    *minor = CUDA_VERSION % 1000 / 10;
    return DONE;
}

EXPORT(nvJitLinkCreate, handle *made, uint32_t count, const char *const *options)
{
    const char **const own = calloc((size_t)count + 1, sizeof *own);
    bool has_lto = false, makes_ptx = false;
    if (!made || (count && !options) || !own || !(*made = calloc(1, sizeof **made))) {
        free(own);
        return made ? INTERNAL : INVALID_INPUT;
    }
    for (uint32_t i = 0; i < count; i++) {
        own[i] = options[i];
        has_lto |= strcmp(options[i], "-lto") == 0;
        makes_ptx |= strcmp(options[i], "-ptx") == 0;
    }
    own[count] = "-ptx";
    const int result = has_lto
                           ? ORIGINAL("nvJitLinkCreate", (handle *, uint32_t, const char *const *),
                                      &(*made)->original, count + !makes_ptx, own)
                           : DONE;
    free(own);
    return result;
}

EXPORT(nvJitLinkDestroy, handle *link)
{
    if (!link || !*link)
        return INVALID_INPUT;
    if ((*link)->original)
        ORIGINAL("nvJitLinkDestroy", (handle *), &(*link)->original);
    free((*link)->text);
    free(*link);
    *link = NULL;
    return DONE;
}

EXPORT(nvJitLinkAddData, handle link, int type, const void *data, size_t size, const char *name)
{
    if (!link || !data || !size)
        return INVALID_INPUT;
    const bool is_text = memchr(data, '.', size) && ((const char *)data)[0] != 0x7F;
    if (type == PTX || (type == ANY && is_text && memmem(data, size, ".version", 8)))
        return append(link, data, size);
    if (type != LTO_IR && type != ANY) {
        sim_driver_refuse("nvJitLink: %s: the simulator links PTX and LTO-IR, and no machine code",
                          name ? name : "an input");
        return UNRECOGNIZED_INPUT;
    }
    if (!link->original)
        return NO_LTO;
    link->has_ir = true;
    return ORIGINAL("nvJitLinkAddData", (handle, int, const void *, size_t, const char *),
                    link->original, type, data, size, name);
}

EXPORT(nvJitLinkAddFile, handle link, int type, const char *path)
{
    size_t size;
    char *const data = path ? sim_driver_read(path, &size) : NULL;
    const int result = data ? nvJitLinkAddData(link, type, data, size, path) : INVALID_INPUT;
    free(data);
    return result;
}

EXPORT(nvJitLinkComplete, handle link)
{
    size_t size = 0;
    if (!link || !link->has_ir)
        return link ? DONE : INVALID_INPUT;
    int result = ORIGINAL("nvJitLinkComplete", (handle), link->original);
    if (!result)
        result = ORIGINAL("nvJitLinkGetLinkedPtxSize", (handle, size_t *), link->original, &size);
    char *const text = calloc(1, size + 1);
    if (!result && text)
        result = ORIGINAL("nvJitLinkGetLinkedPtx", (handle, char *), link->original, text);
    if (!result)
        result = text ? append(link, text, size) : INTERNAL;
    free(text);
    return result;
}

/* A cubin ends with the NUL, too, by which a module of PTX ends. */
EXPORT(nvJitLinkGetLinkedPtxSize, handle link, size_t *size)
{
    if (!link || !size || !link->text)
        return INVALID_INPUT;
    *size = link->length + 1;
    return DONE;
}

EXPORT(nvJitLinkGetLinkedPtx, handle link, char *text)
{
    if (!link || !text || !link->text)
        return INVALID_INPUT;
    memcpy(text, link->text, link->length + 1);
    return DONE;
}

EXPORT(nvJitLinkGetLinkedCubinSize, handle link, size_t *size)
{
    return nvJitLinkGetLinkedPtxSize(link, size);
}

EXPORT(nvJitLinkGetLinkedCubin, handle link, void *image)
{
    return nvJitLinkGetLinkedPtx(link, image);
}

/* Without LTO-IR the logs are empty. */
#define LOG(name)                                                                                  \
    EXPORT(nvJitLinkGet##name##LogSize, handle link, size_t *size)                                 \
    {                                                                                              \
        if (!link || !size)                                                                        \
            return INVALID_INPUT;                                                                  \
        *size = 0;                                                                                 \
        return link->original ? ORIGINAL("nvJitLinkGet" #name "LogSize", (handle, size_t *),       \
                                         link->original, size)                                     \
                              : DONE;                                                              \
    }                                                                                              \
    EXPORT(nvJitLinkGet##name##Log, handle link, char *text)                                       \
    {                                                                                              \
        return !link ? INVALID_INPUT                                                               \
               : link->original                                                                    \
                   ? ORIGINAL("nvJitLinkGet" #name "Log", (handle, char *), link->original, text)  \
                   : DONE;                                                                         \
    }

LOG(Error)
LOG(Info)

#pragma GCC visibility pop
