#!/usr/bin/env bash
# Runs every Criterion binary to its end, whatever the others did, and closes with one plain line:
# "N passed, N failed". Fails when a test failed, a binary died or held no test, or nothing ran.
#
#   run_tests.sh BINARY...          LAB_TEST_TIMEOUT: seconds for one binary (default 1200)
set -u
passed=0 failed=0 skipped=0
broken=
report=$(mktemp)
trap 'rm -f "$report"' EXIT

count() { grep -c -E "$1" "$report" || true; }

for binary in "$@"; do
    name=${binary##*/tests/}
    : > "$report"
    start=$SECONDS
    timeout "${LAB_TEST_TIMEOUT:-1200}" "$binary" --color=never "--tap=$report" < /dev/null
    status=$?
    good=$(grep -E '^ok ' "$report" | grep -vc '# SKIP' || true)
    bad=$(count '^not ok ')
    skip=$(count '^ok .*# SKIP')
    # A binary that was killed leaves no complete report: that is a failure of its own.
    if [ "$bad" = 0 ] && [ $status != 0 ]; then
        bad=1
        broken="$broken $name(exit $status)"
    elif [ $((good + bad + skip)) = 0 ]; then
        bad=1
        broken="$broken $name(ran no test)"
    elif [ "$bad" != 0 ]; then
        broken="$broken $(sed -n 's/^not ok - \([^ ]*\).*/\1/p' "$report" | tr '\n' ' ')"
    fi
    printf '%-34s %3d passed, %d failed, %d skipped, %d s\n' "$name" "$good" "$bad" "$skip" \
        $((SECONDS - start))
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
done

if [ -n "$broken" ]; then printf 'failed: %s\n' "$(echo $broken)"; fi
if [ "$skipped" = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
