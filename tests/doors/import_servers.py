"""What imports.py works with: the daemon, beanstalkd and Redis, each on a port or socket of its own, and what cuts an
import off in the middle."""
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time

from beanstalkd import free_port

TUBES = (pathlib.Path(__file__).resolve().parent / 'tubes.xml').read_text()
JOBS = """<table name="jobs" model="queue">
  <description>Jobs.</description>
  <create-queues>true</create-queues>
  <message-size-max>65535</message-size-max>
  <keep-parked>0</keep-parked>
</table>
"""
LIMIT = 120  # s: longer than anything takes


def connected(port, process):
    for _ in range(2000):
        try:
            return socket.create_connection(('127.0.0.1', port))
        except OSError:
            if process.poll() is not None:
                sys.exit(f'{process.args[0]} did not start')
            time.sleep(0.005)
    sys.exit(f'{process.args[0]} does not listen')


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f'{what}: expected {expected!r}, found {found!r}')


class Daemon:
    memory = '1000000'  # KiB that an import may have

    def __init__(self, programs, plugins, folder):
        self.programs = programs
        self.port = free_port()
        self.address, self.producers = f'127.0.0.1:{self.port}', f'127.0.0.1:{free_port()}'
        tables = folder / 'tables'
        tables.mkdir()
        (tables / 'journal.xml').write_text(
            '<table name="journal" model="journal">\n  <schema><column name="a" type="string"/></schema>\n</table>\n'
        )
        (tables / 'tubes.xml').write_text(TUBES)
        (tables / 'jobs.xml').write_text(JOBS)
        (tables / 'narrow.xml').write_text(JOBS.replace('"jobs"', '"narrow"'))
        (tables / 'large.xml').write_text(JOBS.replace('"jobs"', '"large"').replace('65535', '64MiB'))
        config = folder / 'fastjournal.xml'
        config.write_text(
            f'<fastjournal>\n  <listen address="{self.address}" open="true"/>\n'
            f'  <listen address="{self.producers}" rights="read add"/>\n</fastjournal>\n'
        )
        words = ['--config', config, '--tables', tables, '--data', folder / 'data', '--plugins', plugins]
        self.process = subprocess.Popen([f'{programs}/fastjournald', *words], stdout=subprocess.DEVNULL)
        connected(self.port, self.process).close()

    def command(self, *words, server=None):
        return [f'{self.programs}/fastjournal', '--server', server or self.address, '--json', *words]

    def run(self, *words, server=None):
        """The exit status, the objects of standard output, and those of standard error."""
        done = subprocess.run(self.command(*words, server=server), capture_output=True, text=True, timeout=LIMIT)
        return done.returncode, *(
            [json.loads(line) for line in text.splitlines()] for text in (done.stdout, done.stderr)
        )

    def messages(self, table):
        """All of them, with their bodies, by queue and in the order of their numbers."""
        out = {}
        for queue in self.run('queue', 'ls', table)[1]:
            found = self.run('call', 'BROWSE', f'table={table}', f'queue={queue["queue"]}', 'body=1', 'count=1000')[1]
            out[queue['queue']] = [one for one in found if one['command'] == 'MESSAGE']
        return {queue: found for queue, found in out.items() if found}

    def purge(self, table):
        for queue in self.run('queue', 'ls', table)[1]:
            self.run('queue', 'purge', table, queue['queue'])


class Beanstalkd:
    program = 'beanstalkd'
    cut = b'delete '
    url = 'beanstalkd://127.0.0.1'

    def __init__(self, folder, *options):
        self.port = free_port()
        self.options = options
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, '-l', '127.0.0.1', '-p', str(self.port), '-z', '100000', *self.options]
        )
        self.socket = connected(self.port, self.process)
        self.file = self.socket.makefile('rb')

    def ask(self, text, body=None):
        self.socket.sendall(text.encode() + b'\r\n' + (b'' if body is None else body + b'\r\n'))
        line = self.file.readline().decode().split()
        data = b''
        if line[0] in ('OK', 'FOUND', 'RESERVED'):
            data = self.file.read(int(line[-1]) + 2)[:-2]
        return line, data

    def put(self, tube, priority, delay, ttr, body):
        self.ask(f'use {tube}')
        return int(self.ask(f'put {priority} {delay} {ttr} {len(body)}', body)[0][1])

    def bury(self, job, priority):
        same(self.ask(f'reserve-job {job}')[0][0], 'RESERVED', f'job {job}')
        same(self.ask(f'bury {job} {priority}')[0][0], 'BURIED', f'job {job}')

    def figures(self, what):
        data = self.ask(what)[1].decode()
        return dict(line.split(': ', 1) for line in data.splitlines() if ': ' in line)

    def end(self):
        self.process.kill()
        self.process.wait()


class Redis:
    program = 'redis-server'
    cut = b'LTRIM'
    url = 'redis://127.0.0.1'

    def __init__(self, folder, *options):
        self.port = free_port()
        self.process = subprocess.Popen(
            [
                self.program,
                '--port',
                str(self.port),
                '--bind',
                '127.0.0.1',
                '--save',
                '',
                '--dir',
                str(folder),
                *options,
            ],
            stdout=subprocess.DEVNULL,
        )
        self.socket = connected(self.port, self.process)
        self.file = self.socket.makefile('rb')

    def ask(self, *words):
        self.send(words)
        return self.answer()

    def send(self, words):
        words = [one if isinstance(one, bytes) else str(one).encode() for one in words]
        self.socket.sendall(b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(one), one) for one in words))

    def answer(self):
        line = self.file.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b'-':
            raise RuntimeError(rest.decode())
        if kind == b':':
            return int(rest)
        if kind == b'$':
            return None if rest == b'-1' else self.file.read(int(rest) + 2)[:-2]
        if kind == b'*':
            return None if rest == b'-1' else [self.answer() for _ in range(int(rest))]
        return rest

    def left(self):
        """The keys of imports."""
        return self.ask('KEYS', 'fj:import:*')

    def end(self):
        self.process.kill()
        self.process.wait()


class Proxy:
    """Between the import and a source, or the daemon. It stops passing on when `word` is on its way there, but for the
    first times, or after so many bytes, and says so: then the import is killed."""

    def __init__(self, port, word=None, after=None, skip=0):
        self.target, self.word, self.left, self.skip = port, word, after, skip
        self.stopped = threading.Event()
        self.sockets = []
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                here, _ = self.listener.accept()
                there = socket.create_connection(('127.0.0.1', self.target))
                self.sockets += [here, there]
                threading.Thread(target=self.forward, args=(here, there, True), daemon=True).start()
                threading.Thread(target=self.forward, args=(there, here, False), daemon=True).start()
        except OSError:
            return

    def forward(self, source, target, is_request):
        try:
            while data := source.recv(4096):
                if is_request and self.word and self.word in data:
                    self.skip -= 1
                    if self.skip < 0:
                        self.stopped.set()
                if self.left is not None:
                    self.left -= len(data)
                    if self.left < 0:
                        self.stopped.set()
                if self.stopped.is_set():
                    return
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def end(self):
        """A source that has lost its client gives back what that had reserved."""
        for one in (self.listener, *self.sockets):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()


def wait_until_free(source):
    until = time.monotonic() + LIMIT
    while source.figures('stats')['current-jobs-reserved'] != '0':
        assert time.monotonic() < until, 'jobs stay reserved'


def killed_import(daemon, source, proxy, *words):
    """Runs an import that is killed where the proxy stops. False: it ended before."""
    to_daemon = proxy.target == daemon.port
    server = f'127.0.0.1:{proxy.port}' if to_daemon else None
    address = f'{source.url}:{source.port if to_daemon else proxy.port}'
    process = subprocess.Popen(
        daemon.command('import', address, *words, server=server), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + LIMIT
    while process.poll() is None and not proxy.stopped.wait(0.001):
        assert time.monotonic() < until, 'the import does not end'
    was_cut = process.poll() is None
    if was_cut:
        process.kill()
    process.wait()
    proxy.end()
    return was_cut
