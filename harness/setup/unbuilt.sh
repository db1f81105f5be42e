#!/usr/bin/env bash
# What ./run says before anything is built: what there is of what building and running take, and the command to type.
#
#   unbuilt.sh [doctor]        exit status 0 for doctor, else 3
set -u
cd "$(dirname "$0")/../.." || exit 2
. harness/setup/find.sh
first='make setup step01 && ./run step01'

case $*,$# in
,0 | doctor,1) ;;
*)
    printf 'run: nothing is built yet: `%s` builds and runs the first step, `./run doctor` says what is here\n' "$first" >&2
    exit 3
    ;;
esac

row() { printf '  %-8s %-22s %s\n' "$@"; }
tool() { # tool NAME HOW-TO-GET-IT WHAT-IT-SAYS
    if [ -n "$3" ]; then row ok "$1" "$3"; else row missing "$1" "$2"; fi
}
version() { "$@" --version 2> /dev/null; }

printf 'nothing is built yet; here is\n'
tool make 'as root: apt-get install make' "$(version make | head -n 1)"
tool 'C compiler' '`make setup` (gcc)' "$(version ${CC:-cc} | head -n 1)"
tool 'C++ compiler' '`make setup` (g++)' "$(version ${CXX:-c++} | head -n 1)"
tool nvcc '`make setup` installs the CUDA 13 toolkit into build/toolkit' "$(version "$(find_nvcc build)" | tail -n 1)"
if has_gpu; then row ok GPU "$(nvidia-smi -L | head -n 1)"; else row - GPU 'no GPU: the simulator is used'; fi
printf 'type\n    %s\nor, if you have written one kernel, from a tutorial,\n    %s\n' "$first" "${first//01/00a}"
if [ $# = 0 ]; then exit 3; fi
