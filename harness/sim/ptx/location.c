/* Source lines. `.loc file line column, inlined_at ...` gives a place. For an inlined function it
 * also gives the place of the call, which is the place of an earlier `.loc`. Learners want the line
 * in their own file, not a line in the toolkit's headers. */
#include "sim/ptx/parser.h"

#include <string.h>
#include <unistd.h>

/* The folder of the toolkit that compiles the lab's kernels; the makefile sets it. */
#ifndef PTX_TOOLKIT
#define PTX_TOOLKIT NULL
#endif

enum { MAX_CHAIN = 64 };

struct source_file {
    uint64_t number;
    const char *path;
    bool of_toolkit;
};

/* The number of a file, which each translation unit counts from 1. */
static uint64_t parse_file_number(struct ptx_parser *parser)
{
    return ptx_expect_integer(parser, UINT32_MAX) + ((uint64_t)parser->unit << 32);
}

void ptx_parse_file(struct ptx_parser *parser)
{
    struct source_file file = {.number = parse_file_number(parser)};

    if (parser->token.kind != PTX_TOKEN_STRING)
        ptx_fail_expected(parser, "a file name");
    file.path = ptx_intern(parser, parser->token.text, parser->token.length)->name;
    file.of_toolkit = ptx_path_is_of_toolkit(file.path, PTX_TOOLKIT);
    ptx_advance(parser);
    while (ptx_accept(parser, ',')) /* time stamp and size */
        ptx_expect_integer(parser, UINT64_MAX);
    *(struct source_file *)ptx_list_add(parser, &parser->files, sizeof file) = file;
}

static struct ptx_location parse_place(struct ptx_parser *parser)
{
    struct ptx_location place = {.parent = -1};

    place.file = parse_file_number(parser);
    place.line = (int)ptx_expect_integer(parser, INT32_MAX);
    place.column = (int)ptx_expect_integer(parser, INT32_MAX);
    return place;
}

/* --- the latest location at a place --- */

static int *bucket_of(struct ptx_parser *parser, const struct ptx_location *place)
{
    uint64_t hash = (place->file * 31 + (uint64_t)place->line) * 31 + (uint64_t)place->column;

    return &parser->location_buckets[hash % PTX_LOCATION_BUCKETS];
}

static bool same_place(const struct ptx_location *one, const struct ptx_location *other)
{
    return one->file == other->file && one->line == other->line && one->column == other->column;
}

/* Index of the latest location at a place; -1: there is none. */
static int find_location(struct ptx_parser *parser, const struct ptx_location *place)
{
    const struct ptx_location *locations = parser->locations.items;
    int index = *bucket_of(parser, place) - 1;

    while (index >= 0 && !same_place(&locations[index], place))
        index = locations[index].next_in_bucket - 1;
    return index;
}

/* A place is stored again only if its parent differs from the parent that it had last time. */
static int add_location(struct ptx_parser *parser, const struct ptx_location *place)
{
    int known = find_location(parser, place), *bucket = bucket_of(parser, place);
    const struct ptx_location *locations = parser->locations.items;

    if (known >= 0 && locations[known].parent == place->parent)
        return known;
    struct ptx_location *added = ptx_list_add(parser, &parser->locations, sizeof *added);
    *added = *place;
    added->next_in_bucket = *bucket;
    *bucket = parser->locations.count;
    return parser->locations.count - 1;
}

void ptx_parse_location(struct ptx_parser *parser)
{
    struct ptx_location place = parse_place(parser);

    while (ptx_accept(parser, ',')) {
        struct ptx_symbol *attribute = ptx_expect_word(parser);

        if (strcmp(attribute->name, "function_name") == 0) {
            ptx_expect_word(parser);
            ptx_parse_addend(parser);
        } else if (strcmp(attribute->name, "inlined_at") == 0) {
            struct ptx_location outer = parse_place(parser);

            place.parent = find_location(parser, &outer);
            if (place.parent < 0)
                place.parent = add_location(parser, &outer);
        } else {
            ptx_fail(parser, "unknown attribute '%s' of .loc", attribute->name);
        }
    }
    int index = add_location(parser, &place);
    if (parser->body)
        parser->body->location = 1 + index;
}

void ptx_begin_locations(struct ptx_parser *parser)
{
    memset(parser->location_buckets, 0, sizeof parser->location_buckets);
}

/* --- after parsing, when the files are known --- */

static const struct source_file *find_file(const struct ptx_parser *parser, uint64_t number)
{
    const struct source_file *files = parser->files.items;

    for (int i = 0; i < parser->files.count; i++)
        if (files[i].number == number)
            return &files[i];
    return NULL;
}

/* The innermost place in a file of the user; the place itself if no file is the user's. */
static int users_place(const struct ptx_parser *parser, int index)
{
    const struct ptx_location *locations = parser->locations.items;
    int place = index;

    for (int steps = 0; place >= 0 && steps < MAX_CHAIN; steps++) {
        const struct source_file *file = find_file(parser, locations[place].file);

        if (file && !file->of_toolkit)
            return place;
        place = locations[place].parent;
    }
    return index;
}

/* The outermost place around a place that is in a file of the user; -1: there is none around it. */
static int users_call(const struct ptx_parser *parser, int index)
{
    const struct ptx_location *locations = parser->locations.items;
    int found = -1, place = locations[index].parent;

    for (int steps = 0; place >= 0 && steps < MAX_CHAIN; steps++) {
        const struct source_file *from = find_file(parser, locations[place].file);

        if (from && !from->of_toolkit)
            found = place;
        place = locations[place].parent;
    }
    return found;
}

void ptx_resolve_locations(struct ptx_parser *parser, const struct ptx_function *function)
{
    const struct ptx_location *locations = parser->locations.items;

    for (int i = 0; i < function->instruction_count; i++) {
        struct ptx_instruction *instruction = &function->instructions[i];
        const struct source_file *file;

        instruction->call_line = 0;
        if (instruction->line == 0)
            continue;
        const int place = users_place(parser, instruction->line - 1);
        const int call = users_call(parser, place);
        file = call < 0 ? NULL : find_file(parser, locations[call].file);
        instruction->call_file = file ? file->path : NULL;
        instruction->call_line = file ? locations[call].line : 0;
        file = find_file(parser, locations[place].file);
        instruction->file = file ? file->path : NULL;
        instruction->line = file ? locations[place].line : 0;
    }
}

/* --- for people --------------------------------------------------------------------------------*/

const char *ptx_shown_path(const char *file)
{
    char here[4096];
    const size_t length = file && getcwd(here, sizeof here) ? strlen(here) : 0;
    const bool is_here = length > 1 && strncmp(file, here, length) == 0 && file[length] == '/';
    return !file ? "line" : is_here ? file + length + 1 : file;
}
