"""What the lives of clients.py share: programs with the client libraries of others, and the daemon that is killed."""
import os
import pathlib
import random
import select
import subprocess
import time

from beanstalkd import start_daemon, wait_for

ANSWER_SECONDS = 60


class Violated(Exception):
    pass


def require(holds, *what):
    if not holds:
        raise Violated(' '.join(str(one) for one in what))


class Program:
    """A process with a client library."""

    def __init__(self, words, environment):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment)
        self.bytes = b''
        self.words = self.answer()[1:]

    def send(self, *words):
        self.process.stdin.write(' '.join(str(word) for word in words).encode() + b'\n')
        self.process.stdin.flush()

    def answer(self):
        until = time.monotonic() + ANSWER_SECONDS
        while b'\n' not in self.bytes:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b''
            if not more:
                self.process.kill()
                raise Violated(f'the program {"ended" if ready else "did not answer"}:',
                               self.process.stderr.read().decode(errors='replace')[-2000:])
            self.bytes += more
        line, _, self.bytes = self.bytes.partition(b'\n')
        return line.decode().split(' ')

    def end(self):
        self.process.stdin.close()  # which ends it, and what it has started
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()


class Worker:
    """A program that is a client of a life."""

    def __init__(self, name, run):
        self.name, self.run = name, run
        self.program = Program(run.words_of_program, run.environment)

    def reconnect(self):
        self.program.send('connect', self.run.port)
        answer = self.program.answer()
        require(answer == ['ok'], 'connect:', *answer)

    def say(self, *words):
        """A library that does not connect again by itself is told to, and asked again: the command was not sent, or the
        daemon is gone that it was sent to."""
        for _ in range(3):
            self.program.send(*words)
            answer = self.program.answer()
            self.run.note(self, words, answer)
            if answer[0] != 'error':
                return answer
            self.run.told_to_connect = True
            self.reconnect()
        raise Violated(*words, 'failed three times:', *answer)


class Life:
    """A daemon, two programs of one client, and what is known about what they did."""

    CONFIG = TABLE = None  # of the daemon; tables/TABLE.xml
    WORKER = Worker
    SHOWN = 40  # letters of a word, in the log

    def __init__(self, options, words_of_program, folder, environment):
        self.words_of_program = words_of_program
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE='1', **environment)
        self.programs, self.plugins, self.folder = options.programs, options.plugins, folder
        self.random = random.Random(options.seed)
        self.log = []
        self.counts = {}
        self.kills = 0
        self.told_to_connect = False
        self.prepare()
        self.server = self.started(None)
        self.port = self.server.port
        self.workers = []

    def prepare(self):
        """Before the daemon is started."""

    def started(self, port):
        with open(self.folder / 'errors', 'ab') as errors:
            return start_daemon(self.programs, self.plugins, self.folder, port, self.CONFIG, self.TABLE, errors)

    def connect(self):
        wait_for(self.server)
        for name in 'ab':
            self.workers.append(self.WORKER(name, self))
            self.workers[-1].reconnect()
        self.has = sorted(self.workers[0].program.words)

    def end(self):
        for worker in self.workers:
            worker.program.end()
        self.server.end()

    def note(self, worker, words, answer):
        said, told = (' '.join(str(word)[:self.SHOWN] for word in one) for one in (words, answer))
        self.log.append(f'{worker.name}: {said} -> {told}')
        if answer[0] not in ('error', 'no', 'none', 'soon', 'refused', 'unknown'):
            self.counts[self.name_of(words)] = self.counts.get(self.name_of(words), 0) + 1
        return answer

    def name_of(self, words):
        return words[0]

    def kill(self):
        self.server.end()

    def start(self):
        self.log.append('-- the daemon was killed --')
        self.kills += 1
        self.server = self.started(self.port)
        wait_for(self.server)

    def play(self, commands):
        """All of it, but for Violated. What it has to tell."""
        raise NotImplementedError
