/* compute-sanitizer as a child, once for each tool; its log says how many errors, and where. */
#include "run/child.h"

#include "run/plan.h"
#include "options/family.h"
#include "series/registry.h"
#include "base/progress.h"
#include "base/files.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SIZE = 256, FINDING_BYTES = 512 };
static const char bar[] = "========= ";

/* What one tool found. */
struct findings {
    long errors; /* -1: the tool did not reach its summary */
    char first[FINDING_BYTES], place[FINDING_BYTES];
    char other[FINDING_BYTES];   /* the second access of a race */
    char failure[FINDING_BYTES]; /* why it did not */
};

int lab_sanitize_check(bool is_sim)
{
    char path[LAB_PATH_BYTES];
    if (is_sim)
        return lab_complain(LAB_EXIT_USAGE, "--sanitize is for a GPU: on the simulator the checks "
                                            "are always on");
    if (lab_child_find("compute-sanitizer", path) == 0)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_MISSING,
                        "--sanitize needs compute-sanitizer, which is not here: install it with "
                        "the CUDA toolkit (package cuda-sanitizer-13-0) and put it on PATH, or use "
                        "--runtime sim, whose checks are always on");
}

static void copy_line(char *to, const char *text)
{
    snprintf(to, FINDING_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
}

/* "in /folder/kernel.cu:37:name(...)" or "... in kernel.cu:37": the part up to the number. */
static void find_place(const char *line, char place[FINDING_BYTES])
{
    const char *at = strstr(line, ".cu:"), *end = at;
    if (!at || place[0])
        return;
    while (at > line && at[-1] != ' ')
        at--;
    end += strlen(".cu:");
    end += strspn(end, "0123456789");
    snprintf(place, FINDING_BYTES, "%.*s", (int)(end - at), at);
}

/* A race has the places of both accesses: "Error: Race ... Write access at NAME in FILE:LINE", then
 * "    and Read access at ...". The name of the kernel is left out. */
static void read_title(const char *text, struct findings *found)
{
    find_place(text, found->place);
    copy_line(found->first, text);
    char *at = strstr(found->first, " at ");
    if (found->place[0] && at)
        *at = '\0';
}

static void read_detail(const char *text, struct findings *found)
{
    bool second = strncmp(text, "    and ", 8) == 0;
    if (found->first[0])
        find_place(text, second ? found->other : found->place);
}

/* Reads a line of the log. A title stands right after the bar, and lines that belong to it are
 * indented. */
static void read_line(const char *line, struct findings *found)
{
    const char *text = line + strlen(bar), *summary = strstr(line, "SUMMARY: ");
    if (strncmp(line, bar, strlen(bar)) != 0)
        return;
    if (summary) { /* a second summary says how many errors were not printed */
        if (found->errors < 0)
            found->errors = strtol(summary + strlen("SUMMARY: "), NULL, 10);
    } else if (text[0] == ' ') {
        read_detail(text, found);
    } else if (strncmp(text, "COMPUTE-SANITIZER", 17) != 0 && !found->first[0]) {
        read_title(text, found);
    }
}

static void read_log(const char *log, struct findings *found)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(log, "r");
    *found = (struct findings){.errors = -1};
    while (file && getline(&line, &room, file) > 0)
        read_line(line, found);
    free(line);
    if (file)
        fclose(file);
}

/* Runs one tool and reads its log; the exit status of the child. */
static int run_tool(const struct lab_options *options, int size, const char *tool, const char *log,
                    struct findings *found)
{
    char path[LAB_PATH_BYTES], text[LAB_CHILD_TEXT] = "";
    struct lab_child child = {.count = 0};
    if (lab_child_find("compute-sanitizer", path) != 0)
        return -1;
    lab_child_add(&child, "%s", path);
    lab_child_add(&child, "--tool=%s", tool);
    lab_child_add(&child, "--log-file=%s", log);
    lab_child_add_run(&child, options, size, "gpu");
    lab_child_add(&child, "--check-only");
    int status = lab_child_run(&child, text, sizeof text);
    read_log(log, found);
    copy_line(found->failure, found->first[0] ? found->first : text);
    return status;
}

static void print_tool(FILE *stream, const char *tool, const struct findings *found, int status)
{
    fprintf(stream, "%-10s %7ld  ", tool, found->errors);
    if (found->errors > 0)
        fprintf(stream, "%s%s%s%s%s\n", found->first, found->place[0] ? " at " : "", found->place,
                found->other[0] ? " and " : "", found->other);
    else
        fprintf(stream, "%s\n",
                status == LAB_EXIT_FAILED ? "none, but a kernel fails its check" : "none");
}

int lab_sanitize(const struct lab_options *options, FILE *stream)
{
    static const char *const tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
    char log[LAB_PATH_BYTES];
    const struct lab_family_options *family =
        options->target_count
            ? lab_family_options_find(lab_registry_target(options->targets[0])->family)
            : NULL;
    lab_scratch_path(log, "sanitizer-XXXXXX");
    int file = mkstemp(log), worst = LAB_EXIT_OK;
    if (file < 0)
        return lab_complain(LAB_EXIT_MISSING, "no room for a log: %s", log);
    close(file);
    const int most = lab_run_plan_sim_size(options), size = most < MOST_SIZE ? most : MOST_SIZE;
    fputs("compute-sanitizer", stream);
    for (const struct lab_size_option *s = family ? family->sizes : NULL; s && s->letter; s++)
        fprintf(stream, "  %c=%d", s->letter, lab_size_of(options, family, s->letter, size));
    fprintf(stream, "\n\n%-10s %7s  first finding\n", "tool", "errors");
    for (int i = 0; i < 4 && worst != LAB_EXIT_MISSING; i++) {
        struct findings found;
        struct lab_progress_line progress;
        lab_progress_begin(&progress, false, "running %s", tools[i]);
        int status = run_tool(options, size, tools[i], log, &found);
        lab_progress_end(&progress);
        if (found.errors < 0) {
            worst = lab_complain(LAB_EXIT_MISSING, "compute-sanitizer (%s) failed: %s", tools[i],
                                 found.failure);
            break;
        }
        print_tool(stream, tools[i], &found, status);
        if (found.errors > 0 || status == LAB_EXIT_FAILED)
            worst = LAB_EXIT_FAILED;
    }
    unlink(log);
    return worst;
}
