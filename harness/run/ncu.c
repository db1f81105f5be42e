/* Nsight Compute as a child: its command line, its CSV, and which launch belongs to which row. */
#include "run/child.h"

#include "base/progress.h"
#include "base/files.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LAUNCHES = 1024, MOST_FIELDS = 32, LACKING_BYTES = 1024, KERNEL_BYTES = 96 };

/* --- the profile: CSV, one line for each launch and counter ------------------------------------*/

struct profile {
    struct lab_counters *launches; /* in the order of their IDs */
    int ids[MOST_LAUNCHES];
    char kernels[MOST_LAUNCHES][KERNEL_BYTES]; /* of each launch, cut */
    int count;
    char lacking[LACKING_BYTES]; /* counters without a value, each once */
};

/* Splits a line at commas outside quotes, in place; "" in quotes stands for one quote. */
static int split(char *line, char *fields[MOST_FIELDS])
{
    int count = 0;
    char *from = line, *to = line;
    while (count < MOST_FIELDS) {
        bool quoted = false;
        fields[count++] = to;
        for (; *from && *from != '\n' && (quoted || *from != ','); from++) {
            if (*from != '"')
                *to++ = *from;
            else if (quoted && from[1] == '"')
                *to++ = *from++;
            else
                quoted = !quoted;
        }
        bool more = *from == ',';
        from++;
        *to++ = '\0';
        if (!more)
            break;
    }
    return count;
}

static int column(char *const fields[], int count, const char *title)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i], title) == 0)
            return i;
    return -1;
}

/* "1,234.5" as a number; false for "n/a" and the like. */
static bool figure(const char *text, double *value)
{
    char plain[64], *to = plain, *end;
    for (; *text && to < plain + sizeof plain - 1; text++)
        if (*text != ',')
            *to++ = *text;
    *to = '\0';
    *value = strtod(plain, &end);
    return end != plain && *end == '\0';
}

static void note_lacking(char lacking[LACKING_BYTES], const char *name)
{
    size_t length = strlen(lacking);
    if (!strstr(lacking, name))
        snprintf(lacking + length, LACKING_BYTES - length, "%s%s", length ? ", " : "", name);
}

static struct lab_counters *launch_of(struct profile *profile, int id, const char *kernel)
{
    for (int i = profile->count - 1; i >= 0; i--)
        if (profile->ids[i] == id)
            return &profile->launches[i];
    if (profile->count == MOST_LAUNCHES)
        return NULL;
    profile->ids[profile->count] = id;
    snprintf(profile->kernels[profile->count], KERNEL_BYTES, "%s", kernel);
    return &profile->launches[profile->count++];
}

static void read_profile(FILE *file, struct profile *profile)
{
    char *line = NULL, *fields[MOST_FIELDS];
    size_t room = 0;
    int id = -1, name = -1, value = -1, kernel = -1;
    while (getline(&line, &room, file) > 0) {
        double number;
        if (line[0] != '"')
            continue; /* other output of the profiler: ==PROF== ... */
        int count = split(line, fields);
        if (column(fields, count, "Metric Name") >= 0) {
            id = column(fields, count, "ID");
            name = column(fields, count, "Metric Name");
            value = column(fields, count, "Metric Value");
            kernel = column(fields, count, "Kernel Name");
            continue;
        }
        if (id < 0 || name < 0 || value < 0 || id >= count || name >= count || value >= count)
            continue;
        struct lab_counters *launch = launch_of(
            profile, atoi(fields[id]), kernel >= 0 && kernel < count ? fields[kernel] : "");
        if (!figure(fields[value], &number))
            note_lacking(profile->lacking, fields[name]);
        else if (launch)
            lab_counters_set(launch, fields[name], number);
    }
    free(line);
}

/* --- rows --------------------------------------------------------------------------------------*/

/* Fills a row's counters. If the row launches several kernels, sums add up, and ratios are of the
 * longest launch. */
static void fill_row(struct lab_row *row, const struct lab_counters *launches, int count)
{
    int longest = 0;
    double most = -1.0, time;
    for (int i = 0; i < count; i++)
        if (lab_counters_get(&launches[i], "gpu__time_duration.sum", &time) && time > most) {
            most = time;
            longest = i;
        }
    row->counters = launches[longest];
    for (int i = 0; i < count; i++)
        if (i != longest)
            lab_counters_add(&row->counters, &launches[i]);
}

/* Whether a kernel as the profiler writes it, "void fused<(bool)1>(int, ...)", has this mangled
 * name, "_Z5fusedILb1EEvi...". The library's kernels have other names. */
static bool same_kernel(const char *mangled, const char *shown)
{
    char part[KERNEL_BYTES + 8];
    int end = (int)strcspn(shown, "<("), start = end;
    if (!mangled || strcmp(mangled, shown) == 0)
        return mangled != NULL;
    while (start > 0 && shown[start - 1] != ' ' && shown[start - 1] != ':')
        start--;
    snprintf(part, sizeof part, "%d%.*s", end - start, end - start, shown + start);
    return end > start && strstr(mangled, part);
}

/* For rows that call a library: a row's own launches come in their order, and those between and
 * after them are the library's. */
static bool join_by_name(struct lab_result *result, const struct profile *profile)
{
    int next = 0;
    for (int i = 0; i < result->row_count; i++) {
        struct lab_row *row = &result->rows[i];
        int first = next, own = 0, count = row->kernel.launches;
        const char *following =
            i + 1 < result->row_count ? result->rows[i + 1].kernel.names[0] : NULL;
        if (count > LAB_MAX_NAMED)
            return false;
        for (; next < profile->count; next++) {
            const char *kernel = profile->kernels[next];
            if (own < count && same_kernel(row->kernel.names[own], kernel))
                own++;
            else if (own == count && (!row->used_library || same_kernel(following, kernel)))
                break;
            else if (!row->used_library)
                return false;
        }
        if (own < count || next == first)
            return false;
        fill_row(row, profile->launches + first, next - first);
    }
    return next == profile->count;
}

static bool any_library(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].used_library)
            return true;
    return false;
}

/* Finds each row's launches. The reference, if there is one, is the first row. Its library's
 * launches are not recorded, so they are those that remain; with another library row,
 * join_by_name() tells them apart. */
static bool join(struct lab_result *result, const struct profile *profile)
{
    int ours = 0, next = 0, references = 0;
    struct lab_row *reference = NULL;
    if (any_library(result))
        return join_by_name(result, profile);
    for (int i = 0; i < result->row_count; i++) {
        ours += result->rows[i].step ? result->rows[i].kernel.launches : 0;
        reference = result->rows[i].step ? reference : &result->rows[i];
        references += !result->rows[i].step;
    }
    next = profile->count - ours;
    if (next < references || (!reference && next != 0))
        return false;
    if (references == 1)
        fill_row(reference, profile->launches, next);
    for (int i = 0; i < result->row_count; i++) {
        struct lab_row *row = &result->rows[i];
        if (!row->step || row->kernel.launches == 0)
            continue;
        fill_row(row, profile->launches + next, row->kernel.launches);
        next += row->kernel.launches;
    }
    return true;
}

/* --- the child ---------------------------------------------------------------------------------*/

int lab_ncu_check(void)
{
    char path[LAB_PATH_BYTES];
    if (lab_child_find("ncu", path) == 0)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_MISSING,
                        "--profile needs Nsight Compute (ncu), which is not here: install it with "
                        "the CUDA toolkit (package cuda-nsight-compute-13-0) and put it on PATH, "
                        "or use --runtime sim");
}

/* The counters of the catalogue to ask the profiler for, without counters that it does not
 * know. */
static void metric_list(const char *unknown, char *text, size_t size)
{
    int count;
    const struct lab_counter_kind *kinds = lab_counter_kinds(&count);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t length = strlen(text);
        if (kinds[i].asked && !strstr(unknown, kinds[i].name))
            snprintf(text + length, size - length, "%s%s", length ? "," : "", kinds[i].name);
    }
}

static int run_profiler(const struct lab_options *options, int default_size, const char *log,
                        const char *unknown, char *text, size_t size)
{
    char path[LAB_PATH_BYTES], metrics[LAB_MAX_COUNTERS * LAB_COUNTER_NAME_BYTES];
    struct lab_child child = {.count = 0};
    if (lab_child_find("ncu", path) != 0)
        return -1;
    metric_list(unknown, metrics, sizeof metrics);
    lab_child_add(&child, "%s", path);
    lab_child_add(&child, "--csv");
    lab_child_add(&child, "--print-units=base");
    lab_child_add(&child, "--clock-control=none");
    lab_child_add(&child, "--profile-from-start=off");
    lab_child_add(&child, "--metrics=%s", metrics);
    lab_child_add(&child, "--log-file=%s", log);
    lab_child_add_run(&child, options, default_size, "gpu");
    lab_child_add(&child, "--profile=gpu"); /* the same rows, the reference with them */
    int status = lab_child_run(&child, text, size);
    return status;
}

/* The rest of the log's first line that holds `mark`, from the mark on; "" if there is none. */
static void find_line(const char *log, const char *mark, char *found, size_t size)
{
    char line[1024];
    FILE *file = fopen(log, "r");
    found[0] = '\0';
    while (file && !found[0] && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, mark);
        if (at)
            snprintf(found, size, "%.*s", (int)strcspn(at, "\n"), at);
    }
    if (file)
        fclose(file);
}

static int explain_failure(const char *log, const char *text, int status)
{
    char line[512];
    find_line(log, "ERR_NVGPUCTRPERM", line, sizeof line);
    if (line[0])
        return lab_complain(LAB_EXIT_MISSING,
                            "the driver keeps the GPU's counters from this user "
                            "(ERR_NVGPUCTRPERM): run as root, or let the administrator load the "
                            "driver with NVreg_RestrictProfilingToAdminUsers=0");
    find_line(log, "==ERROR==", line, sizeof line);
    if (!line[0])
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    return lab_complain(LAB_EXIT_MISSING, "Nsight Compute failed (status %d)%s%s", status,
                        line[0] ? ": " : "", line);
}

/* The name after "Failed to find metric", if the log has this message. */
static bool unknown_metric(const char *log, char unknown[LACKING_BYTES])
{
    static const char mark[] = "Failed to find metric ";
    char line[512], before[LACKING_BYTES];
    find_line(log, mark, line, sizeof line);
    if (!line[0])
        return false;
    char *name = line + strlen(mark);
    name[strcspn(name, " ,;\r")] = '\0';
    strcpy(before, unknown);
    note_lacking(unknown, name);
    return name[0] && strcmp(before, unknown) != 0;
}

static int take(const struct lab_options *options, int default_size, const char *log,
                struct profile *profile)
{
    char text[LAB_CHILD_TEXT];
    int status = run_profiler(options, default_size, log, profile->lacking, text, sizeof text);
    while (status != 0 && unknown_metric(log, profile->lacking))
        status = run_profiler(options, default_size, log, profile->lacking, text, sizeof text);
    FILE *file = fopen(log, "r");
    if (file) {
        read_profile(file, profile);
        fclose(file);
    }
    if (status != 0 || profile->count == 0)
        return explain_failure(log, text, status);
    return LAB_EXIT_OK;
}

int lab_ncu_profile(const struct lab_options *options, struct lab_result *result)
{
    char log[LAB_PATH_BYTES];
    struct profile *profile = calloc(1, sizeof *profile);
    lab_scratch_path(log, "ncu-XXXXXX");
    int file = mkstemp(log), status = LAB_EXIT_OK;
    struct lab_progress_line progress;
    if (profile)
        profile->launches = calloc(MOST_LAUNCHES, sizeof *profile->launches);
    if (file < 0 || !profile || !profile->launches)
        status = lab_complain(LAB_EXIT_MISSING, "no room for a profile, or out of memory");
    lab_progress_begin(&progress, false,
                       "profiling: Nsight Compute runs each kernel several times");
    if (status == LAB_EXIT_OK)
        status = take(options, result->default_size, log, profile);
    lab_progress_end(&progress);
    if (status == LAB_EXIT_OK && !join(result, profile))
        status = lab_complain(LAB_EXIT_MISSING,
                              "Nsight Compute saw %d launches, which do not fit the rows",
                              profile->count);
    if (status == LAB_EXIT_OK && profile->lacking[0])
        fprintf(stderr, "run: counters that this GPU lacks: %s\n", profile->lacking);
    if (file >= 0) {
        close(file);
        unlink(log);
    }
    free(profile ? profile->launches : NULL);
    free(profile);
    return status;
}
