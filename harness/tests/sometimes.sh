#!/usr/bin/env bash
# A submission that has an exercise's idea at some sizes alone: the solution's kernels where CONDITION holds of the problem
# `p`, else those of another right submission.
#
#   sometimes.sh NN OTHER.cu|stub CONDITION
set -eu
solution=$(ls solutions/"$1"_*/kernel.cu)
other() { if [ "$1" = stub ]; then awk -f harness/exercise/stub.awk "$solution"; else cat "$1"; fi; }
bare() { grep -v -e '^#include' -e '^LAB_EXPORT'; }
grep -h '^#include' "$solution"
printf 'namespace idea {\n%s\n}\nnamespace other {\n%s\n}\n' "$(bare < "$solution")" "$(other "$2" | bare)"
sed -n 's/ launch(\(.*\) \*p, \(.*\) stream)$/ sometimes(\1 *p, \2 stream)/p' "$solution"
printf '{\n    return %s ? idea::launch(p, stream) : other::launch(p, stream);\n}\n' "$3"
sed -n '/^LAB_EXPORT/{s/launch/sometimes/; s/workspace/idea::workspace/; p;}' "$solution"
