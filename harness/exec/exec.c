/* `run exec`: a CUDA program that is none of the lab's, on the simulator. The program gets the
 * simulator's libraries by LD_LIBRARY_PATH and what was asked for by LAB_SIM_...; its processes
 * write what happened into a file (sim/runtime/summary.c), which is shown when it has ended. */
#include "exec/exec.h"

#include "base/files.h"
#include "base/json_writer.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "base/text.h"
#include "base/status.h"
#include "machine/runtime.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FINDINGS = 64, MOST_COUNTERS = 256, MOST_LINES = 4096, SHOWN_LINES = 20 };

enum key {
    KEY_ARCH = 1000,
    KEY_SMS,
    KEY_CHECK,
    KEY_FAST,
    KEY_STRICT,
    KEY_PROFILE,
    KEY_LINES,
    KEY_JSON
};

const struct argp_option lab_exec_options[] = {
    {"arch", KEY_ARCH, "GPU", 0,
     "the GPU that is simulated: h200, a100, rtx4090, t4, gtx1050, gtx970, gtx480, m2070, or a "
     "profile's path (h200)",
     0},
    {"sms", KEY_SMS, "N", 0, "simulate a slice of the GPU: N of its SMs (all)", 0},
    {"check", KEY_CHECK, "LIST", 0,
     "which checks beyond those of a GPU: race, uninitialized, or all but one: no-race, "
     "no-uninitialized (all)",
     0},
    {"fast", KEY_FAST, 0, 0, "neither of these checks", 0},
    {"strict", KEY_STRICT, 0, 0,
     "stop at what may be harmless, too: a read of unwritten memory, or one a little out of bounds "
     "(a warning)",
     0},
    {"profile", KEY_PROFILE, 0, 0, "print the counters of all launches together", 0},
    {"lines", KEY_LINES, 0, 0, "print the counts of the source lines that execute most", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was launched, found and counted", 0},
    {0}};

struct finding {
    char status[32], kernel[256], file[512], message[1024];
    int line;
};

struct counted_line {
    char file[512];
    int line;
    double instructions, sectors, needed, wavefronts, conflicts;
};

/* What the program's processes wrote, all together. */
struct summary {
    long long kernels, launches;
    double instructions, seconds;
    bool has_totals; /* else it broke off, or called nothing of CUDA's runtime */
    int finding_count, warning_count, counter_count, line_count;
    struct finding findings[MOST_FINDINGS], warnings[MOST_FINDINGS];
    char failed_call[96], error[64]; /* of the first call that failed, if any */
    bool was_looked_at;              /* the program has asked for that error */
    struct {
        char name[96];
        double value;
    } counters[MOST_COUNTERS];
    struct counted_line lines[MOST_LINES];
};

struct request {
    char **words; /* the program and its arguments */
    const char *arch, *sms, *check, *json;
    bool strict, profile, lines, is_built_in;
    char path[LAB_PATH_BYTES]; /* of the program */
    char libraries[LAB_PATH_BYTES], summary[LAB_PATH_BYTES + 32];
};

/* --- the command line --------------------------------------------------------------------------*/

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct request *const r = state->input;
    switch (key) {
    case KEY_ARCH:
        r->arch = text;
        return 0;
    case KEY_SMS:
        r->sms = text;
        return 0;
    case KEY_CHECK:
        r->check = text;
        return 0;
    case KEY_FAST:
        r->check = "none";
        return 0;
    case KEY_STRICT:
        r->strict = true;
        return 0;
    case KEY_PROFILE:
        r->profile = true;
        return 0;
    case KEY_LINES:
        r->lines = true;
        return 0;
    case KEY_JSON:
        r->json = text;
        return 0;
    case ARGP_KEY_ARG: /* the program: what follows is its own */
        r->words = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Refuses a mistyped check here, where the option can be named. */
static int check_list(const char *list)
{
    static const char *const names[] = {"race", "uninitialized", "no-race", "no-uninitialized",
                                        "all",  "none"};
    for (const char *word = list; *word; word += *word == ',') {
        const size_t length = strcspn(word, ",");
        bool is_known = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            is_known =
                is_known || (strlen(names[i]) == length && strncmp(names[i], word, length) == 0);
        if (!is_known)
            return lab_complain(LAB_EXIT_USAGE,
                                "--check %s: there is no check '%.*s'; give race, uninitialized, "
                                "no-race, no-uninitialized, none, or several with commas",
                                list, (int)length, word);
        word += length;
    }
    return *list ? LAB_EXIT_OK : lab_complain(LAB_EXIT_USAGE, "--check takes a list of checks");
}

/* Whether this is the program that is installed by itself, in PREFIX/bin. */
static bool is_installed(void)
{
    return strcmp(lab_program_name(), "run") != 0;
}

static void find_prefix(char prefix[LAB_PATH_BYTES])
{
    char self[LAB_PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    snprintf(prefix, LAB_PATH_BYTES, "%s", dirname(dirname(self)));
}

/* The simulator reads the profile; that there is one is looked at here, where the option is known.
 */
static int check_gpu(const char *arch, const char *sms)
{
    char path[LAB_PATH_BYTES], root[LAB_PATH_BYTES], *end;
    const size_t length = strlen(arch);
    (is_installed() ? find_prefix : lab_root)(root);
    if (strchr(arch, '/') || (length > 5 && strcmp(arch + length - 5, ".json") == 0)) {
        snprintf(path, sizeof path, "%.4000s", arch);
    } else {
        const int used = snprintf(path, sizeof path, "%.3000s/%s/", root,
                                  is_installed() ? "share/lab-sim" : "harness/sim/gpu");
        snprintf(path + used, sizeof path - (size_t)used, "%.60s.json", arch);
        for (char *c = path + used; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    }
    if (access(path, R_OK) != 0)
        return lab_complain(
            LAB_EXIT_USAGE,
            "--arch %s: no such profile of a GPU; `%s --help` names those that there "
            "are",
            arch, is_installed() ? "lab-sim" : "./run exec");
    if (strcmp(sms, "all") != 0 && (strtol(sms, &end, 10) < 1 || *end))
        return lab_complain(LAB_EXIT_USAGE, "--sms %s: give a number of SMs, or all", sms);
    return LAB_EXIT_OK;
}

/* Finds the program as a shell would; a name without a slash may be of this folder, too. */
static int find_program(const char *name, char path[LAB_PATH_BYTES])
{
    const char *folder = getenv("PATH");
    snprintf(path, LAB_PATH_BYTES, "%s%.4000s", strchr(name, '/') ? "" : "./", name);
    if (access(path, F_OK) == 0 || strchr(name, '/'))
        folder = "";
    for (; folder && *folder; folder += strcspn(folder, ":"), folder += *folder == ':') {
        snprintf(path, LAB_PATH_BYTES, "%.*s/%.2000s", (int)strcspn(folder, ":"), folder, name);
        if (access(path, X_OK) == 0)
            return LAB_EXIT_OK;
    }
    if (access(path, F_OK) != 0)
        return lab_complain(LAB_EXIT_USAGE, "%s: %s", name, strerror(errno));
    struct stat status;
    const size_t length = strlen(name);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return lab_complain(LAB_EXIT_USAGE, "%s is a folder; give a program", name);
    if (access(path, X_OK) != 0)
        return lab_complain(LAB_EXIT_USAGE, "%s: %s%s", name, strerror(errno),
                            length > 3 && strcmp(name + length - 3, ".cu") == 0
                                ? "; compile it with `nvcc -lineinfo` and give the "
                                  "program"
                                : "");
    return LAB_EXIT_OK;
}

/* --- running it --------------------------------------------------------------------------------*/

static int become_program(const void *subject)
{
    const struct request *const r = subject;
    if (r->arch)
        setenv("LAB_SIM_GPU", r->arch, 1);
    if (r->sms)
        setenv("LAB_SIM_SMS", r->sms, 1);
    if (r->check)
        setenv("LAB_SIM_CHECKS", r->check, 1);
    if (r->strict)
        unsetenv("LAB_SIM_WARN");
    else
        setenv("LAB_SIM_WARN", "1", 1);
    if (r->profile || r->lines)
        setenv("LAB_SIM_COUNT", "1", 1);
    setenv("LAB_SIM_SUMMARY", r->summary, 1);
    setenv("LD_LIBRARY_PATH", r->libraries, 1);
    if (r->is_built_in) {
        const char *const others = getenv("LD_PRELOAD");
        char preload[LAB_PATH_BYTES];
        snprintf(preload, sizeof preload, "libcudart.so.13%s%s", others ? ":" : "",
                 others ? others : "");
        setenv("LD_PRELOAD", preload, 1);
        setenv("LAB_SIM_BUILT_IN", "1", 1);
    }
    execv(r->path, r->words);
    return lab_complain(LAB_EXIT_USAGE, "%s cannot be started: %s", r->words[0], strerror(errno));
}

/* --- what it did -------------------------------------------------------------------------------*/

/* The next part of a line, which ends at a tab. */
static char *next_part(char **line)
{
    char *const part = strsep(line, "\t");
    return part ? part : "";
}

static double next_number(char **line)
{
    return strtod(next_part(line), NULL);
}

static void add_finding(struct finding list[MOST_FINDINGS], int *count, char *line)
{
    if (*count == MOST_FINDINGS)
        return;
    struct finding *const f = &list[(*count)++];
    snprintf(f->status, sizeof f->status, "%s", next_part(&line));
    snprintf(f->kernel, sizeof f->kernel, "%s", next_part(&line));
    snprintf(f->file, sizeof f->file, "%s", next_part(&line));
    f->line = (int)next_number(&line);
    snprintf(f->message, sizeof f->message, "%s", next_part(&line));
}

/* Processes of one program count into the same counters and lines. */
static void add_counter(struct summary *s, char *line)
{
    const char *const name = next_part(&line);
    int i = 0;
    while (i < s->counter_count && strcmp(s->counters[i].name, name) != 0)
        i++;
    if (i == MOST_COUNTERS)
        return;
    if (i == s->counter_count)
        snprintf(s->counters[s->counter_count++].name, sizeof s->counters->name, "%s", name);
    s->counters[i].value += next_number(&line);
}

static void add_line(struct summary *s, char *line)
{
    const char *const file = next_part(&line);
    const int number = (int)next_number(&line);
    int i = 0;
    while (i < s->line_count && (s->lines[i].line != number || strcmp(s->lines[i].file, file) != 0))
        i++;
    if (i == MOST_LINES)
        return;
    struct counted_line *const to = &s->lines[i];
    if (i == s->line_count) {
        snprintf(to->file, sizeof to->file, "%s", file);
        to->line = number;
        s->line_count++;
    }
    to->instructions += next_number(&line);
    to->sectors += next_number(&line);
    to->needed += next_number(&line);
    to->wavefronts += next_number(&line);
    to->conflicts += next_number(&line);
}

static void read_summary(const char *path, struct summary *s)
{
    char *line = NULL;
    size_t size = 0;
    FILE *const file = fopen(path, "r");
    while (file && getline(&line, &size, file) > 0) {
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        const char *const what = next_part(&rest);
        if (strcmp(what, "finding") == 0)
            add_finding(s->findings, &s->finding_count, rest);
        else if (strcmp(what, "warning") == 0)
            add_finding(s->warnings, &s->warning_count, rest);
        else if (strcmp(what, "failed") == 0 && !s->failed_call[0]) {
            snprintf(s->failed_call, sizeof s->failed_call, "%s", next_part(&rest));
            snprintf(s->error, sizeof s->error, "%s", next_part(&rest));
        } else if (strcmp(what, "looked") == 0)
            s->was_looked_at = true;
        else if (strcmp(what, "counter") == 0)
            add_counter(s, rest);
        else if (strcmp(what, "line") == 0)
            add_line(s, rest);
        else if (strcmp(what, "totals") == 0) {
            s->has_totals = true;
            s->kernels += (long long)next_number(&rest);
            s->launches += (long long)next_number(&rest);
            s->instructions += next_number(&rest);
            s->seconds += next_number(&rest);
        }
    }
    free(line);
    if (file)
        fclose(file);
}

static const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

static int compare_lines(const void *a, const void *b)
{
    const struct counted_line *const x = a, *const y = b;
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? 1 : -1;
    const int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : x->line - y->line;
}

static void show_findings(const char *what, const struct finding *list, int count)
{
    for (const struct finding *f = list; f < list + count; f++) {
        fprintf(stderr, "  %s%s", what, f->status);
        if (f->kernel[0])
            fprintf(stderr, " in %s", f->kernel);
        if (f->file[0])
            fprintf(stderr, " at %s:%d", f->file, f->line);
        fputc('\n', stderr);
    }
}

/* Prints on standard error: the program's output is its own. */
static void show(const struct request *r, struct summary *s, const struct lab_supervised_end *end)
{
    char instructions[LAB_FIGURE_BYTES];
    lab_figure_write(instructions, s->instructions);
    if (r->profile && s->counter_count) {
        fprintf(stderr, "\ncounters of all launches\n");
        for (int i = 0; i < s->counter_count; i++)
            if (s->counters[i].value != 0)
                fprintf(stderr, "  %-66s %14.10g\n", s->counters[i].name, s->counters[i].value);
    }
    if (r->lines && s->line_count) {
        qsort(s->lines, (size_t)s->line_count, sizeof *s->lines, compare_lines);
        fprintf(stderr, "\n%12s %12s %9s %12s %10s  line\n", "instructions", "sectors", "needed",
                "wavefronts", "conflicts");
        for (int i = 0; i < s->line_count && i < SHOWN_LINES; i++) {
            const struct counted_line *const l = &s->lines[i];
            fprintf(stderr, "%12.0f %12.0f %9.0f %12.0f %10.0f  %s:%d\n", l->instructions,
                    l->sectors, l->needed, l->wavefronts, l->conflicts, l->file, l->line);
        }
    }
    if (r->lines && s->launches && !s->line_count)
        lab_complain(0, "no lines are known: compile with -lineinfo");
    if (s->has_totals)
        fprintf(stderr, "%s: %lld kernel%s, %lld launch%s, %s warp instructions, %.1f s; ",
                r->words[0], s->kernels, plural(s->kernels), s->launches,
                s->launches == 1 ? "" : "es", instructions, s->seconds);
    else
        fprintf(stderr, "%s: %s; ", r->words[0],
                end->signal ? "broke off" : "called nothing of CUDA's runtime, or broke off");
    if (s->warning_count)
        fprintf(stderr, "%d warning%s; ", s->warning_count, plural(s->warning_count));
    fprintf(stderr, s->finding_count ? "%d finding%s\n" : "no finding\n", s->finding_count,
            plural(s->finding_count));
    show_findings("", s->findings, s->finding_count);
    show_findings("warning: ", s->warnings, s->warning_count);
    if (s->failed_call[0] && (!s->was_looked_at || end->status != 0 || end->signal))
        fprintf(stderr, "  the first call that failed: %s, %s%s\n", s->failed_call, s->error,
                s->was_looked_at ? "" : "; the program has asked for no error after it");
}

static void put_findings(struct lab_json_writer *w, const char *key, const struct finding *list,
                         int count)
{
    lab_json_begin(w, key, '[');
    for (const struct finding *f = list; f < list + count; f++) {
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "status", f->status);
        lab_json_string(w, "kernel", f->kernel);
        lab_json_string(w, "file", f->file);
        lab_json_integer(w, "line", f->line);
        lab_json_string(w, "message", f->message);
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
}

static void put_json(struct lab_json_writer *w, const struct request *r, const struct summary *s,
                     const struct lab_supervised_end *end)
{
    lab_json_begin(w, NULL, '{');
    lab_json_integer(w, "schema", 1);
    lab_json_string(w, "program", r->words[0]);
    if (end->signal)
        lab_json_integer(w, "signal", end->signal);
    else
        lab_json_integer(w, "exit", end->status);
    lab_json_integer(w, "kernels", s->kernels);
    lab_json_integer(w, "launches", s->launches);
    lab_json_number(w, "warp_instructions", s->instructions);
    lab_json_number(w, "seconds", s->seconds);
    if (s->failed_call[0]) {
        lab_json_string(w, "failed_call", s->failed_call);
        lab_json_string(w, "error", s->error);
    }
    lab_json_integer(w, "warnings", s->warning_count);
    put_findings(w, "warned", s->warnings, s->warning_count);
    put_findings(w, "findings", s->findings, s->finding_count);
    lab_json_begin(w, "counters", '{');
    for (int i = 0; i < s->counter_count; i++)
        lab_json_number(w, s->counters[i].name, s->counters[i].value);
    lab_json_end(w, '}');
    lab_json_begin(w, "lines", '[');
    for (const struct counted_line *l = s->lines; l < s->lines + s->line_count; l++) {
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "file", l->file);
        lab_json_integer(w, "line", l->line);
        lab_json_number(w, "warp_instructions", l->instructions);
        lab_json_number(w, "global_sectors", l->sectors);
        lab_json_number(w, "global_sectors_needed", l->needed);
        lab_json_number(w, "shared_wavefronts", l->wavefronts);
        lab_json_number(w, "shared_conflicts", l->conflicts);
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
    lab_json_end(w, '}');
    fputc('\n', w->stream);
}

static int write_json(const struct request *r, const struct summary *s,
                      const struct lab_supervised_end *end)
{
    struct lab_new_file file;
    if (!lab_new_file_begin(&file, r->json))
        return lab_complain(LAB_EXIT_USAGE, "--json %s: %s", r->json, strerror(errno));
    put_json(&(struct lab_json_writer){.stream = file.stream, .first = true}, r, s, end);
    if (!lab_new_file_end(&file))
        return lab_complain(LAB_EXIT_MISSING, "--json %s: %s", r->json, strerror(errno));
    return LAB_EXIT_OK;
}

/* The program's own status, unless it ends well and should not. */
static int status_of(const struct request *r, const struct summary *s,
                     const struct lab_supervised_end *end)
{
    bool is_found = false, is_unsupported = false;
    for (const struct finding *f = s->findings; f < s->findings + s->finding_count; f++) {
        const bool is_ours = strcmp(f->status, "unsupported") == 0;
        is_unsupported = is_unsupported || is_ours;
        is_found = is_found || !is_ours;
    }
    if (end->signal) {
        lab_complain(0, "%s ended by a signal: %s%s", r->words[0], strsignal(end->signal),
                     end->signal == SIGSEGV ? "; does the host read what a device pointer leads "
                                              "to?"
                                            : "");
        return 128 + end->signal;
    }
    if (end->status != 0)
        return end->status;
    return is_found ? LAB_EXIT_FAILED : is_unsupported ? LAB_EXIT_MISSING : LAB_EXIT_OK;
}

static int find_libraries(char list[LAB_PATH_BYTES])
{
    const char *const before = getenv("LD_LIBRARY_PATH");
    char prefix[LAB_PATH_BYTES];
    if (!is_installed())
        return lab_runtime_libraries(true, list);
    find_prefix(prefix);
    snprintf(list, LAB_PATH_BYTES, "%.2000s/lib%s%.2000s", prefix, before && *before ? ":" : "",
             before ? before : "");
    return LAB_EXIT_OK;
}

int lab_exec(int argc, char **argv)
{
    static struct summary summary;
    static const char about[] =
        "Runs a CUDA program on the simulator, without a GPU: PROGRAM is a file that nvcc made "
        "with `-lineinfo`, and all that follows is its own. Says where it goes "
        "out of bounds, races, reads what nothing has written or waits for ever; warns of what "
        "may be harmless; at the end, on standard error, what was launched and found.\vExit "
        "status: the program's own; 1 where "
        "it ends well after a finding, 3 where it needs what the simulator does not have.";
    const struct argp parser = {lab_exec_options, parse, "PROGRAM [ARGUMENT...]", about, 0, 0, 0};
    struct request r = {.words = NULL};
    struct lab_supervised_end end;
    char folder[LAB_PATH_BYTES];
    argp_err_exit_status = LAB_EXIT_USAGE;
    argv[0] = is_installed() ? "lab-sim" : "run exec";
    if (argp_parse(&parser, argc, argv, ARGP_IN_ORDER, 0, &r) != 0)
        return LAB_EXIT_USAGE;
    if (!r.words)
        return lab_complain(LAB_EXIT_USAGE, "give a program, such as `%s ./race`",
                            is_installed() ? "lab-sim" : "./run exec");
    int status = r.check ? check_list(r.check) : LAB_EXIT_OK;
    if (status == LAB_EXIT_OK)
        status = check_gpu(r.arch ? r.arch : "h200", r.sms ? r.sms : "all");
    if (status == LAB_EXIT_OK && r.json && (errno = lab_new_file_try(r.json)) != 0)
        status = lab_complain(LAB_EXIT_USAGE, "--json %s: %s", r.json, strerror(errno));
    if (status == LAB_EXIT_OK)
        status = find_program(r.words[0], r.path);
    if (status == LAB_EXIT_OK)
        status = find_libraries(r.libraries);
    if (status == LAB_EXIT_OK)
        status = lab_program_check(r.path, r.words[0], r.libraries, &r.is_built_in);
    if (status != LAB_EXIT_OK)
        return status;
    lab_scratch_begin(folder);
    lab_scratch_path(r.summary, "summary");
    FILE *const empty = fopen(r.summary, "w");
    if (!empty)
        return lab_complain(LAB_EXIT_MISSING, "%s: %s", r.summary, strerror(errno));
    fclose(empty);
    const bool ran =
        lab_supervise_to_end(&(struct lab_supervised){.run = become_program, .subject = &r}, &end);
    read_summary(r.summary, &summary);
    lab_scratch_remove(folder);
    if (!ran)
        return LAB_EXIT_MISSING;
    show(&r, &summary, &end);
    status = r.json ? write_json(&r, &summary, &end) : LAB_EXIT_OK;
    return status == LAB_EXIT_OK ? status_of(&r, &summary, &end) : status;
}
