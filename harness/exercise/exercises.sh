#!/usr/bin/env bash
# The exercises from their solutions.
#   exercises.sh write [NN]   what is missing or untouched; work of a student stays
#   exercises.sh reset NN BUILD   writes the exercise anew, whatever is there; hints are hidden again
#   exercises.sh check        fails when a committed exercise is not what its solution gives
set -eu
cd "$(dirname "$0")/../.."
what=$1 only=${2:-}
if [ "$what" = reset ]; then rm -f "${3:-build}/hints/$only" "${3:-build}/passed/exercise$only".{sim,gpu}; fi
stub=$(mktemp)
trap 'rm -f "$stub"' EXIT
stale=0

# The stub that this exercise was written as the last time: that of the last commit, if any.
committed() { git show "HEAD:$1" 2> /dev/null; }

for solution in solutions/[0-9][0-9]*_*/kernel.cu; do
    name=$(basename "$(dirname "$solution")")
    exercise=exercises/$name/kernel.cu
    if [ -n "$only" ] && [ "${name%%_*}" != "$only" ]; then continue; fi
    awk -f harness/exercise/stub.awk "$solution" > "$stub"
    if cmp -s "$stub" "$exercise"; then
        if [ "$what" = reset ]; then echo "  SAME   $exercise is as it was"; fi
        continue
    fi
    if [ "$what" = check ]; then
        echo "$exercise is not what $solution gives; run 'make exercises', or 'make reset-exercise${name%%_*}'"
        stale=1
    elif [ "$what" = write ] && [ -e "$exercise" ] && ! committed "$exercise" | cmp -s - "$exercise"; then
        echo "  KEPT   $exercise has been worked on; make reset-exercise${name%%_*} writes it anew"
    else
        mkdir -p "$(dirname "$exercise")"
        if [ "$what" = reset ] && [ -e "$exercise" ] && ! committed "$exercise" | cmp -s - "$exercise"; then
            mkdir -p build
            cp "$exercise" "build/exercise${name%%_*}.before-reset.cu"
            echo "  KEPT   build/exercise${name%%_*}.before-reset.cu is what was there"
        fi
        cat "$stub" > "$exercise" # with the mode that new files have here
        echo "  WRITE  $exercise"
    fi
done
exit $stale
