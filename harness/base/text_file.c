/* A mistyped name may be the name of a folder, of a device without an end, or of a pipe in which
 * nothing will ever come. */
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *lab_open_text(const char *path, const char **why)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0) {
        *why = strerror(errno);
    } else if (!S_ISREG(info.st_mode)) {
        *why = S_ISDIR(info.st_mode) ? strerror(EISDIR) : "give a file, not a pipe or a device";
    } else {
        FILE *stream = fdopen(file, "rb");
        if (stream)
            return stream;
        *why = strerror(errno);
    }
    if (file >= 0)
        close(file);
    return NULL;
}

char *lab_text_line(const char *path, int number)
{
    FILE *file = fopen(path, "r");
    char *text = NULL, *line = NULL;
    size_t room = 0;
    bool is_there = file != NULL;
    for (int i = 0; i < number && is_there; i++)
        is_there = getline(&text, &room, file) > 0;
    if (is_there && text)
        line = strndup(text + strspn(text, " \t"), strcspn(text + strspn(text, " \t"), "\n"));
    free(text);
    if (file)
        fclose(file);
    return line;
}
