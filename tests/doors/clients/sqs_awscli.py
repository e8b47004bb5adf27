"""awscli: each call is a process of its own."""
import json
import re
import subprocess

from words import serve

PORT = None


def connect(port):
    global PORT
    PORT = port


def call(name, *words):
    text = ' '.join(words)
    verb = re.sub('(?<!^)([A-Z])', r'-\1', name).lower()
    # Binary values of its input, too, are in base64: its version 2.
    told = subprocess.run(['/usr/bin/aws', '--endpoint-url', f'http://127.0.0.1:{PORT}', '--region', 'eu-west-1', '--output', 'json',
                           'sqs', verb, '--cli-input-json', text], capture_output=True, text=True, timeout=50)
    if told.returncode == 0:
        return 'done ' + json.dumps(json.loads(told.stdout or '{}'))
    if 'Invalid choice' in told.stderr:
        return 'unknown'
    refused = re.search(r'An error occurred \((\S+)\)', told.stderr)
    return f'refused {refused[1]} -' if refused else 'error ' + told.stderr.replace('\n', ' ')


serve({'connect': connect, 'call': call})
