#!/usr/bin/env bash
# Prints a stage as one file that nvcc alone builds: the contract, its problem's header, the kernel file as
# it is, and a main that checks every variant and times it, for those who want to take a kernel elsewhere.
#
#   write.sh NUMBER [FOLDER]     a stage, such as 07 or 09.2; into a file of that folder, and says so
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${2:-}" ]; then
    mkdir -p "$2"
    to=$2/step${1/./_}.cu
    trap 'rm -f "$to.new"' EXIT
    bash harness/standalone/write.sh "$1" > "$to.new"
    mv "$to.new" "$to"
    echo "standalone: $to, which says how it is built"
    exit
fi
read -r file family arch < <(awk -F'"' -v number="$1" '
    /^LAB_STEP/ {directory = $4; family = $6}
    /^LAB_STAGE/ && $2 "" == number "" {print "steps/" directory "/" $4 ".cu", family, $8}' steps/steps.def) || true
if [ -z "${family:-}" ]; then
    echo "standalone: steps/steps.def has no stage $1" >&2
    exit 2
fi
header=common/families/$family.h
name=step${1/./_} target=${arch:+sm_$arch}
target=${target:-native}
cat << END
// $(basename "$(dirname "$file")")/$(basename "$file") of the GPU kernel lab in one file, with a main that checks and times it.
//
//     nvcc -O3 -arch=$target $name.cu -o $name && ./$name
END
# The contract and the problem, without the lines that include one another.
printf '\n// --- what a kernel file is told of its problem: common/step.h, %s\n\n' "$header"
grep -v '^#include "' common/step.h
for shared in library.h semirings.h; do
    if grep -q "\"$shared\"" "$header" "$file"; then grep -v '^#include "' "common/$shared"; fi
done
grep -v '^#include "' "$header"
for wrapper in $(sed -n 's/^#include "\(ptx\/.*\)"$/\1/p' "$file"); do
    printf '\n// --- common/%s\n\n' "$wrapper"
    cat "common/$wrapper"
done
printf '\n// --- %s\n\n' "$file"
grep -v '^#include "\(families/\|ptx/\|semirings\.h\)' "$file"
printf '\n'
cat harness/standalone/common.cu "harness/families/$family/standalone.cu"
