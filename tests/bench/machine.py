# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a reader has to know about the machine before believing any figure."""

import datetime
import os
import resource
import subprocess
import time

import vm
from candidates import version


def first_line(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.readline().strip()
    except OSError:
        return 'unknown'


def cpu_model():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        for line in file:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return os.uname().machine


def memory_mib():
    with open('/proc/meminfo', encoding='utf-8') as file:
        return int(file.readline().split()[1]) // 1024


def file_system(directory):
    answer = subprocess.run(['df', '--output=fstype,source', directory], capture_output=True,
                            text=True, check=False)
    lines = answer.stdout.splitlines()
    return ' on '.join(lines[1].split()) if len(lines) > 1 else 'unknown'


def stream_end(synthetic):
    if synthetic:
        return 'the QEMU-shaped generator'
    accelerator = 'KVM' if os.access('/dev/kvm', os.R_OK | os.W_OK) else 'TCG'
    return f'{version([vm.PROGRAM, "--version"])}, {accelerator}'


class Meanwhile:
    """What the machine did besides us, in CPUs: the first thing to look at when figures jump."""

    def __init__(self):
        self.start = self.now()

    @staticmethod
    def now():
        with open('/proc/stat', encoding='utf-8') as file:
            user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
        tick = os.sysconf('SC_CLK_TCK')
        ours = sum(usage.ru_utime + usage.ru_stime for usage in
                   map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        return {'time': time.monotonic(), 'steal': steal / tick,
                'others': (user + nice + system + irq + softirq) / tick - ours}

    def cpus(self):
        now = self.now()
        seconds = max(now['time'] - self.start['time'], 0.001)
        return {name: max(now[name] - self.start[name], 0) / seconds
                for name in ('others', 'steal')}


def facts(tools, directory, synthetic):
    return {
        'date': datetime.datetime.now().astimezone().isoformat(timespec='seconds'),
        'kernel': f'{os.uname().sysname} {os.uname().release} {os.uname().machine}',
        'CPUs': f'{os.cpu_count()} x {cpu_model()}',
        'memory': f'{memory_mib()} MiB',
        'load': ' '.join(f'{load:.2f}' for load in os.getloadavg()),
        'files in': f'{directory} ({file_system(directory)})',
        'pipe-max-size': first_line('/proc/sys/fs/pipe-max-size'),
        'wmem_max': first_line('/proc/sys/net/core/wmem_max'),
        'stream end': stream_end(synthetic),
        'iohelper': version([tools.helper, '--version']) if tools.helper else 'none',
        'stock': tools.stock or 'none',
    }
