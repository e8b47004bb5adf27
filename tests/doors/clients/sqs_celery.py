"""Celery over kombu's transport of SQS: a producer, and a worker, which is a process of its own."""
import ctypes
import os
import select
import subprocess
import sys

import celery

from words import serve


def broker(port):
    return f'sqs://{os.environ["AWS_ACCESS_KEY_ID"]}:{os.environ["AWS_SECRET_ACCESS_KEY"]}@127.0.0.1:{port}//'


app = celery.Celery('sqs_celery', broker=broker(os.environ.get('FJ_PORT', '1')))
app.conf.update(task_default_queue='work', task_ignore_result=True, worker_send_task_events=False, broker_pool_limit=1,
                broker_transport_options={'region': 'eu-west-1', 'is_secure': False, 'wait_time_seconds': 2,
                                          'polling_interval': 0.1,
                                          'visibility_timeout': int(os.environ.get('FJ_TIMEOUT', '30'))})
worker = tasks = None


@app.task(name='take')
def handle(body):
    os.write(int(os.environ['FJ_PIPE']), body.encode() + b'\n')


def connect(port):
    os.environ['FJ_PORT'] = port
    app.conf.broker_url = broker(port)


def put(body):
    handle.delay(body)


def ends_with_its_parent():
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG


def consume(timeout):
    global worker, tasks
    read, write = os.pipe()
    tasks = os.fdopen(read, 'rb', buffering=0)
    environment = dict(os.environ, FJ_PIPE=str(write), FJ_TIMEOUT=timeout,
                       PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
    worker = subprocess.Popen([sys.executable, '-m', 'celery', '-A', 'sqs_celery', 'worker', '--pool', 'solo',
                               '--without-gossip', '--without-mingle', '--without-heartbeat', '--loglevel', 'ERROR'],
                              pass_fds=[write], env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr,
                              preexec_fn=ends_with_its_parent)
    os.close(write)


def take(seconds):
    ready, _, _ = select.select([tasks], [], [], float(seconds))
    if not ready:
        return 'none'
    line = b''
    while not line.endswith(b'\n'):
        letter = tasks.read(1)
        if not letter:
            return 'error the worker ended'
        line += letter
    return 'took ' + line.decode().strip()


if __name__ == '__main__':
    try:
        serve({'connect': connect, 'put': put, 'consume': consume, 'take': take})
    finally:
        if worker:
            worker.kill()
            worker.wait()
