#!/usr/bin/env python3
"""Clients of others' protocols as their packages have them, at a daemon that is killed by kill -9 again and again: nothing
that was acknowledged is lost, and nothing is handed out twice while it is leased.

usage: clients.py BIN PLUGINS [--door beanstalkd|sqs] [--only NAME] [--commands N] [--seed S] [--npm FOLDER] [--json]
BIN has fastjournald and fastjournal, PLUGINS the table types. Packages of npm are fetched to FOLDER; without it only those
of Debian run. Exit status 77: a client of --only is not installed.

A program of clients/ is a client library and a loop: a line of words comes, and one goes. So all clients of a door do the
same, and what they are told is checked here: beanstalkd_life.py and sqs_life.py have the words and the checks. Two
processes of each are workers and producers.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from beanstalkd_life import Tubes
from life import Violated
from sqs_life import Consumer, Sdk

HERE = pathlib.Path(__file__).resolve().parent / 'clients'
DEBIAN = '/usr/bin/python3'  # whatever else is in the PATH
# name: [its life, what runs it, its program, its package of Debian or, with a version, of npm]
CLIENTS = {
    'pheanstalk': [Tubes, 'php', 'pheanstalk.php', 'php-pda-pheanstalk'],
    'symfony-messenger': [Tubes, 'php', 'symfony.php', 'php-symfony-beanstalkd-messenger'],
    'beaneater': [Tubes, 'ruby', 'beaneater.rb', 'ruby-beaneater'],
    'jackd': [Tubes, 'node', 'jackd.js', 'jackd@2.2.2'],
    'fivebeans': [Tubes, 'node', 'fivebeans.js', 'fivebeans@1.5.0'],
    'node-beanstalk': [Tubes, 'node', 'node-beanstalk.js', 'node-beanstalk@1.6.7'],
    'beanstalkd.js': [Tubes, 'node', 'beanstalkd.js', 'beanstalkd@2.2.5'],
    'boto3': [Sdk, DEBIAN, 'sqs_boto3.py', 'python3-boto3'],
    'boto3-newer': [Sdk, 'python3', 'sqs_boto3.py', 'boto3 of the python3 in the PATH'],
    'awscli': [Sdk, DEBIAN, 'sqs_awscli.py', 'awscli'],
    'aws-sdk-go': [Sdk, 'go', 'sqs.go', 'golang-github-aws-aws-sdk-go-dev'],
    'client-sqs': [Sdk, 'node', 'sqs_sdk.js', '@aws-sdk/client-sqs@3.1175.0'],
    'celery': [Consumer, DEBIAN, 'sqs_celery.py', 'python3-celery'],
    'symfony-amazon-sqs': [Consumer, 'php', 'sqs_symfony.php', 'php-symfony-amazon-sqs-messenger'],
    'sqs-consumer': [Consumer, 'node', 'sqs_consumer.js', 'sqs-consumer@15.0.3'],
}
DOORS = {'beanstalkd': [Tubes], 'sqs': [Sdk, Consumer]}


def told_by(*words):
    found = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return found.stdout.strip() if found.returncode == 0 else ''


def version_of(name, npm):
    package = CLIENTS[name][3]
    if name == 'boto3-newer':
        here, debian = (told_by(python, '-c', 'import boto3; print(boto3.__version__)') for python in ('python3', DEBIAN))
        return here if here != debian else ''
    if '@' in package:
        found = pathlib.Path(npm) / 'node_modules' / package.rpartition('@')[0] / 'package.json'
        return json.loads(found.read_text())['version'] if found.exists() else ''
    return told_by('dpkg-query', '-W', '-f=${Version}', package)


def fetch(npm, names):
    packages = [CLIENTS[name][3] for name in names if '@' in CLIENTS[name][3]]
    if packages:
        subprocess.run(['npm', 'install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', npm,
                        *packages], check=True, timeout=600, stdout=sys.stderr)


def program_of(name, folder):
    """The words that run it, and the environment that it needs."""
    _, runner, program, _ = CLIENTS[name]
    if runner != 'go':
        return [runner, str(HERE / program)], {}
    environment = {'GO111MODULE': 'off', 'GOPATH': '/usr/share/gocode', 'GOCACHE': str(folder / 'go')}
    subprocess.run(['go', 'build', '-o', folder / name, HERE / program], check=True, timeout=300,
                   env={'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': str(folder), **environment})
    return [str(folder / name)], {}


def play(name, options):
    """What is told of a client."""
    told = {'client': name, 'package': CLIENTS[name][3], 'version': version_of(name, options.npm), 'seed': options.seed}
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        words, environment = program_of(name, folder)
        life = CLIENTS[name][0](options, words, folder, dict(
            environment, NODE_NO_WARNINGS='1', NODE_PATH=f'{options.npm}/node_modules'))
        try:
            life.connect()
            told['did'] = life.play(options.commands)
            told['result'] = 'kept'
        except Violated as violated:
            told['did'] = 'not all'
            told['result'] = f'VIOLATED: {violated}'
            told['log'] = life.log[-30:] + (folder / 'errors').read_text().splitlines()[-10:]
        finally:
            life.end()
    return told | {'done': life.counts, 'kills': life.kills, 'connects_again': not life.told_to_connect,
                   'seconds': round(time.monotonic() - begin, 1)}


def main():
    parser = argparse.ArgumentParser(description="clients of others' protocols at a daemon that is killed")
    parser.add_argument('programs')
    parser.add_argument('plugins')
    parser.add_argument('--door', choices=DOORS, help='only clients of this one')
    parser.add_argument('--only', action='append', choices=CLIENTS)
    parser.add_argument('--commands', type=int, default=600)
    parser.add_argument('--seed', type=int, default=random.randrange(2**32))
    parser.add_argument('--npm', default='', metavar='FOLDER', help='packages of npm, which are fetched to it')
    parser.add_argument('--json', action='store_true')
    options = parser.parse_args()
    lives = DOORS.get(options.door, sum(DOORS.values(), []))
    names = options.only or [name for name, (life, _, _, package) in CLIENTS.items()
                             if life in lives and (options.npm or '@' not in package)]
    if options.npm:
        options.npm = str(pathlib.Path(options.npm).resolve())
        fetch(options.npm, names)
    missing = [f'{name} ({CLIENTS[name][3]})' for name in names if not version_of(name, options.npm)]
    if missing:
        print(f'clients.py: not installed: {", ".join(missing)}. ./mk deps clients npm installs those of Debian and npm; '
              '--npm FOLDER fetches those of npm', file=sys.stderr)
    if options.only and missing:
        sys.exit(77)
    # No registry has that one in all places.
    if [one for one in missing if not one.startswith('boto3-newer')]:
        sys.exit(1)
    print(f'--seed {options.seed}', file=sys.stderr)
    all_told = []
    for name in names:
        if name == 'boto3-newer' and missing:
            continue
        told = play(name, options)
        all_told.append(told)
        if options.json:
            continue
        done = ', '.join(f'{count} {word}' for word, count in sorted(told['done'].items()))
        again = 'by itself' if told['connects_again'] else 'if it is told to'
        print(f'{name} {told["version"]}: {told["did"]}, {told["kills"]} kills, connects again {again}, '
              f'{told["seconds"]} s: {told["result"]}\n  {done}', flush=True)
        print('\n'.join('    ' + line for line in told.get('log', [])), end='\n' if 'log' in told else '', flush=True)
    if options.json:
        print(json.dumps(all_told, indent=1))
    sys.exit(any(told['result'] != 'kept' for told in all_told))


if __name__ == '__main__':
    main()
