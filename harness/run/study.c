/* Studies: makes the runs that one is of, and hands their records to its awk program. */
#include "run/study.h"

#include "base/files.h"
#include "base/status.h"
#include "base/text.h"
#include "options/family.h"
#include "options/options.h"
#include "report/json.h"
#include "report/page.h"
#include "report/table.h"
#include "run/records.h"
#include "run/study_file.h"
#include "run/study_runs.h"
#include "series/registry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *lab_study_of(const struct lab_options *options)
{
    const struct lab_stage *own = lab_targets_study(options);
    const struct lab_family_options *family =
        lab_family_options_find(lab_registry_target(options->targets[0])->family);
    if (options->command == LAB_COMMAND_PLAN)
        return family->plan;
    return own ? strchr(own->number, '.') + 1 : family->study; /* "forms" of "12.forms" */
}

/* The exit status of a program that has printed what is wrong with a file of its own. */
enum { HAS_SAID_WHY = 3 };

/* --- its program -------------------------------------------------------------------------------*/

/* What only the place tells where output goes, and where plots go. */
static void write_place(const struct lab_options *options, const struct lab_sweep *sweep,
                        FILE *stream, FILE *records)
{
    char plots[LAB_PATH_BYTES];
    const int columns = lab_columns_of(stream), fd = fileno(stream);
    const bool is_terminal = fd >= 0 && isatty(fd);
    lab_build_path(plots, "plots/%s-%s", sweep->target, sweep->is_sim ? "sim" : "gpu");
    fprintf(records, "sweep\tplots\t%s\nsweep\tcolumns\t%d\n", plots, columns ? columns : 80);
    if (is_terminal)
        fputs("sweep\tis_terminal\t1\n", records);
    if (is_terminal || options->plots_text)
        fputs("sweep\tdraws\t1\n", records);
}

/* "-f graph.awk -f merges.awk " for "graph.awk merges.awk". */
static void write_uses(const struct lab_study_file *study, char *text, size_t size)
{
    char names[sizeof study->uses], *rest;
    size_t length = 0;
    snprintf(names, sizeof names, "%s", study->uses);
    text[0] = '\0';
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        length += (size_t)snprintf(text + length, size - length, "-f %s ", name);
}

/* The program, with the records as its input, or NULL. A table of the study's name is read before
 * them. Figures have points, whatever the language. */
static FILE *start(const struct lab_study_file *study, const char *want, int records)
{
    char root[LAB_PATH_BYTES], table[LAB_PATH_BYTES + 64], command[LAB_PATH_BYTES + 512], uses[192];
    lab_root(root);
    snprintf(table, sizeof table, "%s/harness/studies/%s.tsv", root, study->name);
    write_uses(study, uses, sizeof uses);
    const bool has_table = access(table, R_OK) == 0;
    snprintf(command, sizeof command,
             "cd '%s/harness/studies' && LC_ALL=C exec awk -v want=%s -f records.awk %s"
             "-f %s.awk %s%s /dev/fd/%d",
             root, want, uses, study->name, has_table ? study->name : "", has_table ? ".tsv" : "",
             records);
    return strchr(root, '\'') ? NULL : popen(command, "r");
}

static void copy(FILE *from, FILE *to)
{
    char part[4096];
    for (size_t bytes; (bytes = fread(part, 1, sizeof part, from)) > 0;)
        fwrite(part, 1, bytes, to);
}

static int print(const struct lab_study_file *study, const char *want,
                 const struct lab_options *options, const struct lab_sweep *sweep, FILE *stream)
{
    FILE *const records = tmpfile();
    if (records) {
        write_place(options, sweep, stream, records);
        lab_records_write(sweep, options, records);
        fflush(NULL); /* what a child would print once more */
    }
    FILE *const program = records ? start(study, want, fileno(records)) : NULL;
    if (program)
        copy(program, stream);
    const int ended = program ? pclose(program) : -1;
    if (records)
        fclose(records);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == HAS_SAID_WHY)
        return LAB_EXIT_MISSING;
    return ended == 0
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_MISSING, "awk could not show the study %s", study->name);
}

static bool read_file(const char *study, const struct lab_sweep *sweep, struct lab_study_file *file)
{
    const struct lab_registry_entry *const entry = lab_registry_target(sweep->target);
    return lab_study_file_read(study, sweep->is_sim, entry ? entry->family : "", file);
}

int lab_study_print(const char *study, const char *want, const struct lab_options *options,
                    const struct lab_sweep *sweep, FILE *stream)
{
    struct lab_study_file file;
    if (!read_file(study, sweep, &file))
        return LAB_EXIT_MISSING;
    const int status = print(&file, want, options, sweep, stream);
    lab_study_file_release(&file);
    return status;
}

/* --- JSON --------------------------------------------------------------------------------------*/

/* The name of a figure, of which a study has few, for as long as the program runs. */
static const char *kept(const char *name)
{
    static char names[LAB_MAX_FIGURES][48];
    int i = 0;
    while (i < LAB_MAX_FIGURES - 1 && names[i][0] && strcmp(names[i], name) != 0)
        i++;
    snprintf(names[i], sizeof names[i], "%s", name);
    return names[i];
}

/* A line is "RUN NAME VALUE", a figure of the solution, or "RUN TEXT", members of the run's object,
 * with tabs between. */
static void add_line(char *line, struct lab_sweep *sweep)
{
    char *text = strchr(line, '\t'), *value = text ? strchr(text + 1, '\t') : NULL;
    const int i = atoi(line) - 1;
    if (!text || i < 0 || i >= sweep->count)
        return;
    struct lab_conclusion *const conclusion = &sweep->runs[i]->conclusion;
    if (!value) {
        sweep->more[i] = strdup(text + 1);
    } else if (conclusion->figure_count < LAB_MAX_FIGURES) {
        *value = '\0';
        conclusion->figures[conclusion->figure_count++] =
            (struct lab_factor){kept(text + 1), strtod(value + 1, NULL)};
    }
}

static int add(const struct lab_study_file *study, const struct lab_options *options,
               struct lab_sweep *sweep)
{
    char *text = NULL, *rest;
    size_t length;
    FILE *const stream = open_memstream(&text, &length);
    if (!stream)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    const int status = print(study, "more", options, sweep, stream);
    fclose(stream);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        add_line(line, sweep);
    free(text);
    return status;
}

int lab_study_add(const char *study, const struct lab_options *options, struct lab_sweep *sweep)
{
    struct lab_study_file file;
    if (!read_file(study, sweep, &file))
        return LAB_EXIT_MISSING;
    const int status = add(&file, options, sweep);
    lab_study_file_release(&file);
    return status;
}

/* --- a forecast --------------------------------------------------------------------------------*/

/* What a program says of later runs, between those that it is made from and those. */
struct forecast {
    const struct lab_study_file *study;
    const struct lab_options *options;
    const struct lab_sweep *sweep;
};

static void put_forecast(struct lab_json_writer *w, const void *subject)
{
    const struct forecast *forecast = subject;
    lab_json_item(w, NULL);
    print(forecast->study, "forecast_in_json", forecast->options, forecast->sweep, w->stream);
}

static bool prints(const struct lab_options *options)
{
    return !(options->json && strcmp(options->json, "-") == 0);
}

static int show_forecast(const struct forecast *forecast)
{
    const struct lab_options *const options = forecast->options;
    const struct lab_sweep *const sweep = forecast->sweep;
    int status =
        prints(options) ? print(forecast->study, "forecast", options, sweep, stdout) : LAB_EXIT_OK;
    fflush(stdout);
    if (status == LAB_EXIT_OK && options->forecast)
        status = lab_json_write_other(sweep->target, sweep->device, put_forecast, forecast,
                                      options->forecast);
    return status;
}

/* --- the whole ---------------------------------------------------------------------------------*/

static int take_runs(const struct lab_study_file *study, const struct lab_options *options,
                     const struct lab_run_plan *plan, struct lab_sweep *sweep)
{
    int status = LAB_EXIT_OK;
    for (int i = 0; i < study->line_count && status == LAB_EXIT_OK; i++)
        status = study->lines[i].shows
                     ? show_forecast(&(struct forecast){study, options, sweep})
                     : lab_study_runs_take(&study->lines[i], options, plan, sweep);
    return status;
}

static int report(const struct lab_study_file *study, const struct lab_options *options,
                  struct lab_sweep *sweep)
{
    const bool lacks_kernels = study->is_of_own_kernels && !lab_targets_study(options);
    int status = LAB_EXIT_OK;
    if (lacks_kernels && prints(options)) { /* of an exercise, or with --source: the usual table */
        for (int i = 0; i < sweep->count; i++) {
            fputs(i ? "\n" : "", stdout);
            lab_table_print(sweep->runs[i], stdout);
        }
    } else if (prints(options)) {
        status = print(study, "tables", options, sweep, stdout);
        if (status == LAB_EXIT_OK && study->has_plots)
            status = print(study, "plots", options, sweep, stdout);
    }
    if (status == LAB_EXIT_OK && study->has_more && !lacks_kernels &&
        (options->json || options->html))
        status = add(study, options, sweep);
    if (status == LAB_EXIT_OK && options->json)
        status = lab_json_write_sweep(sweep, options->json);
    if (status == LAB_EXIT_OK && options->html)
        status = lab_page_write_sweep(sweep, options->html);
    return status;
}

int lab_study_run(const char *name, const struct lab_options *options,
                  const struct lab_device *device, const struct lab_run_plan *plan)
{
    struct lab_sweep sweep = {
        .target = options->targets[0], .is_sim = device->is_sim, .device = device};
    struct lab_study_file study;
    char plots[LAB_PATH_BYTES];
    if (!read_file(name, &sweep, &study))
        return LAB_EXIT_MISSING;
    lab_build_path(plots, "plots");
    mkdir(plots, 0777);
    int status =
        options->plots_text && !study.has_plots
            ? lab_complain(LAB_EXIT_USAGE, "--plot: the study of %s has tables and no plot",
                           options->targets[0])
            : take_runs(&study, options, plan, &sweep);
    if (status == LAB_EXIT_OK)
        status = report(&study, options, &sweep);
    lab_sweep_release(&sweep);
    lab_study_file_release(&study);
    return status;
}
