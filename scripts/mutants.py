#!/usr/bin/env python3
"""Plants known faults into the product, one at a time: the tests must fail with each (./mk mutants).

A fault is a patch, tests/mutants/SUBJECT/NAME.patch. It is applied to a copy; the objects of the changed sources are
compiled by the commands of an existing build, put into a copy of their library, and the proofs of the subject are
linked with it and run, until one of them fails. No source, object or library of the build changes.

usage: mutants.py BUILD [--draw N [--seed S]] [--jobs N] [SUBJECT | SUBJECT/NAME]...
       mutants.py --check
Exit code 0: each fault was seen; 1: one was not, or a proof fails without a fault; 2: a patch does not apply, or the
arguments are wrong.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'tests' / 'mutants'
PROOF_SECONDS = 60  # of random lives: most faults are seen in the first
WORLD_LIVES = ['fj_sim_run', '--seed', '1', '--seconds', str(PROOF_SECONDS)]


def transcripts(prefix):
    return ['FJ_TRANSCRIPTS=' + prefix, 'world', '--run_test=transcripts/each_goes_as_written']


# The proofs of a subject, the cheapest first. Words before the program are of its environment.
PROOFS = {
    'log_file': [['fj_crash', '--forget', '--scope', '1', '--crashes', '20000', '--damage', '4000', '--bytes', '0',
                  '--threads', '1'], ['unit_log_file']],
    'log_etcd': [['FJ_SEED=1', 'FJ_LIVES=2000', 'unit_log_etcd']],
    'storage': [['unit_storage'],
                ['fj_crash', '--forget', '--only-bytes', '--bytes', '10000', '--threads', '1']],
    'spool': [WORLD_LIVES + ['--spool'], ['unit_spool']],
    'access': [['unit_access'], ['world', '--run_test=signatures']],
    'blob': [['FJ_SEED=1000', 'FJ_LIVES=120', 'unit_blob', '--run_test=blob_model'], ['unit_blob']],
    'keyvalue': [transcripts('keyvalue'), WORLD_LIVES + ['--keyvalue']],
    'queue': [transcripts('queue'), WORLD_LIVES + ['--queue'], ['unit_queue']],
    'calendar': [['unit_model', '--run_test=calendar_of_cron']],
    'beanstalkd': [['world', '--run_test=beanstalkd']],
    'sqs': [['world', '--run_test=sqs']],
    'pipeline': [transcripts('pipeline'), WORLD_LIVES + ['--pipeline']],
    'groups': [['unit_journal', '--run_test=journal_waits,journal_waits_life'], transcripts('waits_failed')],
    'tags': [['unit_journal', '--run_test=journal_extras,journal_unique,journal_model'], transcripts('next_done')],
    'reports': [['unit_journal', '--run_test=progress,figures'], transcripts('progress')],
    'schedules': [['unit_journal', '--run_test=journal_schedules,journal_schedule_lives'], transcripts('schedules')],
    'transaction': [transcripts('transaction'), transcripts('xa'), ['world', '--run_test=transactions_crashes'],
                    WORLD_LIVES + ['--transactions']],
}


class Wrong(Exception):
    """The patch or the build is wrong, not the product."""


def faults():
    return sorted(f'{path.parent.name}/{path.stem}' for path in FOLDER.glob('*/*.patch'))


def planted(name):
    """The changed files of a fault: {path: text}. Each hunk must fit at exactly one place of today's file."""
    texts, path = {}, None
    lines = (FOLDER / f'{name}.patch').read_text().splitlines(keepends=True)
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith('+++ b/'):
            path = line[6:].strip()
            if not (ROOT / path).exists():
                raise Wrong(f'tests/mutants/{name}.patch: there is no {path}: write the patch anew '
                            '(tests/mutants/README.md)')
            texts.setdefault(path, (ROOT / path).read_text())
        elif line.startswith('@@'):
            old, new = '', ''
            while at < len(lines) and lines[at][0] in ' -+\n' and not lines[at].startswith('--- a/'):
                kind, text = (' ', '\n') if lines[at] == '\n' else (lines[at][0], lines[at][1:])
                old += text if kind in ' -' else ''
                new += text if kind in ' +' else ''
                at += 1
            count = texts[path].count(old)
            if count != 1:
                raise Wrong(f'tests/mutants/{name}.patch: its lines are found {count} times in {path}, expected once: '
                            'write the patch anew (tests/mutants/README.md)')
            texts[path] = texts[path].replace(old, new)
    if not texts:
        raise Wrong(f'tests/mutants/{name}.patch: it changes nothing')
    return texts


class Build:
    """What ninja knows of a build: which object is made of which source, and where it goes."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        if not (self.folder / 'build.ninja').exists():
            raise Wrong(f'{folder} has no build: ./mk build, or ./mk build dev')
        self.lock = threading.Lock()
        self.units = {}  # source -> (object, file that is compiled)
        for rule in self.ninja('compdb').split('"command": "')[1:]:
            source = re.search(r'"file": "([^"]*)"', rule)
            made = re.search(r'"output": "([^"]*)"', rule)
            if source is None or made is None or not made.group(1).endswith('.o'):
                continue
            unit = self.folder / source.group(1)
            if unit.suffix == '.cxx' and 'unity' in unit.name and unit.exists():
                for part in re.findall(r'#include "([^"]*)"', unit.read_text()):
                    self.units.setdefault(part, []).append((made.group(1), unit))
            else:
                self.units.setdefault(str(unit), []).append((made.group(1), unit))

    def ninja(self, *words):
        with getattr(self, 'lock', threading.Lock()):
            return subprocess.run(['ninja', '-C', self.folder, '-t', *words], check=True, capture_output=True,
                                  text=True).stdout

    def command(self, target):
        return self.ninja('commands', '-s', target).splitlines()[-1]

    def archive_of(self, made):
        """The archive that has this object, or None if programs link it itself."""
        outputs = self.ninja('query', made).split('outputs:')[1].split()
        return next((name for name in outputs if name.endswith('.a')), None)

    def units_with(self, path):
        """The objects and units that a changed file of the product goes into."""
        if path.endswith('.cpp'):
            return self.units.get(str(ROOT / path), [])
        units = []
        for block in self.ninja('deps').split('\n\n'):
            made, _, needed = block.partition(':')
            if str(ROOT / path) in needed or os.path.relpath(ROOT / path, self.folder) in needed:
                units += [(name, unit) for of_source in self.units.values() for name, unit in of_source if name == made]
        return [one for one in dict.fromkeys(units) if 'tests' not in one[0]]


class Fault:
    """One fault in a build: what is compiled, linked and run with it."""

    def __init__(self, build, name):
        self.build, self.name = build, name
        self.folder = build.folder / 'mutants' / name
        self.replaced = {}  # library or object of the build -> that with the fault

    def run(self, words, **more):
        done = subprocess.run(words, cwd=self.build.folder, capture_output=True, text=True, shell=isinstance(words, str),
                              **more)
        if done.returncode != 0:
            raise Wrong(f'{self.name}: {words}\n{done.stdout}{done.stderr}')

    def plant(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        texts = planted(self.name)
        for path, text in texts.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text)
        units = dict(one for path in texts for one in self.build.units_with(path))
        if not units:
            raise Wrong(f'{self.name}: nothing in {self.build.folder} is made of {", ".join(texts)}')
        for number, (made, unit) in enumerate(units.items()):
            self.compile(number, made, unit, texts)

    def compile(self, number, made, unit, texts):
        source = self.folder / f'{number}{unit.name}'
        if str(unit.relative_to(ROOT)) in texts:
            source = self.folder / unit.relative_to(ROOT)
        elif unit.suffix == '.cpp':
            source = unit
        else:
            text = unit.read_text()
            for path in texts:
                text = text.replace(f'"{ROOT / path}"', f'"{self.folder / path}"')
            source.write_text(text)
        out = self.folder / f'objects{number}' / pathlib.Path(made).name
        out.parent.mkdir()
        words = shlex.split(self.build.command(made))
        words[words.index('-o') + 1] = str(out)
        words[words.index('-c') + 1] = str(source)
        words[words.index('-MF') + 1] = str(out) + '.d'
        # A planted fault may leave something unused. To be compiled fast is more than to be fast: it runs once.
        words[1:1] = ['-I', str(self.folder / 'src'), '-I', str(self.folder)]
        self.run(words + ['-O0', '-g0', '-w'])
        library = self.build.archive_of(made)
        if library is None:
            self.replaced[made] = str(out)
            return
        if library not in self.replaced:
            self.replaced[library] = str(self.folder / pathlib.Path(library).name)
            shutil.copy(self.build.folder / library, self.replaced[library])
        self.run(['ar', 'r', self.replaced[library], str(out)])

    def link(self, program):
        path = self.folder / program
        if not path.exists():
            words = self.build.command(f'bin/{program}').split(' ')
            words = [self.replaced.get(word, word) for word in words]
            words[words.index('-o') + 1] = str(path)
            self.run(' '.join(words))
        return path

    def seen(self):
        """(the proof that fails, what it says), or None."""
        self.plant()
        for proof in PROOFS[self.name.split('/')[0]]:
            said = run_proof(proof, self.link, self.folder)
            if said is not None:
                return said
        return None


def run_proof(proof, path_of, folder):
    """None: it passed. Otherwise its name, and the line that says what is wrong."""
    environment = dict(os.environ, BOOST_TEST_REPORT_LEVEL='no', BOOST_TEST_COLOR_OUTPUT='no')
    words = list(proof)
    while '=' in words[0]:
        name, value = words.pop(0).split('=')
        environment[name] = value
    words[0] = str(path_of(words[0]))
    title = ' '.join([proof[len(proof) - len(words)], *[w for w in words[1:] if w.startswith('--') and '=' in w]])
    with subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors='replace', start_new_session=True) as run:
        try:
            said, _ = run.communicate(timeout=15 * PROOF_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return title, 'it never came to an end'
    if run.returncode == 0:
        return None
    lines = [line for line in said.splitlines() if line.strip()]
    wrong = next((line for line in lines if re.search(r'error|seed \d|violat|check', line)), lines[-1] if lines else '')
    wrong = re.sub(r'^.*error: in "[^"]*": ', '', wrong).replace(f'{ROOT}/', '')
    return title, wrong if run.returncode > 0 else f'signal {-run.returncode}: {wrong}'


def check():
    wrong = 0
    for name in faults():
        try:
            planted(name)
            if name.split('/')[0] not in PROOFS:
                raise Wrong(f'tests/mutants/{name}.patch: a subject without proofs; there are {", ".join(PROOFS)}')
        except Wrong as error:
            print(error, file=sys.stderr)
            wrong += 1
    print(f'{len(faults())} planted faults, {wrong} of them do not apply')
    return 2 if wrong else 0


def programs(subjects):
    words = [word for subject in subjects for proof in PROOFS[subject] for word in proof]
    return sorted({word for word in words if re.fullmatch(r'world|fj_\w+|unit_\w+', word)})


def main():
    parser = argparse.ArgumentParser(description='plants known faults: the tests must see each')
    parser.add_argument('build', nargs='?', help='a build folder, such as build/dev')
    parser.add_argument('names', nargs='*', metavar='SUBJECT[/NAME]', help='default: all')
    parser.add_argument('--check', action='store_true', help='only whether each patch applies')
    parser.add_argument('--programs', action='store_true', help='only print the programs that the proofs are')
    parser.add_argument('--draw', type=int, metavar='N', help='only N of them, by chance')
    parser.add_argument('--seed', default=None, help='of that chance')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    words = parser.parse_intermixed_args()
    if words.check:
        return check()
    chosen = [name for name in faults()
              if not words.names or any(name == one or name.startswith(one + '/') for one in words.names)]
    if not chosen or words.build is None:
        parser.error(f'no such fault; subjects: {", ".join(PROOFS)}')
    if words.programs:
        print(' '.join(programs({name.split('/')[0] for name in chosen})))
        return 0
    if words.draw is not None:
        seed = words.seed if words.seed is not None else str(random.randrange(2**32))
        chosen = sorted(random.Random(seed).sample(chosen, min(words.draw, len(chosen))))
        print(f'{len(chosen)} faults drawn with --seed {seed}')
    build = Build(words.build)
    missed, done, begin = [], 0, time.monotonic()
    print(f'{"":>9} {"fault":<46} {"seen by":<34} {"s":>6}  what it said')

    def one(name):
        start, fault = time.monotonic(), Fault(build, name)
        try:
            return fault.seen(), time.monotonic() - start
        except Wrong as error:
            return ('NOT PLANTED', str(error)), time.monotonic() - start
        finally:
            shutil.rmtree(fault.folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        runs = {pool.submit(one, name): name for name in chosen}
        for run in concurrent.futures.as_completed(runs):
            done += 1
            seen, seconds = run.result()
            by, what = seen or ('NOT SEEN', '')
            print(f'{done:>4}/{len(runs):<4} {runs[run]:<46} {by[:34]:<34} {seconds:>6.1f}  {what[:100]}', flush=True)
            if by.startswith('NOT '):
                missed.append(f'{runs[run]}: {by.lower()}\n{what}')
    print('\n'.join(sorted(missed)))
    print(f'{len(runs)} faults, {len(missed)} not seen, in {time.monotonic() - begin:.0f} s')
    return 1 if missed else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Wrong as error:
        print(f'mutants.py: {error}', file=sys.stderr)
        sys.exit(2)
