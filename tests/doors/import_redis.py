"""The tests of imports.py with a Redis: jobs as RQ, Celery and Sidekiq keep them, and what these put themselves where
they are installed."""

import base64
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import tempfile
import zlib

from import_servers import LIMIT, Proxy, killed_import, same


def fill_rq(source, numbers, name='high'):
    source.ask('SADD', 'rq:queues', f'rq:queue:{name}')
    for i in numbers:
        data = zlib.compress(f'{name} {i}'.encode())
        source.ask(
            'HSET', f'rq:job:{name}-{i}', 'data', data, 'description', f'f({i})', 'timeout', '180', 'created_at', 'x'
        )
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
    same(
        {row['queue']: (row['ready'], row['delayed'], row['parked']) for row in rows},
        {'high': (251, 0, 0), 'low': (0, 1, 1)},
        'a dry run',
    )
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'jobs', '--from', 'rq')
    same(
        (status, [(one['job'], one['code']) for one in rows if 'code' in one]),
        (1, [('gone', 'invalid')]),
        f'refused {errors}',
    )
    assert any('rq:wip:low' in one.get('note', '') for one in errors), errors
    found = daemon.messages('jobs')
    same([of_rq(one) for one in found['high']], [f'high {i}' for i in range(250)], 'jobs, in their order')
    told = json.loads(found['high'][0]['properties'])['rq']
    same(
        (told['id'], told['description'], found['high'][0]['lease'], found['high'][0]['priority']),
        ('high-0', 'f(0)', 180000, 100),
        'what goes with it',
    )
    same([(of_rq(one), one['status']) for one in found['low']], [('low 0', 'waiting'), ('low 1', 'parked')], 'low')
    same(found['low'][0]['process_date'], 2000000000500, 'a date')
    same(source.ask('LRANGE', 'rq:queue:high', 0, -1), [b'gone'], 'what is left')
    same((source.left(), source.ask('KEYS', 'rq:job:*')), ([], []), 'what is left')


def envelope(i, **headers):
    return json.dumps(
        {
            'body': base64.b64encode(b'[]').decode(),
            'headers': {'id': f'id-{i}', 'task': 'add', **headers},
            'properties': {'delivery_tag': str(i)},
        }
    )


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
    same(
        (status, [(one['job'], one['code']) for one in rows if 'code' in one]),
        (1, [('id-large0', 'too_large'), ('id-large1', 'too_large')]),
        f'refused {errors}',
    )
    assert any('unacked' in one.get('note', '') for one in errors), errors
    found = daemon.messages('jobs')['celery']
    same([one['body'] for one in found], [*bodies, envelope('low')], 'jobs, in their order')
    same([one['priority'] for one in (found[0], found[-1])], [100, 103], 'priorities')
    same((found[7]['status'], found[7]['process_date']), ('waiting', 2000000000250), 'an eta')
    same(source.ask('LRANGE', 'celery', 0, -1), [large[1].encode(), large[0].encode()], 'what is left, in its order')
    same(
        (source.left(), source.ask('LLEN', 'celery@x.celery.pidbox'), source.ask('HLEN', 'unacked')),
        ([], 1, 1),
        'the rest',
    )


def test_celery_killed(daemon, source, chance, cuts):
    """A kill while an element that was refused waits to go back, and one that will be is in the batch."""
    bodies = [envelope(i, more='x' * (70000 if i in (3, 150) else 1)).encode() for i in range(220)]
    for body in bodies:
        source.ask('LPUSH', 'celery', body)
    words = ('jobs', '--from', 'celery', '--queue', 'celery')
    same(killed_import(daemon, source, Proxy(source.port, source.cut, skip=1), *words), True, 'a cut')
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', *words)
    same((status, {one['job'] for one in rows if 'code' in one}), (1, {'id-150', 'id-3'}), f'refused {errors}')
    same(source.ask('LRANGE', 'celery', 0, -1), [bodies[150], bodies[3]], 'what is left, in its order')
    same((len(daemon.messages('jobs')['celery']), source.left()), (218, []), 'the others')


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
    same(
        (status, sorted((one['job'], one['code']) for one in rows if 'code' in one)),
        (1, [('?', 'invalid'), ('jid-large', 'too_large')]),
        f'refused {errors}',
    )
    found = daemon.messages('jobs')
    same(list(found), ['default'], 'queues')
    same(
        [json.loads(one['body'])['jid'] for one in found['default'] if one['status'] == 'due'],
        ['jid-0', 'jid-1', 'jid-2'],
        'jobs, in their order',
    )
    same(sum(one['status'] == 'waiting' for one in found['default']), 76, 'jobs with a date')
    same(
        [json.loads(one['body'])['jid'] for one in found['default'] if one['status'] == 'parked'],
        ['jid-d'],
        'dead ones',
    )
    same(
        (source.ask('ZCARD', 'schedule'), source.ask('ZSCORE', 'schedule', large)),
        (76, b'2000000010.25'),
        'what is left',
    )
    status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq')
    same((status, sum('code' in one for one in rows)), (1, 2), f'the rest {errors}')
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
    same(
        [pickle.loads(zlib.decompress(base64.b64decode(one['body_binary'].removeprefix('base64:')))) for one in found],
        [('math.gcd', None, (12, 18), {}), ('math.gcd', None, (4,), {'b': 6})],
        'bodies',
    )
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
    tasks = {
        queue: [json.loads(base64.b64decode(json.loads(one['body'])['body']))[0] for one in of]
        for queue, of in found.items()
    }
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
    if (
        shutil.which('ruby') is None
        or subprocess.run(['ruby', '-rsidekiq', '-e', ''], stderr=subprocess.DEVNULL).returncode != 0
    ):
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
            same(
                sorted(json.loads(one['body'])['args'][0] for one in found[queue]),
                list(range(count)),
                f'{what}: {queue}',
            )
        same({one['status'] for one in found['sorted']}, {'parked'}, what)
        same(source.left() + source.ask('KEYS', 'queue:*'), [], what)
        daemon.purge('jobs')

    fill()
    same(killed_import(daemon, source, Proxy(source.port, source.cut), 'jobs', '--from', 'sidekiq'), True, 'a cut')
    status, rows, errors = daemon.run('import', address, 'narrow', '--from', 'sidekiq')
    same(
        (status, any('was being imported' in one.get('message', '') for one in errors)),
        (1, True),
        f'another table {errors}',
    )
    status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq')
    same(
        (status, next(row['known'] for row in rows if row['queue'] == 'list')),
        (0, 100),
        f'the import behind it {errors}',
    )
    check('a cut')
    for round in range(cuts):
        fill()
        for _ in range(chance.randrange(1, 4)):
            killed_import(
                daemon,
                source,
                Proxy(chance.choice([source.port, daemon.port]), after=chance.randrange(150000)),
                'jobs',
                '--from',
                'sidekiq',
            )
        status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'sidekiq')
        same(status, 0 if rows else 4, f'round {round} {errors}')
        check(f'round {round}')


def test_redis_large(daemon, source, chance, cuts):
    """Elements that together are more than is read at once come one by one; what a message may not be, or is more than
    is read at all, stays where it is."""
    source.ask('SADD', 'queues', 'q')
    sizes = [10, 9 << 20, 9 << 20, 12, 40 << 20, 70 << 20, 11]
    for size in sizes:
        source.ask('LPUSH', 'queue:q', b'%d ' % size + b'x' * size)
    status, rows, errors = daemon.run('import', f'{source.url}:{source.port}', 'large', '--from', 'sidekiq')
    same((status, [one['code'] for one in rows if 'code' in one]), (1, ['too_large'] * 2), f'refused {errors}')
    same(
        [one['bytes'] for one in daemon.run('queue', 'ls', 'large', 'q')[1]],
        [len(str(size)) + 1 + size for size in sizes if size < 40 << 20],
        'the others',
    )
    same(
        (source.ask('LLEN', 'queue:q'), source.ask('LINDEX', 'queue:q', -1)[:8], source.left()),
        (2, b'41943040', []),
        'what is left',
    )


def test_redis_password(daemon, source, chance, cuts):
    """A password comes by a file or the environment, and never by the address."""
    source.ask('CONFIG', 'SET', 'requirepass', 'secret')
    try:
        address = f'redis://127.0.0.1:{source.port}'
        status, rows, errors = daemon.run('import', address, 'jobs', '--from', 'rq')
        same((status, errors[0]['error']), (1, 'not_allowed'), f'without a password {errors}')
        status, rows, errors = daemon.run('import', f'redis://:secret@127.0.0.1:{source.port}', 'jobs', '--from', 'rq')
        same(
            (status, 'secret' in errors[0]['message'], 'REDISCLI_AUTH' in errors[0]['message']),
            (2, False, True),
            'in the address',
        )
        with tempfile.NamedTemporaryFile('w') as file:
            file.write('secret\n')
            file.flush()
            same(daemon.run('import', address, 'jobs', '--from', 'rq', '--password-file', file.name)[0], 4, 'a file')
        os.environ['REDISCLI_AUTH'] = 'secret'
        same(daemon.run('import', address, 'jobs', '--from', 'rq')[0], 4, 'the environment')
    finally:
        os.environ.pop('REDISCLI_AUTH', None)
        source.ask('CONFIG', 'SET', 'requirepass', '')


TESTS = [
    test_rq,
    test_celery,
    test_celery_killed,
    test_sidekiq,
    test_rq_itself,
    test_celery_itself,
    test_sidekiq_itself,
    test_redis_killed,
    test_redis_large,
    test_redis_password,
]
