# SPDX-License-Identifier: LGPL-2.1-or-later
"""The data paths that are compared: who takes part in each, and what iohelper has to reach."""

from dataclasses import dataclass
from typing import Callable

import candidates as who

MIB = 1 << 20


@dataclass(frozen=True)
class Goal:
    """A target: the subject against another candidate, or alone when `against` is None.

    what: speed  ratio of throughputs, at least `bound`; of several subjects the best counts
          cpu    ratio of CPU seconds per GiB, at most `bound`
          rss    peak resident bytes, at most `bound`; of several subjects the worst counts
          cache  share of the file left in the page cache, at most `bound`; the worst counts
    """
    what: str
    subject: str
    against: str
    bound: float
    stretch: float


@dataclass(frozen=True)
class Path:
    """speed_of 'stream': throughput as the sender reports it; 'whole': until all is flushed."""
    name: str
    title: str
    verb: str
    speed_of: str
    candidates: Callable
    goals: tuple
    warm: bool = False


def speed(subject, against, bound, stretch):
    return Goal('speed', subject, against, bound, stretch)


def cpu(subject='iohelper'):
    return Goal('cpu', subject, 'stock', 0.7, 0.4)


RSS = Goal('rss', 'iohelper*', None, 16 * MIB, 8 * MIB)


def cache(subject):
    return Goal('cache', subject, None, 0.01, 0)


def library_by_transport(tools, verb, cache_mode):
    """What the library's choice of a stream rests on."""
    return [found for kind in ('pipe', 'socket')
            for found in who.library(tools, f'library-{kind}', verb, f'cache={cache_mode}',
                                     f'transport={kind}', target='file')]


def null_pipe(tools):
    return (who.iohelper_by_engine(tools, 'iohelper', 'save') + who.stock(tools, 'save')
            + who.listeners(tools) + who.filters(tools) + who.alone())


def null_socketpair(tools):
    return (who.iohelper_by_engine(tools, 'iohelper', 'save', stream='socketpair')
            + who.library(tools, 'library', 'save')
            + who.stock(tools, 'save', stream='socketpair') + who.listeners(tools)
            + who.filters(tools, stream='socketpair') + who.alone())


def null_best(tools):
    return (who.iohelper(tools, 'iohelper-pipe', 'save')
            + who.iohelper(tools, 'iohelper-socketpair', 'save', stream='socketpair')
            + who.alone('one-copy', target='ram') + who.alone())


def direct_file(tools):
    return (who.iohelper_by_engine(tools, 'iohelper', 'save', cache='direct', target='file')
            + library_by_transport(tools, 'save', 'direct')
            + who.stock(tools, 'save', target='file', direct=True)
            + who.dd_direct(tools, 'save', target='file') + who.disk(tools, 'save'))


def buffered_file(tools):
    return (who.iohelper_by_engine(tools, 'iohelper-drop', 'save', cache='drop', target='file')
            + who.iohelper_by_engine(tools, 'iohelper-keep', 'save', cache='keep', target='file')
            + who.stock(tools, 'save', target='file') + who.filters(tools, target='file')
            + who.alone(target='file'))


def restore_warm(tools):
    return (who.iohelper_by_engine(tools, 'iohelper', 'restore', cache='keep', target='file')
            + library_by_transport(tools, 'restore', 'keep')
            + who.stock(tools, 'restore', target='file') + who.filters(tools, target='file')
            + who.alone(target='file'))


def restore_cold_direct(tools):
    return (who.iohelper_by_engine(tools, 'iohelper', 'restore', cache='direct', target='file')
            + library_by_transport(tools, 'restore', 'direct')
            + who.stock(tools, 'restore', target='file', direct=True)
            + who.dd_direct(tools, 'restore', target='file') + who.disk(tools, 'restore')
            + who.alone(target='file'))


def queues(verb):
    def found(tools):
        if 'direct' not in tools.engines[verb]:
            tools.lacks(f'no direct engine, {verb}: its queues are not compared')
            return []
        refuse = (tools.program('without-io-uring'),)
        where = {'engine': 'direct', 'cache': 'direct', 'target': 'file'}
        return (who.iohelper(tools, 'iohelper-io_uring', verb, **where)
                + who.iohelper(tools, 'iohelper-threads', verb, wrapper=refuse, **where))
    return found


QUEUES = (speed('iohelper-threads', 'iohelper-io_uring', 0.9, 1.0), RSS)

PATHS = (
    Path('null-pipe', 'save, 1 MiB pipe to /dev/null', 'save', 'stream', null_pipe,
         (speed('iohelper', 'stock', 1.25, 1.5), speed('iohelper', 'nc', 1.1, 1.3), cpu(), RSS)),
    Path('null-socketpair', 'save, unix socketpair to /dev/null', 'save', 'stream',
         null_socketpair, (speed('iohelper', 'nc', 1.25, 1.5), speed('library', 'nc', 1.25, 1.5),
                           cpu(), RSS)),
    Path('null-best', 'save, best transport to /dev/null', 'save', 'stream', null_best,
         (speed('iohelper*', 'one-copy', 0.85, 0.95),)),
    Path('direct-file', 'save, 1 MiB pipe to an O_DIRECT file', 'save', 'whole', direct_file,
         (speed('iohelper', 'stock', 1.35, 1.6), speed('iohelper', 'fio', 0.95, 1.0), cpu(), RSS,
          cache('iohelper'))),
    Path('buffered-file', 'save, 1 MiB pipe to a buffered file, flushed', 'save', 'whole',
         buffered_file,
         (speed('iohelper-drop', 'stock', 1.2, 1.5), speed('iohelper-keep', 'stock', 1.2, 1.5),
          cpu('iohelper-drop'), cpu('iohelper-keep'), RSS, cache('iohelper-drop'))),
    Path('restore-warm', 'restore, file in the page cache to a 1 MiB pipe', 'restore', 'whole',
         restore_warm, (speed('iohelper', 'no-helper', 0.95, 1.0), cpu(), RSS), warm=True),
    Path('restore-cold-direct', 'restore, O_DIRECT file to a 1 MiB pipe', 'restore', 'whole',
         restore_cold_direct, (speed('iohelper', 'stock', 1.3, 1.6), cpu(), RSS)),
    Path('queue-save', 'save to an O_DIRECT file, io_uring against threads', 'save', 'whole',
         queues('save'), QUEUES),
    Path('queue-restore', 'restore from an O_DIRECT file, io_uring against threads', 'restore',
         'whole', queues('restore'), QUEUES),
)
