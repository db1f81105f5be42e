/* Names of files, opcodes, types and arrays that are valid for good, since their modules and
 * allocations may be gone when they are read. */
#include "count.h"

#include <stdlib.h>
#include <string.h>

const char *sim_count_intern(const char *text)
{
    static struct name {
        struct name *next;
        char text[];
    } * names;
    for (struct name *name = names; name; name = name->next)
        if (strcmp(name->text, text) == 0)
            return name->text;
    struct name *const name = malloc(sizeof *name + strlen(text) + 1);
    if (!name)
        return NULL;
    strcpy(name->text, text);
    name->next = names;
    names = name;
    return name->text;
}
