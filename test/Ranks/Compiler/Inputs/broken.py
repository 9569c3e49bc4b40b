# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives commcc and commrun files that are broken: broken.py FOLDER OBJECT PROGRAM COMMCC COMMRUN. Prints for each the
exit code and the first word of what is said, which is the program that says it; then the rest for commrun."""

import os
import pathlib
import struct
import subprocess
import sys

folder, object_file, program, commcc, commrun = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
pathlib.Path("main.c").write_text("int main(void) { return 0; }\n")


def changed(path, offset, form, value):
    data = bytearray(pathlib.Path(path).read_bytes())
    struct.pack_into(form, data, offset, value)
    return bytes(data)


def archive(field, size):
    return b"!<arch>\n" + field.ljust(16) + b" " * 32 + size.ljust(10) + b"`\nabcd"


def notes(path, value):
    """The offsets of all notes."""
    data = bytearray(pathlib.Path(path).read_bytes())
    (table,) = struct.unpack_from("<Q", data, 32)
    entry, count = struct.unpack_from("<HH", data, 54)
    for at in range(table, table + entry * count, entry):
        if struct.unpack_from("<I", data, at)[0] == 4:
            struct.pack_into("<Q", data, at + 8, value)
    return bytes(data)


def said(name, command):
    # Taken for hung: a broken file is read in no time.
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stderr.splitlines() or ["nothing"]
    print(f"{name}: {done.returncode}: {'Traceback' if 'Traceback' in done.stderr else lines[-1]}", flush=True)


for name, content in {
    "size -60.a": archive(b"x.o/", b"-60"),  # the same member again and again
    "name.a": archive(b"/abc", b"4"),
    "sections beyond.o": changed(object_file, 40, "<Q", 1 << 63),
    "sections at end.o": changed(object_file, 40, "<Q", 1 << 62),
    "no sections.o": changed(object_file, 60, "<H", 0),
}.items():
    pathlib.Path(name).write_bytes(content)
    said(name, [commcc, "-fcomm-ranks", "main.c", name, "-o", "never"])
for name, content in {
    "headers beyond": changed(program, 32, "<Q", 1 << 63),
    "headers of nothing": changed(program, 54, "<H", 0),
    "notes beyond": notes(program, (1 << 64) - 1),
    "short": pathlib.Path(program).read_bytes()[:60],
}.items():
    pathlib.Path(name).write_bytes(content)
    os.chmod(name, 0o755)
    said(name, [commrun, "--dry-run", f"./{name}"])
if not os.path.exists("pipe"):
    os.mkfifo("pipe")
said("pipe", [commrun, "--dry-run", "./pipe"])
said("full", ["sh", "-c", '"$@" > /dev/full', "sh", commrun, "--help"])
said("closed", ["sh", "-c", '"$@" >&-', "sh", commcc, "-c", "main.c", "-o", "main.o"])
# A name may contain bytes that are not text.
done = subprocess.run([commrun, "--dry-run", program, b"\xff"], capture_output=True, timeout=60, check=False)
print(f"bytes: {done.returncode}: {done.stdout[-2:]!r}")
