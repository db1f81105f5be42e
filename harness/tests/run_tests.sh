#!/usr/bin/env bash
# Runs Criterion binaries beside each other, each to its end, whatever the others did: those that took longest the last
# time first. A line for each; of one that failed all that it said. Closes with one plain line: "N passed, N failed".
# Fails when a test failed, a binary died or held no test, or nothing ran.
#
#   run_tests.sh BINARY...          LAB_TEST_TIMEOUT: seconds of processor time for a process
#                                   LAB_TEST_ONLY: only what concerns a family, a room or a file, such as apsp,
#                                   harness/measure, sim/check, test_grade; LAB_TEST_JOBS: binaries at a time
#                                   LAB_TEST_LIST=1: print which these are, and run none
set -u
cd "$(dirname "$0")/../.." || exit 1
times=${LAB_TEST_BUILD:-build}/tests/seconds # NAME SECONDS, of earlier runs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$times" 2> /dev/null
export work times LAB_HOST_SECONDS=1 # a loop without end on the host takes as long in each test

source_of() { ls harness/tests/"$1".c harness/sim/tests/"$1".c 2> /dev/null; }

# concerns TEST WORD: by its name, by the room whose headers it includes, or by what its first comment says.
concerns() {
    local word=${2#harness/} source
    source=$(source_of "$1")
    word=${word%.[ch]}
    case $1 in *"${word##*/}"*) return 0 ;; esac
    grep -qE "#include \"(families/)?${word%/}[/.]" "$source" && return 0
    sed '/\*\//q' "$source" | tr '\n' ' ' | grep -qE "[Cc]oncerns [^.]*\b${word##*/}\b" && return 0
    [ -d "harness/families/$word" ] && grep -q 'run_lab_wants(' "$source" # families one by one
}

run_one() { # run_one BINARY: a line in $work/lines; its output where it failed
    local name=${1##*/tests/} report output status good bad skip seconds why=
    local TIMEFORMAT='%R %U %S'
    report=$work/${name//\//_}.tap output=$work/${name//\//_}.out
    # Only what sleeps for ever ends by the clock: the machine may be busy.
    ulimit -t "${LAB_TEST_TIMEOUT:-3000}"
    seconds=$({ time timeout 4h "$1" --color=never "--tap=$report" > "$output" 2>&1 < /dev/null; } 2>&1)
    status=$?
    seconds=$(awk '{printf "%.1f s, %.1f of a core", $1, $2 + $3}' <<< "$seconds")
    touch "$report"
    good=$(grep -E '^ok ' "$report" | grep -vc '# SKIP')
    bad=$(grep -cE '^not ok ' "$report")
    skip=$(grep -cE '^ok .*# SKIP' "$report")
    # A binary that was killed leaves no complete report: that is a failure of its own.
    if [ "$bad" = 0 ] && [ $status != 0 ]; then
        bad=1 why="exit $status"
    elif [ $((good + bad + skip)) = 0 ] && [ -z "${LAB_TEST_ONLY:-}" ]; then
        bad=1 why="ran no test"
    elif [ "$bad" != 0 ]; then
        why=$(sed -n 's/^not ok - \([^ ]*\).*/\1/p' "$report" | sort | uniq | tr '\n' ' ')
    fi
    if [ "$bad" != 0 ]; then printf '\n== %s: %s\n' "$name" "$why" && cat "$output"; fi
    printf '%-28s %4d passed, %d failed, %d skipped, %s\n' "$name" "$good" "$bad" "$skip" "$seconds"
    echo "$good $bad $skip $name($why)" >> "$work/counts"
    echo "$name ${seconds%%.*}" >> "$work/seconds"
}
export -f run_one

together=()
for binary in "$@"; do
    name=${binary##*/}
    if [ -n "${LAB_TEST_ONLY:-}" ] && ! concerns "$name" "$LAB_TEST_ONLY"; then continue; fi
    if [ -n "${LAB_TEST_LIST:-}" ]; then echo "$name" && continue; fi
    seconds=$(sed -n "s|^${binary##*/tests/} ||p" "$times" 2> /dev/null | tail -n 1)
    # without an earlier run: the longest source first
    together+=("${seconds:-$(($(wc -l < "$(source_of "$name")") / 20))} $binary")
done
if [ -n "${LAB_TEST_LIST:-}" ]; then exit; fi
if [ ${#together[@]} = 0 ]; then
    echo "run_tests: no test concerns ${LAB_TEST_ONLY:-anything}: name a family, a room such as harness/measure, or a test" >&2
    exit 2
fi
printf '%s\n' "${together[@]}" | sort -rn | sed 's/^[0-9]* //' |
    xargs -P "${LAB_TEST_JOBS:-$(nproc)}" -I BINARY bash -c 'run_one BINARY'
if [ -z "${LAB_TEST_ONLY:-}" ] && [ -s "$work/seconds" ]; then cp "$work/seconds" "$times" 2> /dev/null; fi

touch "$work/counts"
read -r passed failed skipped < <(awk '{p += $1; f += $2; s += $3} END {print p + 0, f + 0, s + 0}' "$work/counts")
if [ "$failed" != 0 ]; then awk '$2 {$1 = $2 = $3 = ""; print "failed:" $0}' "$work/counts"; fi
if [ "$skipped" = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
