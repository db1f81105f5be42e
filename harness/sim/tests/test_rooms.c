/* The simulator's folders are in order: README.md lists them from the top, and a file includes only
 * files of its own folder, of those below, and lab_sim.h. Nothing of the lab around is included. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROOMS = 32, NAME_BYTES = 64, PATH_BYTES = 4096 };

static char rooms[MOST_ROOMS][NAME_BYTES]; /* from the top */
static int room_count, file_count, include_count;

static const char *folder(const char *name)
{
    static char path[PATH_BYTES];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(path, sizeof path, "%s/harness/sim/%s", root ? root : ".", name);
    return path;
}

/* The rows of the table: "| `launch/` | ... |". */
static void read_rooms(void)
{
    char line[1024];
    FILE *file = fopen(folder("README.md"), "r");
    cr_assert_not_null(file);
    while (room_count < MOST_ROOMS && fgets(line, sizeof line, file))
        if (sscanf(line, "| `%63[a-z]/` |", rooms[room_count]) == 1 && strstr(line, "/` |"))
            room_count++;
    fclose(file);
    cr_assert_geq(room_count, 10, "README.md lists %d folders", room_count);
}

static int place_of(const char *room)
{
    for (int i = 0; i < room_count; i++)
        if (strcmp(rooms[i], room) == 0)
            return i;
    return -1;
}

/* An include in quotes: a neighbour, "sim/ROOM/file.h", "sim/lab_sim.h", or what symbols.awk
 * writes. */
static void check_include(const char *path, int place, const char *name)
{
    char room[NAME_BYTES];
    include_count++;
    if (!strchr(name, '/') || strcmp(name, "sim/lab_sim.h") == 0 ||
        strcmp(name, "sim/symbols.def") == 0)
        return;
    if (sscanf(name, "sim/%63[a-z]/", room) != 1) {
        cr_expect(false, "%s includes \"%s\", which is not of the simulator", path, name);
        return;
    }
    cr_expect(place_of(room) >= place && place_of(room) >= 0,
              "%s includes \"%s\": %s/ is above %s/, or README.md does not list it", path, name,
              room, rooms[place]);
}

static void check_file(const char *room, const char *name)
{
    char path[PATH_BYTES], line[1024], included[256];
    snprintf(path, sizeof path, "%s/%s", folder(room), name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    file_count++;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, " # include \"%255[^\"]\"", included) == 1)
            check_include(path, place_of(room), included);
    fclose(file);
}

Test(rooms, use_only_those_below)
{
    read_rooms();
    for (int i = 0; i < room_count; i++) {
        DIR *entries = opendir(folder(rooms[i]));
        cr_assert_not_null(entries, "README.md lists %s/, which is not there", rooms[i]);
        for (struct dirent *entry; (entry = readdir(entries));) {
            const char *dot = strrchr(entry->d_name, '.');
            if (dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0))
                check_file(rooms[i], entry->d_name);
        }
        closedir(entries);
    }
    cr_assert(file_count > 100 && include_count > 200, "%d files, %d includes", file_count,
              include_count);
}

/* And no folder is left out of the table, but for the tests. */
Test(rooms, are_all_listed)
{
    read_rooms();
    DIR *entries = opendir(folder(""));
    cr_assert_not_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
            strcmp(entry->d_name, "tests") != 0)
            cr_expect(place_of(entry->d_name) >= 0, "README.md does not list %s/", entry->d_name);
    closedir(entries);
}

/* Who calls whom, by the names that each object defines and uses. A program that sorts such pairs
 * fails on a circle. In runtime/ two are left: an error that is not supported is the outcome of a
 * launch, and what a stream captures is a graph. */
Test(rooms, no_files_of_a_room_call_each_other_in_a_circle)
{
    static const char command[] =
        "cd \"${LAB_TEST_BUILD:-build}/harness/sim\" && for source in \"${LAB_TEST_ROOT:-.}\""
        "/harness/sim/%s/*.c; do echo %s/$(basename $source .c).o; done | xargs nm -A -P | awk "
        "'{sub(\":\", \"\", $1)} $3 ~ /^[TDBR]$/ {by[$2] = $1} $3 == \"U\" {uses[$1 \" \" $2]} "
        "END {for (use in uses) {split(use, p, \" \"); if (p[2] in by && by[p[2]] != p[1]) "
        "print p[1], by[p[2]]}}' | sort -u | tsort 2>&1 | tr '\\n' ' '";
    int calls = 0;
    read_rooms();
    for (int i = 0; i < room_count; i++) {
        char line[8192], text[sizeof command + 2 * NAME_BYTES];
        snprintf(text, sizeof text, command, rooms[i], rooms[i]);
        FILE *sorted = popen(text, "r");
        cr_assert_not_null(sorted);
        if (fgets(line, sizeof line, sorted)) {
            for (const char *c = line; (c = strstr(c, ".o ")); c++)
                calls++;
            cr_expect(!strstr(line, "loop") || strcmp(rooms[i], "runtime") == 0, "%s/: %s",
                      rooms[i], line);
        }
        pclose(sorted);
    }
    cr_assert_gt(calls, 100, "%d files that call or are called", calls);
}
