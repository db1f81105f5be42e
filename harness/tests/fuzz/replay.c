/* The inputs that are named, one after another, without a fuzzer. FUZZ_TARGET is one of fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    uint8_t *bytes = malloc(MOST_BYTES);
    for (int i = 1; i < argc && bytes; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t size = fread(bytes, 1, MOST_BYTES, file);
        fclose(file);
        fprintf(stderr, "%s\n", argv[i]);
        FUZZ_TARGET(bytes, size);
    }
    free(bytes);
    return argc < 2;
}
