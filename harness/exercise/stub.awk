# From a solution to what a student gets: a marked region becomes its TODO, followed by the lines of
# the region that begin with "//|", which stand in for it.
/\/\/ BEGIN SOLUTION: / {
    sub(/BEGIN SOLUTION:/, "TODO:")
    print
    inside = 1
    opened++
    next
}
/\/\/ END SOLUTION/ {
    if (!inside) {
        print FILENAME ":" FNR ": END SOLUTION without BEGIN" > "/dev/stderr"
        bad = 1
    }
    inside = 0
    next
}
inside && /^ *\/\/\|/ {
    sub(/\/\/\| ?/, "")
    print
    next
}
!inside && !/clang-format (off|on)/ { print }
END {
    if (inside || !opened) {
        print FILENAME ": " (inside ? "a BEGIN SOLUTION without END" : "no BEGIN SOLUTION: text") > "/dev/stderr"
        bad = 1
    }
    exit bad
}
