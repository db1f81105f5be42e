#!/bin/sh
# What make says of a goal that it does not know: the known one that it looks like, if one is near, and where all stand.
#
#   unknown.sh GOAL MAKEFILE...       exit status 2
goal=$1
shift
{
    sed -n 's/^\([a-zA-Z][a-zA-Z0-9_-]*\):.*## .*/\1/p' "$@"
    sed -n 's/^LAB_ST[A-Z]*("\([^"]*\)".*/step\1/p' steps/steps.def
    sed -n 's/^LAB_EXERCISE("\([^"]*\)".*/exercise\1 solution\1/p' solutions/solutions.def | tr ' ' '\n'
} | awk -v goal="$goal" '
    # A number says enough of what was meant: another one is another goal.
    function number(word) { gsub(/[^0-9.]/, "", word); sub(/^0+/, "", word); return word }
    function least(a, b) { return a < b ? a : b }
    # Letters to add, leave out or exchange, neighbours with each other too.
    function distance(a, b,    i, j, d, same) {
        for (i = 0; i <= length(a); i++)
            for (j = 0; j <= length(b); j++) {
                if (!i || !j) { d[i, j] = i + j; continue }
                same = substr(a, i, 1) == substr(b, j, 1)
                d[i, j] = least(d[i - 1, j - 1] + !same, least(d[i - 1, j], d[i, j - 1]) + 1)
                if (i > 1 && j > 1 && substr(a, i - 1, 2) == substr(b, j, 1) substr(b, j - 1, 1))
                    d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
            }
        return d[length(a), length(b)]
    }
    BEGIN { nearest = 3 }
    number($0) == number(goal) {
        far = distance(tolower(goal), $0)
        if (far < nearest && 2 * far < length(goal)) { nearest = far; meant = $0 }
    }
    END {
        printf "make: there is no %s; %s`make list` names the steps, `make help` what else can be made, " \
               "`./run list` the exercises\n", goal, meant ? "did you mean '\''" meant "'\''? " : ""
    }' >&2
exit 2
