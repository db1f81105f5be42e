/* The page of the papers' tables and figures: none of them is left out, each command on it is one
 * that the lab takes, what has no command has a reason, and what the page says of speeds is what
 * the commands say. That its links lead somewhere is held by the build of the site. */
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

enum { CELLS = 4, OUTCOME_CELLS = 7, MOST_ROWS = 100 };

/* A row of the page's tables: what, shows, command, where or why not. Of "What comes out": what,
 * row, over, the paper, here, same order, command. */
struct row {
    char section[80];
    char cells[OUTCOME_CELLS][600];
};

static struct row rows[MOST_ROWS], outcomes[MOST_ROWS];
static int row_count, outcome_count;

/* Cells lie between bars; false: a line without so many, or the head of a table. */
static bool split(char *line, struct row *row, int cells)
{
    if (strncmp(line, "| ", 2) != 0 || strncmp(line, "| what", 6) == 0 || line[2] == '-')
        return false;
    for (int i = 0; i < cells; i++) {
        char *begin = line + 1, *end = strchr(begin, '|');
        if (!end)
            return false;
        snprintf(row->cells[i], sizeof row->cells[i], "%.*s", (int)(end - begin), begin);
        line = end;
    }
    return true;
}

static void read_page(void)
{
    char path[500], line[2000], section[80] = "";
    snprintf(path, sizeof path, "%s/docs/pages/papers.md", getenv("LAB_TEST_ROOT"));
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "## %79[^\n]", section) == 1)
            continue;
        cr_assert(row_count < MOST_ROWS && outcome_count < MOST_ROWS);
        memcpy(rows[row_count].section, section, sizeof section);
        if (strcmp(section, "What comes out") == 0)
            outcome_count += split(line, &outcomes[outcome_count], OUTCOME_CELLS);
        else
            row_count += split(line, &rows[row_count], CELLS);
    }
    fclose(file);
}

static bool has_row(const char *section, const char *what)
{
    char cell[80];
    snprintf(cell, sizeof cell, " %s ", what);
    for (int i = 0; i < row_count; i++)
        if (strcmp(rows[i].section, section) == 0 && strcmp(rows[i].cells[0], cell) == 0)
            return true;
    return false;
}

Test(papers, no_table_and_no_figure_is_left_out)
{
    static const struct {
        const char *section;
        int figures; /* that are numbered alone */
        const char *others[10];
    } papers[] = {
        {"Kernel summation", 9, {"table I", "table II", "table III"}},
        {"Generalized products", 5, {"table 1"}},
        {"Merged kernels",
         0,
         {"figure 1a", "figure 1b", "figure 2a, 2b, 2c, 2d", "table I", "table II", "table III",
          "table IV", "table V"}},
        {"A course report", 0, {"problem 1", "problem 2"}},
        {"The shape of a block", 10, {"table I", "lists of shapes"}},
    };
    read_page();
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        for (int figure = 1; figure <= papers[i].figures; figure++) {
            char what[32];
            snprintf(what, sizeof what, "figure %d", figure);
            cr_expect(has_row(papers[i].section, what), "%s: %s", papers[i].section, what);
        }
        for (const char *const *other = papers[i].others; *other; other++)
            cr_expect(has_row(papers[i].section, *other), "%s: %s", papers[i].section, *other);
    }
}

/* Refused only for the file that it is to write, which is tried when all else is understood: target
 * and options are there, and go together. */
static void expect_command(const char *what, const char *command)
{
    cr_expect_eq(strncmp(command, "./run ", 6), 0, "%s: %s", what, command);
    run_lab_shell(&result, "%s --runtime sim --json /dev/null/none < /dev/null", command);
    cr_expect(result.status == 2 && strstr(result.err, "--json /dev/null/none: "), "%s: %s: %s",
              what, command, result.err);
}

static int expect_commands(const struct row *row)
{
    char text[600], *rest = text;
    int count = 0;
    memcpy(text, row->cells[2], sizeof text);
    for (char *begin; (begin = strchr(rest, '`')); count++) {
        char *end = strchr(begin + 1, '`');
        cr_assert(end, "%s", text);
        *end = '\0';
        expect_command(row->cells[0], begin + 1);
        rest = end + 1;
    }
    return count;
}

Test(papers, each_command_is_one_and_what_has_none_has_a_reason)
{
    read_page();
    cr_assert_geq(row_count, 40, "%d rows", row_count);
    for (int i = 0; i < row_count; i++) {
        const char *where = rows[i].cells[3], *planned = strstr(where, "not yet: step ");
        if (expect_commands(&rows[i]))
            cr_expect(strchr(where, '[') && !planned, "%s: shown where?", rows[i].cells[0]);
        else
            cr_expect(planned || strstr(where, "a drawing: [") || strstr(where, "ot simulated") ||
                          strstr(where, "ot measured"),
                      "%s: %s: no command and no reason", rows[i].section, rows[i].cells[0]);
        char target[8] = "";
        if (planned)
            snprintf(target, sizeof target, "step%.2s", planned + strlen("not yet: step "));
        cr_expect(!planned || !lab_registry_target(target), "%s: %s: %s is there: give its command",
                  rows[i].section, rows[i].cells[0], target);
    }
}

/* --- what comes out ----------------------------------------------------------------------------*/

#define WITHIN 0.02 /* as the page says */

/* The word behind `option` of a command; 0: it is not given. */
static int option_of(const char *command, const char *option)
{
    char key[16];
    snprintf(key, sizeof key, " %s ", option);
    const char *at = strstr(command, key);
    return at ? atoi(at + strlen(key)) : 0;
}

/* A sweep takes a minute: the run that was recorded of it, which has its sizes. */
static const char *recorded_sweep(const char *command)
{
    static char text[1 << 21];
    char target[16], arch[16], size[16] = "", path[500];
    if (option_of(command, "-n"))
        snprintf(size, sizeof size, "-%d", option_of(command, "-n"));
    cr_assert_eq(sscanf(command, "./run sweep %15s --arch %15s", target, arch), 2, "%s", command);
    snprintf(path, sizeof path, "%s/docs/results/sweep-%s-sim-%s%s.json", getenv("LAB_TEST_ROOT"),
             target, arch, size);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s: nothing recorded: %s", command, path);
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    cr_assert_lt(bytes, sizeof text - 1, "%s", path);
    text[bytes] = '\0';
    const char *sizes[] = {"n", "m"};
    for (int i = 0; i < 2; i++) {
        const char option[] = {'-', *sizes[i], '\0'};
        const int one = option_of(command, option);
        cr_expect(!one || one == (int)run_lab_figure(text, sizes[i]), "%s: %s: another %s", command,
                  path, sizes[i]);
    }
    return text;
}

static double time_of(const char *json, const char *cell)
{
    char key[80], name[64];
    cr_assert_eq(sscanf(cell, " `%63[^`]`", name), 1, "%s", cell);
    snprintf(key, sizeof key, "\"name\": \"%s\"", name);
    return run_lab_figure(strstr(json, key), "median");
}

/* A figure above 1, or "faster". */
static bool says_faster(const char *paper)
{
    return strstr(paper, "faster") || strtod(paper, NULL) > 1.0;
}

Test(papers, commands_say_what_the_page_says)
{
    char command[600], last[600] = "";
    const char *json = NULL;
    read_page();
    cr_assert_geq(outcome_count, 10, "%d outcomes", outcome_count);
    int commands = 0;
    for (int i = 0; i < outcome_count; i++) {
        char(*const cells)[600] = outcomes[i].cells;
        cr_assert_eq(sscanf(cells[6], " `%599[^`]`", command), 1, "%s", cells[0]);
        const bool is_other = strcmp(command, last) != 0;
        memcpy(last, command, sizeof last);
        commands += is_other;
        if (!run_lab_takes(commands, 2))
            continue;
        if (is_other && strncmp(command, "./run sweep ", 12) == 0)
            json = recorded_sweep(command);
        else if (is_other) {
            run_lab_shell(&result, "%s --runtime sim --json - < /dev/null", command);
            cr_assert_eq(result.status, 0, "%s: %s", command, result.err);
            json = result.out;
        }
        const double said = strtod(cells[4], NULL),
                     speed = time_of(json, cells[2]) / time_of(json, cells[1]);
        cr_expect(fabs(said / speed - 1.0) <= WITHIN, "%s: the page has %g, %s says %g", cells[0],
                  said, command, speed);
        cr_expect_eq(strcmp(cells[5], " yes ") == 0, says_faster(cells[3]) == (speed > 1.0),
                     "%s: the paper%s, here %g: same order:%s", cells[0], cells[3], speed,
                     cells[5]);
    }
}

/* Of a GPU that is simulated for a paper's sake, that run is recorded: a command without its sizes
 * would take others. */
Test(papers, sizes_of_sweeps_are_those_of_the_pages)
{
    read_page();
    for (int i = 0; i < row_count; i++)
        for (const char *at = rows[i].cells[2]; (at = strstr(at, "`./run sweep "));) {
            char command[600];
            cr_assert_eq(sscanf(++at, "%599[^`]`", command), 1);
            if (strstr(command, "--arch m2070"))
                recorded_sweep(command);
        }
}
