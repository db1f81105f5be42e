/* Prints a line for each mistake of natural_mistakes.def: its file for make, without the ending,
 * its exercise, and the change of sed. */
#include <stdio.h>

int main(void)
{
    int n = 0;
#define MISTAKE(exercise, change, ...) printf("mistake%d\t%s\t%s\n", ++n, exercise, change);
#define MORE(exercise, change, ...)    printf("all/mistake%d\t%s\t%s\n", ++n, exercise, change);
#include "natural_mistakes.def"
    return 0;
}
