#!/usr/bin/env python3
"""The same commands to Debian's beanstalkd and to a daemon's listener of its protocol: every answer must be the same,
but for numbers of jobs, times, and what doc/beanstalkd.md says differs.

usage: beanstalkd.py BIN PLUGINS [--commands N] [--seed S]
BIN has fastjournald, PLUGINS its table types. Both servers are started here, on free ports, and ended.
"""
import argparse
import difflib
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

CONFIG = """<fastjournal>
  <limits line-bytes="65761"/>
  <listen address="127.0.0.1:{port}" protocol="beanstalkd" table="tubes" open="true"/>
</fastjournal>
"""
HERE = pathlib.Path(__file__).resolve().parent
TUBES = ['default', 'a', 'b', 'c-1', 'd.e/f']
# Figures that depend on when they are asked for, or on what differs (doc/beanstalkd.md).
UNLIKE = re.compile(
    r'^(pid|version|rusage-.*|uptime|id|hostname|os|platform|binlog-.*|draining|total-connections|'
    r'age|delay|time-left|pause-time-left|pause|current-connections): .*\n', re.M)
WAITS = 1.5  # s: longer than any answer takes


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Server:
    """One of the two: its process, its port, and the numbers that it gave to jobs."""

    def __init__(self, name, port, process):
        self.name, self.port, self.process = name, port, process
        self.ids = {}  # its number: ours, in the order in which jobs were put
        self.numbers = []

    def end(self):
        self.process.kill()
        self.process.wait()

    def number(self, job):
        return self.numbers[job] if job < len(self.numbers) else 999_999_999_999 + job


class Line:
    """A connection."""

    def __init__(self, server):
        self.server = server
        self.socket = socket.create_connection(('127.0.0.1', server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b''
        self.data = ''

    def send(self, data):
        self.socket.sendall(data)

    def _until(self, has, seconds):
        self.socket.settimeout(seconds)
        while not has():
            more = self.socket.recv(65536)
            if not more:
                return False
            self.bytes += more
        return True

    def answer(self, seconds=WAITS * 10):
        """Its next answer, with this run's numbers of jobs; None: there is none in this time."""
        try:
            if not self._until(lambda: b'\r\n' in self.bytes, seconds):
                return '(end)'
        except TimeoutError:
            return None
        line, _, rest = self.bytes.partition(b'\r\n')
        words = line.decode('latin1').split(' ')
        data = b''
        if words[0] in ('OK', 'RESERVED', 'FOUND'):
            size = int(words[-1])
            self._until(lambda: len(self.bytes) >= len(line) + 2 + size + 2, WAITS * 10)
            rest = self.bytes[len(line) + 2:]
            data, rest = rest[:size], rest[size + 2:]
        self.bytes = rest
        self.data = data.decode('latin1')
        return self._alike(words, data.decode('latin1'))

    def figure(self, command, name):
        """One that is not normalised."""
        self.send(command.encode() + b'\r\n')
        self.answer()
        return re.search(f'^{name}: (.*)$', self.data, re.M)[1]

    def _alike(self, words, data):
        server = self.server
        if words[0] == 'INSERTED':
            server.ids[words[1]] = len(server.numbers)
            server.numbers.append(int(words[1]))
        if words[0] in ('INSERTED', 'RESERVED', 'FOUND'):
            words[1] = f'#{server.ids.get(words[1], "?")}'
        if words[0] == 'OK':
            words = ['OK']
            data = re.sub(r'^id: (\d+)$', lambda one: f'job: #{server.ids.get(one[1], "?")}', data, flags=re.M)
            data = UNLIKE.sub('', data)
            if not re.search('^[a-z-]+: ', data, re.M):
                data = '\n'.join(sorted(data.split('\n')))  # tubes are in the order of their names here
        return ' '.join(words) + (f' | {data}' if data else '')


def start_beanstalkd():
    port = free_port()
    return Server('beanstalkd', port, subprocess.Popen(['beanstalkd', '-l', '127.0.0.1', '-p', str(port)]))


def start_daemon(programs, plugins, folder, port=None, config=CONFIG, table='tubes', errors=None):
    port = port or free_port()
    tables = folder / 'tables'
    tables.mkdir(exist_ok=True)
    (tables / f'{table}.xml').write_text((HERE / f'{table}.xml').read_text())
    (folder / 'fastjournal.xml').write_text(config.format(port=port))
    process = subprocess.Popen(
        [f'{programs}/fastjournald', '--config', folder / 'fastjournal.xml', '--tables', tables, '--data',
         folder / 'data', '--plugins', plugins],
        stdout=subprocess.DEVNULL, stderr=errors)
    return Server('fastjournal', port, process)


def wait_for(server):
    for _ in range(1000):
        try:
            socket.create_connection(('127.0.0.1', server.port)).close()
            return
        except OSError:
            if server.process.poll() is not None:
                sys.exit(f'{server.name} did not start')
            time.sleep(0.01)
    sys.exit(f'{server.name} does not listen')


class Pair:
    """A connection to each of the two."""

    def __init__(self, servers):
        self.lines = [Line(server) for server in servers]

    def ask(self, text, job=None, body=None, seconds=WAITS * 10, log=None):
        for line in self.lines:
            number = '' if job is None else str(line.server.number(job))
            line.send(text.replace('JOB', number).encode('latin1') + b'\r\n' + (b'' if body is None else body))
        answers = [line.answer(seconds) for line in self.lines]
        if log is not None:
            log.append((text if job is None else text.replace('JOB', f'#{job}'), *answers))
        return answers

    def close(self):
        for line in self.lines:
            line.socket.close()


class Differs(Exception):
    pass


class Run:
    def __init__(self, servers, seed):
        self.servers, self.random, self.log = servers, random.Random(seed), []
        self.pairs = [Pair(servers) for _ in range(3)]
        self.alone_ms = 0

    def say(self, pair, text, **more):
        theirs, ours = pair.ask(text, log=self.log, **more)
        if theirs != ours or ours is None:
            both = '\n  '.join(one for one in difflib.ndiff(str(theirs).split('\n'), str(ours).split('\n')) if one[0] in '-+')
            raise Differs(f'{self.log[-1][0]}: - beanstalkd, + fastjournal\n  {both}')
        return ours

    def in_a_millisecond_of_its_own(self):
        """What goes by dates is in their order, which is of milliseconds here."""
        while int(time.time() * 1000) <= self.alone_ms + 2:
            pass
        self.alone_ms = int(time.time() * 1000)

    def job(self):
        known = len(self.servers[0].numbers)
        return max(0, known - 1 - int(self.random.expovariate(0.1))) if self.random.random() < 0.95 else known + 5

    def priority(self):
        return self.random.choice([0, 1, 5, 255, 256, 1023, 1024, 65536, 4294967295, self.random.randrange(2**32)])

    def step(self):
        draw, pair = self.random.random(), self.random.choice(self.pairs)
        tube = self.random.choice(TUBES)
        delay = 5000 if self.random.random() < 0.15 else 0
        if draw < 0.30:
            size = self.random.choice([0, 1, 7, 100, 3000]) if draw < 0.28 else self.random.choice([65535, 65536])
            body = self.random.randbytes(size)
            end = b'\r\n' if self.random.random() < 0.99 else b'xy'
            if delay:
                self.in_a_millisecond_of_its_own()
            self.say(pair, f'put {self.priority()} {delay} {self.random.choice([600, 3600, 7200])} {size}', body=body + end)
        elif draw < 0.48:
            self.say(pair, 'reserve-with-timeout 0')
        elif draw < 0.60:
            self.say(pair, 'delete JOB', job=self.job())
        elif draw < 0.68:
            self.in_a_millisecond_of_its_own()
            self.say(pair, f'release JOB {self.priority()} {delay}', job=self.job())
        elif draw < 0.75:
            self.in_a_millisecond_of_its_own()
            self.say(pair, f'bury JOB {self.priority()}', job=self.job())
        elif draw < 0.79:
            self.say(pair, f'kick {self.random.choice([0, 1, 2, 100])}')
        elif draw < 0.81:
            self.say(pair, f'{self.random.choice(["kick-job", "touch", "peek", "reserve-job"])} JOB', job=self.job())
        elif draw < 0.84:
            self.say(pair, self.random.choice(['peek-ready', 'peek-delayed', 'peek-buried']))
        elif draw < 0.92:
            self.say(pair, f'{self.random.choice(["use", "watch", "watch", "ignore", "ignore"])} {tube}')
        elif draw < 0.94:
            self.say(pair, f'pause-tube {tube} {self.random.choice([0, 0, 5000])}')
        elif draw < 0.98:
            self.say(pair, self.random.choice(
                ['stats', 'list-tubes', 'list-tube-used', 'list-tubes-watched', f'stats-tube {tube}']))
        elif draw < 0.99:
            self.say(pair, 'stats-job JOB', job=self.job())
        elif draw < 0.995:
            text = self.random.choice(WRONG)
            self.say(pair, text, body=b'x' * 70_000 + b'\r\n' if text.startswith('put 1 0 0 70000') else None)
        else:
            at = self.pairs.index(pair)
            pair.close()
            self.pairs[at] = Pair(self.servers)
            # Its jobs are given back when its end is noticed.
            for one in self.pairs[at].lines:
                one.send(b'list-tube-used\r\n')
                one.answer()
            time.sleep(0.02)


WRONG = [
    '', 'foo', 'kick', 'kick ', 'kick abc', 'kick 1x', 'kick -1', 'touch 1 ', 'touch  999999999999999', 'peek 1x',
    'peek-readyx', 'use ', 'use -a', 'use a b', 'use ' + 'x' * 200, 'use ' + 'x' * 201, 'pause-tube a',
    'pause-tube a x', 'pause-tube a 5 ', 'pause-tube none 5', 'put 1 2 3', 'put -1 0 0 0', 'put 4294967296 0 0 0',
    'put a', 'put 1 0 0 0 x', 'reservex', 'reserve-with-timeout', 'reserve-with-timeout 0x', 'reserve-job x',
    'delete', 'delete x', 'delete 99999999999999999999999', 'release 1 2', 'release 1 2 x', 'bury 1', 'list-tubesx',
    'statsx', 'stats-job', 'stats-tube none', 'stats-tube -', 'ignore', 'watch ' + 'y' * 300, 'list-tube-usedx',
    'a\0b', 'put 1 0 0 70000 x',
]


def lease_ends(run):
    """A job whose lease, which `two` has, ends by its date. Debian's beanstalkd (1.12) forgets some of these dates until
    the connection's next command: then it is tried with another job."""
    one, two, _ = run.pairs
    for job in range(20):
        before = [int(line.figure('stats', 'job-timeouts')) for line in one.lines]
        run.say(two, 'reserve')  # DEADLINE_SOON at once: less than a second is left
        time.sleep(2.2)
        theirs, ours = (line.figure(f'stats-job {line.server.number(job)}', 'state') for line in one.lines)
        assert ours == 'ready', ours
        ended = [int(line.figure('stats', 'job-timeouts')) - count for line, count in zip(one.lines, before)]
        assert ended == [int(theirs == 'ready'), 1], ended
        if theirs == 'ready':
            return job
        run.say(two, 'delete JOB', job=job)
        run.say(one, 'put 5 0 1 1', body=b'x\r\n')
        run.say(two, 'reserve')
    sys.exit('beanstalkd ended none of 20 leases by its date')


def directed(servers):
    """What needs time: waits, time-outs, dates, pauses."""
    run = Run(servers, 0)
    one, two, three = run.pairs
    say = run.say
    put = {'body': b'x\r\n'}
    # A wait ends by time, by a job, and before a lease does.
    say(one, 'reserve-with-timeout 1')
    for pair in (two,):
        for line in pair.lines:
            line.send(b'reserve\r\n')
    time.sleep(0.3)
    say(one, 'put 5 0 1 1', **put)
    answers = [line.answer() for line in two.lines]
    assert answers[0] == answers[1], answers
    job = lease_ends(run)
    say(two, 'touch JOB', job=job)
    say(one, 'stats-job JOB', job=job)
    say(one, 'reserve-with-timeout 0')
    say(one, 'delete JOB', job=job)
    # A wait is ended by the lease of a job, after some time.
    job += 1
    say(one, 'put 5 0 3 1', **put)
    say(one, 'reserve')
    begin = time.monotonic()
    say(one, 'reserve-with-timeout 10')
    assert 1 < time.monotonic() - begin < 4
    say(one, 'delete JOB', job=job)
    # A delay.
    job += 1
    say(one, 'put 5 1 60 1', **put)
    say(one, 'put 5 0 60 1', **put)
    say(one, 'peek-delayed')
    say(one, 'reserve')
    say(one, 'reserve-with-timeout 5')
    say(one, 'release JOB 5 1', job=job)
    say(one, 'reserve-with-timeout 0')
    say(one, 'reserve-with-timeout 5')
    say(one, 'delete JOB', job=job)
    say(one, 'delete JOB', job=job + 1)
    # A pause, which a waiting connection sees end.
    say(one, 'put 5 0 60 1', **put)
    say(one, 'pause-tube default 1')
    say(one, 'stats-tube default')
    say(one, 'peek-ready')
    say(one, 'reserve-with-timeout 0')
    say(one, 'reserve-with-timeout 5')
    # What a connection has is given back when it ends, and has its place again.
    say(two, 'put 5 0 60 1', **put)
    one.close()
    time.sleep(0.3)
    say(two, 'reserve-with-timeout 0')
    say(two, 'bury JOB 7', job=job + 2)
    say(two, 'kick-job JOB', job=job + 2)
    say(two, 'reserve-job JOB', job=job + 3)
    say(three, 'reserve-job JOB', job=job + 3)
    say(three, 'delete JOB', job=job + 3)
    say(two, 'delete JOB', job=job + 3)
    say(two, 'delete JOB', job=job + 2)
    # Several commands at once, the last one cut in two.
    for line in two.lines:
        line.send(b'put 1 0 60 3\r\na\r\n\r\nput 2 0 60 0\r\n\r\nreserve\r\nres')
    answers = [[line.answer() for _ in range(3)] for line in two.lines]
    assert answers[0] == answers[1], answers
    for line in two.lines:
        line.send(b'erve\r\n')
    answers = [line.answer() for line in two.lines]
    assert answers[0] == answers[1], answers
    for more in (4, 5):
        say(two, 'delete JOB', job=job + more)
    say(two, 'reserve-with-timeout 0')
    for pair in (two, three):
        pair.close()
    return len(run.log)


def main():
    parser = argparse.ArgumentParser(description='beanstalkd and its protocol here: the same answers')
    parser.add_argument('programs')
    parser.add_argument('plugins')
    parser.add_argument('--commands', type=int, default=5000)
    parser.add_argument('--seed', type=int, default=random.randrange(2**32))
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = [start_beanstalkd(), start_daemon(words.programs, words.plugins, pathlib.Path(folder))]
        try:
            for server in servers:
                wait_for(server)
            said = directed(servers)
            print(f'directed: {said} commands, equal')
            for server in servers:
                server.ids.clear()
                server.numbers.clear()
            run = Run(servers, words.seed)
            for step in range(words.commands):
                try:
                    run.step()
                except Differs as differs:
                    for text, theirs, ours in run.log[-12:]:
                        print(f'  {text[:60]!r}: {str(theirs)[:100]!r}', '' if theirs == ours else f'{str(ours)[:200]!r}')
                    for server in servers:
                        for job in sorted({int(one) for one in re.findall('#([0-9]+)', str(run.log[-1]))}):
                            line = Line(server)
                            line.send(f'stats-job {server.number(job)}\r\n'.encode())
                            print(server.name, line.answer())
                    sys.exit(f'--seed {words.seed}, command {step}: {differs}')
            print(f'--seed {words.seed}: {words.commands} commands, equal')
        finally:
            for server in servers:
                server.end()


if __name__ == '__main__':
    main()
