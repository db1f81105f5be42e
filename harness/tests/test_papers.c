/* The page of the papers' tables and figures: none of them is left out, each command on it is one
 * that the lab takes, and what has no command has a reason. That its links lead somewhere is held
 * by the build of the site. */
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

enum { CELLS = 4, MOST_ROWS = 100 };

/* A row of the page's tables: what, shows, command, where or why not. */
struct row {
    char section[80];
    char cells[CELLS][600];
};

static struct row rows[MOST_ROWS];
static int row_count;

/* Cells lie between bars; false: a line without so many, or the head of a table. */
static bool split(char *line, struct row *row)
{
    if (strncmp(line, "| ", 2) != 0 || strncmp(line, "| what", 6) == 0 || line[2] == '-')
        return false;
    for (int i = 0; i < CELLS; i++) {
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
        cr_assert_lt(row_count, MOST_ROWS);
        memcpy(rows[row_count].section, section, sizeof section);
        row_count += split(line, &rows[row_count]);
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
         {"figure 1a", "figure 1b", "figure 2a, 2b, 2c", "table I", "table II", "table III",
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

Test(papers, each_command_is_one_and_what_has_none_has_a_reason, .timeout = 120)
{
    read_page();
    cr_assert_geq(row_count, 40, "%d rows", row_count);
    for (int i = 0; i < row_count; i++) {
        const char *where = rows[i].cells[3], *planned = strstr(where, "not yet: step ");
        if (expect_commands(&rows[i]))
            cr_expect(strchr(where, '[') && !planned, "%s: shown where?", rows[i].cells[0]);
        else
            cr_expect(planned || strstr(where, "a drawing: [") || strstr(where, "ot simulated"),
                      "%s: %s: no command and no reason", rows[i].section, rows[i].cells[0]);
        char target[8] = "";
        if (planned)
            snprintf(target, sizeof target, "step%.2s", planned + strlen("not yet: step "));
        cr_expect(!planned || !lab_registry_target(target), "%s: %s: %s is there: give its command",
                  rows[i].section, rows[i].cells[0], target);
    }
}
