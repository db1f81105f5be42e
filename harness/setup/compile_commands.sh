#!/usr/bin/env bash
# Prints compile_commands.json for editors: how each C source is compiled.
#
#   compile_commands.sh COMMAND SOURCE...
set -eu
command=$1
shift
separator='['
for source in "$@"; do
    printf '%s\n  {"directory": "%s", "file": "%s", "command": "%s -c %s"}' \
        "$separator" "$PWD" "$source" "${command//\"/\\\"}" "$source"
    separator=','
done
printf '\n]\n'
