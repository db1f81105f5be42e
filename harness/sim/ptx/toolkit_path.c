/* Whether a source file is the toolkit's or the system's, by its path. Toolkits can be anywhere (in
 * /usr/local, in Python's folders, in build/toolkit). nvcc names their headers relative to its own
 * folder, such as /opt/cuda/bin/..//include/x.hpp. So paths are made plain before a comparison.
 */
#include "sim/ptx/parser.h"

#include <string.h>

enum { PATH_BYTES = 4096 };

/* Removes `.`, empty parts and `part/..` from a path; false if the result does not fit. */
static bool make_plain(const char *path, char plain[PATH_BYTES])
{
    const size_t root = path[0] == '/';
    size_t length = 0;

    if (root)
        plain[length++] = '/';
    for (size_t part; *path; path += part + (path[part] == '/')) {
        part = strcspn(path, "/");
        const bool is_up = part == 2 && memcmp(path, "..", 2) == 0;
        if (part == 0 || (part == 1 && *path == '.'))
            continue;
        plain[length] = '\0';
        const char *slash = strrchr(plain, '/'), *last = slash ? slash + 1 : plain;
        if (is_up && *last && strcmp(last, "..") != 0) {
            length = (size_t)(last - plain);
            length -= length > root;
        } else if (!is_up || !root) { /* there is nothing above the root */
            if (length + part + 2 > PATH_BYTES)
                return false;
            if (length > root)
                plain[length++] = '/';
            memcpy(plain + length, path, part);
            length += part;
        }
    }
    plain[length] = '\0';
    return true;
}

/* The rest of `path` after `start`, which ends between two parts; NULL: `path` starts otherwise. */
static const char *after(const char *path, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(path, start, length) == 0 ? path + length : NULL;
}

/* A toolkit's headers are in include/ or targets/MACHINE/include/. */
static bool is_header_of(const char *path_in_toolkit)
{
    const char *inside = after(path_in_toolkit, "targets/");

    if (inside) {
        inside += strcspn(inside, "/");
        inside += *inside == '/';
    }
    return after(inside ? inside : path_in_toolkit, "include/") != NULL;
}

static bool is_below(const char *plain, const char *home)
{
    char plain_home[PATH_BYTES];

    if (!home || home[0] != '/' || !make_plain(home, plain_home))
        return false;
    const char *inside = after(plain, plain_home);
    return inside && *inside == '/' && is_header_of(inside + 1);
}

/* nvcc names its headers relative to its own folder: bin/.. and slashes, then include or targets.
 * Nothing else writes such paths. */
static bool is_named_by_nvcc(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/bin/../")) != NULL; at++) {
        const char *inside = at + strlen("/bin/../");

        if (is_header_of(inside + strspn(inside, "/")))
            return true;
    }
    return false;
}

/* The usual places: a folder cuda or cuda-13.0, NVIDIA's folders in Python's, Debian's package.
 */
static bool is_in_usual_place(const char *plain)
{
    for (const char *at = plain; (at = strstr(at, "/cuda")) != NULL; at++) {
        const char *inside = at + 5 + strspn(at + 5, "-.0123456789");

        if (*inside == '/' && is_header_of(inside + 1))
            return true;
    }
    for (const char *at = plain; (at = strstr(at, "/nvidia/cu")) != NULL; at++) {
        const char *inside = at + strlen("/nvidia/") + strcspn(at + strlen("/nvidia/"), "/");

        if (*inside == '/' && is_header_of(inside + 1))
            return true;
    }
    return strstr(plain, "/targets/x86_64-linux/include/") ||
           strstr(plain, "/targets/sbsa-linux/include/") ||
           strstr(plain, "/targets/aarch64-linux/include/");
}

bool ptx_path_is_of_toolkit(const char *path, const char *home)
{
    char plain[PATH_BYTES];

    if (!make_plain(path, plain))
        return false;
    return after(plain, "/usr/include/") || after(plain, "/usr/lib/") ||
           after(plain, "/usr/lib64/") || is_below(plain, home) || is_named_by_nvcc(path) ||
           is_in_usual_place(plain);
}
