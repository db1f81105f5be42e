#!/usr/bin/env bash
# Runs each step's stages, and kernels of the corpora, with a lab built under a sanitizer. Fails if it reports anything.
# (Criterion does not run under ThreadSanitizer. What kernels race for in simulated memory is excepted by sanitizers.c.)
#
#   sanitized.sh BUILD SAMPLE     BUILD: folder of that build; one kernel of SAMPLE is run
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 sample=$2 tried=0 failed=0
export OPENBLAS_NUM_THREADS=1 # its threads' races would be found
rm -f "$build"/report.*

try() { # try TARGET OPTION...: any verdict will do
    tried=$((tried + 1))
    "$build/run" "$@" --runtime sim --check-only > "$build/said" 2>&1 < /dev/null
    if grep -q 'fault of the lab\|build_error' "$build/said" || compgen -G "$build/report.*" > /dev/null; then
        printf '\n== %s\n' "$*" && cat "$build/said" "$build"/report.*
        rm -f "$build"/report.*
        failed=$((failed + 1))
    fi
}

for step in $(sed -n 's/^LAB_STEP("\([^"]*\)".*/\1/p' steps/steps.def); do
    if [ "$step" = 10 ]; then try step10 -n 40 -p 5 -q 4; continue; fi # its products are slow under ThreadSanitizer
    size=$(./run "step$step" --runtime sim -m 70 --check-only > /dev/null 2>&1 && echo "-m 70" || echo "-n 70")
    try "step$step" $size
done
for file in $(ls harness/tests/right/*.cu harness/tests/broken/*.cu | awk "NR % $sample == 0"); do
    name=$(basename "$file" .cu) object=
    object=$build/tests/corpus/$name.so
    run=$(sed -n 's|^// run: ||p' "$file")
    if [ -e "$object" ]; then try ${run:-step01 -m 129} --source "$object:lab_step_$name"; fi
done
echo "$((tried - failed)) passed, $failed failed"
[ $failed = 0 ]
