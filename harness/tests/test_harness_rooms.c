/* The harness' folders are in order: README.md lists them from the top, and a file includes only
 * files of its own folder and of those below, and calls only what these define. No files include
 * each other in a circle, where a source and its header are one. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROOMS = 64,
    MOST_UNITS = 512,
    MOST_INCLUDES = 64,
    MOST_SYMBOLS = 2048,
    NAME_BYTES = 96,
    PATH_BYTES = 4096
};

static struct {
    char name[NAME_BYTES];
    int place; /* from the top; those of one line have the same */
} rooms[MOST_ROOMS];
static int room_count;

/* A source with its header: "families/problem". */
static struct unit {
    char name[NAME_BYTES];
    int uses[MOST_INCLUDES], use_count;
    int state; /* 0: not looked at, 1: on the way, 2: in no circle */
} units[MOST_UNITS];
static int unit_count, include_count;

static const char *path_of(const char *name)
{
    static char path[PATH_BYTES];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(path, sizeof path, "%s/harness/%s", root ? root : ".", name);
    return path;
}

/* The first cells of the table: "| `run/` |", or "| `a/`, `b/` |". */
static void read_rooms(void)
{
    char line[1024];
    FILE *file = fopen(path_of("README.md"), "r");
    cr_assert_not_null(file);
    for (int place = 0; fgets(line, sizeof line, file); place++) {
        char *end = strchr(line + 1, '|');
        if (strncmp(line, "| `", 3) != 0 || !end)
            continue;
        *end = '\0';
        for (char *word = strtok(line, "`"); word; word = strtok(NULL, "`"))
            if (word[strlen(word) - 1] == '/') {
                cr_assert_lt(room_count, MOST_ROOMS);
                rooms[room_count].place = place;
                snprintf(rooms[room_count++].name, NAME_BYTES, "%.*s", (int)strlen(word) - 1, word);
            }
    }
    fclose(file);
    cr_assert_geq(room_count, 18, "README.md lists %d folders", room_count);
}

static void folder_of(const char *file, char folder[NAME_BYTES])
{
    const char *slash = strrchr(file, '/');
    snprintf(folder, NAME_BYTES, "%.*s", slash ? (int)(slash - file) : 0, file);
}

/* A line of its own counts before one with a star, which stands for any one folder. */
static int place_of(const char *folder)
{
    for (int i = 0; i < room_count; i++)
        if (strcmp(rooms[i].name, folder) == 0)
            return rooms[i].place;
    for (int i = 0; i < room_count; i++)
        if (fnmatch(rooms[i].name, folder, FNM_PATHNAME) == 0)
            return rooms[i].place;
    return -1;
}

static int unit_of(const char *file)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)(strrchr(file, '.') - file), file);
    for (int i = 0; i < unit_count; i++)
        if (strcmp(units[i].name, name) == 0)
            return i;
    cr_assert_lt(unit_count, MOST_UNITS);
    snprintf(units[unit_count].name, NAME_BYTES, "%s", name);
    return unit_count++;
}

static void read_file(const char *name)
{
    char line[1024], included[256], from[NAME_BYTES], to[NAME_BYTES];
    FILE *file = fopen(path_of(name), "r");
    const int unit = unit_of(name);
    cr_assert_not_null(file, "%s", name);
    folder_of(name, from);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, " # include \"%255[^\"]\"", included) != 1)
            continue;
        FILE *own = fopen(path_of(included), "r"); /* else of common/ or made by the build */
        if (!own)
            continue;
        fclose(own);
        include_count++;
        if (strncmp(included, "sim/", 4) == 0) {
            cr_expect_str_eq(included, "sim/lab_sim.h", "%s includes \"%s\"", name, included);
            continue;
        }
        folder_of(included, to);
        cr_expect(strcmp(from, to) == 0 || place_of(to) > place_of(from) || !from[0],
                  "%s includes \"%s\": %s/ is not below %s/ in README.md", name, included, to,
                  from);
        struct unit *u = &units[unit];
        if (strrchr(included, '.')[1] == 'h' && unit_of(included) != unit) {
            cr_assert_lt(u->use_count, MOST_INCLUDES);
            u->uses[u->use_count++] = unit_of(included);
        }
    }
    fclose(file);
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".cu") == 0);
}

/* Every source below a folder of the harness. */
static void read_folder(const char *folder)
{
    char name[512];
    DIR *entries = opendir(path_of(folder));
    cr_assert_not_null(entries, "%s", folder);
    for (struct dirent *entry; (entry = readdir(entries));) {
        snprintf(name, sizeof name, "%s%s%s", folder, *folder ? "/" : "", entry->d_name);
        if (entry->d_name[0] == '.' || strcmp(name, "sim") == 0 || strcmp(name, "tests") == 0)
            continue;
        if (entry->d_type == DT_DIR) {
            cr_expect(place_of(name) >= 0, "README.md does not list %s/", name);
            read_folder(name);
        } else if (is_source(name)) {
            read_file(name);
        }
    }
    closedir(entries);
}

/* True, and it is said, when a circle begins there. */
static bool find_circle(int unit)
{
    struct unit *u = &units[unit];
    if (u->state == 2)
        return false;
    cr_expect_eq(u->state, 0, "%s is in a circle of includes", u->name);
    if (u->state == 1)
        return true;
    u->state = 1;
    bool found = false;
    for (int i = 0; i < u->use_count && !found; i++)
        found = find_circle(u->uses[i]);
    cr_expect_not(found, "... by way of %s", u->name);
    u->state = 2;
    return found;
}

Test(harness_rooms, use_only_those_below_and_no_circles)
{
    read_rooms();
    read_folder("");
    cr_assert(unit_count > 100 && include_count > 400, "%d units, %d includes", unit_count,
              include_count);
    for (int i = 0; i < unit_count; i++)
        find_circle(i);
}

/* Exported names, and the objects that define them: "base/files.o". */
static struct {
    char name[NAME_BYTES], object[NAME_BYTES];
} symbols[MOST_SYMBOLS];
static int symbol_count, call_count;

/* The build folder may still hold objects of sources that are gone. */
static bool has_source(const char *object)
{
    static const char *const endings[] = {"c", "cu"};
    bool found = false;
    for (int i = 0; i < 2 && !found; i++) {
        char name[NAME_BYTES + 2];
        snprintf(name, sizeof name, "%.*s%s", (int)strlen(object) - 1, object, endings[i]);
        FILE *source = fopen(path_of(name), "r");
        found = source != NULL;
        if (source)
            fclose(source);
    }
    return found;
}

static void note_symbol(const char *object, char kind, const char *name)
{
    if (!strchr("TDBRV", kind))
        return;
    cr_assert_lt(symbol_count, MOST_SYMBOLS);
    snprintf(symbols[symbol_count].name, NAME_BYTES, "%s", name);
    snprintf(symbols[symbol_count++].object, NAME_BYTES, "%s", object);
}

/* The two lists of families name all families, and options/ reads one of them. */
static void check_symbol(const char *object, char kind, const char *name)
{
    char from[NAME_BYTES], to[NAME_BYTES];
    const bool is_list =
        strcmp(object, "families/family.o") == 0 || strcmp(object, "families/options.o") == 0;
    folder_of(object, from);
    for (int i = 0; i < symbol_count && kind == 'U'; i++) {
        if (strcmp(symbols[i].name, name) != 0)
            continue;
        call_count++;
        folder_of(symbols[i].object, to);
        cr_expect(strcmp(from, to) == 0 || place_of(to) > place_of(from) || !from[0] || is_list ||
                      (strcmp(from, "options") == 0 &&
                       strcmp(symbols[i].object, "families/options.o") == 0),
                  "%s uses %s of %s: %s/ is not below %s/ in README.md", object, name,
                  symbols[i].object, to, from);
    }
}

static void read_symbols(void (*visit)(const char *object, char kind, const char *name))
{
    char command[PATH_BYTES + 128], line[1024];
    snprintf(command, sizeof command,
             "cd '%s/harness' && find . \\( -path ./sim -o -path ./tests \\) -prune -o -name '*.o' "
             "-exec nm -A {} +",
             getenv("LAB_TEST_BUILD"));
    FILE *list = popen(command, "r");
    cr_assert_not_null(list);
    while (fgets(line, sizeof line, list)) { /* "./base/files.o:0000000000000000 T lab_root" */
        char *const name = strrchr(line, ' ') + 1, *const object = line + 2;
        object[strcspn(object, ":")] = name[strcspn(name, "\n")] = '\0';
        if (strncmp(name, "lab_", 4) == 0 && has_source(object))
            visit(object, name[-2], name);
    }
    cr_expect_eq(pclose(list), 0);
}

/* A declaration that stands below its definition would pass for an include of a room below. */
Test(harness_rooms, call_only_those_below)
{
    read_rooms();
    read_symbols(note_symbol);
    read_symbols(check_symbol);
    cr_assert(symbol_count > 300 && call_count > 1000, "%d symbols, %d calls", symbol_count,
              call_count);
}

/* And README.md lists none that is not there. */
Test(harness_rooms, are_there)
{
    read_rooms();
    for (int i = 0; i < room_count; i++) {
        glob_t found = {0};
        cr_expect_eq(glob(path_of(rooms[i].name), 0, NULL, &found), 0,
                     "README.md lists %s/, which is not there", rooms[i].name);
        globfree(&found);
    }
}

/* Doxygen refuses a comment that names another file than its own, late and in CI. */
Test(harness_rooms, comments_name_their_file)
{
    char command[PATH_BYTES + 256], line[1024];
    const char *const root = getenv("LAB_TEST_ROOT");
    snprintf(
        command, sizeof command,
        "cd '%s' && grep -rn --include='*.h' --include='*.c' --include='*.cu' '^ . @file ' common "
        "harness | awk '{n = $1; sub(/:.*/, \"\", n); sub(/.*\\//, \"\", n); if (n != $NF) print}'",
        root ? root : ".");
    FILE *list = popen(command, "r");
    cr_assert_not_null(list);
    while (fgets(line, sizeof line, list))
        cr_expect_str_empty(line, "%s", line);
    cr_expect_eq(pclose(list), 0);
}
