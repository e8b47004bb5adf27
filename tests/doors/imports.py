#!/usr/bin/env python3
"""`fastjournal import` from real servers: Debian's beanstalkd and redis-server. Each job comes once, whenever the import is
killed; what is refused stays as it was; dates, priorities and what is buried are kept.

usage: imports.py BIN PLUGINS [--seed S] [--cuts N] [--only WORD] [--sanitized] [--speed JOBS]
BIN has fastjournald and fastjournal, PLUGINS the table types. All servers are started here, on free ports, and ended. A
server that is not installed is told, and its part left out; without both the exit status is 77. --speed measures instead.
"""
import argparse
import base64
import json
import importlib.util
import os
import pathlib
import pickle
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib

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
    same((status, {row['queue']: (row['ready'], row['delayed'], row['parked']) for row in rows}),
         (0, {'mails': (2, 0, 0), 'later': (0, 1, 0), 'soon': (0, 1, 0), 'graves': (0, 0, 1)}), 'a dry run')
    same(source.figures('stats-tube mails')['current-jobs-ready'], '2', 'after a dry run')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'narrow')
    same((status, 'priorities' in errors[0]['message'], daemon.messages('narrow')), (1, True, {}), f'a narrow table {errors}')
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
    same([figures[f'current-jobs-{state}'] for state in ('ready', 'delayed', 'buried', 'reserved')], ['0'] * 4, 'the source')
    same('fastjournal-import' in source.ask('list-tubes')[1].decode(), False, 'the tube of the marker')
    same(daemon.run('import', f'{source.url}:{source.port}', 'tubes')[0], 4, 'an import of nothing')
    # A kicked one is due at once.
    daemon.run('queue', 'kick', 'tubes', str(found['graves'][0]['message']))
    same(daemon.messages('tubes')['graves'][0]['status'], 'due', 'a parked job that was kicked')


def test_tubes_refused(daemon, source, chance, cuts):
    """What the table refuses is at the source as it was; the others are moved; a paused tube, too."""
    large = b'x' * 65536
    before = {}
    for tube, delay in (('a', 0), ('b', 1000), ('c', 0)):
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
    same({queue: len(found) for queue, found in daemon.messages('tubes').items()}, {'a': 3, 'b': 3, 'c': 3}, 'the others')
    for job, was in before.items():
        now = source.figures(f'stats-job {job}')
        for name in ('tube', 'state', 'pri', 'ttr'):
            same(now[name], was[name], f'job {job}: {name}')
        assert abs(int(now['time-left']) - int(was['time-left'])) <= 5, f'job {job}: {was} {now}'
    same(source.figures('stats')['current-jobs-reserved'], '0', 'reserved')


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
            same(sorted(one['body'] for one in found[tube]), sorted(f'{tube} {i}' for i in range(count)), f'{what}: {tube}')
        same({one['status'] for one in found['graves']} | {one['status'] for one in found['later']}, {'parked', 'waiting'}, what)
        same(source.figures('stats')['current-jobs-buried'], '0', what)
        daemon.purge('tubes')

    for tube in numbers:
        daemon.purge('tubes')
        fill()
        same(killed_import(daemon, source, Proxy(source.port, source.cut), 'tubes', '--tube', tube), True, f'a cut in {tube}')
        wait_until_free(source)
        status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
        same((status, errors), (0, []), 'the import behind it')
        known = {row['queue']: row['known'] for row in rows}
        same(known[tube], 100 if tube == 'ready' else 1, f'jobs of {tube} that were sent before')
        check(f'a cut in {tube}')
    for round in range(cuts):
        fill()
        for _ in range(chance.randrange(1, 4)):
            after = chance.randrange(60000)
            killed_import(daemon, source, Proxy(source.port, after=after), 'tubes')
        wait_until_free(source)
        status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'tubes')
        same((status, errors), (0 if rows else 4, []), f'round {round}')
        check(f'round {round}')


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
                same(sorted(one['body'] for one in daemon.messages('tubes')['t']), ['one'] if options else ['one', 'two'],
                     f'jobs, beanstalkd {options}')
            finally:
                other.end()
            daemon.purge('tubes')


# ---------------------------------------------------------------------------
# Redis


def fill_rq(source, numbers, name='high'):
    source.ask('SADD', 'rq:queues', f'rq:queue:{name}')
    for i in numbers:
        data = zlib.compress(f'{name} {i}'.encode())
        source.ask('HSET', f'rq:job:{name}-{i}', 'data', data, 'description', f'f({i})', 'timeout', '180', 'created_at', 'x')
        source.ask('RPUSH', f'rq:queue:{name}', f'{name}-{i}')


def of_rq(one):
    return zlib.decompress(base64.b64decode(one['body_binary'].removeprefix('base64:'))).decode()


def test_rq(daemon, source, chance, cuts):
    """Jobs of RQ: ready, scheduled and failed ones; one without its hash is refused, and stays."""
    fill_rq(source, range(3))
    source.ask('RPUSH', 'rq:queue:high', 'gone')
    fill_rq(source, range(3, 250))
    fill_rq(source, range(2), 'low')
    for key, job in (('rq:scheduled:low', 'low-0'), ('rq:failed:low', 'low-1')):
        source.ask('LREM', 'rq:queue:low', 0, job)
        source.ask('ZADD', key, '2000000000.5', job)
    source.ask('ZADD', 'rq:wip:low', 5, 'other')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'rq', '--dry-run')
    same({row['queue']: (row['ready'], row['delayed'], row['parked']) for row in rows}, {'high': (251, 0, 0), 'low': (0, 1, 1)},
         'a dry run')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'rq')
    same((status, [(one['job'], one['code']) for one in rows if 'code' in one]), (1, [('gone', 'invalid')]), f'refused {errors}')
    assert any('rq:wip:low' in one.get('note', '') for one in errors), errors
    found = daemon.messages('jobs')
    same([of_rq(one) for one in found['high']], [f'high {i}' for i in range(250)], 'jobs, in their order')
    told = json.loads(found['high'][0]['properties'])['rq']
    same((told['id'], told['description'], found['high'][0]['lease'], found['high'][0]['priority']),
         ('high-0', 'f(0)', 180000, 100), 'what goes with it')
    same([(of_rq(one), one['status']) for one in found['low']], [('low 0', 'waiting'), ('low 1', 'parked')], 'low')
    same(found['low'][0]['process_date'], 2000000000500, 'a date')
    same(source.ask('LRANGE', 'rq:queue:high', 0, -1), [b'gone'], 'what is left')
    same((source.left(), source.ask('KEYS', 'rq:job:*')), ([], []), 'what is left')


def envelope(i, **headers):
    return json.dumps({'body': base64.b64encode(b'[]').decode(), 'headers': {'id': f'id-{i}', 'task': 'add', **headers},
                       'properties': {'delivery_tag': str(i)}})


def test_celery(daemon, source, chance, cuts):
    """Lists of Celery with their priorities; one with an `eta` has its date; what is too large stays where it was."""
    source.ask('SADD', '_kombu.binding.celery', 'celery\x06\x16\x06\x16celery')
    source.ask('SADD', '_kombu.binding.celery.pidbox', '\x06\x16\x06\x16celery@x.celery.pidbox')
    bodies = [envelope(i) for i in range(230)]
    large = [envelope('large' + str(i), more='x' * 70000) for i in range(2)]
    bodies[7] = envelope(7, eta='2033-05-18T03:33:20.250000+00:00')
    for i, body in enumerate(bodies):
        source.ask('LPUSH', 'celery', body)
        if i in (3, 150):
            source.ask('LPUSH', 'celery', large[i // 150])
    source.ask('LPUSH', 'celery\x06\x163', envelope('low'))
    source.ask('LPUSH', 'celery@x.celery.pidbox', '{}')
    source.ask('HSET', 'unacked', 'tag', '[]')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'celery')
    same((status, [(one['job'], one['code']) for one in rows if 'code' in one]),
         (1, [('id-large0', 'too_large'), ('id-large1', 'too_large')]), f'refused {errors}')
    assert any('unacked' in one.get('note', '') for one in errors), errors
    found = daemon.messages('jobs')['celery']
    same([one['body'] for one in found], [*bodies, envelope('low')], 'jobs, in their order')
    same([one['priority'] for one in (found[0], found[-1])], [100, 103], 'priorities')
    same((found[7]['status'], found[7]['process_date']), ('waiting', 2000000000250), 'an eta')
    same(source.ask('LRANGE', 'celery', 0, -1), [large[1].encode(), large[0].encode()], 'what is left, in its order')
    same((source.left(), source.ask('LLEN', 'celery@x.celery.pidbox'), source.ask('HLEN', 'unacked')), ([], 1, 1), 'the rest')


def sidekiq(i, queue, **more):
    return json.dumps({'class': 'Job', 'jid': f'jid-{i}', 'queue': queue, 'args': [i], **more})


def test_sidekiq(daemon, source, chance, cuts):
    """Lists and sorted sets of Sidekiq; --queue takes one queue's; what is refused keeps its score."""
    for queue in ('default', 'other'):
        source.ask('SADD', 'queues', queue)
        for i in range(3):
            source.ask('LPUSH', f'queue:{queue}', sidekiq(i, queue))
    large = sidekiq('large', 'default', more='x' * 70000)
    for i in range(150):
        source.ask('ZADD', 'schedule', 2000000000 + i, sidekiq(f's{i}', 'default' if i % 2 else 'other'))
    source.ask('ZADD', 'schedule', '2000000010.25', large)
    source.ask('ZADD', 'retry', 2000000000.5, sidekiq('r', 'default'))
    source.ask('ZADD', 'dead', 1700000000, sidekiq('d', 'default'))
    source.ask('ZADD', 'dead', 1700000001, 'no job')
    address = f'{source.url}:{source.port}'
    status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq', '--queue', 'default')
    same((status, sorted((one['job'], one['code']) for one in rows if 'code' in one)),
         (1, [('?', 'invalid'), ('jid-large', 'too_large')]), f'refused {errors}')
    found = daemon.messages('jobs')
    same(list(found), ['default'], 'queues')
    same([json.loads(one['body'])['jid'] for one in found['default'] if one['status'] == 'due'],
         ['jid-0', 'jid-1', 'jid-2'], 'jobs, in their order')
    same(sum(one['status'] == 'waiting' for one in found['default']), 76, 'jobs with a date')
    same([json.loads(one['body'])['jid'] for one in found['default'] if one['status'] == 'parked'], ['jid-d'], 'dead ones')
    same((source.ask('ZCARD', 'schedule'), source.ask('ZSCORE', 'schedule', large)), (76, b'2000000010.25'), 'what is left')
    status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq')
    same(status, 1, f'the rest {errors}')
    same({queue: len(found) for queue, found in daemon.messages('jobs').items()}, {'default': 80, 'other': 78}, 'all')
    same((source.ask('ZCARD', 'schedule'), source.ask('ZCARD', 'dead'), source.left()), (1, 1, []), 'what is left')


def has_module(name):
    found = importlib.util.find_spec(name) is not None
    if not found:
        print(f'{name} is not installed: its part is left out')
    return found


def test_rq_itself(daemon, source, chance, cuts):
    """What RQ itself has put: its body is what RQ would have run."""
    if not has_module('rq'):
        return
    import datetime
    import redis
    import rq
    queue = rq.Queue('itself', connection=redis.Redis(port=source.port))
    first = queue.enqueue('math.gcd', 12, 18, job_timeout=77)
    queue.enqueue_at(datetime.datetime(2033, 5, 18, 3, 33, 20, tzinfo=datetime.timezone.utc), 'math.gcd', 4, b=6)
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'rq')
    same((status, errors), (0, []), 'an import')
    found = daemon.messages('jobs')['itself']
    same([pickle.loads(zlib.decompress(base64.b64decode(one['body_binary'].removeprefix('base64:')))) for one in found],
         [('math.gcd', None, (12, 18), {}), ('math.gcd', None, (4,), {'b': 6})], 'bodies')
    same((found[0]['lease'], json.loads(found[0]['properties'])['rq']['id']), (77000, first.id), 'what goes with it')
    same((found[1]['status'], found[1]['process_date']), ('waiting', 2000000000000), 'a date')
    same((queue.count, source.ask('KEYS', 'rq:job:*')), (0, []), 'what is left')


def test_celery_itself(daemon, source, chance, cuts):
    """What Celery itself has put, without --queue: its queues are found."""
    if not has_module('celery'):
        return
    import celery
    app = celery.Celery('itself', broker=f'redis://127.0.0.1:{source.port}/0')
    app.conf.broker_transport_options = {'priority_steps': list(range(10))}
    app.send_task('add', (1, 2))
    app.send_task('add', (3, 4), queue='other', priority=5)
    app.send_task('add', (5, 6), eta='2033-05-18T03:33:20.123456+00:00')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'celery')
    same((status, errors), (0, []), 'an import')
    found = daemon.messages('jobs')
    tasks = {queue: [json.loads(base64.b64decode(json.loads(one['body'])['body']))[0] for one in of] for queue, of in found.items()}
    same(tasks, {'celery': [[1, 2], [5, 6]], 'other': [[3, 4]]}, 'tasks')
    same([found['celery'][0]['priority'], found['other'][0]['priority']], [100, 105], 'priorities')
    same((found['celery'][1]['status'], found['celery'][1]['process_date']), ('waiting', 2000000000123), 'an eta')
    same(source.left(), [], 'what is left')


def test_sidekiq_itself(daemon, source, chance, cuts):
    """What Sidekiq itself has put."""
    ruby = f"""require 'sidekiq'
Sidekiq.configure_client {{ |config| config.redis = {{ url: 'redis://127.0.0.1:{source.port}/0' }} }}
Sidekiq::Client.push('class' => 'Job', 'args' => [1], 'queue' => 'itself')
Sidekiq::Client.push('class' => 'Job', 'args' => [2], 'queue' => 'itself', 'at' => 2000000000.5)
"""
    if shutil.which('ruby') is None or subprocess.run(['ruby', '-rsidekiq', '-e', ''], stderr=subprocess.DEVNULL).returncode != 0:
        print('Sidekiq is not installed: its part is left out')
        return
    subprocess.run(['ruby', '-e', ruby], check=True, stderr=subprocess.DEVNULL, timeout=LIMIT)
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'sidekiq')
    same(status, 0, f'an import {errors}')
    found = daemon.messages('jobs')['itself']
    same([(json.loads(one['body'])['args'], one['status']) for one in found], [([1], 'due'), ([2], 'waiting')], 'jobs')
    same(found[1]['process_date'], 2000000000500, 'a date')


def test_redis_killed(daemon, source, chance, cuts):
    """A kill between our answer and the removal, and kills anywhere: no job is lost, none comes twice."""
    address = f'{source.url}:{source.port}'
    counts = {'list': 250, 'sorted': 130}

    def fill():
        source.ask('FLUSHALL')
        source.ask('SADD', 'queues', 'list')
        for i in range(counts['list']):
            source.ask('LPUSH', 'queue:list', sidekiq(i, 'list'))
        for i in range(counts['sorted']):
            source.ask('ZADD', 'dead', i, sidekiq(i, 'sorted'))

    def check(what):
        found = daemon.messages('jobs')
        for queue, count in counts.items():
            same(sorted(json.loads(one['body'])['args'][0] for one in found[queue]), list(range(count)), f'{what}: {queue}')
        same({one['status'] for one in found['sorted']}, {'parked'}, what)
        same(source.left() + source.ask('KEYS', 'queue:*'), [], what)
        daemon.purge('jobs')

    fill()
    same(killed_import(daemon, source, Proxy(source.port, source.cut), 'jobs', '--from', 'sidekiq'), True, 'a cut')
    status, rows, errors = daemon.run('import', address, 'narrow', '--from', 'sidekiq')
    same((status, any('was being imported' in one.get('message', '') for one in errors)), (1, True), f'another table {errors}')
    status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq')
    same((status, next(row['known'] for row in rows if row['queue'] == 'list')), (0, 100), f'the import behind it {errors}')
    check('a cut')
    for round in range(cuts):
        fill()
        for _ in range(chance.randrange(1, 4)):
            killed_import(daemon, source, Proxy(source.port, after=chance.randrange(150000)), 'jobs', '--from', 'sidekiq')
        status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq')
        same(status, 0 if rows else 4, f'round {round} {errors}')
        check(f'round {round}')


def test_redis_large(daemon, source, chance, cuts):
    """Elements beyond what a message may be, and beyond what is read at all, stay where they are."""
    source.ask('SADD', 'queues', 'q')
    for size in (10, 20 << 20, 70 << 20, 11):
        source.ask('LPUSH', 'queue:q', b'%d ' % size + b'x' * size)
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'sidekiq')
    same((status, [one['code'] for one in rows if 'code' in one]), (1, ['too_large'] * 2), f'refused {errors}')
    same([one['bytes'] for one in daemon.messages('jobs')['q']], [13, 14], 'the others')
    same((source.ask('LLEN', 'queue:q'), source.ask('LINDEX', 'queue:q', -1)[:8], source.left()), (2, b'20971520', []),
         'what is left')


def test_redis_password(daemon, source, chance, cuts):
    """A password comes by a file or the environment, and never by the address."""
    source.ask('CONFIG', 'SET', 'requirepass', 'secret')
    try:
        address = f'redis://127.0.0.1:{source.port}'
        status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'rq')
        same((status, errors[0]['error']), (1, 'not_allowed'), f'without a password {errors}')
        status, rows, errors = daemon.run('import', f'redis://:secret@127.0.0.1:{source.port}', 'jobs', '--from', 'rq')
        same((status, 'secret' in errors[0]['message'], 'REDISCLI_AUTH' in errors[0]['message']), (2, False, True), 'in the address')
        with tempfile.NamedTemporaryFile('w') as file:
            file.write('secret\n')
            file.flush()
            same(daemon.run('import', address, 'jobs', '--from', 'rq', '--password-file', file.name)[0], 4, 'a file')
        os.environ['REDISCLI_AUTH'] = 'secret'
        same(daemon.run('import', address, 'jobs', '--from', 'rq')[0], 4, 'the environment')
    finally:
        os.environ.pop('REDISCLI_AUTH', None)
        source.ask('CONFIG', 'SET', 'requirepass', '')


def test_hostile(daemon, source, chance, cuts):
    """What a source says is bounded: an import ends with a sentence, soon and with little memory."""
    said = {'beanstalkd': [b'x' * 5000, b'OK 99999999999\r\n', b'OK -1\r\n', b'HTTP/1.1 400 Bad Request\r\n\r\n', b'OK 5\r\nabcdefghi'],
            'redis': [b'*2147483647\r\n', b'$99999999999999999999\r\n', b'HTTP/1.1 400 Bad Request\r\n\r\n', b',1.5\r\n', b'*3\r\n' * 40,
                      b'+' + b'x' * (80 << 20)]}
    for scheme, answers in said.items():
        for answer in answers:
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
                    ['sh', '-c', f'ulimit -v {daemon.memory}; exec "$@"', 'sh', *daemon.command('--timeout', '3s', 'import', address, 'jobs', *words)],
                    capture_output=True, text=True, timeout=LIMIT)
                errors = [json.loads(line) for line in limited.stderr.splitlines()]
                assert limited.returncode in (1, 3) and len(errors) == 1, f'{scheme} {answer[:40]}: {limited}'


TESTS = {Beanstalkd: [test_tubes, test_tubes_refused, test_tubes_killed, test_tubes_restarted],
         Redis: [test_rq, test_celery, test_sidekiq, test_rq_itself, test_celery_itself, test_sidekiq_itself, test_redis_killed, test_redis_large, test_redis_password, test_hostile]}


def speed(daemon, folder, jobs):
    body = b'x' * 200
    for kind in TESTS:
        source = kind(folder)
        try:
            if kind is Beanstalkd:
                fills = {'ready': (jobs, [(0, b'put 100 0 60 200\r\n')]), 'delayed': (jobs // 10, [(0, b'put 100 9000 60 200\r\n')])}
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
                    source.ask('LPUSH', 'queue:q', *[sidekiq(at + i, 'q', more='x' * 140) for i in range(min(500, jobs - at))])
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
                    source.ask('ZADD', 'schedule', *[word for i in range(min(500, jobs - at))
                                                     for word in (2000000000 + at + i, sidekiq(at + i, 'q', more='x' * 140))])
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
