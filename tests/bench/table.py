# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is printed."""

import stats

MIB = 1 << 20


def number(value, form, missing='-'):
    return missing if value is None else format(value, form)


def mib(size):
    return None if size is None else size / MIB


def print_header(facts):
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        print(f'{name:{width}}  {value}')
    print(flush=True)


def print_path(path, tried, verdicts, meanwhile):
    unit = 'Mbit/s as the sender reports' if path.speed_of == 'stream' else 'Mbit/s until all done'
    print(f'{path.name}: {path.title} ({unit})')
    width = max([len('candidate'), *(len(candidate.name) for candidate in tried)])
    print(f'  {"candidate":{width}}  {"median":>8} {"min":>8} {"max":>8}  {"CPU s/GiB":>9} '
          f'{"peak MiB":>8} {"cached":>7}  used')
    for candidate, outcome in tried.items():
        if not outcome.complete:
            why = f'refused: {outcome.refused}' if outcome.refused else f'FAILED: {outcome.failed}'
            print(f'  {candidate.name:{width}}  {why}')
            continue
        row = stats.summarise(candidate.name, outcome.runs)
        print(f'  {row.name:{width}}  {row.median:8,.0f} {row.low:8,.0f} {row.high:8,.0f}  '
              f'{number(row.cpu, "9.3f"):>9} {number(mib(row.rss), "8.1f"):>8} '
              f'{number(row.cached, "7.1%"):>7}  '
              f'{row.used}'.rstrip())
    for verdict in verdicts:
        print(f'  {target_line(verdict)}')
    print(f'  meanwhile others and the kernel used {meanwhile["others"]:.2f} CPUs, '
          f'the host withheld {meanwhile["steal"]:.2f}')
    print(flush=True)


def target_line(verdict):
    goal = verdict.goal
    if goal.what in ('speed', 'cpu'):
        what = f'{goal.what} {verdict.subject} / {goal.against}'
        form, scale = '.3f', 1
    elif goal.what == 'rss':
        what, form, scale = f'peak MiB {verdict.subject}', '.1f', MIB
    else:
        what, form, scale = f'share cached {verdict.subject}', '.3%', 1
    value = None if verdict.value is None else verdict.value / scale
    sign = '>=' if goal.what == 'speed' else '<='
    line = (f'{what:46} {number(value, form):>7}  {sign} {goal.bound / scale:{form}} '
            f'(stretch {goal.stretch / scale:{form}})  {verdict.word}')
    if verdict.rounds and verdict.rounds[0] != verdict.rounds[1]:
        line += f'  [{verdict.rounds[0]:.2f} .. {verdict.rounds[1]:.2f}]'
    return line


def print_list(paths, tools):
    for path in paths:
        names = ', '.join(candidate.name for candidate in path.candidates(tools))
        print(f'{path.name}: {path.title}\n  candidates: {names or "none"}')
        for goal in path.goals:
            print(f'  {target_line(stats.Verdict(goal, goal.subject, None, None, "target"))}')
    print_missing(tools)


def print_missing(tools):
    for what in tools.missing:
        print(f'missing: {what}')
