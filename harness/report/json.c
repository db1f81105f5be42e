/* Writing JSON. Written by hand rather than by a library, because a GPU machine with nothing but a
 * C compiler and the CUDA toolkit must be able to build this; nothing here reads JSON. */
#include "report/json.h"

#include "measure/energy.h"
#include "measure/worst_lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- building blocks ---------------------------------------------------------------------------*/

struct writer {
    FILE *stream;
    int depth;
    bool first; /* in the current object or list */
};

static void new_item(struct writer *w, const char *name)
{
    fprintf(w->stream, "%s\n%*s", w->first ? "" : ",", 2 * w->depth, "");
    if (name)
        fprintf(w->stream, "\"%s\": ", name);
    w->first = false;
}

static void begin(struct writer *w, const char *name, char bracket)
{
    if (w->depth)
        new_item(w, name);
    fputc(bracket, w->stream);
    w->depth++;
    w->first = true;
}

static void end(struct writer *w, char bracket)
{
    w->depth--;
    fprintf(w->stream, "\n%*s%c", 2 * w->depth, "", bracket);
    w->first = false;
}

static void put_string(struct writer *w, const char *name, const char *text)
{
    new_item(w, name);
    fputc('"', w->stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(w->stream, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(w->stream, "\\u%04x", *c);
        else
            fputc(*c, w->stream);
    }
    fputc('"', w->stream);
}

/* JSON has no NaN or infinity: such a figure is left out, as one that was not taken. */
static void put_number(struct writer *w, const char *name, double value)
{
    if (!isfinite(value))
        return;
    new_item(w, name);
    fprintf(w->stream, "%.10g", value);
}

static void put_integer(struct writer *w, const char *name, long long value)
{
    new_item(w, name);
    fprintf(w->stream, "%lld", value);
}

static void put_shape(struct writer *w, const char *name, const unsigned shape[3])
{
    new_item(w, name);
    fprintf(w->stream, "[%u, %u, %u]", shape[0], shape[1], shape[2]);
}

/* --- the result --------------------------------------------------------------------------------*/

static void put_version(struct writer *w, const char *name, int version)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    put_string(w, name, text);
}

static void put_device(struct writer *w, const struct lab_device *device)
{
    begin(w, "device", '{');
    put_string(w, "name", device->properties.name);
    put_string(w, "arch", device->arch);
    put_integer(w, "sm_count", device->properties.multiProcessorCount);
    put_version(w, "driver", device->driver);
    put_version(w, "toolkit", device->toolkit);
    end(w, '}');
}

static void put_problem(struct writer *w, const struct lab_result *result)
{
    const struct lab_problem_facts *facts = &result->facts;
    begin(w, "problem", '{');
    put_string(w, "family", result->family->name);
    put_string(w, "type", result->family->type);
    for (int i = 0; i < facts->size_count; i++)
        put_integer(w, facts->sizes[i].name, facts->sizes[i].value);
    for (int i = 0; i < facts->factor_count; i++)
        put_number(w, facts->factors[i].name, facts->factors[i].value);
    new_item(w, "seed");
    fprintf(w->stream, "%llu", (unsigned long long)result->seed);
    put_number(w, "flops", facts->flops);
    put_number(w, "bytes", facts->bytes);
    end(w, '}');
}

static void put_check(struct writer *w, const struct lab_check *check)
{
    begin(w, "check", '{');
    put_string(w, "status", lab_check_status_name(check->status));
    if (check->tolerance > 0.0) {
        put_number(w, "max_error", check->max_error);
        put_number(w, "tolerance", check->tolerance);
    }
    if (check->message[0])
        put_string(w, "message", check->message);
    if (check->file[0]) {
        put_string(w, "file", check->file);
        put_integer(w, "line", check->line);
    }
    end(w, '}');
}

static void put_speedup(struct writer *w, const struct lab_result *result,
                        const struct lab_row *row, const char *name, const char *target,
                        double scale)
{
    const struct lab_row *base = lab_result_baseline(result, target);
    if (base)
        put_number(w, name, scale * base->time.median / row->time.median);
}

static void put_times(struct writer *w, const struct lab_result *result, const struct lab_row *row)
{
    double gflops = lab_result_gflops(result, row);
    begin(w, "time_ms", '{');
    put_number(w, "median", row->time.median);
    put_number(w, "min", row->time.min);
    put_number(w, "max", row->time.max);
    if (row->time.reps) {
        put_integer(w, "reps", row->time.reps);
        put_integer(w, "batch", row->time.batch);
    }
    end(w, '}');
    if (row->time.modelled) {
        new_item(w, "modelled");
        fputs("true", w->stream);
        put_string(w, "limiter", row->time.limiter);
        if (row->time.without_caches)
            put_string(w, "model_leaves_out", "traffic of L2 and DRAM, which was not counted");
    }
    put_number(w, "gflops", gflops);
    put_speedup(w, result, row, "percent_of_reference", "", 100.0);
    put_speedup(w, result, row, "speedup", "step01", 1.0);
    if (row->parent[0])
        put_speedup(w, result, row, "speedup_over_parent", row->parent, 1.0);
    if (row->with_copies_ms > 0.0) {
        put_number(w, "time_with_copies_ms", row->with_copies_ms);
        put_number(w, "gflops_with_copies", result->facts.flops / row->with_copies_ms * 1e-6);
    }
    if (lab_result_peak(result) > 0.0)
        put_number(w, "percent_of_peak", 1e11 * gflops / lab_result_peak(result));
}

static void put_counters(struct writer *w, const char *name, uint64_t instructions,
                         const struct lab_counters *counters)
{
    if (!instructions && counters->count == 0)
        return;
    begin(w, name, '{');
    if (instructions)
        put_integer(w, "ptx_warp_instructions", (long long)instructions);
    for (int i = 0; i < counters->count; i++) {
        double value = counters->list[i].value;
        if (value == floor(value) && fabs(value) < 9e15)
            put_integer(w, counters->list[i].name, (long long)value);
        else
            put_number(w, counters->list[i].name, value);
    }
    end(w, '}');
}

static void put_line(struct writer *w, const struct lab_line *line, const char *note)
{
    begin(w, NULL, '{');
    put_string(w, "file", line->file);
    put_integer(w, "line", line->line);
    put_number(w, "warp_instructions", line->warp_instructions);
    if (line->global_requests > 0.0) {
        put_number(w, "global_requests", line->global_requests);
        put_number(w, "global_sectors", line->global_sectors);
        put_number(w, "global_sectors_needed", line->global_needed);
    }
    if (line->shared_requests > 0.0) {
        put_number(w, "shared_requests", line->shared_requests);
        put_number(w, "shared_wavefronts", line->shared_wavefronts);
        put_number(w, "shared_conflicts", line->shared_conflicts);
    }
    if (note)
        put_string(w, "note", note);
    end(w, '}');
}

static void put_lines(struct writer *w, const struct lab_lines *lines)
{
    struct lab_worst_line worst[LAB_WORST_LINES];
    int count = lab_worst_lines(lines, worst);
    begin(w, "lines", '[');
    for (int i = 0; i < lines->count; i++) {
        const char *note = NULL;
        for (int n = 0; n < count; n++)
            note = worst[n].index == i ? worst[n].reason : note;
        put_line(w, &lines->list[i], note);
    }
    end(w, ']');
}

static void put_energy(struct writer *w, const struct lab_result *result, const struct lab_row *row)
{
    struct lab_energy_model model;
    if (row->energy.joules > 0.0) {
        begin(w, "energy", '{');
        put_number(w, "joules", row->energy.joules);
        put_number(w, "watts", row->energy.watts);
        put_number(w, "measured_seconds", row->energy.seconds);
        end(w, '}');
    }
    if (!lab_energy_from_counters(&row->counters, result->device, &model))
        return;
    begin(w, "modelled_energy", '{');
    put_number(w, "joules", lab_energy_total(&model));
    put_number(w, "arithmetic", model.arithmetic);
    put_number(w, "shared_memory", model.shared);
    put_number(w, "l2", model.l2);
    put_number(w, "dram", model.dram);
    end(w, '}');
}

static void put_row(struct writer *w, const struct lab_result *result, const struct lab_row *row)
{
    begin(w, NULL, '{');
    put_string(w, "name", row->name);
    put_check(w, &row->check);
    if (lab_result_timed(row))
        put_times(w, result, row);
    if (row->kernel.known) {
        put_integer(w, "registers", row->kernel.registers);
        put_integer(w, "shared_bytes", (long long)row->kernel.shared_bytes);
        put_integer(w, "local_bytes", (long long)row->kernel.local_bytes);
        put_shape(w, "block", row->kernel.block);
        put_shape(w, "grid", row->kernel.grid);
        put_number(w, "occupancy", row->kernel.occupancy);
    }
    put_energy(w, result, row);
    put_counters(w, "counters", row->instructions, &row->counters);
    put_counters(w, "simulated_counters", 0, &row->simulated);
    if (row->lines.count)
        put_lines(w, &row->lines);
    if (row->instructions)
        put_number(w, "simulation_seconds", row->simulation_seconds);
    end(w, '}');
}

static void put_conditions(struct writer *w, const struct lab_result *result)
{
    const struct lab_conditions *now = &result->conditions;
    if (!now->sm_mhz)
        return;
    begin(w, "conditions", '{');
    put_string(w, "l2", result->warm ? "warm" : "flushed");
    put_integer(w, "sm_mhz", now->sm_mhz);
    put_integer(w, "memory_mhz", now->memory_mhz);
    put_number(w, "power_watts", now->power_watts);
    end(w, '}');
}

static void put_head(struct writer *w, const char *target, bool is_sim,
                     const struct lab_device *device)
{
    char date[16];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    put_integer(w, "schema", 1);
    put_string(w, "target", target);
    put_string(w, "runtime", is_sim ? "sim" : "gpu");
    put_string(w, "date", date);
    put_device(w, device);
}

/* What a run has of its own. */
static void put_run(struct writer *w, const struct lab_result *result)
{
    put_conditions(w, result);
    put_problem(w, result);
    put_string(w, "status", lab_check_status_name(lab_result_status(result)));
    begin(w, "kernels", '[');
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].check.status != LAB_CHECK_NOT_RUN)
            put_row(w, result, &result->rows[i]);
    end(w, ']');
}

static void put_result(struct writer *w, const void *subject)
{
    const struct lab_result *result = subject;
    begin(w, NULL, '{');
    put_head(w, result->target, result->is_sim, result->device);
    put_run(w, result);
    end(w, '}');
    fputc('\n', w->stream);
}

/* The paper's values beside, so that a plot needs no other source. */
static void put_paper(struct writer *w, const struct lab_result *run)
{
    const struct lab_paper_values *paper =
        lab_paper_find(lab_sweep_size(run, "k"), lab_sweep_size(run, "m"));
    if (!paper)
        return;
    begin(w, "paper", '{');
    put_string(w, "device", "GeForce GTX 970, cuBLAS 7.0");
    put_number(w, "cublas_unfused_percent_of_peak", paper->cublas_efficiency);
    put_number(w, "fused_percent_of_peak", paper->fused_efficiency);
    put_number(w, "percent_of_energy_saved", paper->saved_energy);
    end(w, '}');
}

static void put_sweep(struct writer *w, const void *subject)
{
    const struct lab_sweep *sweep = subject;
    begin(w, NULL, '{');
    put_head(w, sweep->target, sweep->is_sim, sweep->device);
    begin(w, "runs", '[');
    for (int i = 0; i < sweep->count; i++) {
        begin(w, NULL, '{');
        put_run(w, sweep->runs[i]);
        put_paper(w, sweep->runs[i]);
        end(w, '}');
    }
    end(w, ']');
    end(w, '}');
    fputc('\n', w->stream);
}

/* --- files -------------------------------------------------------------------------------------*/

/* A full disk is the machine's fault; a path that cannot be is the user's. */
static int cannot_write(const char *path, int reason)
{
    bool machine = reason == ENOSPC || reason == EDQUOT || reason == EIO;
    return lab_complain(machine ? LAB_EXIT_MISSING : LAB_EXIT_USAGE,
                        "--json %s: %s; nothing was written there: %s", path, strerror(reason),
                        machine ? "make room, or give another FILE" : "give another FILE");
}

typedef void put_fn(struct writer *w, const void *subject);

/* True when everything went out; false with errno set. */
static bool write_stream(put_fn *put, const void *subject, FILE *stream)
{
    struct writer w = {.stream = stream};
    put(&w, subject);
    return fflush(stream) == 0 && !ferror(stream);
}

/* Devices such as /dev/stderr cannot be replaced by a rename. */
static bool is_plain(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

int lab_json_check(const char *path)
{
    char beside[4096];
    if (strcmp(path, "-") == 0 || !is_plain(path))
        return LAB_EXIT_OK;
    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside)
        return cannot_write(path, ENAMETOOLONG);
    int file = mkstemp(beside);
    if (file < 0)
        return cannot_write(path, errno);
    close(file);
    unlink(beside);
    return LAB_EXIT_OK;
}

static int write_file(put_fn *put, const void *subject, const char *path)
{
    char beside[4096];
    if (strcmp(path, "-") == 0)
        return write_stream(put, subject, stdout) ? LAB_EXIT_OK : cannot_write(path, errno);
    bool plain = is_plain(path);
    if (snprintf(beside, sizeof beside, "%s%s", path, plain ? ".XXXXXX" : "") >= (int)sizeof beside)
        return cannot_write(path, ENAMETOOLONG);
    int file = plain ? mkstemp(beside) : -1;
    FILE *stream = plain ? (file < 0 ? NULL : fdopen(file, "w")) : fopen(beside, "w");
    if (!stream)
        return cannot_write(path, errno);
    bool written = write_stream(put, subject, stream);
    int reason = errno;
    if (fclose(stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && plain) {
        mode_t mask = umask(0);
        umask(mask);
        chmod(beside, 0666 & ~mask);
        written = rename(beside, path) == 0;
        reason = errno;
    }
    if (!written && plain)
        unlink(beside);
    return written ? LAB_EXIT_OK : cannot_write(path, reason);
}

int lab_json_write(const struct lab_result *result, const char *path)
{
    return write_file(put_result, result, path);
}

int lab_json_write_sweep(const struct lab_sweep *sweep, const char *path)
{
    return write_file(put_sweep, sweep, path);
}
