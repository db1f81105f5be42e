#!/usr/bin/env bash
# Everything built twice more, to stop where C leaves undefined what happens, and where the simulator's threads race. Kernels
# are as they were built. First the tests run, then each step's stages and kernels of the corpora, with either build; it fails
# if one reports anything. Meanwhile ./run is of such a build. (Criterion does not run under ThreadSanitizer. What kernels race
# for in simulated memory is excepted by sanitizers.c.)
#
#   sanitized.sh BUILD GOAL SAMPLE     GOAL: test or test-sim; one kernel of SAMPLE is run by itself
set -u
cd "$(dirname "$0")/../.." || exit 1
from=$1 goal=$2 sample=$3 status=0
export OPENBLAS_NUM_THREADS=1 # its threads' races would be found

folder() { # folder BUILD: with the kernels that are built already, and the toolkit, if it is of this checkout
    local part
    mkdir -p "$1/tests" "$from"/{exercise,solution} && rm -f "$1"/report.*
    for part in config.mk kernels.stamp nvcc.command toolkit steps exercise solution tests/kernels tests/corpus tests/stubs tests/mistakes; do
        if ! [ -e "$from/$part" ]; then continue; fi
        ln -sfn "$(realpath "$from")/$part" "$1/$part"
    done
}

try() { # try TARGET OPTION...: any verdict will do, but for a kernel that is right
    tried=$((tried + 1))
    "$build/run" "$@" --runtime sim --check-only > "$build/said" 2>&1 < /dev/null
    local verdict=$?
    if [[ $verdict = 1 && "$file" = */right/* ]] || grep -q 'fault of the lab\|build_error' "$build/said" ||
        compgen -G "$build/report.*" > /dev/null; then
        printf '\n== %s\n' "$*" && cat "$build/said" "$build"/report.*
        rm -f "$build"/report.*
        failed=$((failed + 1))
    fi
}

small() { # small TARGET: a size that it takes; its own is too large under a sanitizer
    ./run "$1" --runtime sim -m 70 --check-only > /dev/null 2>&1 && echo "-m 70" || echo "-n 70"
}

kernels() { # kernels BUILD
    local build=$1 tried=0 failed=0 step file= name object run
    rm -f "$build"/report.*
    for step in $(sed -n 's/^LAB_STEP("\([^"]*\)".*/\1/p' steps/steps.def); do
        if [ "$step" = 10 ]; then try step10 -n 40 -p 5 -q 4; continue; fi # its products are slow under ThreadSanitizer
        try "step$step" $(small "step$step")
    done
    for file in $(ls "$from"/tests/kernels/{right,broken}/*.cu | awk "NR % $sample == 0"); do
        name=$(basename "$file" .cu) object=
        object=$build/tests/corpus/$name.so
        run=$(sed -n 's|^// run: ||p' "$file")
        if [[ "$run" = step* && "$run" != *' '* ]]; then run="$run $(small "$run")"; fi
        if [ -e "$object" ]; then try ${run:-step01 -m 129} --source "$object:lab_step_$name"; fi
    done
    for file in $(ls -d solutions/*/kernel.cu | awk "NR % $sample == 0"); do
        name=$(basename "$(dirname "$file")")
        try "exercise${name%%_*}" --source "$file"
    done
    echo "$((tried - failed)) passed, $failed failed"
    [ $failed = 0 ] || status=1
}

build=$from/sanitized
folder "$build"
NVCC_APPEND_FLAGS='-Xcompiler -fsanitize=address' \
    ASAN_OPTIONS=abort_on_error=1:verify_asan_link_order=0:detect_leaks=0:check_printf=0:max_redzone=16:handle_segv=0:handle_abort=0:log_path=$(realpath "$build")/report \
    make BUILD="$build" SANITIZE=address,undefined SIM_LEVELS= run sim "$goal" || status=1
ln -sfn "$from" .built
for file in "$build"/report.*; do if [ -f "$file" ]; then cat "$file" && status=1; fi; done
kernels "$build"
build=$build/threads
folder "$build"
make BUILD="$build" SANITIZE=thread SIM_LEVELS= "$build/run" sim || status=1
export LAB_SIM_WORKERS=4 # which are held up at random, see sim_hold_up()
kernels "$build"
exit $status
