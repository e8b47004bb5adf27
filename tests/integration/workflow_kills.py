#!/usr/bin/env python3
"""A graph of rows in layers, each row waiting for all rows of the layer before, in a daemon that is killed again and
again: each row must run once, and after what it waits for; the row that waits for the group must be the last.

usage: workflow_kills.py BIN PLUGINS [--layers N] [--width N] [--kills N]
BIN has fastjournald, PLUGINS its table types. The daemon is started here, at a free port, and ended. Leases are taken
again after a kill, so a row that was leased and not done may be handed out again; a DONE whose answer was lost may have
counted.
"""
import argparse
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

CONFIG = '<fastjournal><listen address="127.0.0.1:{port}" open="true"/></fastjournal>\n'
TABLE = """<table name="jobs" model="journal" row-key="k">
  <schema><column name="k" type="string"/></schema>
  <grace>1ms</grace>
  <max-timeouts>250</max-timeouts>
  <max-lifetime-timeouts>250</max-lifetime-timeouts>
  <back-off-first>0</back-off-first>
</table>
"""
IN_FLIGHT = 64
PATIENCE = 120  # s


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Daemon:
    def __init__(self, binaries, plugins):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='workflow'))
        (self.folder / 'tables').mkdir()
        (self.folder / 'tables' / 'jobs.xml').write_text(TABLE)
        self.port = free_port()
        (self.folder / 'fastjournald.xml').write_text(CONFIG.format(port=self.port))
        self.words = [binaries / 'fastjournald', '--config', self.folder / 'fastjournald.xml', '--data',
                      self.folder / 'data', '--tables', self.folder / 'tables', '--plugins', plugins]
        self.starts = 0

    def start(self):
        self.process = subprocess.Popen([str(word) for word in self.words], stdout=subprocess.DEVNULL,
                                        stderr=open(self.folder / 'stderr', 'ab'))
        self.starts += 1
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return Connection(self.port)
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > until:
                    sys.exit('the daemon did not start: ' + (self.folder / 'stderr').read_text()[-2000:])

    def kill(self):
        self.process.kill()
        self.process.wait()


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile('rb', buffering=1 << 16)

    def send(self, lines):
        self.socket.sendall(''.join(line + '\n' for line in lines).encode())

    def answer(self):
        line = self.lines.readline().decode().rstrip('\n')
        if not line:
            raise ConnectionError('the daemon is gone')
        command, _, rest = line.partition(' ')
        return command, dict(one.partition('=')[::2] for one in rest.split(';') if one)

    def ask(self, line):
        self.send([line])
        return self.answer()


def insert(connection, layers, width):
    """By layers, IN_FLIGHT at a time; returns the layer of each row."""
    layer_of = {}
    before = []
    connection.ask('GROUP table=jobs;group=graph')
    for layer in range(layers):
        after = ';after=' + ' '.join(before) if before else ''
        before = []
        for at in range(0, width, IN_FLIGHT):
            some = range(at, min(width, at + IN_FLIGHT))
            connection.send(f'INSERT table=jobs;k={layer}.{i};group=graph{after}' for i in some)
            for _ in some:
                command, given = connection.answer()
                assert command == 'INSERTED', given
                before.append(given['row'])
                layer_of[given['row']] = layer
    last = connection.ask('INSERT table=jobs;k=last;after_group=graph;after_group_is=done')[1]['row']
    connection.ask('GROUP table=jobs;group=graph;state=closed')
    return layer_of, last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('binaries', type=pathlib.Path)
    parser.add_argument('plugins', type=pathlib.Path)
    parser.add_argument('--layers', type=int, default=20)
    parser.add_argument('--width', type=int, default=20)
    parser.add_argument('--kills', type=int, default=3)
    given = parser.parse_args()
    daemon = Daemon(given.binaries.resolve(), given.plugins.resolve())
    connection = daemon.start()
    begin = time.monotonic()
    layer_of, last = insert(connection, given.layers, given.width)
    inserted = time.monotonic() - begin
    memory = {one: connection.ask('STATS table=jobs')[1].get(one) for one in ('memory_bytes', 'rows_blocked')}
    total = len(layer_of)
    kill_at = [total * (i + 1) // (given.kills + 1) for i in range(given.kills)]
    done, doubtful = set(), {}
    left = [given.width] * given.layers
    begin = time.monotonic()

    def count(row):
        assert row not in done, f'row {row} was done twice'
        done.add(row)
        left[layer_of[row]] -= 1

    while len(done) < total:
        assert time.monotonic() < begin + 20 * PATIENCE, f'{len(done)} of {total} are done, and nothing goes on'
        try:
            connection.send([f'NEXT table=jobs;count={IN_FLIGHT};wait=1000;request=1'])
            rows = []
            while True:
                command, answer = connection.answer()
                if command == 'ROW':
                    rows.append((answer['row'], answer['epoch']))
                if command != 'ROW' or answer.get('left', '0') == '0':
                    break
            for row, _ in rows:
                assert row not in done, f'row {row} was handed out after it was done'
                assert row != last, 'the row that waits for the group came too early'
                layer = layer_of[row]
                waits = left[layer - 1] if layer > 0 else 0
                assert waits <= len([one for one in doubtful if layer_of[one] == layer - 1]), \
                    f'row {row} of layer {layer} came while {waits} rows before had not ended'
                # It was leased anew: that DONE did not count.
                doubtful.pop(row, None)
            if kill_at and len(done) + len(rows) >= kill_at[0]:
                kill_at.pop(0)
                connection.send(f'DONE table=jobs;row={row};epoch={epoch}' for row, epoch in rows[:len(rows) // 2])
                doubtful.update(rows[:len(rows) // 2])
                daemon.kill()
                connection = daemon.start()
                continue
            connection.send(f'DONE table=jobs;row={row};epoch={epoch}' for row, epoch in rows)
            for row, _ in rows:
                command, answer = connection.answer()
                assert command == 'COMPLETED', answer
                count(row)
            # Those whose answer was lost, and that are not there any more, were done.
            if doubtful:
                for row in list(doubtful):
                    if connection.ask(f'PEEK table=jobs;row={row}')[0] == 'ERROR':
                        del doubtful[row]
                        count(row)
        except ConnectionError:
            connection = daemon.start()
    command, answer = connection.ask('NEXT table=jobs;wait=5000;request=1')
    assert command == 'ROW' and answer['row'] == last, f'the group did not end: {command} {answer}'
    took = time.monotonic() - begin
    daemon.kill()
    print(f'{total} rows in layers of {given.width}: each ran once, after what it waits for, over {daemon.starts} starts; '
          f'inserted in {inserted:.1f} s, done in {took:.1f} s; {memory["rows_blocked"]} blocked rows in '
          f'{memory["memory_bytes"]} bytes')


if __name__ == '__main__':
    main()
