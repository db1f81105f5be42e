#!/usr/bin/env python3
"""Prints a hash of the machine code of each kernel in shared objects: what a change that is not meant
to touch any kernel is held to. Line tables and names of files do not count.

    machine_code.py OBJECT.so...        lines of HASH OBJECT KERNEL, sorted
"""

import hashlib
import pathlib
import struct
import sys

FATBIN_MAGIC, CUBIN = 0xBA55ED50, 2


def elf_sections(elf):
    """Name and bytes of each section of a 64-bit little-endian ELF file."""
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, start + i * size) for i in range(count)]
    table = heads[names][4]
    for name, kind, _, _, offset, length in heads:
        end = elf.index(b"\0", table + name)
        yield elf[table + name:end].decode(), b"" if kind == 8 else elf[offset:offset + length]


def cubins(fatbin):
    """The machine code files in a section of fatbins, none of them compressed."""
    at = fatbin.find(struct.pack("<I", FATBIN_MAGIC))
    while at >= 0:
        _, _, head, size = struct.unpack_from("<IHHQ", fatbin, at)
        entry, end = at + head, at + head + size
        while entry < end:
            kind, _, entry_head, length = struct.unpack_from("<HHIQ", fatbin, entry)
            if kind == CUBIN:
                yield fatbin[entry + entry_head:entry + entry_head + length]
            entry += entry_head + length
        at = fatbin.find(struct.pack("<I", FATBIN_MAGIC), end)


def kernels(path):
    for name, fatbin in elf_sections(path.read_bytes()):
        for cubin in cubins(fatbin) if name == ".nv_fatbin" else ():
            for section, code in elf_sections(cubin):
                if section.startswith(".text."):
                    yield section[len(".text."):], hashlib.sha256(code).hexdigest()[:16]


def main():
    objects = map(pathlib.Path, sys.argv[1:])
    lines = [f"{digest} {str(path.with_suffix('')).split('/', 1)[-1]} {name}" for path in objects for name, digest in kernels(path)]
    print("\n".join(sorted(lines, key=lambda line: line.split()[1:])))


if __name__ == "__main__":
    sys.exit(main())
