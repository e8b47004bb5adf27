#!/usr/bin/env python3
"""Every error of the SQS listener, as boto3 knows it: its code, its status, the exception that the service's model has for
it. The same request goes in JSON, by hand, and what boto3 cannot send goes by hand in both forms.

usage: sqs_errors.py BIN PLUGINS
BIN has fastjournald and fastjournal, PLUGINS the table types. Exit status 77: boto3 is not installed. The faults are those
of plugins/queue/sqs_error.cpp: one that nothing here provokes is told.
"""
import base64
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

try:
    import boto3
    import botocore.config
except ImportError:
    print('sqs_errors.py: boto3 is not installed (python3-boto3)')
    sys.exit(77)

from beanstalkd import free_port, start_daemon, wait_for

CONFIG = """<fastjournal>
  <limits memory-bytes="16MiB" line-bytes="2MiB"/>
  <listen address="127.0.0.1:{port}" protocol="sqs" table="sqs_small" open="true"/>
  <listen address="127.0.0.1:READ" protocol="sqs" table="sqs_small" rights="read"/>
  <listen address="127.0.0.1:USERS" protocol="sqs" table="sqs_small" rights=""/>
  <access users="users.xml"/>
</fastjournal>
"""
SOURCE = pathlib.Path(__file__).resolve().parents[2] / 'plugins/queue/sqs_error.cpp'
# What only damage of a log provokes.
BY_DAMAGE = {'internal'}
QUEUES_MAX = 20  # sqs_small.xml
GUESSES_MAX = 1000
ORDERS = 'http://127.0.0.1/000000000000/orders'
UNKNOWN_ARN = 'arn:aws:sqs:eu-west-1:000000000000:nothing'
failures = []
provoked = set()


def faults():
    rows = re.findall(r'FaultRow\{Fault::(\w+), (\d+), "([^"]+)",\s+"([^"]+)"\}', SOURCE.read_text())
    return {fault: (int(status), code, kind) for fault, status, code, kind in rows}


ROWS = faults()


def check(holds, *what):
    if not holds:
        failures.append(' '.join(str(one) for one in what))
        print('WRONG:', failures[-1])


def client(port, key='anybody', secret='secret'):
    return boto3.client('sqs', endpoint_url=f'http://127.0.0.1:{port}', region_name='eu-west-1', aws_access_key_id=key,
                        aws_secret_access_key=secret,
                        config=botocore.config.Config(retries={'max_attempts': 0}, parameter_validation=False))


def post(port, body, fields=(), method='POST', path='/'):
    """By hand: its status, its fields, its body."""
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.request(method, path, body=body, headers=dict(fields))
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


def check_answer(fault, told, what):
    status, code, kind = ROWS[fault]
    got_status, fields, text = told
    who = 'Sender' if status < 500 else 'Receiver'
    check(got_status == status, what, 'has the status', got_status, 'and not', status, text)
    check(fields.get('x-amzn-query-error') == f'{code};{who}', what, 'has', fields.get('x-amzn-query-error'), 'and not', code)
    if fields.get('Content-Type', '').startswith('application/x-amz-json'):
        check(json.loads(text).get('__type') == kind and json.loads(text).get('message'), what, 'in JSON:', text)
    else:
        check(f'<Code>{code}</Code>' in text and f'<Type>{who}</Type>' in text and '<Message>' in text, what, 'in XML:', text)
    provoked.add(fault)


def in_json(port, fault, action, given):
    body = json.dumps(given, default=lambda value: base64.b64encode(value).decode())
    fields = {'X-Amz-Target': f'AmazonSQS.{action}', 'Content-Type': 'application/x-amz-json-1.0'}
    told = post(port, body, fields)
    check(told[1].get('Content-Type') == 'application/x-amz-json-1.0', action, 'is answered as', told[1].get('Content-Type'))
    check_answer(fault, told, f'{action} {body[:200]}')


class Doer:
    """Sends by boto3, and the same in JSON."""

    def __init__(self, port, sqs):
        self.port, self.sqs = port, sqs

    def refused(self, fault, action, both=True, **given):
        status, code, kind = ROWS[fault]
        method = getattr(self.sqs, re.sub('(?<!^)([A-Z])', r'_\1', action).lower(), None)
        what = f'{action} {str(given)[:200]}'
        if method is not None:  # Debian's knows not all actions
            try:
                method(**given)
                check(False, what, 'is not refused with', code)
            except self.sqs.exceptions.ClientError as error:
                said = error.response
                check(said['Error']['Code'] == code, what, 'is refused with', said['Error']['Code'], 'and not', code)
                check(said['ResponseMetadata']['HTTPStatusCode'] == status, what, 'has the status',
                      said['ResponseMetadata']['HTTPStatusCode'])
                check(said['Error']['Message'], what, 'has no message')
                self.check_type(error, kind.rpartition('#')[2], what)
                provoked.add(fault)
        if both:
            in_json(self.port, fault, action, given)

    def check_type(self, error, name, what):
        """The exception of the service's model, if it has one."""
        modeled = getattr(self.sqs.exceptions, name, None) if self.is_modeled(name) else None
        if modeled is not None:
            check(isinstance(error, modeled), what, 'is a', type(error).__name__, 'and no', name)

    def is_modeled(self, name):
        model = self.sqs.meta.service_model
        return name in model.shape_names and bool(model.shape_for(name).metadata.get('exception'))


def entries(count, **more):
    return [{'Id': str(number), 'MessageBody': 'x', **more} for number in range(count)]


def requests(doer):
    """What one request is enough for."""
    refused, url = doer.refused, ORDERS
    refused('invalid_value', 'CreateQueue', QueueName='a b')
    refused('invalid_value', 'CreateQueue', QueueName='x' * 81)
    refused('missing_parameter', 'CreateQueue')
    refused('invalid_attribute_name', 'CreateQueue', QueueName='other', Attributes={'Nothing': '1'})
    refused('invalid_attribute_value', 'CreateQueue', QueueName='other', Attributes={'VisibilityTimeout': '43201'})
    refused('invalid_attribute_value', 'SetQueueAttributes', QueueUrl=url, Attributes={'DelaySeconds': 'soon'})
    refused('invalid_attribute_value', 'SetQueueAttributes', QueueUrl=url, Attributes={'RedrivePolicy': '{'})
    refused('invalid_attribute_name', 'SetQueueAttributes', QueueUrl=url, Attributes={'FifoThroughputLimit': 'perQueue'})
    refused('invalid_attribute_name', 'GetQueueAttributes', QueueUrl=url, AttributeNames=['Nothing'])
    refused('invalid_value', 'SetQueueAttributes', QueueUrl=url, Attributes={
        'RedrivePolicy': json.dumps({'deadLetterTargetArn': UNKNOWN_ARN, 'maxReceiveCount': 1})})
    refused('queue_name_exists', 'CreateQueue', QueueName='orders', Attributes={'VisibilityTimeout': '7'})
    refused('queue_does_not_exist', 'GetQueueUrl', QueueName='nothing')
    for action, given in {'SendMessage': {'MessageBody': 'x'}, 'SendMessageBatch': {'Entries': entries(2)},
                          'ReceiveMessage': {}, 'PurgeQueue': {}, 'DeleteQueue': {}, 'ListQueueTags': {},
                          'GetQueueAttributes': {}, 'ListDeadLetterSourceQueues': {}}.items():
        refused('queue_does_not_exist', action, QueueUrl=url.replace('orders', 'nothing'), **given)
    refused('invalid_address', 'SendMessage', QueueUrl='http://127.0.0.1/', MessageBody='x', both=False)
    refused('missing_parameter', 'SendMessage', QueueUrl=url)
    refused('invalid_contents', 'SendMessage', QueueUrl=url, MessageBody='a\1b')
    refused('invalid_value', 'SendMessage', QueueUrl=url, MessageBody='x', DelaySeconds=901)
    refused('invalid_value', 'SendMessage', QueueUrl=url, MessageBody='x', MessageDeduplicationId='1')
    for value in ({'DataType': 'String', 'StringValue': ''}, {'DataType': 'Date', 'StringValue': '1'},
                  {'DataType': 'Binary', 'StringValue': '1'}):
        refused('invalid_value', 'SendMessage', QueueUrl=url, MessageBody='x', MessageAttributes={'a': value})
    refused('invalid_value', 'SendMessage', QueueUrl=url, MessageBody='x', MessageAttributes={
        f'a{number}': {'DataType': 'String', 'StringValue': '1'} for number in range(11)})
    refused('empty_batch', 'SendMessageBatch', QueueUrl=url, Entries=[])
    refused('too_many_entries', 'SendMessageBatch', QueueUrl=url, Entries=entries(11))
    refused('batch_ids_not_distinct', 'SendMessageBatch', QueueUrl=url, Entries=entries(1) + entries(1))
    refused('invalid_batch_id', 'SendMessageBatch', QueueUrl=url, Entries=[{'Id': 'a b', 'MessageBody': 'x'}])
    refused('batch_too_long', 'SendMessageBatch', QueueUrl=url, Entries=[
        {'Id': str(number), 'MessageBody': 'x' * 150_000} for number in range(8)])
    refused('invalid_value', 'ReceiveMessage', QueueUrl=url, MaxNumberOfMessages=11)
    refused('invalid_value', 'ReceiveMessage', QueueUrl=url, WaitTimeSeconds=21)
    refused('invalid_value', 'ReceiveMessage', QueueUrl=url, VisibilityTimeout=-1)
    refused('handle_is_invalid', 'DeleteMessage', QueueUrl=url, ReceiptHandle='0.0')
    refused('handle_is_invalid', 'ChangeMessageVisibility', QueueUrl=url, ReceiptHandle='zz', VisibilityTimeout=1)
    refused('missing_parameter', 'ChangeMessageVisibility', QueueUrl=url, VisibilityTimeout=1)
    refused('invalid_value', 'ListQueues', MaxResults=1001)
    refused('invalid_value', 'TagQueue', QueueUrl=url, Tags={f'k{number}': 'v' for number in range(51)})
    refused('resource_not_found', 'StartMessageMoveTask', SourceArn=UNKNOWN_ARN)
    refused('resource_not_found', 'ListMessageMoveTasks', SourceArn=UNKNOWN_ARN)
    refused('resource_not_found', 'CancelMessageMoveTask', TaskHandle='fj-task-1')
    refused('unsupported', 'AddPermission', QueueUrl=url, Label='a', AWSAccountIds=['1'], Actions=['*'])
    refused('unsupported', 'RemovePermission', QueueUrl=url, Label='a')


def failed_entries(doer):
    """Entries of a batch have errors of their own."""
    url = ORDERS
    told = doer.sqs.send_message_batch(QueueUrl=url, Entries=entries(1) + [{'Id': 'b', 'MessageBody': 'a\1'}])
    check([one['Id'] for one in told['Successful']] == ['0'], 'SendMessageBatch:', told)
    check([(one['Id'], one['Code'], one['SenderFault']) for one in told['Failed']] == [('b', 'InvalidMessageContents', True)],
          'SendMessageBatch:', told)
    handle = doer.sqs.receive_message(QueueUrl=url)['Messages'][0]['ReceiptHandle']
    for method, more in ((doer.sqs.delete_message_batch, {}),
                         (doer.sqs.change_message_visibility_batch, {'VisibilityTimeout': 30})):
        told = method(QueueUrl=url, Entries=[{'Id': 'b', 'ReceiptHandle': 'x', **more}])
        check(not told.get('Successful') and told['Failed'][0]['Code'] == 'ReceiptHandleIsInvalid', method, told)
    doer.sqs.delete_message(QueueUrl=url, ReceiptHandle=handle)


def leases(doer):
    url = ORDERS
    doer.sqs.send_message(QueueUrl=url, MessageBody='x')
    handle = doer.sqs.receive_message(QueueUrl=url, VisibilityTimeout=60)['Messages'][0]['ReceiptHandle']
    doer.sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=0)
    doer.refused('not_in_flight', 'ChangeMessageVisibility', QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=9)
    again = doer.sqs.receive_message(QueueUrl=url, VisibilityTimeout=60)['Messages'][0]['ReceiptHandle']
    # Another has it: the first one deletes nothing, and is told nothing of it.
    doer.sqs.delete_message(QueueUrl=url, ReceiptHandle=handle)
    told = doer.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=['All'])['Attributes']
    check(told['ApproximateNumberOfMessagesNotVisible'] == '1', 'deleted with a handle of a former delivery:', told)
    other = doer.sqs.create_queue(QueueName='another')['QueueUrl']
    doer.refused('handle_is_invalid', 'DeleteMessage', QueueUrl=other, ReceiptHandle=again)
    doer.sqs.delete_message(QueueUrl=url, ReceiptHandle=again)
    doer.refused('invalid_value', 'ChangeMessageVisibility', QueueUrl=url, ReceiptHandle=again, VisibilityTimeout=9)


def limits(doer):
    """Those of the table and of memory."""
    sqs = doer.sqs
    made = []
    try:
        for number in range(QUEUES_MAX + 1):
            made.append(sqs.create_queue(QueueName=f'q{number}')['QueueUrl'])
    except sqs.exceptions.ClientError:
        pass
    doer.refused('over_limit', 'CreateQueue', QueueName='one-more')
    for url in made:
        sqs.delete_queue(QueueUrl=url)
    sqs.set_queue_attributes(QueueUrl=ORDERS, Attributes={'MaximumMessageSize': '1024'})
    doer.refused('invalid_value', 'SendMessage', QueueUrl=ORDERS, MessageBody='x' * 1025)
    sqs.set_queue_attributes(QueueUrl=ORDERS, Attributes={'MaximumMessageSize': '1048576'})
    try:
        for _ in range(2000):
            sqs.send_message_batch(QueueUrl=ORDERS, Entries=[{'Id': str(number), 'MessageBody': 'x' * 2000} for number in range(10)])
    except sqs.exceptions.ClientError:
        pass
    doer.refused('unavailable', 'SendMessage', QueueUrl=ORDERS, MessageBody='x' * 100_000)
    sqs.purge_queue(QueueUrl=ORDERS)


def removal(doer):
    """A queue that is made again while its messages are removed: they are many, and removed in pages."""
    sqs = doer.sqs
    url = sqs.create_queue(QueueName='many')['QueueUrl']

    def fill():
        for _ in range(500):
            sqs.send_message_batch(QueueUrl=url, Entries=entries(10))

    for _ in range(20):
        threads = [threading.Thread(target=fill) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        thread = threading.Thread(target=sqs.delete_queue, kwargs={'QueueUrl': url})
        thread.start()
        while thread.is_alive() and 'queue_deleted_recently' not in provoked:
            told = post(doer.port, '{"QueueName":"many"}', {'X-Amz-Target': 'AmazonSQS.CreateQueue'})
            if told[0] != 200:
                check_answer('queue_deleted_recently', told, 'CreateQueue')
        thread.join()
        if 'queue_deleted_recently' in provoked:
            return
        sqs.create_queue(QueueName='many')


def by_hand(port, users):
    """What boto3 does not send."""
    pairs = {'Content-Type': 'application/x-www-form-urlencoded'}
    target = {'X-Amz-Target': 'AmazonSQS.ListQueues', 'Content-Type': 'application/x-amz-json-1.0'}
    cases = [
        ('missing_action', 'QueueUrl=x', pairs),
        ('invalid_action', 'Action=Nothing', pairs),
        ('invalid_action', 'Action=a.b', pairs),
        ('invalid_action', '{}', {**target, 'X-Amz-Target': 'AmazonSQS.Nothing'}),
        ('invalid_action', '{}', {**target, 'X-Amz-Target': 'DynamoDB.ListTables'}),
        ('invalid_address', '{"QueueUrl":"http://127.0.0.1/","MessageBody":"x"}',
         {**target, 'X-Amz-Target': 'AmazonSQS.SendMessage'}),
        ('malformed', 'Action=ListQueues&a=%zz', pairs),
        ('malformed', 'Action=ListQueues&a.b.c.d.e.f.g.h.i=1', pairs),
        ('malformed', 'Action=ListQueues' + '&a=1' * 4000, pairs),
        ('malformed', '{"QueueNamePrefix"', target),
        ('malformed', '[]', target),
        ('malformed', '{"QueueNamePrefix":5}', target),
        ('malformed', '{"a":' * 9 + '1' + '}' * 9, target),
        ('malformed', json.dumps({'a': list(range(4000))}), target),
        ('access_denied', 'Action=ListQueues', {**pairs, 'Origin': 'http://example.com'}),
        ('access_denied', '{}', {**target, 'Sec-Fetch-Site': 'cross-site'}),
        ('incomplete_signature', 'Action=ListQueues', {**pairs, 'Authorization': 'AWS4-HMAC-SHA256 Credential=a'}),
        ('incomplete_signature', '{}', {**target, 'Authorization': 'AWS4-HMAC-SHA256 nothing'}),
    ]
    for fault, body, fields in cases:
        check_answer(fault, post(port, body, fields), f'{body[:100]} {fields}')
    check_answer('unsupported', post(port, None, method='GET', path='/?Action=ListQueues'), 'GET without a signature')
    check_answer('unsupported', post(port, '', method='PUT'), 'PUT')
    # Without a signature, where users sign.
    check_answer('access_denied', post(users, 'Action=ListQueues', pairs), 'ListQueues without a signature')
    check_answer('access_denied', post(users, '{}', target), 'ListQueues without a signature')


def rights(read, users, keys):
    Doer(read, client(read)).refused('access_denied', 'SendMessage', QueueUrl=ORDERS, MessageBody='x')
    Doer(read, client(read)).refused('access_denied', 'ReceiveMessage', QueueUrl=ORDERS)
    Doer(read, client(read)).refused('access_denied', 'CreateQueue', QueueName='other')
    client(read).list_queues()
    client(users, *keys).list_queues()
    Doer(users, client(users, keys[0], 'wrong')).refused('signature_is_wrong', 'ListQueues', both=False)
    # Who knows no name of a user is told no more than who does.
    Doer(users, client(users, 'nobody', keys[1])).refused('signature_is_wrong', 'ListQueues', both=False)
    # Whoever guesses is slowed down.
    guesser = client(users, 'nobody', 'guessed')
    for _ in range(GUESSES_MAX):
        try:
            guesser.list_queues()
        except guesser.exceptions.ClientError as error:
            if error.response['Error']['Code'] == 'RequestThrottled':
                break
    Doer(users, guesser).refused('request_throttled', 'ListQueues', both=False)


def main():
    programs, plugins = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        added = subprocess.run([f'{programs}/fastjournal', 'user', 'add', 'somebody', '--sqs', '--rights', 'read add work manage',
                                '--file', folder / 'users.xml'], check=True, capture_output=True, text=True, timeout=60)
        keys = [line.split('=', 1)[1] for line in added.stdout.split()]
        read, users = free_port(), free_port()
        config = CONFIG.replace('READ', str(read)).replace('USERS', str(users))
        server = start_daemon(programs, plugins, folder, None, config, 'sqs_small', subprocess.DEVNULL)
        try:
            wait_for(server)
            doer = Doer(server.port, client(server.port))
            doer.sqs.create_queue(QueueName='orders')
            requests(doer)
            failed_entries(doer)
            leases(doer)
            limits(doer)
            removal(doer)
            by_hand(server.port, users)
            rights(read, users, keys)
        finally:
            server.end()
    missing = sorted(ROWS.keys() - provoked - BY_DAMAGE)
    check(not missing, 'provoked by nothing here:', *missing)
    print(f'boto3 {boto3.__version__}: {len(provoked)} of {len(ROWS)} faults provoked, {len(failures)} wrong')
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
