/* What nvcc made of kernel files: a file of the build folder for each, in one of a fixed number of
 * places, so that they do not grow without end. What is kept belongs to the text of the kernel file
 * and to the command, which are compared whole, and not to a hash of them: that alone could be met
 * by another file on purpose. */
#include "machine/compiled.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PLACES = 512, MOST = 64 << 20 };

/* The parts of a file that is kept, after a line with their sizes and the hash of what was read. */
enum { KEY, DEPENDS, MESSAGES, OBJECT, PARTS };

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

/* A whole file, with a null byte behind it; NULL if it cannot be read. */
static char *read_all(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    struct stat info;
    char *bytes = NULL;
    if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size < MOST &&
        (bytes = malloc((size_t)info.st_size + 1))) {
        *size = fread(bytes, 1, (size_t)info.st_size, file);
        bytes[*size] = '\0';
    }
    if (file)
        fclose(file);
    return bytes;
}

static bool write_all(const char *path, const char *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");
    const bool is_put = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && is_put;
}

/* The hash of sizes and times of all files that a list names but the first, the kernel file, whose
 * text is part of the key. False if one is missing, or is younger than `begun`: then nobody knows
 * which version of it the compiler read. */
static bool hash_read(const char *depends, time_t begun, uint64_t *hash)
{
    char path[LAB_PATH_BYTES];
    const char *at = strstr(depends, ": ");
    *hash = 0xcbf29ce484222325u;
    for (int count = 0; at && *at; count++) {
        size_t length = 0;
        at += strspn(at, ": \n\\");
        for (; *at && *at != '\n' && *at != ' ' && length < sizeof path - 1; at++) {
            if (*at == '\\' && (at[1] == ' ' || at[1] == '\n'))
                at++; /* a blank of the name; the end of a line follows a blank */
            path[length++] = *at;
        }
        path[length] = '\0';
        struct stat info;
        if (count == 0 || length == 0)
            continue;
        if (stat(path, &info) != 0 || info.st_mtime >= begun)
            return false;
        const int64_t told[] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
        *hash = hash_bytes(hash_bytes(*hash, path, length), told, sizeof told);
    }
    return at;
}

static bool make_key(struct lab_compilation *c)
{
    static const char *const variables[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH",
                                            "CPLUS_INCLUDE_PATH"};
    size_t size;
    char *const text = read_all(c->source, &size);
    FILE *const stream = text ? open_memstream(&c->key, &c->key_size) : NULL;
    struct stat compiler;
    if (stream && stat(c->words[0], &compiler) == 0) {
        for (char *const *word = c->words; *word; word++)
            if (*word != c->source && *word != c->object && *word != c->depends)
                fprintf(stream, "%s\n", *word);
        for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
            fprintf(stream, "%s\n", getenv(variables[i]) ? getenv(variables[i]) : "");
        fprintf(stream, "%s\n%jd %jd\n", c->place, (intmax_t)compiler.st_size,
                (intmax_t)compiler.st_mtim.tv_sec);
        fwrite(text, 1, size, stream);
    }
    free(text);
    return stream && fclose(stream) == 0 && c->key_size > 0;
}

bool lab_compilation_known(struct lab_compilation *c, char **messages)
{
    uint64_t then, now;
    size_t size = 0, sizes[PARTS], all = 0;
    int header = 0;
    c->key = NULL;
    c->key_size = 0;
    c->begun = time(NULL);
    if (!make_key(c)) {
        free(c->key);
        c->key = NULL;
        return false;
    }
    const uint64_t place = hash_bytes(0xcbf29ce484222325u, c->key, c->key_size) % PLACES;
    lab_build_path(c->path, "compiled/%03x", (unsigned)place);
    char *const kept = read_all(c->path, &size);
    bool is_known =
        kept && sscanf(kept, "%" SCNx64 " %zu %zu %zu %zu\n%n", &then, &sizes[KEY], &sizes[DEPENDS],
                       &sizes[MESSAGES], &sizes[OBJECT], &header) == 1 + PARTS;
    const char *parts[PARTS];
    for (int i = 0; i < PARTS && is_known; all += sizes[i++]) {
        is_known = sizes[i] <= size - (size_t)header - all;
        parts[i] = kept + header + all;
    }
    /* Each part but the last ends with a null byte, which its size counts. */
    is_known = is_known && (size_t)header + all == size && sizes[KEY] == c->key_size + 1 &&
               memcmp(parts[KEY], c->key, c->key_size) == 0 && sizes[DEPENDS] > 0 &&
               sizes[MESSAGES] > 0 && hash_read(parts[DEPENDS], c->begun, &now) && now == then &&
               write_all(c->depends, parts[DEPENDS], sizes[DEPENDS] - 1) &&
               write_all(c->object, parts[OBJECT], sizes[OBJECT]) &&
               (*messages = strdup(parts[MESSAGES]));
    free(kept);
    return is_known;
}

void lab_compilation_keep(const struct lab_compilation *c, const char *messages)
{
    char folder[LAB_PATH_BYTES];
    uint64_t hash;
    size_t depends_size, object_size;
    char *const depends = read_all(c->depends, &depends_size);
    char *const object = read_all(c->object, &object_size);
    struct lab_new_file file;
    lab_build_path(folder, "compiled");
    mkdir(folder, 0700);
    if (c->key && depends && object && hash_read(depends, c->begun, &hash) &&
        lab_new_file_begin(&file, c->path)) {
        fprintf(file.stream, "%" PRIx64 " %zu %zu %zu %zu\n", hash, c->key_size + 1,
                depends_size + 1, strlen(messages) + 1, object_size);
        fwrite(c->key, 1, c->key_size + 1, file.stream);
        fwrite(depends, 1, depends_size + 1, file.stream);
        fwrite(messages, 1, strlen(messages) + 1, file.stream);
        fwrite(object, 1, object_size, file.stream);
        lab_new_file_end(&file);
    }
    free(depends);
    free(object);
}

void lab_compilation_end(struct lab_compilation *c)
{
    free(c->key);
}
