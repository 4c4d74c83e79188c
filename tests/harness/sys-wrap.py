#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what puts a fault in front of every function of iohelper/sys.h.

Three files: sys-wrap.h numbers the functions, sys-wrap.c wraps them, sys-wrap.args makes the linker
call the wrappers. A function that is added to sys.h is wrapped by the next build.
"""
import re
import sys

PROTOTYPE = re.compile(r"^(\w[\w ]*?) \*?(ioh_sys_(\w+)) \(([^;]*?)\);", re.M | re.S)

# returns nothing, so it cannot fail
NOT_WRAPPED = {"clear_fd"}

# fault.c has the wrapper: it also tells the test that the helper waits
BY_HAND = {"poll"}

# returns a descriptor, which a failure that is told late takes away again
MAKES_DESCRIPTOR = {"open", "reopen", "dup"}

# what queue-wrap.c does to the backends of the queue, counted like functions of sys.h
QUEUE_CALLS = ["queue_open", "queue_submit", "queue_reap"]


def parameters(text):
    """[(declaration, name)] of a parameter list."""
    found = []
    if text == "void":
        return found
    for declaration in " ".join(text.split()).split(", "):
        name = re.search(r"(\w+)(\[\w*\])?$", declaration).group(1)
        found.append((declaration, name))
    return found


def functions(path):
    with open(path, encoding="ascii") as header:
        text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    for result, symbol, name, arguments in PROTOTYPE.findall(text):
        if name not in NOT_WRAPPED:
            yield result, symbol, name, parameters(arguments)


def names(calls):
    return [name for _, _, name, _ in calls] + QUEUE_CALLS


def write_header(path, calls):
    with open(path, "w", encoding="ascii") as out:
        out.write("#pragma once\n\n/* Written by sys-wrap.py: the functions of sys.h. */\n")
        out.write("typedef enum {\n")
        for name in names(calls):
            out.write(f"    SYS_{name.upper()},\n")
        out.write("    SYS_CALLS,\n} SysCall;\n\n")
        out.write("extern const char *const sys_call_names[SYS_CALLS];\n")


def write_wrapper(out, result, symbol, name, arguments):
    declared = ", ".join(declaration for declaration, _ in arguments) or "void"
    passed = ", ".join(argument for _, argument in arguments)
    has_length = result == "ssize_t" and any(d == "size_t length" for d, _ in arguments)
    out.write(f"\n{result} __real_{symbol} ({declared});\n")
    out.write(f"{result} __wrap_{symbol} ({declared});\n")
    if name in BY_HAND:
        return
    out.write(f"\n{result}\n__wrap_{symbol} ({declared})\n{{\n")
    out.write(f"    FaultVerdict verdict = fault_enter (SYS_{name.upper()});\n\n")
    out.write("    if (verdict.instead)\n")
    out.write(f"        return ({result}) verdict.result;\n")
    if has_length:
        out.write("    if (verdict.shortens)\n")
        out.write("        length = MIN (length, verdict.short_to);\n")
    out.write(f"    {result} result = __real_{symbol} ({passed});\n")
    if name in MAKES_DESCRIPTOR:
        out.write("    if (verdict.after && result >= 0)\n        close (result);\n")
    out.write(f"    return verdict.after ? ({result}) verdict.result : result;\n}}\n")


def write_source(path, calls):
    with open(path, "w", encoding="ascii") as out:
        out.write("/* Written by sys-wrap.py. */\n")
        out.write('#include "fault.h"\n#include "sys-wrap.h"\n#include "sys.h"\n\n#include <unistd.h>\n\n')
        out.write("const char *const sys_call_names[SYS_CALLS] = {\n")
        for name in names(calls):
            out.write(f'    "{name}",\n')
        out.write("};\n")
        for call in calls:
            write_wrapper(out, *call)


def write_arguments(path, calls):
    with open(path, "w", encoding="ascii") as out:
        for _, symbol, _, _ in calls:
            out.write(f"-Wl,--wrap={symbol}\n")
        out.write("-Wl,--wrap=ioh_queue_uring\n-Wl,--wrap=ioh_queue_threads\n")


def main():
    header, out_header, out_source, out_arguments = sys.argv[1:]
    calls = list(functions(header))
    write_header(out_header, calls)
    write_source(out_source, calls)
    write_arguments(out_arguments, calls)


main()
