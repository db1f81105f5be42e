/* Settings by name. The file is read by the TOML reader of Python's standard library, since there
 * is none for C in Debian. */
#include "grade/outcome/outcome.h"

#include "base/text.h"
#include "machine/toolchain.h"
#include "base/status.h"
#include "base/files.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, SWITCH, VISIBILITY, TEXT };

static const struct {
    const char *name; /* section.name */
    enum kind kind;
    size_t offset;
    double least, most; /* of a number */
} known[] = {
#define LAB_SETTING(name, kind, member, least, most)                                               \
    {name, kind, offsetof(struct lab_settings, member), least, most},
#include "grade/outcome/settings.def"
#undef LAB_SETTING
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

/* Sets one value, which is given as JSON. */
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
    if (length < 2 || value[0] != '"' || length - 2 >= LAB_SETTING_TEXT || strchr(value, '\\'))
        return false;
    snprintf(field, LAB_SETTING_TEXT, "%.*s", (int)(length - 2), value + 1);
    if (known[i].kind == TEXT)
        return length > 2;
    for (size_t v = 0; v < sizeof visibilities / sizeof *visibilities; v++)
        if (strlen(visibilities[v]) == length - 2 && strcmp(visibilities[v], field) == 0)
            return true;
    return false;
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

/* One value of the file: its line, its name with its section, and the value; "null": a section. */
static int take_value(const char *path, int number, const char *name, const char *value,
                      struct lab_settings *settings)
{
    if (strcmp(value, "null") == 0)
        return is_section(name) ? LAB_EXIT_OK : refuse_name(path, number, "section", name);
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0)
            return set_value(settings, i, value)
                       ? LAB_EXIT_OK
                       : lab_complain(LAB_EXIT_USAGE, "--config %s:%d: not a value that fits: %s",
                                      path, number, value);
    return refuse_name(path, number, "setting", name);
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
    enum { SAID_BYTES = 65536 };
    char root[LAB_PATH_BYTES], reader[LAB_PATH_BYTES + 64];
    const char *why;
    FILE *const file = lab_open_text(path, &why); /* no pipe, which would be waited for */
    if (!file)
        return lab_complain(LAB_EXIT_USAGE, "--config %s: %s", path, why);
    fclose(file);
    char *const said = calloc(1, SAID_BYTES);
    if (!said)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    lab_root(root);
    snprintf(reader, sizeof reader, "%s/harness/course/toml_lines.py", root);
    char *words[] = {"python3", "-B", reader, (char *)(uintptr_t)path, NULL};
    int status = lab_toolchain_run(words, said, SAID_BYTES);
    if (status != 0 && !strstr(said, path)) { /* it is the reader that does not run */
        said[strcspn(said, "\n")] = '\0';
        status =
            lab_complain(LAB_EXIT_MISSING, "--config is read by python3, version 3.11 or newer%s%s",
                         *said ? ": " : "", said);
    } else if (status != 0) {
        said[strcspn(said, "\n")] = '\0';
        status = lab_complain(LAB_EXIT_USAGE, "--config %s", said);
    }
    for (char *rest = said, *line;
         status == LAB_EXIT_OK && (line = strsep(&rest, "\n")) && *line;) {
        const char *const number = strsep(&line, "\t"), *const name = strsep(&line, "\t");
        status = take_value(path, atoi(number), name ? name : "", line ? line : "", settings);
    }
    free(said);
    return status;
}
