/* Prints the problems that a step is tried on, a line of options each, with those that take a GPU:
 * what test_gpu.sh asks. */
#include "families/problem.h"
#include "series/registry.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    const struct lab_registry_entry *entry = argc == 2 ? lab_registry_target(argv[1]) : NULL;
    const struct lab_family *family = entry ? lab_family_find(entry->family) : NULL;
    char options[256];
    if (!family) {
        fprintf(stderr, "usage: family_tests stepNN\n");
        return 2;
    }
    for (int i = 0; lab_family_test(family, i, true, options, sizeof options); i++)
        puts(options);
    return 0;
}
