# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who takes part: iohelper by engine, what else is installed, and how each is started."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field

import vm
from process import Failure

STOCK_PLACES = ('/usr/lib/libvirt/libvirt_iohelper', '/usr/libexec/libvirt_iohelper',
                '/usr/lib64/libvirt/libvirt_iohelper')
FILTERS = {
    'cat': ('cat',),
    'dd': ('dd', 'bs=1M', 'iflag=fullblock', 'status=none'),
    'pv': ('pv', '-q'),
    'mbuffer': ('mbuffer', '-q', '-s', '1M', '-m', '16M'),
}
LISTENERS = {
    'nc': ('nc', '-d', '-l', '-U', '{socket}'),
    'socat': ('socat', '-u', 'UNIX-LISTEN:{socket}', 'STDOUT'),
}


@dataclass(frozen=True)
class Candidate:
    """One way to move the stream.

    how: filter  stream and file are standard input and output
         path    opens the file itself, by the {file} in its words
         listen  accepts the stream on {socket}
         library makes the stream itself and hands the hypervisor's end over
         alone   the stream's owner opens the file itself, nobody in between
         disk    fio, no stream at all: what the disk can do
    """
    name: str
    how: str
    argv: tuple = ()
    stream: str = 'pipe'
    target: str = 'null'
    direct: bool = False
    flushes: bool = False

    @property
    def is_ours(self):
        return self.name.startswith(('iohelper', 'library'))


@dataclass
class Tools:
    """What there is on this machine to be measured, and what is not."""
    helper: str
    stock: str
    programs: str
    engines: dict = field(default_factory=lambda: {'save': [], 'restore': []})
    missing: list = field(default_factory=list)

    def has(self, name):
        if shutil.which(name):
            return True
        self.lacks(f'{name} is not installed')
        return False

    def lacks(self, what):
        if what not in self.missing:
            self.missing.append(what)

    def program(self, name):
        return os.path.join(self.programs, name)


def find_tools(helper, stock, programs):
    """`helper` and `stock` may be None; what is named has to be there."""
    built = [os.path.join(programs, name)
             for name in ('launch', 'generator', 'without-io-uring', 'through-library')]
    for program in filter(None, [helper, stock, *built]):
        if not os.access(program, os.X_OK):
            raise Failure(f'{program}: not a program (is it built?)')
    if stock is None:
        stock = next((path for path in STOCK_PLACES if os.access(path, os.X_OK)), None)
    tools = Tools(helper, stock, programs)
    if not helper:
        tools.lacks('iohelper is not there: build it, or name it with --helper')
    else:
        tools.engines = find_engines(tools)
    if not stock:
        tools.lacks('the stock libvirt_iohelper is not installed (or name it with --stock)')
    if not vm.available():
        tools.lacks(f'{vm.PROGRAM} is not installed: --synthetic works without')
    return tools


def find_engines(tools):
    """The engines usable here, for each direction."""
    answer = subprocess.run([tools.helper, 'engines', '--json'], capture_output=True, text=True,
                            check=False)
    if answer.returncode != 0:
        raise Failure(f'{tools.helper} engines --json: {answer.stderr.strip()}')
    usable = {'save': [], 'restore': []}
    for engine in json.loads(answer.stdout):
        for verb, names in usable.items():
            if engine[verb]['usable']:
                names.append(engine['name'])
            else:
                tools.lacks(f'engine {engine["name"]}, {verb}: {engine[verb]["reason"]}')
    return usable


def version(argv):
    try:
        answer = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    return (answer.stdout or answer.stderr).split('\n')[0].strip()


def iohelper(tools, name, verb, engine=None, cache=None, wrapper=(), **where):
    if not tools.helper:
        return []
    argv = (*wrapper, tools.helper, verb, '-q', '--report={report}')
    if engine:
        argv += (f'--engine={engine}',)
    if cache:
        argv += (f'--cache={cache}',)
    return [Candidate(name, 'path', (*argv, '{file}'), flushes=True, **where)]


def iohelper_by_engine(tools, name, verb, **where):
    """What iohelper chooses by itself, then each engine by name."""
    found = iohelper(tools, name, verb, **where)
    for engine in tools.engines[verb]:
        found += iohelper(tools, f'{name}/{engine}', verb, engine=engine, **where)
    return found


def library(tools, name, verb, *properties, **where):
    """Through libiohelper, by the stream that it chooses itself unless it is told."""
    if not tools.helper:
        return []
    argv = ('env', f'IOH_HELPER={tools.helper}', tools.program('through-library'), verb, '{file}',
            '{report}', *properties)
    return [Candidate(name, 'library', argv, flushes=True, **where)]


def stock(tools, verb, **where):
    if not tools.stock:
        return []
    fd = '1' if verb == 'save' else '0'
    return [Candidate('stock', 'filter', (tools.stock, 'stream', fd), flushes=True, **where)]


def filters(tools, **where):
    return [Candidate(name, 'filter', argv, **where) for name, argv in FILTERS.items()
            if tools.has(name)]


def dd_direct(tools, verb, **where):
    flag = 'oflag=direct' if verb == 'save' else 'iflag=direct'
    words = ('dd', 'bs=1M', 'status=none', flag)
    words += ('iflag=fullblock', 'of={file}') if verb == 'save' else ('if={file}',)
    return [Candidate('dd', 'path', words, **where)] if tools.has('dd') else []


def listeners(tools, **where):
    return [Candidate(name, 'listen', argv, **where) for name, argv in LISTENERS.items()
            if tools.has(name)]


def alone(name='no-helper', **where):
    return [Candidate(name, 'alone', **where)]


def disk(tools, verb):
    """The limit of the disk at the queue depth of the direct engine; see fio(1)."""
    if not tools.has('fio'):
        return []
    words = ('fio', '--name=disk', '--filename={file}', '--size={mib}M', '--bs=1M', '--iodepth=4',
             '--direct=1', '--ioengine=io_uring', '--output-format=json', '--output={report}')
    if verb == 'restore':
        return [Candidate('fio', 'disk', (*words, '--rw=read'), target='file')]
    words += ('--rw=write', '--end_fsync=1')
    return [Candidate('fio', 'disk', (*words, '--fallocate=none'), target='file'),
            Candidate('fio-preallocated', 'disk', (*words, '--fallocate=posix'), target='file')]
