#!/usr/bin/env bash
# Runs clang-format 14 on all C and CUDA sources: no other version, since each lays some lines out differently.
#
#   format.sh BUILD OPTION...
set -eu
. "$(dirname "$0")/find.sh"
build=$1
shift
program=$(find_clang_format "$build")
if [ -z "$program" ]; then
    echo "format: no clang-format 14 here; run 'make setup format'" >&2
    exit 3
fi
exec "$program" "$@" $(find common harness steps solutions -name '*.[ch]' -o -name '*.cu')
