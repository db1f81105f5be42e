/* Studies: makes the runs that one is of, and hands their records to its awk program. */
#include "run/study.h"

#include "base/files.h"
#include "base/progress.h"
#include "base/status.h"
#include "base/text.h"
#include "options/family.h"
#include "options/options.h"
#include "report/json.h"
#include "report/page.h"
#include "report/terminal.h"
#include "series/registry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- a line of a study as options of runs ------------------------------------------------------*/

/* A line whose runs are being made. */
struct taking {
    const struct lab_study_line *line;
    const struct lab_options *given;
    const struct lab_family_options *family;
    struct lab_run_plan plan;
    struct lab_sweep *sweep;
};

static bool says(const struct taking *taking, const char *name)
{
    for (int i = 0; i < taking->line->word_count; i++)
        if (strcmp(taking->line->words[i].name, name) == 0)
            return true;
    return false;
}

/* Figures of the host, which the study times itself. */
static void note_host(const struct lab_options *one, struct lab_result *run)
{
    struct lab_progress_line progress;
    lab_progress_begin(&progress, false, "timing the host");
    run->family->note_host(one, &run->conclusion);
    lab_progress_end(&progress);
}

static int take_one(const struct taking *taking, const struct lab_options *options)
{
    struct lab_result *run = calloc(1, sizeof *run);
    struct lab_options one = *options;
    struct lab_sweep *const sweep = taking->sweep;
    if (!run)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    if (sweep->count == LAB_MAX_RUNS) {
        free(run);
        return lab_complain(LAB_EXIT_MISSING, "a study has at most %d runs", LAB_MAX_RUNS);
    }
    one.command = LAB_COMMAND_RUN;
    sweep->runs[sweep->count++] = run;
    int status = lab_run_rows(&one, sweep->device, &taking->plan, run);
    if (status == LAB_EXIT_OK && lab_result_status(run) != LAB_CHECK_OK) {
        lab_table_print(run, stderr);
        status = LAB_EXIT_FAILED;
    }
    if (status == LAB_EXIT_OK && one.without_host && run->family->note_host)
        note_host(&one, run);
    return status;
}

/* --- words -------------------------------------------------------------------------------------*/

static bool is_size(const char *name)
{
    return name[1] == '\0';
}

/* Whether a size is given, or follows from another that is and that the line does not name. */
static bool is_given(const struct taking *taking, char letter)
{
    bool is_given = taking->given->problem.sizes[letter - 'a'] != 0;
    for (char other = 'a'; other <= 'z'; other++)
        is_given = is_given || (taking->given->problem.sizes[other - 'a'] &&
                                !says(taking, (const char[]){other, '\0'}));
    return is_given && !says(taking, "always");
}

/* Whether an option of the problem's own was given with another value. */
static bool is_other(const struct taking *taking, const char *name, const char *value)
{
    return !says(taking, "always") && lab_option_is_other(taking->given, name, "all") &&
           lab_option_is_other(taking->given, name, value);
}

static bool has_rows(const struct lab_options *given)
{
    return given->variant || given->source_count > 0;
}

/* Whether a word is of a line as a whole. */
static bool is_of_line(const char *name)
{
    return strcmp(name, "all") == 0 || strcmp(name, "always") == 0 || strcmp(name, "lot") == 0 ||
           strcmp(name, "new") == 0;
}

static bool is_own_option(const struct taking *taking, const char *name)
{
    const struct lab_option *option = taking->family->table;
    while (option && option->name && strcmp(option->name, name) != 0)
        option++;
    return option && option->name;
}

/* Whether the user has given one of the line's options of the problem, with whatever value. */
static bool is_option_given(const struct taking *taking)
{
    for (int i = 0; i < taking->line->word_count; i++)
        if (is_own_option(taking, taking->line->words[i].name) &&
            lab_option_is_other(taking->given, taking->line->words[i].name, ""))
            return true;
    return false;
}

/* An exit status: the word may be unknown. */
static int set(const struct taking *taking, const char *name, char *value, struct lab_options *one)
{
    if (is_size(name))
        one->problem.sizes[*name - 'a'] = atoi(value);
    else if (strcmp(name, "study") == 0)
        one->study = lab_targets_study(taking->given) != NULL;
    else if (strcmp(name, "reps") == 0)
        one->reps = one->reps ? one->reps : atoi(value);
    else if (strcmp(name, "variant") == 0)
        one->variant = has_rows(taking->given) ? one->variant : value;
    else if (strcmp(name, "energy") == 0)
        one->energy = *value == '1';
    else if (strcmp(name, "host") == 0)
        one->without_host = true;
    else if (strcmp(name, "target") == 0)
        one->targets[0] = value;
    else if (!is_of_line(name) && is_own_option(taking, name)) /* --lot is both */
        lab_give_own_option(one, taking->family, name, value);
    else if (!is_of_line(name))
        return lab_complain(LAB_EXIT_MISSING, "a study of %s has the unknown word '%s'",
                            taking->given->targets[0], name);
    return LAB_EXIT_OK;
}

/* Goes through the values of the i-th word, and for each through those of the words after it. */
static int take_words(const struct taking *taking, int i, const struct lab_options *options)
{
    const struct lab_study_word *word = &taking->line->words[i];
    int status = LAB_EXIT_OK;
    if (i == taking->line->word_count)
        return take_one(taking, options);
    if (is_size(word->name) && is_given(taking, *word->name))
        return take_words(taking, i + 1, options);
    for (int v = 0; v < word->value_count && status == LAB_EXIT_OK; v++) {
        struct lab_options one = *options;
        if (is_other(taking, word->name, word->values[v]))
            continue;
        status = set(taking, word->name, word->values[v], &one);
        if (status == LAB_EXIT_OK)
            status = take_words(taking, i + 1, &one);
    }
    return status;
}

/* --- a line ------------------------------------------------------------------------------------*/

/* Problems with sizes drawn by lot, in place of the line's sizes. */
static int take_lot(const struct taking *taking, const struct lab_options *options)
{
    struct lab_options one = *options;
    int status = LAB_EXIT_OK;
    for (int i = 0; status == LAB_EXIT_OK &&
                    taking->family->draw(options, taking->sweep->is_sim, i, one.problem.sizes);
         i++)
        status = take_one(taking, &one);
    return status;
}

/* Makes the runs of one line, with each value of its words, the last word's changing first. What
 * the user has given goes before what the line says. LAB_EXIT_FAILED after printing the table of a
 * run with a wrong row. */
static int take_line(const struct lab_study_line *line, const struct lab_options *options,
                     const struct lab_run_plan *plan, struct lab_sweep *sweep)
{
    struct lab_options one = *options;
    const char *const family = lab_registry_target(options->targets[0])->family;
    const struct taking taking = {line, options, lab_family_options_find(family), *plan, sweep};
    struct taking of_another = taking;
    if (says(&taking, "all") && has_rows(options))
        return LAB_EXIT_OK;
    if (says(&taking, "new") && is_option_given(&taking))
        return LAB_EXIT_OK;
    if (says(&taking, "lot") && taking.family->draw(options, sweep->is_sim, 0, one.problem.sizes))
        return take_lot(&taking, options);
    if (!says(&taking, "target"))
        return take_words(&taking, 0, options);
    /* of another target only times matter, and it may not have these options */
    one.variant = NULL;
    one.deterministic = one.energy = false;
    if (!sweep->is_sim)
        of_another.plan.profile = LAB_PROFILE_NONE;
    return take_words(&of_another, 0, &one);
}

/* Studies: makes the runs that one is of, and hands their records to its awk program. */

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
        status = study->lines[i].shows ? show_forecast(&(struct forecast){study, options, sweep})
                                       : take_line(&study->lines[i], options, plan, sweep);
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
