# SPDX-License-Identifier: LGPL-2.1-or-later
"""faults.py SOURCE: prints the tests that the table of faults in docs/testing.md names and that do
not exist: a quoted name has to be in one of the files of its row, a path in any test program.
"""
import glob
import os
import re
import sys

os.chdir(sys.argv[1])


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def files(path):
    found = glob.glob(path.rstrip("/") + "/*") if os.path.isdir(path) else glob.glob(path)
    return [name for name in found if os.path.isfile(name)]


programs = "".join(read(name) for name in glob.glob("tests/**/*.c", recursive=True))
section = read("docs/testing.md").split("## Faults that users have met")[1].split("\n## ")[0]
rows = [line.split(" | ", 1) for line in section.splitlines() if line.startswith("| ")]
for fault, tests in rows:
    if fault in ("| fault", "|---"):
        continue
    texts = [read(name) for path in re.findall(r"`(tests/[^`]+)`", tests) for name in files(path)]
    for name in re.findall(r'"([^"]+)"', tests):
        if not any(all(part in text for part in name.split("...")) for text in texts):
            print(f'{fault[2:]}: nothing called "{name}"')
    paths = re.findall(r"(?:^|[ ;,])(/[a-z][a-z0-9/*_-]+)", re.sub(r'"[^"]*"', "", tests))
    for path in paths:
        words = [word for word in path.split("/") if word not in ("", "*")]
        if not all(re.search(rf'["/]{re.escape(word)}["/]', programs) for word in words[-2:]):
            print(f"{fault[2:]}: no test {path}")
    if not texts and not paths:
        print(f"{fault[2:]}: no test at all")
if len(rows) < 50:
    print("where is the table?")
