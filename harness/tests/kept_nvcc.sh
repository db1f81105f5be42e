#!/bin/sh
# nvcc for checkouts that tests make: what it made of the same text in an earlier run is taken from build/tests/kept. The
# link to this script is in the checkout, which has the same place in every run, since objects name their sources.
set -u
nvcc=$(sed -n 1p "$LAB_TEST_BUILD/nvcc.command")
object= dependencies= source= word=
for argument; do
    case $word in -o) object=$argument ;; -MF) dependencies=$argument ;; esac
    case $argument in *.cu) source=$argument ;; esac
    word=$argument
done
[ -n "$source" ] && [ -n "$object" ] && [ -e "$source" ] || exec "$nvcc" "$@"
key=$({ pwd; printf '%s\n' "$nvcc" "$@"; cat "$source"; find common -type f -exec cat {} +; } | sha256sum | cut -c1-24)
kept=$LAB_TEST_BUILD/tests/kept/nvcc-$key
if [ ! -e "$kept/status" ]; then
    find "$LAB_TEST_BUILD/tests/kept" -mindepth 1 -maxdepth 1 -mtime +3 -exec rm -rf {} + 2> /dev/null
    mkdir -p "$kept"
    "$nvcc" "$@" > "$kept/out" 2> "$kept/err"
    status=$?
    rm -f "$kept/object" "$kept/dependencies"
    if [ -e "$object" ]; then cp "$object" "$kept/object"; fi
    if [ -n "$dependencies" ] && [ -e "$dependencies" ]; then cp "$dependencies" "$kept/dependencies"; fi
    echo $status > "$kept/status"
else
    if [ -e "$kept/dependencies" ]; then cp "$kept/dependencies" "$dependencies"; fi
    if [ -e "$kept/object" ]; then cp "$kept/object" "$object"; fi
fi
cat "$kept/out"
cat "$kept/err" >&2
exit "$(cat "$kept/status")"
