# SPDX-License-Identifier: LGPL-2.1-or-later
"""From runs to figures: medians, ratios, and whether a target is met."""

import fnmatch
import statistics
from dataclasses import asdict, dataclass
from typing import Optional


@dataclass(frozen=True)
class Summary:
    """All runs of one candidate. Speed and CPU are medians; memory and cache are the worst seen."""
    name: str
    median: float
    low: float
    high: float
    cpu: Optional[float]
    rss: Optional[int]
    cached: Optional[float]
    used: str


@dataclass
class Outcome:
    """What became of one candidate. `refused`: it said beforehand that it will not do this."""
    runs: list
    refused: Optional[str] = None
    failed: Optional[str] = None

    @property
    def complete(self):
        return not self.refused and not self.failed


@dataclass(frozen=True)
class Verdict:
    """rounds: the lowest and highest ratio within one round, a measure of how noisy it was."""
    goal: object
    subject: str
    value: Optional[float]
    rounds: Optional[tuple]
    word: str

    @property
    def missed(self):
        return self.word == 'short'


def known(runs, field):
    return [getattr(run, field) for run in runs if getattr(run, field) is not None]


def summarise(name, runs):
    speeds = [run.mbit_per_s for run in runs]
    cpu = known(runs, 'cpu_seconds_per_gib')
    return Summary(name, statistics.median(speeds), min(speeds), max(speeds),
                   statistics.median(cpu) if cpu else None,
                   max(known(runs, 'rss_bytes'), default=None),
                   max(known(runs, 'cached_share'), default=None),
                   ' / '.join(sorted(set(known(runs, 'used')))))


def judge(goal, runs_by_name):
    """`runs_by_name` holds only what was measured to the end."""
    summaries = {name: summarise(name, runs) for name, runs in runs_by_name.items()}
    subjects = [summaries[name] for name in summaries if fnmatch.fnmatch(name, goal.subject)]
    if not subjects or (goal.against and goal.against not in summaries):
        return Verdict(goal, goal.subject, None, None, 'not measured')
    if goal.what in ('rss', 'cache'):
        worst = max(subjects, key=lambda summary: figure(goal, summary) or 0)
        value, rounds = figure(goal, worst), None
    else:
        worst = max(subjects, key=lambda summary: summary.median)
        ours, theirs = figure(goal, worst), figure(goal, summaries[goal.against])
        value = ours / theirs if ours is not None and theirs else None
        rounds = by_round(goal, runs_by_name[worst.name], runs_by_name[goal.against])
    if value is None:
        return Verdict(goal, worst.name, None, None, 'not measured')
    return Verdict(goal, worst.name, value, rounds, grade(goal, value))


def figure(goal, summary):
    return {'speed': summary.median, 'cpu': summary.cpu, 'rss': summary.rss,
            'cache': summary.cached}[goal.what]


def by_round(goal, ours, theirs):
    field = {'speed': 'mbit_per_s', 'cpu': 'cpu_seconds_per_gib'}[goal.what]
    ratios = [getattr(one, field) / getattr(other, field) for one, other in zip(ours, theirs)
              if getattr(one, field) is not None and getattr(other, field)]
    return (min(ratios), max(ratios)) if ratios else None


def grade(goal, value):
    def reaches(bound):
        return value >= bound if goal.what == 'speed' else value <= bound
    if not reaches(goal.bound):
        return 'short'
    return 'met, stretch' if reaches(goal.stretch) else 'met'


def path_as_json(path, tried, verdicts, meanwhile):
    """`tried` maps each candidate to its Outcome."""
    return {
        'name': path.name, 'title': path.title, 'verb': path.verb, 'speed_of': path.speed_of,
        'meanwhile': meanwhile,
        'candidates': [{
            'name': candidate.name, 'command': list(candidate.argv), 'refused': outcome.refused,
            'failed': outcome.failed,
            'summary': asdict(summarise(candidate.name, outcome.runs)) if outcome.runs else None,
            'runs': [asdict(run) for run in outcome.runs],
        } for candidate, outcome in tried.items()],
        'goals': [{**asdict(verdict.goal), 'subject': verdict.subject, 'value': verdict.value,
                   'rounds': verdict.rounds, 'verdict': verdict.word} for verdict in verdicts],
    }
