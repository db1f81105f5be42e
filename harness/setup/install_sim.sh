#!/usr/bin/env bash
# Installs the simulator alone.
#
#   install_sim.sh BUILD PREFIX DESTDIR [LEVEL...]
set -eu
build=$1 prefix=$2 to=$3$2
shift 3
if [ -z "$prefix" ]; then
    echo 'say where to: make install-sim PREFIX=DIR' >&2
    exit 2
fi
install -d "$to/lib/pkgconfig" "$to/include"
install -m 755 "$build/sim/libcudart.so.13" "$build/sim/libcublas.so.13" "$to/lib"
for level in "$@"; do
    install -m 755 -D -t "$to/lib/glibc-hwcaps/$level" "$build/sim/glibc-hwcaps/$level/libcudart.so.13"
    ln -sf libcudart.so.13 "$to/lib/glibc-hwcaps/$level/libcuda.so.1"
    ln -sf libcudart.so.13 "$to/lib/glibc-hwcaps/$level/libnvJitLink.so.13"
done
ln -sf libcudart.so.13 "$to/lib/libcudart.so"
ln -sf libcudart.so.13 "$to/lib/libcuda.so.1" # one library has both
ln -sf libcudart.so.13 "$to/lib/libnvJitLink.so.13" # without functions: see driver/link.c
ln -sf libcuda.so.1 "$to/lib/libcuda.so"
ln -sf libcublas.so.13 "$to/lib/libcublas.so"
ln -sf libcublas.so.13 "$to/lib/libcublasLt.so.13" # one library has both
ln -sf libcublasLt.so.13 "$to/lib/libcublasLt.so"
install -m 644 harness/sim/lab_sim.h "$to/include"
sed "s|@PREFIX@|$(realpath -ms "$prefix")|" harness/sim/lab-sim.pc.in > "$to/lib/pkgconfig/lab-sim.pc"
echo "installed in $prefix"
