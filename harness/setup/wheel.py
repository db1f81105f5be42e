"""Writes a wheel of what install_sim.sh has put into FOLDER/lab_sim, with `python -m lab_sim` and
the command lab-sim.

    wheel.py FOLDER OUT VERSION SUMMARY
"""
import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile

MAIN = """import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "lab-sim"
    os.execv(program, ["lab-sim"] + sys.argv[1:])


if __name__ == "__main__":
    main()
"""


def main(folder, out, version, summary):
    version = re.sub(r"-rc\.?", "rc", version)
    info = f"lab_sim-{version}.dist-info"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"py3-none-{platform}"
    files = {
        "lab_sim/__init__.py": b"",
        "lab_sim/__main__.py": MAIN.encode(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: lab-sim\nVersion: {version}\n"
                            f"Summary: {summary}\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: lab\nRoot-Is-Purelib: false\n"
                         f"Tag: {tag}\n".encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\nlab-sim = lab_sim.__main__:main\n",
    }
    executable = set()
    root = pathlib.Path(folder)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        is_elsewhere = "/share/man/" in name or "/pkgconfig/" in name  # where no tool looks
        # A wheel holds no links. Programs find the copies by these names, and compilers need none.
        is_for_linking = path.is_symlink() and path.suffix == ".so"
        if path.is_file() and not is_elsewhere and not is_for_linking:
            files[name] = path.read_bytes()
            if path.stat().st_mode & 0o100:
                executable.add(name)
    record = f"{info}/RECORD"
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = "".join(lines + [f"{record},,\n"]).encode()
    wheel = pathlib.Path(out) / f"lab_sim-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
