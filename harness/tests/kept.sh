#!/bin/sh
# Writes its input to a kernel.cu in a folder that depends on the text alone, and prints its path: nvcc need not
# compile it again when the tests are run again.
set -eu
folder=${LAB_TEST_BUILD:-build}/tests/kept
mkdir -p "$folder"
cat > "$folder/$$"
name=$folder/$(cksum < "$folder/$$" | tr ' ' -)
mkdir -p "$name"
mv "$folder/$$" "$name/kernel.cu"
echo "$name/kernel.cu"
