#!/usr/bin/env python3
"""`fastjournal import` from real servers: Debian's beanstalkd and redis-server. Each job comes once, whenever the
import is killed; what is refused stays as it was; dates, priorities and what is buried are kept.

usage: imports.py BIN PLUGINS [--seed S] [--cuts N] [--only WORD] [--sanitized] [--speed JOBS]
BIN has fastjournald and fastjournal, PLUGINS the table types. All servers are started here, on free ports, and ended. A
server that is not installed is told, and its part left out; without both the exit status is 77. --speed measures.
"""
import argparse
import base64
import json
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import import_redis
from import_servers import LIMIT, Beanstalkd, Daemon, Proxy, Redis, killed_import, same, wait_until_free

# ---------------------------------------------------------------------------
# beanstalkd


def test_tubes(daemon, source, chance, cuts):
    """Everything of a job is kept: tube, body, priority, ttr, date, and whether it is buried."""
    body = bytes(range(256))
    source.put('mails', 4294967295, 0, 7, b'last')
    source.put('mails', 0, 0, 60, body)
    source.put('later', 5, 3600, 60, b'in an hour')
    source.put('soon', 5, 2, 60, b'in two seconds')
    source.bury(source.put('graves', 9, 0, 60, b'buried'), 77)
    source.ask('watch empty')
    status, rows, _ = daemon.run('import', f'{source.url}:{source.port}', 'tubes', '--dry-run')
    same(
        (status, {row['queue']: (row['ready'], row['delayed'], row['parked']) for row in rows}),
        (0, {'mails': (2, 0, 0), 'later': (0, 1, 0), 'soon': (0, 1, 0), 'graves': (0, 0, 1)}),
        'a dry run',
    )
    same(source.figures('stats-tube mails')['current-jobs-ready'], '2', 'after a dry run')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'narrow')
    same(
        (status, 'priorities' in errors[0]['message'], daemon.messages('narrow')),
        (1, True, {}),
        f'a narrow table {errors}',
    )
    now = time.time() * 1000
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
    same((status, errors), (0, []), 'an import')
    found = daemon.messages('tubes')
    mails = found['mails']
    same([one['priority'] for one in mails], [0, 4294967295], 'priorities, in their order')
    same([one['lease'] for one in mails], [60000, 7000], 'leases')
    same(mails[0]['body_binary'], 'base64:' + base64.b64encode(body).decode(), 'a body')
    for queue, least in (('later', 3600), ('soon', 2)):
        wait = found[queue][0]['process_date'] - now
        assert least * 1000 - 1000 <= wait <= least * 1000 + 5000, f'{queue}: a wait of {wait} ms'
    same((found['graves'][0]['status'], found['graves'][0]['priority']), ('parked', 77), 'a buried job')
    figures = source.figures('stats')
    same(
        [figures[f'current-jobs-{state}'] for state in ('ready', 'delayed', 'buried', 'reserved')],
        ['0'] * 4,
        'the source',
    )
    same('fastjournal-import' in source.ask('list-tubes')[1].decode(), False, 'the tube of the marker')
    same(daemon.run('import', f'{source.url}:{source.port}', 'tubes')[0], 4, 'an import of nothing')
    # A kicked one is due at once.
    daemon.run('queue', 'kick', 'tubes', str(found['graves'][0]['message']))
    same(daemon.messages('tubes')['graves'][0]['status'], 'due', 'a parked job that was kicked')


def test_tubes_refused(daemon, source, chance, cuts):
    """What the table refuses is at the source as it was; the others are moved; a paused tube, too."""
    large = b'x' * 65536
    before = {}
    for tube, delay in (('a', 0), ('b', 1000), ('c', 0), ('d', 0)):
        for size in (65535, 65536, 3, 65536, 5):
            job = source.put(tube, 10, delay, 2, large[:size])
            if tube == 'c':
                source.bury(job, 10)
            if size == 65536:
                before[job] = source.figures(f'stats-job {job}')
    source.ask('pause-tube a 3600')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
    refused = [one for one in rows if 'code' in one]
    same((status, sorted(int(one['job']) for one in refused)), (1, sorted(before)), f'refused jobs {errors}')
    same({one['code'] for one in refused}, {'too_large'}, 'why')
    same(
        {queue: len(found) for queue, found in daemon.messages('tubes').items()},
        {'a': 3, 'b': 3, 'c': 3, 'd': 3},
        'the others',
    )
    for job, was in before.items():
        now = source.figures(f'stats-job {job}')
        for name in ('tube', 'state', 'pri', 'ttr'):
            same(now[name], was[name], f'job {job}: {name}')
        assert abs(int(now['time-left']) - int(was['time-left'])) <= 5, f'job {job}: {was} {now}'
    same(source.figures('stats')['current-jobs-reserved'], '0', 'reserved')


def test_document(daemon, source, chance, cuts):
    """The example of doc/beanstalkd.md, with this source."""
    for _ in range(3):
        source.put('mails', 1024, 0, 60, b'hello')
    source.put('mails', 1024, 3600, 60, b'later')
    source.put('pages', 10, 0, 60, b'x' * 70000)
    source.bury(source.put('pages', 10, 0, 60, b'a page'), 10)
    source.put('pages', 0, 0, 5, b'at work')
    source.ask('watch pages')
    same(source.ask('reserve-with-timeout 0')[0][0], 'RESERVED', 'a worker')
    page = (pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'beanstalkd.md').read_text()
    example = next(block for block in page.split('```') if block.startswith('text\n$ fastjournal import'))
    for command in example.removeprefix('text\n').split('$ fastjournal ')[1:]:
        words, shown = command.split('\n', 1)
        words = words.replace('beanstalkd://old.example.com:11300', f'{source.url}:{source.port}').split()
        done = subprocess.run(
            [one for one in daemon.command(*words) if one != '--json'], capture_output=True, text=True, timeout=LIMIT
        )
        pattern = re.escape(shown).replace(re.escape('...'), '.*')
        assert re.fullmatch(pattern, done.stdout), f'{words}: {done.stdout}'


def test_tubes_killed(daemon, source, chance, cuts):
    """A kill between our answer and the delete, and kills anywhere: no job is lost, none comes twice."""
    numbers = {'ready': 300, 'later': 20, 'graves': 20}

    def fill():
        for tube, count in numbers.items():
            for i in range(count):
                job = source.put(tube, i % 7, 1000 if tube == 'later' else 0, 60, f'{tube} {i}'.encode())
                if tube == 'graves':
                    source.bury(job, 1)

    def check(what):
        found = daemon.messages('tubes')
        for tube, count in numbers.items():
            same(
                sorted(one['body'] for one in found[tube]),
                sorted(f'{tube} {i}' for i in range(count)),
                f'{what}: {tube}',
            )
        same(
            {one['status'] for one in found['graves']} | {one['status'] for one in found['later']},
            {'parked', 'waiting'},
            what,
        )
        same(source.figures('stats')['current-jobs-buried'], '0', what)
        daemon.purge('tubes')

    for tube in numbers:
        daemon.purge('tubes')
        fill()
        same(
            killed_import(daemon, source, Proxy(source.port, source.cut), 'tubes', '--tube', tube),
            True,
            f'a cut in {tube}',
        )
        wait_until_free(source)
        status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
        same((status, errors), (0, []), 'the import behind it')
        known = {row['queue']: row['known'] for row in rows}
        same(known[tube], 100 if tube == 'ready' else 1, f'jobs of {tube} that were sent before')
        check(f'a cut in {tube}')
    for round in range(cuts):
        fill()
        for _ in range(chance.randrange(1, 4)):
            port = chance.choice([source.port, daemon.port])
            killed_import(daemon, source, Proxy(port, after=chance.randrange(60000)), 'tubes')
        wait_until_free(source)
        status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
        same((status, errors), (0 if rows else 4, []), f'round {round}')
        check(f'round {round}')


def test_tubes_of_no_use(daemon, source, chance, cuts):
    """What cannot be moved is said before anything is: no right to park, no such table, a table of another type."""
    address = f'{source.url}:{source.port}'
    source.put('a', 1, 0, 60, b'a job')
    source.bury(source.put('b', 1, 0, 60, b'buried'), 1)
    for server, words, why in (
        (daemon.producers, ('tubes',), 'not_allowed'),
        (None, ('nothing',), 'unknown_table'),
        (None, ('journal',), 'not_supported'),
        (None, ('tubes', '--tube', 'nothing'), 'not_found'),
    ):
        status, rows, errors = daemon.run('import', address, *words, server=server)
        same((status, errors[0]['error']), (1, why), f'{words}: {errors}')
        same(daemon.messages('tubes'), {}, words)
    figures = source.figures('stats')
    same([figures[f'current-jobs-{state}'] for state in ('ready', 'buried', 'reserved')], ['1', '1', '0'], 'the source')
    status, rows, errors = daemon.run('import', address, 'tubes', '--tube', 'a', server=daemon.producers)
    same((status, errors), (0, []), 'who may add moves what is ready')


def test_tubes_becoming_ready(daemon, source, chance, cuts):
    """Jobs whose delay ends while others are moved are moved, too."""
    count = 2500
    for i in range(count):
        source.put('t', 1, 1, 60, str(i).encode())
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
    same((status, errors), (0, []), 'an import')
    same((rows[0]['ready'] + rows[0]['delayed'], source.figures('stats')['current-jobs-ready']), (count, '0'), 'jobs')


def test_tubes_stopped(daemon, source, chance, cuts):
    """SIGTERM ends an import between two batches: nothing stays reserved, and the next one moves the rest."""
    count = 10000
    for i in range(count):
        source.put('t', 1, 0, 60, str(i).encode())
    process = subprocess.Popen(
        daemon.command('import', f'{source.url}:{source.port}', 'tubes'),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + LIMIT
    while source.figures('stats')['cmd-delete'] == '0':
        assert time.monotonic() < until and process.poll() is None, 'the import moves nothing'
    process.terminate()
    errors = process.communicate(timeout=LIMIT)[1]
    same((process.returncode, b'it was stopped' in errors), (1, True), f'an import that is stopped {errors}')
    figures = source.figures('stats')
    same((figures['current-jobs-reserved'], int(figures['current-jobs-ready']) > 0), ('0', True), 'the source')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
    same((status, rows[0]['known'], errors), (0, 0, []), 'the next one')
    there = {row['queue']: row['messages'] for row in daemon.run('queue', 'ls', 'tubes')[1]}
    same(there['t'], count, 'jobs')


def test_tubes_half_parked(daemon, source, chance, cuts):
    """A kill between the steps of parking a buried job."""
    for word, skip in ((b'ACQUIRE', 1), (b'PARK', 0)):  # the first one asks for the right to it
        source.bury(source.put('graves', 1, 0, 60, b'buried'), 1)
        same(killed_import(daemon, source, Proxy(daemon.port, word, skip=skip), 'tubes'), True, f'a cut before {word}')
        status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
        same((status, rows[0]['known'], errors), (0, 1, []), 'the import behind it')
        same([one['status'] for one in daemon.messages('tubes')['graves']], ['parked'], word)
        daemon.purge('tubes')


def test_tubes_restarted(daemon, source, chance, cuts):
    """Numbers that a beanstalkd gives again are other jobs, with a binlog and without."""
    with tempfile.TemporaryDirectory() as binlog:
        for options in ((), ('-b', binlog, '-f', '0')):
            other = Beanstalkd(None, *options)
            try:
                other.put('t', 1, 0, 60, b'one')
                same(killed_import(daemon, other, Proxy(other.port, other.cut), 'tubes'), True, 'a cut')
                other.end()
                other.start()
                if not options:
                    same(other.put('t', 1, 0, 60, b'two'), 1, 'the number of the first job')
                status, rows, errors = daemon.run('import', f'{other.url}:{other.port}', 'tubes')
                same((status, errors), (0, []), 'an import')
                same(
                    sorted(one['body'] for one in daemon.messages('tubes')['t']),
                    ['one'] if options else ['one', 'two'],
                    f'jobs, beanstalkd {options}',
                )
            finally:
                other.end()
            daemon.purge('tubes')


def test_tubes_lost_numbers(daemon, source, chance, cuts):
    """A beanstalkd that lost its youngest jobs gives their numbers to others: these are told, and not deleted."""
    same(source.put('t', 1, 0, 60, b'one'), 1, 'its number')
    same(killed_import(daemon, source, Proxy(source.port, source.cut), 'tubes'), True, 'a cut')
    source.ask('use fastjournal-import')
    marker = source.ask('peek-delayed')[1]
    other = Beanstalkd(None)
    try:
        same(other.put('t', 1, 0, 60, b'two'), 1, 'its number')
        other.put('fastjournal-import', 0, 315360000, 60, marker)
        status, rows, errors = daemon.run('import', f'{other.url}:{other.port}', 'tubes')
        same((status, [one['code'] for one in rows if 'code' in one], errors), (1, ['wrong_state'], []), 'an import')
        same(other.ask('peek 1'), (['FOUND', '1', '3'], b'two'), 'the job')
        same([one['body'] for one in daemon.messages('tubes')['t']], ['one'], 'jobs')
    finally:
        other.end()


def test_hostile(daemon, source, chance, cuts):
    """What a source says is bounded: an import ends with a sentence, soon and with little memory."""
    said = {
        'beanstalkd': [
            (b'x' * 5000, 'too long'),
            (b'OK 99999999999\r\n', 'more than 1 GiB'),
            (b'OK -1\r\n', 'no beanstalkd'),
            (b'HTTP/1.1 400 Bad Request\r\n\r\n', 'no beanstalkd'),
            (b'OK 5\r\nabcdefghi', 'other bytes'),
        ],
        'redis': [
            (b'*2147483647\r\n', '4096 items'),
            (b'$99999999999999999999\r\n', 'no Redis'),
            (b'HTTP/1.1 400 Bad Request\r\n\r\n', 'no Redis'),
            (b',1.5\r\n', 'no Redis'),
            (b'*3\r\n' * 40, 'no Redis'),
            (b'$' + b'%d\r\n' % (100 << 20) + b'x' * (100 << 20), '66 MiB'),
            (b'+' + b'x' * (80 << 20), 'too long'),
        ],
    }
    for scheme, answers in said.items():
        for answer, why in answers:
            with socket.create_server(('127.0.0.1', 0)) as listener:
                words = ['--from', 'rq'] if scheme == 'redis' else []

                def serve(listener=listener, answer=answer):
                    for _ in range(3):
                        try:
                            here, _ = listener.accept()
                            here.recv(100)
                            here.sendall(answer)
                            while here.recv(100):
                                pass
                        except OSError:
                            return

                threading.Thread(target=serve, daemon=True).start()
                address = f'{scheme}://127.0.0.1:{listener.getsockname()[1]}'
                limited = subprocess.run(
                    [
                        'sh',
                        '-c',
                        f'ulimit -v {daemon.memory}; exec "$@"',
                        'sh',
                        *daemon.command('--timeout', '3s', 'import', address, 'jobs', *words),
                    ],
                    capture_output=True,
                    text=True,
                    timeout=LIMIT,
                )
                errors = [json.loads(line) for line in limited.stderr.splitlines()]
                same(
                    (limited.returncode, [why in one['message'] for one in errors]),
                    (1, [True]),
                    f'{scheme} {answer[:40]}: {errors}',
                )


TESTS = {
    Beanstalkd: [
        test_tubes,
        test_tubes_refused,
        test_document,
        test_tubes_of_no_use,
        test_tubes_becoming_ready,
        test_tubes_stopped,
        test_tubes_killed,
        test_tubes_half_parked,
        test_tubes_restarted,
        test_tubes_lost_numbers,
    ],
    Redis: [*import_redis.TESTS, test_hostile],
}


def speed(daemon, folder, jobs):
    body = b'x' * 200
    for kind in TESTS:
        source = kind(folder)
        try:
            if kind is Beanstalkd:
                fills = {
                    'ready': (jobs, [(0, b'put 100 0 60 200\r\n')]),
                    'delayed': (jobs // 10, [(0, b'put 100 9000 60 200\r\n')]),
                }
                for name, (count, _) in fills.items():
                    line = fills[name][1][0][1]
                    for at in range(0, count, 500):
                        some = min(500, count - at)
                        source.socket.sendall((line + body + b'\r\n') * some)
                        for _ in range(some):
                            source.file.readline()
                    measure(daemon, name, count, f'{source.url}:{source.port}', 'tubes')
                source.ask('use default')
                for _ in range(jobs // 10):
                    source.bury(source.put('default', 1, 0, 60, body), 1)
                measure(daemon, 'buried', jobs // 10, f'{source.url}:{source.port}', 'tubes')
            else:
                source.ask('SADD', 'queues', 'q')
                for at in range(0, jobs, 500):
                    source.ask(
                        'LPUSH',
                        'queue:q',
                        *[import_redis.sidekiq(at + i, 'q', more='x' * 140) for i in range(min(500, jobs - at))],
                    )
                measure(daemon, 'a list of Redis', jobs, f'{source.url}:{source.port}', 'jobs', '--from', 'sidekiq')
                for i in range(jobs):
                    source.send(('HSET', f'rq:job:{i}', 'data', body, 'description', 'f()', 'timeout', '180'))
                    source.send(('RPUSH', 'rq:queue:r', i))
                    if i % 500 == 499:
                        for _ in range(1000):
                            source.answer()
                source.ask('SADD', 'rq:queues', 'rq:queue:r')
                measure(daemon, 'RQ', jobs, f'{source.url}:{source.port}', 'jobs', '--from', 'rq')
                for at in range(0, jobs, 500):
                    source.ask(
                        'ZADD',
                        'schedule',
                        *[
                            word
                            for i in range(min(500, jobs - at))
                            for word in (2000000000 + at + i, import_redis.sidekiq(at + i, 'q', more='x' * 140))
                        ],
                    )
                measure(daemon, 'a sorted set', jobs, f'{source.url}:{source.port}', 'jobs', '--from', 'sidekiq')
        finally:
            source.end()


def measure(daemon, name, jobs, *words):
    start = time.monotonic()
    done = subprocess.run(daemon.command('import', *words), capture_output=True, text=True, timeout=600)
    seconds = time.monotonic() - start
    assert done.returncode == 0, done
    print(f'{name}: {jobs} jobs in {seconds:.2f} s, {jobs / seconds:.0f}/s')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('programs')
    parser.add_argument('plugins')
    parser.add_argument('--seed', type=int, default=random.randrange(2**32))
    parser.add_argument('--cuts', type=int, default=5)
    parser.add_argument('--speed', type=int)
    parser.add_argument('--only', help='tests with this in their name')
    parser.add_argument('--sanitized', action='store_true', help='memory cannot be limited')
    given = parser.parse_args()
    chance = random.Random(given.seed)
    if given.sanitized:
        Daemon.memory = 'unlimited'
    print(f'seed {given.seed}')
    missing = [kind.program for kind in TESTS if shutil.which(kind.program) is None]
    for program in missing:
        print(f'{program} is not installed: its part is left out')
    if len(missing) == len(TESTS):
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        daemon = Daemon(given.programs, given.plugins, folder)
        try:
            if given.speed:
                speed(daemon, folder, given.speed)
                return 0
            for kind, tests in TESTS.items():
                if kind.program in missing:
                    continue
                for test in tests:
                    if given.only and given.only not in test.__name__:
                        continue
                    for table in ('tubes', 'jobs'):
                        daemon.purge(table)
                    source = kind(folder)
                    try:
                        start = time.monotonic()
                        test(daemon, source, chance, given.cuts)
                        print(f'{test.__name__}: {time.monotonic() - start:.1f} s')
                    except AssertionError as failed:
                        print(f'{test.__name__}: {failed}')
                        raise
                    finally:
                        source.end()
        finally:
            daemon.process.terminate()
            daemon.process.wait()
    return 0


if __name__ == '__main__':
    sys.exit(main())
