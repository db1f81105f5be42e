/* Profiles of GPUs: JSON files that are built in, or a file that the user gives. A field that is
 * missing, unknown or of another type is refused by name: nothing is guessed. A profile, or a slice
 * of one, is chosen when the library is loaded. Programs know nothing of the choice. */
#include "runtime.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Puts the text of a file into the library. The path is relative to the project's root, because
 * the build runs there. */
#define EMBED(gpu)                                                                                 \
    __asm__(".section .rodata\n"                                                                   \
            "gpu_" #gpu ":\n"                                                                      \
            ".incbin \"harness/sim/gpu/" #gpu ".json\"\n"                                          \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char gpu_##gpu[] __attribute__((visibility("hidden")))

EMBED(h200);
EMBED(a100);
EMBED(rtx4090);
EMBED(t4);
EMBED(gtx1050);
EMBED(gtx970);
EMBED(gtx480);
EMBED(m2070);

static const struct {
    const char *name, *text;
} built_in[] = {
    {"h200", gpu_h200},     {"a100", gpu_a100},       {"rtx4090", gpu_rtx4090},
    {"t4", gpu_t4},         {"gtx1050", gpu_gtx1050}, {"gtx970", gpu_gtx970},
    {"gtx480", gpu_gtx480}, {"m2070", gpu_m2070},
};

enum { BUILT_IN = sizeof built_in / sizeof built_in[0], MOST_BYTES = 1 << 20 };

enum type { INTEGER, SIZE, REAL };

struct field {
    const char *name;
    enum type type;
    size_t offset;
    double least;
    bool optional;
};

#define FIELD(type, name, least)                                                                   \
    {                                                                                              \
#name, type, offsetof(struct sim_gpu_profile, name), least, false                          \
    }
#define OPTIONAL(name)                                                                             \
    {                                                                                              \
#name, REAL, offsetof(struct sim_gpu_profile, name), 1e-3, true                            \
    }

static const struct field fields[] = {
    FIELD(INTEGER, compute_major, 1),
    FIELD(INTEGER, compute_minor, 0),
    FIELD(SIZE, memory_bytes, 1),
    FIELD(INTEGER, sm_count, 1),
    FIELD(INTEGER, clock_khz, 1),
    FIELD(INTEGER, memory_clock_khz, 1),
    FIELD(INTEGER, memory_bus_bits, 1),
    FIELD(INTEGER, l2_bytes, 1),
    FIELD(INTEGER, l2_persisting_bytes, 0),
    FIELD(INTEGER, threads_per_sm, 32),
    FIELD(INTEGER, blocks_per_sm, 1),
    FIELD(INTEGER, registers_per_sm, 1),
    FIELD(INTEGER, registers_per_block, 1),
    FIELD(INTEGER, shared_per_sm, 1),
    FIELD(INTEGER, shared_per_block, 1),
    FIELD(INTEGER, shared_per_block_optin, 1),
    FIELD(INTEGER, shared_reserved, 0),
    FIELD(INTEGER, copy_engines, 0),
    FIELD(INTEGER, schedulers, 1),
    FIELD(REAL, issue_per_cycle, 1e-3),
    FIELD(INTEGER, fp32_lanes, 1),
    FIELD(INTEGER, fp64_lanes, 1),
    FIELD(INTEGER, integer_lanes, 1),
    FIELD(INTEGER, mufu_lanes, 1),
    FIELD(INTEGER, lsu_lanes, 1),
    OPTIONAL(tensor_f16),
    OPTIONAL(tensor_tf32),
    OPTIONAL(tensor_f64),
    OPTIONAL(tensor_8bit),
    OPTIONAL(tensor_mma_share),
    OPTIONAL(tensor_latency),
    FIELD(INTEGER, shared_bytes_per_cycle, 1),
    FIELD(INTEGER, l1_bytes, 1),
    FIELD(REAL, dram_gb_per_s, 1e-3),
    OPTIONAL(l2_gb_per_s),
    OPTIONAL(shared_latency),
    OPTIONAL(l1_latency),
    OPTIONAL(l2_latency),
    OPTIONAL(dram_latency),
    OPTIONAL(arithmetic_latency),
    OPTIONAL(barrier_latency),
    OPTIONAL(launch_us),
    OPTIONAL(atomic_cycles),
    OPTIONAL(float_atomic_cycles),
    OPTIONAL(atomics_per_cycle),
    OPTIONAL(shared_atomic_cycles),
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static int refuse(char *error, size_t size, const char *file, const char *field, const char *what)
{
    snprintf(error, size, "GPU profile %s: %s%s%s", file, field, *field ? ": " : "", what);
    return 0;
}

static int set_number(const struct field *field, double value, struct sim_gpu_profile *profile)
{
    void *to = (char *)profile + field->offset;
    double most = field->type == INTEGER ? INT_MAX : 1e15;
    if (!(value >= field->least && value <= most))
        return 0;
    if (field->type != REAL && value != (double)(long long)value)
        return 0;
    if (field->type == REAL)
        *(double *)to = value;
    else if (field->type == SIZE)
        *(size_t *)to = (size_t)value;
    else
        *(int *)to = (int)value;
    return 1;
}

/* A misspelt name must not pass as a missing optional one. */
static int check_names(const char *file, const cJSON *object, char *error, size_t size)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        bool known = strcmp(item->string, "name") == 0 || strcmp(item->string, "sources") == 0;
        for (int i = 0; i < FIELD_COUNT && !known; i++)
            known = strcmp(item->string, fields[i].name) == 0;
        if (!known)
            return refuse(error, size, file, item->string, "no such field");
    }
    return 1;
}

static int take_fields(const char *file, const cJSON *object, struct sim_gpu_profile *profile,
                       char *error, size_t size)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "name");
    if (!cJSON_IsString(name) || !name->valuestring[0] ||
        strlen(name->valuestring) >= sizeof profile->name)
        return refuse(error, size, file, "name", "give a text of 1 to 63 bytes");
    strcpy(profile->name, name->valuestring);
    if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(object, "sources")))
        return refuse(error, size, file, "sources", "say where the figures are from");
    for (int i = 0; i < FIELD_COUNT; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, fields[i].name);
        if (!item && fields[i].optional)
            continue;
        if (!item)
            return refuse(error, size, file, fields[i].name, "the field is missing");
        if (!cJSON_IsNumber(item))
            return refuse(error, size, file, fields[i].name, "not a number");
        if (!set_number(&fields[i], item->valuedouble, profile))
            return refuse(error, size, file, fields[i].name,
                          fields[i].type == REAL ? "out of range"
                                                 : "out of range, or not a whole number");
    }
    return check_names(file, object, error, size);
}

static int parse(const char *file, const char *text, struct sim_gpu_profile *profile, char *error,
                 size_t size)
{
    const char *end = NULL;
    *profile = (struct sim_gpu_profile){.name = ""};
    cJSON *object = cJSON_ParseWithOpts(text, &end, 1);
    if (!cJSON_IsObject(object)) {
        int line = 1;
        for (const char *c = text; end && c < end; c++)
            line += *c == '\n';
        cJSON_Delete(object);
        snprintf(error, size, "GPU profile %s:%d: not a JSON object", file, line);
        return 0;
    }
    int good = take_fields(file, object, profile, error, size);
    cJSON_Delete(object);
    return good;
}

static int parse_file(const char *path, struct sim_gpu_profile *profile, char *error, size_t size)
{
    struct stat info; /* asked for first, because opening a pipe would wait */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        refuse(error, size, path, "", "give a file, not a pipe or a device");
        return 0;
    }
    FILE *stream = fopen(path, "r");
    char *text = stream ? calloc(1, MOST_BYTES + 1) : NULL;
    int good = 0;
    if (!text)
        refuse(error, size, path, "", strerror(errno));
    else if (fread(text, 1, MOST_BYTES, stream) == MOST_BYTES || ferror(stream))
        refuse(error, size, path, "", ferror(stream) ? strerror(errno) : "longer than a megabyte");
    else
        good = parse(path, text, profile, error, size);
    if (stream)
        fclose(stream);
    free(text);
    return good;
}

/* Where a profile lacks a figure because no public source has it, the H200's figure is taken. */
static void derive(struct sim_gpu_profile *p, const struct sim_gpu_profile *like)
{
    double *const to[] = {&p->shared_latency,      &p->l1_latency,      &p->l2_latency,
                          &p->dram_latency,        &p->barrier_latency, &p->launch_us,
                          &p->arithmetic_latency,  &p->atomic_cycles,   &p->float_atomic_cycles,
                          &p->shared_atomic_cycles};
    const double from[] = {like->shared_latency,      like->l1_latency,
                           like->l2_latency,          like->dram_latency,
                           like->barrier_latency,     like->launch_us,
                           like->arithmetic_latency,  like->atomic_cycles,
                           like->float_atomic_cycles, like->shared_atomic_cycles};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        if (*to[i] <= 0.0)
            *to[i] = from[i];
    if (p->l2_gb_per_s <= 0.0)
        p->l2_gb_per_s =
            like->l2_gb_per_s / like->sm_count / like->clock_khz * p->sm_count * p->clock_khz;
    if (p->atomics_per_cycle <= 0.0)
        p->atomics_per_cycle = like->atomics_per_cycle / like->sm_count * p->sm_count;
    p->whole_sm_count = p->sm_count;
}

static int is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static int unknown(const char *name, char *error, size_t size)
{
    int length = snprintf(error, size, "no GPU profile '%.64s'; there are", name);
    for (int i = 0; i < BUILT_IN && length < (int)size; i++)
        length += snprintf(error + length, size - (size_t)length, "%s %s", i ? "," : "",
                           built_in[i].name);
    if (length < (int)size)
        snprintf(error + length, size - (size_t)length, "; or give the path of a .json file");
    return 0;
}

int lab_sim_gpu_read(const char *name, struct sim_gpu_profile *profile, char *error, size_t size)
{
    struct sim_gpu_profile like;
    int good = -1;
    if (!parse(built_in[0].name, built_in[0].text, &like, error, size))
        return 0;
    if (is_path(name))
        good = parse_file(name, profile, error, size);
    for (int i = 0; i < BUILT_IN && good < 0; i++)
        if (strcasecmp(name, built_in[i].name) == 0)
            good = parse(built_in[i].name, built_in[i].text, profile, error, size);
    if (good < 0)
        return unknown(name, error, size);
    if (good)
        derive(profile, &like);
    return good;
}

int lab_sim_gpu_slice(struct sim_gpu_profile *profile, int sms)
{
    enum { KIB = 1024 };
    if (sms < 1 || sms > profile->sm_count)
        return 0;
    const double share = (double)sms / profile->sm_count;
    profile->l2_bytes = (int)(share * profile->l2_bytes / KIB) * KIB;
    profile->l2_persisting_bytes = (int)(share * profile->l2_persisting_bytes / KIB) * KIB;
    profile->memory_bus_bits = (int)(share * profile->memory_bus_bits + 0.5);
    profile->l2_gb_per_s *= share;
    profile->dram_gb_per_s *= share;
    /* A word lies in one slice of L2. On the whole GPU that slice also serves the other SMs. */
    profile->atomics_per_cycle *= share;
    profile->atomic_cycles /= share;
    profile->float_atomic_cycles /= share;
    profile->sm_count = sms;
    return 1;
}

/* ---- The GPU that the simulator simulates ---- */

struct sim_gpu_profile sim_device; /* written once, by choose() */
static char problem[512];          /* likewise; "" when all is right */

/* Makes the GPU a slice with the number of SMs that the text gives. The GPU stays whole, and
 * `problem` is set, if the text makes no sense. */
static void cut(const char *text)
{
    char *end;
    const long sms = strtol(text, &end, 10);
    if (strcmp(text, "all") == 0)
        return;
    if (end == text || *end || sms > INT_MAX || !lab_sim_gpu_slice(&sim_device, (int)sms))
        snprintf(problem, sizeof problem, "LAB_SIM_SMS=%.32s: %s has %d SMs; give 1 to %d, or all",
                 text, sim_device.name, sim_device.sm_count, sim_device.sm_count);
}

__attribute__((constructor)) static void choose(void)
{
    const char *name = getenv("LAB_SIM_GPU"), *sms = getenv("LAB_SIM_SMS");
    char error[sizeof problem - 16], none[512];
    const bool is_named = name && *name;
    const bool is_read = is_named && lab_sim_gpu_read(name, &sim_device, error, sizeof error);
    if (is_named && !is_read)
        snprintf(problem, sizeof problem, "LAB_SIM_GPU: %s", error);
    if (!is_read && !lab_sim_gpu_read("h200", &sim_device, none, sizeof none))
        abort(); /* a built-in profile that cannot be read is a fault of the build */
    if (!problem[0] && sms && *sms)
        cut(sms);
}

const char *lab_sim_gpu_error(void)
{
    return problem[0] ? problem : NULL;
}

const struct sim_gpu_profile *lab_sim_gpu(void)
{
    return &sim_device;
}
