/* A small part of TOML: [section], name = number | true | false | "text", and # comments. Debian
 * has no TOML library for C, and more is not needed. */
#include "grade/outcome/outcome.h"

#include "base/spelling.h"
#include "base/status.h"
#include "base/files.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, SWITCH, VISIBILITY, TEXT };

#define LEAST 1e-3 /* of a limit: with 0, every student would exceed it */

static const struct {
    const char *name; /* section.name */
    enum kind kind;
    size_t offset;
    double least, most; /* of a number */
} known[] = {
    {"points.total", NUMBER, offsetof(struct lab_settings, points), 0.0, 1e4},
    {"points.shown", NUMBER, offsetof(struct lab_settings, shown), 0.0, 1e4},
    {"points.hidden", NUMBER, offsetof(struct lab_settings, hidden), 0.0, 1e4},
    {"points.goals", NUMBER, offsetof(struct lab_settings, goals), 0.0, 1e4},
    {"hidden.feedback", SWITCH, offsetof(struct lab_settings, hidden_feedback), 0.0, 0.0},
    {"hidden.secret", TEXT, offsetof(struct lab_settings, secret), 0.0, 0.0},
    {"limits.compile_seconds", NUMBER, offsetof(struct lab_settings, compile_seconds), LEAST, 1e9},
    {"limits.trial_seconds", NUMBER, offsetof(struct lab_settings, trial_seconds), LEAST, 1e9},
    {"limits.launch_seconds", NUMBER, offsetof(struct lab_settings, launch_seconds), LEAST, 1e9},
    {"limits.memory_mb", NUMBER, offsetof(struct lab_settings, memory_mb), LEAST, 1e9},
    {"limits.gpu_seconds", NUMBER, offsetof(struct lab_settings, gpu_seconds), LEAST, 1e9},
    {"limits.call_seconds", NUMBER, offsetof(struct lab_settings, call_seconds), LEAST, 1e9},
    {"speed.share", NUMBER, offsetof(struct lab_settings, speed_share), 0.0, 100.0},
    {"speed.confidence", NUMBER, offsetof(struct lab_settings, speed_confidence), 0.5, 0.999},
    {"speed.pairs", NUMBER, offsetof(struct lab_settings, speed_pairs), 8.0, 64.0},
    {"gradescope.leaderboard", SWITCH, offsetof(struct lab_settings, leaderboard), 0.0, 0.0},
    {"gradescope.visibility", VISIBILITY, offsetof(struct lab_settings, visibility), 0.0, 0.0},
    {"gradescope.hidden_visibility", VISIBILITY, offsetof(struct lab_settings, hidden_visibility),
     0.0, 0.0},
};

/* Gradescope's. */
static const char *const visibilities[] = {"visible", "hidden", "after_due_date",
                                           "after_published"};

enum { KNOWN = sizeof known / sizeof *known };

struct lab_settings lab_settings_default(void)
{
    return (struct lab_settings){.points = 100.0,
                                 .shown = 40.0,
                                 .hidden = 40.0,
                                 .goals = 20.0,
                                 .compile_seconds = 120.0,
                                 .trial_seconds = 300.0,
                                 .launch_seconds = 3.0,
                                 .memory_mb = 8192.0,
                                 .gpu_seconds = 60.0,
                                 .call_seconds = 5.0,
                                 .speed_confidence = 0.95,
                                 .speed_pairs = 15.0,
                                 .leaderboard = true,
                                 .visibility = "visible",
                                 .hidden_visibility = "after_due_date"};
}

/* Cuts blanks off both ends, and a comment that is not inside a text. */
static char *trim(char *text)
{
    bool quoted = false;
    for (char *c = text; *c; c++) {
        quoted ^= *c == '"';
        if (*c == '#' && !quoted)
            *c = '\0';
    }
    text += strspn(text, " \t\r\n");
    for (size_t n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

static bool set_value(struct lab_settings *settings, int i, const char *value)
{
    char *field = (char *)settings + known[i].offset, *end;
    size_t length = strlen(value);
    if (known[i].kind == NUMBER) {
        double number = strtod(value, &end);
        memcpy(field, &number, sizeof number);
        return *value && !*end && number >= known[i].least && number <= known[i].most;
    }
    if (known[i].kind == SWITCH) {
        *(bool *)(void *)field = strcmp(value, "true") == 0;
        return *(bool *)(void *)field || strcmp(value, "false") == 0;
    }
    if (length < 2 || value[0] != '"' || value[length - 1] != '"' || length - 2 >= LAB_SETTING_TEXT)
        return false;
    snprintf(field, LAB_SETTING_TEXT, "%.*s", (int)(length - 2), value + 1);
    if (known[i].kind == TEXT)
        return length > 2;
    for (size_t v = 0; v < sizeof visibilities / sizeof *visibilities; v++)
        if (strlen(visibilities[v]) == length - 2 && strcmp(visibilities[v], field) == 0)
            return true;
    return false;
}

static int refuse(const char *path, int number, const char *why, const char *what)
{
    return lab_complain(LAB_EXIT_USAGE, "--config %s:%d: %s '%s'", path, number, why, what);
}

/* Complains of a section or a setting with an unknown name. */
static int refuse_name(const char *path, int number, const char *what, const char *name)
{
    struct lab_spelling spelling = lab_spelling_of(name, (int)strlen(name));
    const bool is_section = !strchr(name, '.');
    static char sections[KNOWN][32];
    for (int i = 0; i < KNOWN; i++) {
        snprintf(sections[i], sizeof sections[i], "%.*s", (int)strcspn(known[i].name, "."),
                 known[i].name);
        lab_spelling_try(&spelling, is_section ? sections[i] : known[i].name);
    }
    return lab_complain(LAB_EXIT_USAGE, "--config %s:%d: no such %s: '%s'%s", path, number, what,
                        name, lab_spelling_suggest(&spelling));
}

static bool is_section(const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < KNOWN; i++)
        if (strncmp(known[i].name, name, length) == 0 && known[i].name[length] == '.')
            return true;
    return false;
}

/* The file that is being read, and the settings so far. */
struct reading {
    const char *path;
    int number;
    char section[128];
    bool set[KNOWN];
};

static int read_line(struct reading *r, struct lab_settings *settings, char *line)
{
    char name[256], *text = trim(line), *equals = strchr(text, '=');
    size_t length = strlen(text);
    if (!length)
        return LAB_EXIT_OK;
    if (text[0] == '[' && text[length - 1] == ']') {
        snprintf(r->section, sizeof r->section, "%.*s", (int)(length - 2), text + 1);
        return is_section(r->section) ? LAB_EXIT_OK
                                      : refuse_name(r->path, r->number, "section", r->section);
    }
    if (!equals)
        return refuse(r->path, r->number, "neither [section] nor name = value:", text);
    *equals = '\0';
    snprintf(name, sizeof name, "%s.%.100s", r->section, trim(text));
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0) {
            if (r->set[i])
                return refuse(r->path, r->number, "set a second time:", name);
            r->set[i] = true;
            return set_value(settings, i, trim(equals + 1))
                       ? LAB_EXIT_OK
                       : refuse(r->path, r->number, "not a value that fits:", equals + 1);
        }
    return refuse_name(r->path, r->number, "setting", name);
}

void lab_settings_put(const struct lab_settings *settings, struct lab_json_writer *w,
                      const char *name)
{
    lab_json_begin(w, name, '{');
    for (int i = 0; i < KNOWN; i++) {
        const void *const field = (const char *)settings + known[i].offset;
        if (known[i].kind == NUMBER)
            lab_json_number(w, known[i].name, *(const double *)field);
        else if (known[i].kind == SWITCH)
            lab_json_bool(w, known[i].name, *(const bool *)field);
        else if (known[i].kind == VISIBILITY)
            lab_json_string(w, known[i].name, field);
    }
    lab_json_end(w, '}');
}

int lab_settings_read(struct lab_settings *settings, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    struct reading reading = {.path = path};
    int status = LAB_EXIT_OK;
    const char *why;
    FILE *file = lab_open_text(path, &why);
    if (!file)
        return lab_complain(LAB_EXIT_USAGE, "--config %s: %s", path, why);
    while (status == LAB_EXIT_OK && getline(&line, &room, file) > 0) {
        reading.number++;
        status = read_line(&reading, settings, line);
    }
    free(line);
    fclose(file);
    return status;
}
