/* PTX knows the bytes of an array, not its extents; the source has them in the reader's own words.
 */
#include "names.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static atomic_bool is_allowed = true;

void sim_declared_allow(bool allowed)
{
    is_allowed = allowed;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_word(const char *text)
{
    while (is_name(*text))
        text++;
    return !*text;
}

/* Copies the text in a pair of brackets, without blanks at its ends; what follows it. NULL: it is
 * too long, or does not end on this line. */
static const char *read_index(const char *from, char text[SIM_INDEX_BYTES])
{
    int depth = 0;
    size_t length = 0;
    for (from += 1 + strspn(from + 1, " "); *from && (*from != ']' || depth > 0); from++) {
        depth += *from == '[' ? 1 : *from == ']' ? -1 : 0;
        if (length + 1 == SIM_INDEX_BYTES)
            return NULL;
        text[length++] = *from;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return *from ? from + 1 : NULL;
}

/* Reads what is in brackets behind the next `name`; where it ends. NULL: there is no more. */
static const char *read_indices(const char *from, const char *name, struct sim_indices *indices)
{
    const char *const begin = from;
    const size_t length = strlen(name);
    while ((from = strstr(from, name)) && ((from > begin && is_name(from[-1])) ||
                                           from[length + strspn(from + length, " ")] != '['))
        from += length;
    *indices = (struct sim_indices){0};
    for (from = from ? from + length + strspn(from + length, " ") : NULL; from && *from == '[';)
        if (indices->count == SIM_MOST_INDICES ||
            !(from = read_index(from, indices->text[indices->count++])))
            return NULL;
    return from;
}

static bool are_alike(const struct sim_indices *a, const struct sim_indices *b)
{
    bool alike = a->count == b->count;
    for (int i = 0; alike && i < a->count; i++)
        alike = strcmp(a->text[i], b->text[i]) == 0;
    return alike;
}

/* What follows the next use of a name in a line, as a whole name; NULL: there is none. */
static const char *behind_name(const char *line, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)); at += length)
        if ((at == line || !is_name(at[-1])) && !is_name(at[length]))
            return at + length;
    return NULL;
}

/* Whether a line keeps an index below its extent, as `i < N;` does; if the line says nothing of
 * how far the index goes, it stays as it was. */
static bool is_kept(const char *line, const char *index, const char *extent, bool was_kept)
{
    const size_t length = strlen(extent);
    bool kept = was_kept;
    for (const char *at = line; (at = behind_name(at, index));) {
        const char *const sign = at + strspn(at, " ");
        const char *const bound = sign + 1 + strspn(sign + 1, " ");
        if (*sign == '=' && sign[1] != '=')
            kept = false;
        else if (*sign == '<')
            kept = strncmp(bound, extent, length) == 0 && strchr(";)&", bound[length]);
    }
    return kept;
}

/* Notes which indices the lines from the beginning to `line` keep below their extents. */
static void note_kept(FILE *source, int line, const struct sim_indices *extents,
                      struct sim_indices *indices)
{
    char text[512];
    rewind(source);
    for (int at = 1; at <= line && fgets(text, sizeof text, source); at++)
        for (int i = 0; i < indices->count; i++)
            if (is_word(indices->text[i]))
                indices->is_kept[i] =
                    is_kept(text, indices->text[i], extents->text[i], indices->is_kept[i]);
}

bool sim_declared_find(const char *file, int line, const char *name, struct sim_indices *extents,
                       struct sim_indices *indices)
{
    char text[512];
    struct sim_indices found;
    struct stat is;
    bool is_one = true;
    FILE *const source = is_allowed && *name && stat(file, &is) == 0 && S_ISREG(is.st_mode)
                             ? fopen(file, "r")
                             : NULL;
    extents->count = indices->count = 0;
    for (int at = 1; source && at <= line && fgets(text, sizeof text, source); at++) {
        const char *const declared = strstr(text, "__shared__");
        if (declared && read_indices(declared, name, &found))
            *extents = found;
        for (const char *from = text; at == line && (from = read_indices(from, name, &found));) {
            is_one = is_one && (indices->count == 0 || are_alike(indices, &found));
            *indices = found;
        }
    }
    const bool is_known = is_one && indices->count > 0 && indices->count == extents->count;
    if (is_known)
        note_kept(source, line, extents, indices);
    if (source)
        fclose(source);
    return is_known;
}
