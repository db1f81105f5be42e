#!/usr/bin/env bash
# Objects of the harness and the simulator, compiled beforehand: `make dist` packs them, for a release or a course, and a make
# with the package in the checkout, or named by PREBUILT=, unpacks them in place of a minute and a half of compiling. They are
# taken only where the sources, the flags and the CUDA headers are those that they were compiled from, and where the package
# has the hash that prebuilt.sum states. The bytes are the same wherever and whenever it is packed.
#
#   prebuilt.sh pack BUILD CUDA_HOME FLAGS OBJECT...
#   prebuilt.sh take BUILD CUDA_HOME FLAGS PACKAGE      exit status 3: not the package that it should be
set -eu
stated=harness/setup/prebuilt.sum # of a release or a hand-out
what=$1 build=$2 cuda=$3 flags=$4
shift 4

glibc() { getconf GNU_LIBC_VERSION | tr -cd '0-9.\n'; }

# What the objects depend on, one per line. Tests and this folder are no part of them, the Makefile's flags are.
basis() {
    printf 'machine %s\nflags %s\ncuda %s\nsources ' "$(uname -m)" "$flags" \
        "$(sed -n 's/^#define CUDA_VERSION //p' "$cuda/include/cuda.h")"
    find harness common -type f ! -path '*/tests/*' ! -path 'harness/setup/*' -regex '.*\.\(c\|h\|def\|awk\|json\)' |
        LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

# Debugging information names the folder of the checkout; what remains is of sources and compiler alone.
pack() {
    local stage=$build/dist package object
    package=lab-prebuilt-$(sed -n 's/.*"GPU kernel lab \(.*\)";/\1/p' harness/main.c)-$(uname -m).tar.gz
    rm -rf "$stage"
    for object in "$@"; do
        mkdir -p "$stage/$(dirname "$object")"
        objcopy --strip-debug "$build/$object" "$stage/$object"
        cp "$build/${object%.o}.d" "$stage/${object%.o}.d"
    done
    basis > "$stage/prebuilt.basis"
    glibc > "$stage/prebuilt.glibc"
    tar --create --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 . |
        gzip -9 -n > "$build/$package"
    rm -rf "$stage"
    (cd "$build" && sha256sum "$package" > prebuilt.sum)
    echo "wrote $build/$package, and its hash to $build/prebuilt.sum"
}

take() { # unpacked once, and told once
    local package=$1 hash
    case $package in *://*)
        package=$build/${package##*/}
        [ -e "$package" ] || curl -fsSL -o "$package" "$1" || wget -q -O "$package" "$1" || rm -f "$package" ;;
    esac
    [ -e "$package" ] || { echo "make: no $1; leave PREBUILT out to compile everything here" >&2; exit 3; }
    hash=$(sha256sum < "$package" | cut -d' ' -f1)
    if [ "$(cat "$build/prebuilt.taken" 2> /dev/null)" = "$hash" ]; then return; fi
    if ! grep -qs "^$hash " $stated; then
        echo "make: $1 is not the package whose hash $stated states; take that one, or remove it" >&2
        exit 3
    fi
    if ! basis | cmp -s - <(tar -xzOf "$package" ./prebuilt.basis) ||
        ! printf '%s\n' "$(tar -xzOf "$package" ./prebuilt.glibc)" "$(glibc)" | sort -CV; then
        echo "prebuilt objects do not fit this checkout or machine: all is compiled here" >&2
    else
        tar -xzmf "$package" -C "$build" # -m: they are newer than the sources
        echo "prebuilt objects taken from $package" >&2
    fi
    echo "$hash" > "$build/prebuilt.taken"
}

"$what" "$@"
