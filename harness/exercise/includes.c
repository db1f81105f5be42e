/* The compiler says which headers it read: no way of writing an #include escapes it. */
#include "exercise/todo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of a path below common/, if it begins with `word`; NULL: it does not. */
static const char *below_common(const char *path, const char *word, size_t length)
{
    static const char common[] = "common/";
    for (const char *at = path; (at = strstr(at, common)); at++)
        if (strncmp(at + strlen(common), word, length) == 0)
            return at + strlen(common);
    return NULL;
}

bool lab_exercise_includes(const struct lab_exercise *exercise, const char *depends, char *why,
                           size_t size)
{
    char path[4096];
    bool found = false;
    FILE *file = exercise->without[0] ? fopen(depends, "r") : NULL;
    while (file && !found && fscanf(file, "%4095s", path) == 1)
        for (const char *word = exercise->without; *word && !found;) {
            const size_t length = strcspn(word, " ");
            const char *header = below_common(path, word, length);
            found = header != NULL;
            if (found)
                snprintf(why, size, "includes %s, which this exercise asks you to write", header);
            word += length + strspn(word + length, " ");
        }
    if (file)
        fclose(file);
    return found;
}
