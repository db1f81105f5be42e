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
name=step${1/./_} target=-arch=native
case $arch in
'') ;;
*a) target="-gencode 'arch=compute_$arch,code=[sm_$arch,compute_$arch]'" ;; # -arch=sm_90a means compute_90, too
*) target=-arch=sm_$arch ;;
esac
cat << END
// $(basename "$(dirname "$file")")/$(basename "$file") of the GPU kernel lab in one file, with a main that checks and times it.
//
//     nvcc -O3 $target $name.cu -o $name && ./$name
END
# A file, after the lab's headers that it includes and that have not been written yet.
written=' '
write() { # write FILE
    local included
    for included in $(sed -n 's/^#include "\(.*\)"$/common\/\1/p' "$1"); do
        case $written in *" $included "*) ;; *) write "$included" ;; esac
    done
    written+="$1 "
    printf '\n// --- %s\n\n' "$1"
    grep -v '^#include "' "$1"
}
write "$file"
printf '\n'
cat harness/standalone/common.cu "harness/families/$family/standalone.cu"
