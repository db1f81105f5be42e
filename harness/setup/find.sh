# What this machine has: functions that install.sh and configure.sh both source, so that the one
# installs exactly what the other would miss. They print what they find and change nothing.

# find_in_toolkit HOME LIBRARY: the directory of a toolkit that holds the library, or nothing.
find_in_toolkit() {
    local directory
    for directory in "$1/lib64" "$1/lib" "$1/targets/x86_64-linux/lib"; do
        if [ -e "$directory/$2" ]; then echo "$directory"; return; fi
    done
}
find_libcudart() { find_in_toolkit "$1" libcudart.so.13; }
find_cublas() { find_in_toolkit "$1" libcublas.so.13; }

# find_nvcc BUILD: the first nvcc that belongs to a toolkit 13, or nothing. $NVCC, when set, is
# taken as it is: what the user named is used or refused, never replaced.
find_nvcc() {
    local candidate home
    if [ -n "${NVCC:-}" ]; then command -v "$NVCC" || true; return; fi
    for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:-/nowhere}/bin/nvcc" \
        /usr/local/cuda/bin/nvcc /usr/local/cuda-13*/bin/nvcc "$1/toolkit/nvidia/cu13/bin/nvcc"; do
        [ -x "$candidate" ] || continue
        home=$(dirname "$(dirname "$(readlink -f "$candidate")")")
        if [ -n "$(find_libcudart "$home")" ]; then readlink -f "$candidate"; return; fi
    done
}

# has_gpu: is there a GPU whose driver answers?
has_gpu() {
    command -v nvidia-smi > /dev/null && nvidia-smi -L 2> /dev/null | grep -q '^GPU '
}

# has_header NAME...: does the C compiler find all these headers?
has_header() {
    printf '#include <%s>\n' "$@" | ${CC:-cc} -E - > /dev/null 2>&1
}

# has_library SONAME: does the dynamic linker know it? (ldconfig is not on every user's PATH.)
has_library() {
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2> /dev/null | grep -q "$1"
}
