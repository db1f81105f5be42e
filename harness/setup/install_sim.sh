#!/usr/bin/env bash
# Installs the simulator alone, or writes a package of it into BUILD: for Debian, or for Python.
#
#   install_sim.sh install-sim|deb|wheel BUILD PREFIX DESTDIR [LEVEL...]
set -eu
what=$1 build=$2 prefix=$3 destination=$4
shift 4
version=$(sed -n 's/.*"GPU kernel lab \(.*\)";/\1/p' harness/main.c)
about='CUDA programs without a GPU: runtime, driver API and cuBLAS that execute PTX on the CPU'
if [ "$what" = install-sim ] && [ -z "$prefix" ]; then
    echo 'say where to: make install-sim PREFIX=DIR' >&2
    exit 2
fi

# What `lab-sim --help` says, as a manual page.
manual() {
    printf '.TH LAB-SIM 1 "" "GPU kernel lab %s"\n.SH NAME\nlab\\-sim \\- run a CUDA program without a GPU\n' "$version"
    printf '.SH DESCRIPTION\n.nf\n'
    "$build/lab-sim" --help | sed 's/\\/\\e/g; s/^[.'"'"']/\\\&&/; s/-/\\-/g'
    printf '.fi\n'
}

install_to() { # install_to FOLDER LEVEL...
    local to=$1 level
    shift
    install -d "$to/lib/pkgconfig" "$to/include" "$to/share/man/man1"
    install -m 755 -D -t "$to/bin" "$build/lab-sim"
    install -m 755 "$build/sim/libcudart.so.13" "$build/sim/libcublas.so.13" "$to/lib"
    for level in "$@"; do
        install -m 755 -D -t "$to/lib/glibc-hwcaps/$level" "$build/sim/glibc-hwcaps/$level/libcudart.so.13"
        ln -sf libcudart.so.13 "$to/lib/glibc-hwcaps/$level/libcuda.so.1"
        ln -sf libcudart.so.13 "$to/lib/glibc-hwcaps/$level/libnvrtc.so.13"
        ln -sf libcudart.so.13 "$to/lib/glibc-hwcaps/$level/libnvJitLink.so.13"
    done
    ln -sf libcudart.so.13 "$to/lib/libcudart.so"
    ln -sf libcudart.so.13 "$to/lib/libcuda.so.1" # one library has both
    ln -sf libcudart.so.13 "$to/lib/libnvrtc.so.13" # which asks NVRTC itself: see driver/nvrtc.c
    ln -sf libcudart.so.13 "$to/lib/libnvJitLink.so.13" # without functions: see driver/link.c
    ln -sf libcuda.so.1 "$to/lib/libcuda.so"
    ln -sf libcublas.so.13 "$to/lib/libcublas.so"
    ln -sf libcublas.so.13 "$to/lib/libcublasLt.so.13" # one library has both
    ln -sf libcublasLt.so.13 "$to/lib/libcublasLt.so"
    install -m 644 harness/sim/lab_sim.h "$to/include"
    install -m 644 -D -t "$to/share/lab-sim" harness/sim/gpu/*.json
    manual > "$to/share/man/man1/lab-sim.1"
    sed "s|@PREFIX@|$(realpath -ms "$prefix")|" harness/sim/lab-sim.pc.in > "$to/lib/pkgconfig/lab-sim.pc"
}

# In a folder of its own: in the system's the libraries would take the place of the vendor's.
write_deb() {
    local stage=$build/deb arch file
    arch=$(dpkg --print-architecture)
    file=$build/lab-sim_${version/-/\~}_$arch.deb prefix=/opt/lab-sim
    rm -rf "$stage"
    install_to "$stage$prefix" "$@"
    install -d "$stage/DEBIAN" "$stage/usr/bin" "$stage/usr/share/man/man1"
    ln -s ../../opt/lab-sim/bin/lab-sim "$stage/usr/bin"
    ln -s ../../../../opt/lab-sim/share/man/man1/lab-sim.1 "$stage/usr/share/man/man1"
    printf '%s\n' 'Package: lab-sim' "Version: ${version/-/\~}" "Architecture: $arch" 'Section: devel' 'Priority: optional' \
        'Maintainer: the authors of the GPU kernel lab <nobody@localhost>' \
        'Depends: libc6, libstdc++6, libcjson1, liblz4-1, libzstd1, libopenblas0' "Description: $about" > "$stage/DEBIAN/control"
    rm -f "$build"/lab-sim_*.deb # of other versions
    dpkg-deb -Zgzip --root-owner-group --build "$stage" "$file" > /dev/null
    echo "$file"
}

case $what in
install-sim)
    install_to "$destination$prefix" "$@"
    echo "installed in $prefix"
    ;;
deb) write_deb "$@" ;;
wheel)
    prefix=$build/wheel/lab_sim
    rm -rf "$build/wheel" "$build"/lab_sim-*.whl
    install_to "$prefix" "$@"
    python3 -B harness/setup/wheel.py "$build/wheel" "$build" "$version" "$about"
    ;;
esac
