/* A solution's figures as text, one fact on each line, with tabs between its parts. What only the
 * messages of missed goals compare is there, too: launches, and how wide accesses are. */
#include "exercise/recorded.h"

#include "base/files.h"
#include "base/status.h"
#include "measure/model/model.h"
#include "run/run.h"
#include "series/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- writing -----------------------------------------------------------------------------------*/

static void write_kernel(const char *word, const struct lab_kernel_facts *k, FILE *file)
{
    fprintf(file, "%s\t%d\t%d\t%zu\t%zu\t%u\t%u\t%u\t%u\t%u\t%u\t%.17g\t%d\t%d\n", word, k->known,
            k->registers, k->shared_bytes, k->local_bytes, k->grid[0], k->grid[1], k->grid[2],
            k->block[0], k->block[1], k->block[2], k->occupancy, k->residency.blocks, k->launches);
}

static void write_row(const struct lab_row *row, FILE *file)
{
    const char *const name = strchr(row->name, '.');
    fprintf(file, "row\t%s\n", name ? name + 1 : row->name);
    fprintf(file, "time\t%.17g\t%.17g\t%zu\t%d\t%s\n", row->time.median, row->time.modelled_ms,
            row->time.local_bytes, row->time.without_caches,
            row->time.limiter ? row->time.limiter : "-");
    fprintf(file, "instructions\t%.17g\n", (double)row->instructions);
    write_kernel("kernel", &row->kernel, file);
    for (int i = 0; i < row->counters.count; i++)
        fprintf(file, "counter\t%s\t%.17g\n", row->counters.list[i].name,
                row->counters.list[i].value);
    for (int i = 0; i < row->per_launch.count; i++)
        write_kernel("launch", &row->per_launch.list[i].kernel, file);
    for (int i = 0; i < row->lines.access_count; i++) {
        const struct lab_sim_access *const a = &row->lines.accesses[i];
        if (a->turn == 0 && a->array && *a->array)
            fprintf(file, "access\t%s\t%s\t%d\t%u\n", a->array, a->kind, a->is_shared, a->bytes);
    }
}

void lab_recorded_write(const struct lab_result *result, const char *options, FILE *file)
{
    fprintf(file, "run\t%s\n", options);
    for (int i = 0; i < result->row_count; i++)
        if (!result->rows[i].is_baseline)
            write_row(&result->rows[i], file);
}

void lab_recorded_begin(const struct lab_device *device, FILE *file)
{
    fprintf(file, "gpu\t%s\t%d\n", device->properties.name, device->properties.multiProcessorCount);
}

/* --- reading -----------------------------------------------------------------------------------*/

enum { MOST_ACCESSES = 512, ARRAY_BYTES = 64 };

/* What is read into: accesses and the names of their arrays are freed together. */
struct accesses {
    struct lab_sim_access list[MOST_ACCESSES];
    char names[MOST_ACCESSES][ARRAY_BYTES];
};

static bool read_kernel(const char *text, struct lab_kernel_facts *k)
{
    int known = 0;
    const bool read = sscanf(text, "%d %d %zu %zu %u %u %u %u %u %u %lg %d %d", &known,
                             &k->registers, &k->shared_bytes, &k->local_bytes, &k->grid[0],
                             &k->grid[1], &k->grid[2], &k->block[0], &k->block[1], &k->block[2],
                             &k->occupancy, &k->residency.blocks, &k->launches) == 13;
    k->known = known != 0;
    return read;
}

static bool read_time(const char *text, struct lab_times *time)
{
    int without = 0, used = 0;
    if (sscanf(text, "%lg %lg %zu %d %n", &time->median, &time->modelled_ms, &time->local_bytes,
               &without, &used) != 4 ||
        !used)
        return false;
    time->min = time->max = time->median;
    time->modelled = time->median > 0.0;
    time->without_caches = without != 0;
    for (int i = 0; i < LAB_UNITS; i++)
        if (strcmp(lab_model_unit_name((enum lab_model_unit)i), text + used) == 0)
            time->limiter = lab_model_unit_name((enum lab_model_unit)i);
    return true;
}

static bool read_launch(const char *text, struct lab_per_launch *launches)
{
    struct lab_one_launch *const list =
        realloc(launches->list, (size_t)(launches->count + 1) * sizeof *list);
    if (!list)
        return false;
    launches->list = list;
    list[launches->count] = (struct lab_one_launch){.counters = {.count = 0}};
    return read_kernel(text, &list[launches->count++].kernel);
}

static bool read_access(char *text, struct lab_lines *lines)
{
    static const char *const kinds[] = {"load", "store", "atomic", "copy"};
    struct accesses *const all =
        lines->accesses ? (struct accesses *)(void *)lines->accesses : calloc(1, sizeof *all);
    if (!all)
        return false;
    lines->accesses = all->list;
    if (lines->access_count == MOST_ACCESSES)
        return true; /* some accesses are all that a message needs */
    const int at = lines->access_count++;
    struct lab_sim_access *const access = &all->list[at];
    const char *const array = strsep(&text, "\t"), *const kind = text ? strsep(&text, "\t") : "";
    access->array = all->names[at];
    access->kind = access->file = access->type = "";
    snprintf(all->names[at], ARRAY_BYTES, "%s", array);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], kind) == 0)
            access->kind = kinds[i];
    return text && sscanf(text, "%d %u", &access->is_shared, &access->bytes) == 2;
}

static bool read_counter(char *text, struct lab_counters *counters)
{
    const char *const name = strsep(&text, "\t");
    return text && lab_counters_set(counters, name, strtod(text, NULL));
}

/* A fact of a row; false: it is none. */
static bool read_fact(const char *word, char *text, struct lab_row *row)
{
    if (strcmp(word, "time") == 0)
        return read_time(text, &row->time);
    if (strcmp(word, "kernel") == 0)
        return read_kernel(text, &row->kernel);
    if (strcmp(word, "instructions") == 0)
        row->instructions = (uint64_t)strtod(text, NULL);
    else if (strcmp(word, "counter") == 0)
        return read_counter(text, &row->counters);
    else if (strcmp(word, "launch") == 0)
        return read_launch(text, &row->per_launch);
    else if (strcmp(word, "access") == 0)
        return read_access(text, &row->lines);
    else
        return false;
    return true;
}

static struct lab_row *add_row(const struct lab_registry_entry *entry, const char *name, int at,
                               struct lab_result *result)
{
    const char *const target = entry->solution;
    if (result->row_count == LAB_MAX_ROWS)
        return NULL;
    memmove(&result->rows[at + 1], &result->rows[at],
            (size_t)(result->row_count++ - at) * sizeof *result->rows);
    struct lab_row *const row = &result->rows[at];
    *row = (struct lab_row){.index = LAB_REFERENCE, .target = target};
    snprintf(row->name, sizeof row->name, "%s.%s", target, name);
    return row;
}

/* A line that GPU, sizes and rows are read of; `*is_wanted` says whether rows belong to the run. */
struct reading {
    const char *options;
    const struct lab_device *device;
    bool is_device, is_wanted;
    int rows;
    struct lab_row *row;
};

static bool read_line(char *line, const struct lab_registry_entry *entry, struct reading *r,
                      struct lab_result *result)
{
    char *text = line;
    const char *const word = strsep(&text, "\t");
    if (!text)
        return false;
    if (strcmp(word, "gpu") == 0) {
        const char *const name = strsep(&text, "\t");
        r->is_device = text && strcmp(name, r->device->properties.name) == 0 &&
                       atoi(text) == r->device->properties.multiProcessorCount;
    } else if (strcmp(word, "run") == 0) {
        r->is_wanted = r->rows == 0 && strcmp(text, r->options) == 0;
        r->row = NULL;
    } else if (!r->is_wanted) {
        return true;
    } else if (strcmp(word, "row") == 0) {
        r->row = add_row(entry, text, r->rows++, result);
    } else {
        return r->row && read_fact(word, text, r->row);
    }
    return true;
}

int lab_recorded_put(const struct lab_registry_entry *entry, const char *options,
                     const struct lab_device *device, struct lab_result *result)
{
    char root[LAB_PATH_BYTES], path[LAB_PATH_BYTES], *line = NULL;
    struct reading r = {.options = options, .device = device};
    size_t room = 0;
    int number = 0;
    bool good = true;
    lab_root(root);
    snprintf(path, sizeof path, "%.3000s/solutions/%s/recorded.txt", root, entry->directory);
    FILE *const file = fopen(path, "r");
    if (!file)
        return lab_complain(LAB_EXIT_MISSING, "%s: %s", path, strerror(errno));
    while (good && getline(&line, &room, file) > 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        good = read_line(line, entry, &r, result);
    }
    free(line);
    fclose(file);
    for (int i = 0; i < r.rows && result->counted; i++)
        lab_run_note_counted(result->family, &result->rows[i]);
    if (!good)
        return lab_complain(LAB_EXIT_MISSING, "%s:%d: not a line of recorded figures", path,
                            number);
    if (!r.is_device)
        return lab_complain(LAB_EXIT_MISSING,
                            "%s: the solution's figures are of another simulated GPU than %s with "
                            "%d SMs",
                            path, device->properties.name, device->properties.multiProcessorCount);
    return r.rows ? LAB_EXIT_OK
                  : lab_complain(LAB_EXIT_MISSING, "%s has no figures at the sizes '%s'", path,
                                 options);
}
