"""What clients of SQS do at a daemon that is killed by kill -9 behind their commands (clients.py): nothing that was
acknowledged is lost, and nothing is handed out twice while its visibility timeout lasts.

SDKs have one word, `call NAME PARAMETERS`, so that all do the same: first each action in a fixed order, the daemon being
killed behind the first acknowledgement of each; then sends, receives, deletes and changed timeouts drawn at random. What
they are told is compared with what they did. Programs that consume (`put BODY`, `take`) have words of their own, and are
told the order of neither.
"""
import base64
import hashlib
import json
import struct
import subprocess
import time

from life import Life, Violated, require

# Each request is signed with a user's key.
CONFIG = """<fastjournal>
  <listen address="127.0.0.1:{port}" protocol="sqs" table="sqs" rights=""/>
  <access users="users.xml"/>
</fastjournal>
"""
LONG = 600  # s: a visibility timeout that no run outlasts
SLACK = 0.1  # s: of two clocks
ATTRIBUTES = {'kind': {'DataType': 'String', 'StringValue': 'a page'},
              'size': {'DataType': 'Number', 'StringValue': '5'},
              'mine.own': {'DataType': 'Number.int', 'StringValue': '-7'},
              'bytes': {'DataType': 'Binary', 'BinaryValue': base64.b64encode(b'\0\1\xff').decode()}}
# Of actions that Debian's SDKs, of early 2023, lack.
NEWER = {'StartMessageMoveTask', 'ListMessageMoveTasks'}


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def md5_of_attributes(attributes):
    all_bytes = b''
    for name, one in sorted(attributes.items()):
        is_binary = 'BinaryValue' in one
        value = base64.b64decode(one['BinaryValue']) if is_binary else one['StringValue'].encode()
        for part in (name.encode(), one['DataType'].encode(), None, value):
            all_bytes += (b'\2' if is_binary else b'\1') if part is None else struct.pack('>I', len(part)) + part
    return hashlib.md5(all_bytes).hexdigest()


class Refused(Violated):
    def __init__(self, code, kind):
        super().__init__(f'{code} ({kind})')
        self.code, self.kind = code, kind


class Message:
    def __init__(self, body, queue, attributes=None, group=None):
        self.body, self.queue, self.attributes, self.group = body, queue, attributes or {}, group
        self.visible = (0.0, 0.0)  # not before, and after this surely
        self.is_gone = False
        self.is_held = False  # in flight, unless its time is over
        self.receives = 0
        self.handle = None


class Signed(Life):
    CONFIG, TABLE = CONFIG, 'sqs'

    def prepare(self):
        added = subprocess.run(
            [f'{self.programs}/fastjournal', 'user', 'add', 'somebody', '--sqs', '--rights', 'read add work manage',
             '--file', self.folder / 'users.xml'], check=True, capture_output=True, text=True, timeout=60)
        self.environment |= dict(line.split('=', 1) for line in added.stdout.split()) | {'AWS_DEFAULT_REGION': 'eu-west-1'}

    def kill_and_start(self):
        self.kill()
        self.start()


class Sdk(Signed):
    """A life of an SDK."""

    SHOWN = 300
    SLOWER = 3  # than the words of other doors

    def prepare(self):
        super().prepare()
        self.messages = {}  # by body
        self.killed_behind = set()
        self.lacks = set()
        self.urls = {}
        self.bodies = 0

    # -- calls --------------------------------------------------------------

    def call(self, worker, name, **given):
        answer = worker.say('call', name, json.dumps(given, separators=(',', ':')))
        if answer[0] == 'refused':
            raise Refused(*answer[1:3])
        if answer[0] == 'unknown':
            self.lacks.add(name)
            return None
        require(answer[0] == 'done', name, *answer)
        if name not in self.killed_behind:
            self.killed_behind.add(name)
            self.kill_and_start()
        return json.loads(' '.join(answer[1:]))

    def name_of(self, words):
        return words[1] if words[0] == 'call' else words[0]

    def refused(self, code, worker, name, **given):
        try:
            self.call(worker, name, **given)
        except Refused as refused:
            # The older form has the codes, the newer one the types.
            require(code in refused.code, name, 'was refused with', refused, 'and not', code)
            return
        raise Violated(name, 'was not refused with', code)

    def new_body(self):
        self.bodies += 1
        return f'body-{self.bodies}-' + 'x' * self.random.choice([0, 10, 3000])

    def make(self, worker, queue, **attributes):
        self.urls[queue] = self.call(worker, 'CreateQueue', QueueName=queue, Attributes=attributes)['QueueUrl']

    def drop(self, worker, queue):
        self.call(worker, 'DeleteQueue', QueueUrl=self.urls[queue])
        for message in self.messages.values():
            message.is_gone = message.is_gone or message.queue == queue

    def sent(self, answer, message, begin, delay=0):
        require(answer['MD5OfMessageBody'] == md5(message.body), 'the digest of', message.body)
        if message.attributes:
            require(answer['MD5OfMessageAttributes'] == md5_of_attributes(message.attributes), 'of attributes')
        message.visible = (begin + delay, time.monotonic() + delay)
        self.messages[message.body] = message

    def send(self, worker, queue, delay=0, attributes=None, **more):
        message = Message(self.new_body(), queue, attributes, more.get('MessageGroupId'))
        if delay:
            more['DelaySeconds'] = delay
        if attributes:
            more['MessageAttributes'] = attributes
        begin = time.monotonic()
        answer = self.call(worker, 'SendMessage', QueueUrl=self.urls[queue], MessageBody=message.body, **more)
        self.sent(answer, message, begin, delay)
        return message, answer['MessageId']

    def send_batch(self, worker, queue, count, **more):
        entries, messages = [], []
        for number in range(count):
            message = Message(self.new_body(), queue, ATTRIBUTES if number == 1 else None, more.get('MessageGroupId'))
            messages.append(message)
            entries.append({'Id': f'n{number}', 'MessageBody': message.body, **more})
            if message.attributes:
                entries[-1]['MessageAttributes'] = message.attributes
            if message.group:
                entries[-1]['MessageDeduplicationId'] = message.body[:100]
        begin = time.monotonic()
        answer = self.call(worker, 'SendMessageBatch', QueueUrl=self.urls[queue], Entries=entries)
        require(not answer.get('Failed') and len(answer['Successful']) == count, 'SendMessageBatch:', answer)
        for one in answer['Successful']:
            self.sent(one, messages[int(one['Id'][1:])], begin)
        return messages

    def receive(self, worker, queue, count=1, wait=0, timeout=LONG):
        begin = time.monotonic()
        answer = self.call(worker, 'ReceiveMessage', QueueUrl=self.urls[queue], MaxNumberOfMessages=count,
                           VisibilityTimeout=timeout, WaitTimeSeconds=wait, MessageAttributeNames=['All'],
                           AttributeNames=['All'])
        out = []
        for told in answer.get('Messages') or []:
            message = self.messages.get(told['Body'])
            require(message is not None, 'a message that nobody sent:', told['Body'])
            self.check_received(message, told, queue)
            message.receives += 1
            message.visible = (begin + timeout, time.monotonic() + timeout)
            message.handle, message.is_held = told['ReceiptHandle'], True
            out.append(message)
        require(len(out) <= count, 'ReceiveMessage: more than', count)
        if not out:
            heads = [one for one in self.messages.values() if one.queue == queue and self.is_there(one, begin)]
            require(not heads, 'ReceiveMessage found none of', [one.body[:12] for one in heads])
        return out

    def before(self, message):
        """Those of its group that were sent before it."""
        out = []
        for one in self.messages.values():
            if one is message:
                return out
            if one.group and one.group == message.group and one.queue == message.queue and not one.is_gone:
                out.append(one)
        return out

    def is_there(self, message, now):
        return not message.is_gone and message.visible[1] + SLACK < now and not self.before(message)

    def check_received(self, message, told, queue):
        short = message.body[:12]
        require(not message.is_gone, short, 'was handed out, which was deleted')
        require(message.queue == queue, short, 'is of', message.queue)
        early = message.visible[0] - time.monotonic()
        require(early < SLACK, short, 'was handed out', round(early, 3), 's too early')
        require(not self.before(message), short, 'came before an earlier one of its group was deleted')
        require(told['MD5OfBody'] == md5(message.body), 'the digest of', short)
        require((told.get('MessageAttributes') or {}).keys() == message.attributes.keys(), short, 'attributes')
        for name, value in message.attributes.items():
            got = {key: one for key, one in told['MessageAttributes'][name].items() if one}
            require(got == value, short, 'attribute', name, got)
        if message.attributes:
            require(told['MD5OfMessageAttributes'] == md5_of_attributes(message.attributes), 'of attributes')
        system = told['Attributes']
        require(int(system['ApproximateReceiveCount']) == message.receives + 1, short, 'was received',
                system['ApproximateReceiveCount'], 'times and not', message.receives + 1)
        require(system.get('MessageGroupId') == message.group, short, 'group', system.get('MessageGroupId'))

    def delete(self, worker, *messages):
        url = self.urls[messages[0].queue]
        if len(messages) == 1:
            self.call(worker, 'DeleteMessage', QueueUrl=url, ReceiptHandle=messages[0].handle)
        else:
            answer = self.call(worker, 'DeleteMessageBatch', QueueUrl=url, Entries=[
                {'Id': str(number), 'ReceiptHandle': one.handle} for number, one in enumerate(messages)])
            require(not answer.get('Failed'), 'DeleteMessageBatch:', answer)
        for one in messages:
            one.is_gone = True

    def change(self, worker, timeout, *messages):
        url, begin = self.urls[messages[0].queue], time.monotonic()
        if len(messages) == 1:
            self.call(worker, 'ChangeMessageVisibility', QueueUrl=url, ReceiptHandle=messages[0].handle,
                      VisibilityTimeout=timeout)
        else:
            answer = self.call(worker, 'ChangeMessageVisibilityBatch', QueueUrl=url, Entries=[
                {'Id': str(number), 'ReceiptHandle': one.handle, 'VisibilityTimeout': timeout}
                for number, one in enumerate(messages)])
            require(not answer.get('Failed'), 'ChangeMessageVisibilityBatch:', answer)
        for one in messages:
            one.visible = (begin + timeout, time.monotonic() + timeout)
            one.is_held = timeout > 0

    def attributes(self, worker, queue, *names):
        return self.call(worker, 'GetQueueAttributes', QueueUrl=self.urls[queue],
                         AttributeNames=list(names) or ['All'])['Attributes']

    # -- each action --------------------------------------------------------

    def directed(self):
        one, two = self.workers
        self.make(one, 'orders', VisibilityTimeout='45')
        url = self.urls['orders']
        require(self.call(two, 'GetQueueUrl', QueueName='orders')['QueueUrl'] == url, 'GetQueueUrl')
        require(self.call(two, 'ListQueues')['QueueUrls'] == [url], 'ListQueues')
        self.refused('NonExistentQueue', two, 'GetQueueUrl', QueueName='nothing')
        self.refused('QueueAlreadyExists', two, 'CreateQueue', QueueName='orders',
                     Attributes={'VisibilityTimeout': '5'})
        # A message with attributes, which is handed out once.
        first, _ = self.send(one, 'orders', attributes=ATTRIBUTES)
        require(self.receive(two, 'orders', wait=2) == [first], 'ReceiveMessage')
        require(self.receive(one, 'orders', count=10) == [], 'ReceiveMessage of one in flight')
        told = self.attributes(one, 'orders')
        require(told['ApproximateNumberOfMessagesNotVisible'] == '1' and told['ApproximateNumberOfMessages'] == '0' and
                told['VisibilityTimeout'] == '45', 'GetQueueAttributes:', told)
        self.change(two, 1, first)
        require(self.receive(one, 'orders', wait=20) == [first], 'ReceiveMessage of one whose timeout was changed')
        self.change(one, 0, first)
        require(self.receive(two, 'orders', wait=1) == [first], 'ReceiveMessage of one that was given back')
        self.delete(two, first)
        require(self.receive(one, 'orders') == [], 'ReceiveMessage of one that was deleted')
        # Ten at once.
        self.send_batch(one, 'orders', 10)
        later, _ = self.send(one, 'orders', delay=2)
        got = []
        for _ in range(30):
            got += self.receive(two, 'orders', count=10)
            if len(got) >= 10:
                break
        require(later in got or self.receive(two, 'orders', wait=20) == [later], 'ReceiveMessage of a delayed one')
        got = [one for one in got if one is not later] + [later]
        self.delete(two, *got[:5])
        self.change(one, 0, *got[5:])
        for _ in range(30):
            if again := self.receive(one, 'orders', count=10, wait=1):
                self.delete(two, *again)
            if all(one.is_gone for one in got):
                break
        require(all(one.is_gone for one in got), 'ReceiveMessage of those that were given back')
        self.waits()
        self.settings()
        self.dead_letters()
        for number in range(3):
            self.send(one, 'orders')
        self.call(one, 'PurgeQueue', QueueUrl=self.urls['orders'])
        for message in self.messages.values():
            message.is_gone = True
        require(self.receive(one, 'orders', count=10) == [], 'ReceiveMessage of a queue that was purged')
        self.send(one, 'orders')
        self.drop(two, 'orders')
        self.refused('NonExistentQueue', one, 'SendMessage', QueueUrl=url, MessageBody='x')
        self.refused('NonExistentQueue', one, 'ReceiveMessage', QueueUrl=url)

    def waits(self):
        """A receiver that waits is woken."""
        one, two = self.workers
        two.program.send('call', 'ReceiveMessage', json.dumps(
            {'QueueUrl': self.urls['orders'], 'WaitTimeSeconds': 20, 'VisibilityTimeout': LONG}, separators=(',', ':')))
        begin = time.monotonic()
        message, _ = self.send(one, 'orders')
        answer = two.program.answer()
        require(answer[0] == 'done' and time.monotonic() - begin < 15, 'ReceiveMessage that waited:', *answer)
        told = json.loads(' '.join(answer[1:]))['Messages'][0]
        require(told['Body'] == message.body, 'ReceiveMessage that waited:', told)
        message.handle = told['ReceiptHandle']
        self.delete(one, message)

    def settings(self):
        one, two = self.workers
        url = self.urls['orders']
        wanted = {'VisibilityTimeout': '3', 'MessageRetentionPeriod': '3600', 'ReceiveMessageWaitTimeSeconds': '1',
                  'MaximumMessageSize': '20000'}
        self.call(one, 'SetQueueAttributes', QueueUrl=url, Attributes=wanted)
        told = self.attributes(two, 'orders', *wanted)
        require(told == wanted, 'GetQueueAttributes:', told)
        self.call(one, 'TagQueue', QueueUrl=url, Tags={'team': 'mail', 'cost': '<&>'})
        require(self.call(two, 'ListQueueTags', QueueUrl=url)['Tags'] == {'team': 'mail', 'cost': '<&>'}, 'ListQueueTags')
        self.call(one, 'UntagQueue', QueueUrl=url, TagKeys=['team'])
        require(self.call(two, 'ListQueueTags', QueueUrl=url)['Tags'] == {'cost': '<&>'}, 'UntagQueue')

    def dead_letters(self):
        one, two = self.workers
        self.make(one, 'dead')
        arn = self.attributes(one, 'dead', 'QueueArn')['QueueArn']
        self.call(one, 'SetQueueAttributes', QueueUrl=self.urls['orders'], Attributes={
            'RedrivePolicy': json.dumps({'deadLetterTargetArn': arn, 'maxReceiveCount': 2})})
        sources = self.call(two, 'ListDeadLetterSourceQueues', QueueUrl=self.urls['dead'])
        require(sources['queueUrls' if 'queueUrls' in sources else 'QueueUrls'] == [self.urls['orders']],
                'ListDeadLetterSourceQueues:', sources)
        message, _ = self.send(one, 'orders', attributes=ATTRIBUTES)
        for _ in range(2):
            require(self.receive(one, 'orders', wait=5) == [message], 'ReceiveMessage before the last failure')
            self.change(one, 0, message)
        message.queue = 'dead'
        require(self.receive(two, 'orders') == [], 'ReceiveMessage of a dead letter')
        self.kill_and_start()
        message.receives = self.receives_of_dead(two, message)
        moved = self.call(one, 'StartMessageMoveTask', SourceArn=arn)
        if moved is not None:
            listed = self.call(two, 'ListMessageMoveTasks', SourceArn=arn, MaxResults=10)
            require(isinstance(listed.get('Results', []), list), 'ListMessageMoveTasks:', listed)
            message.queue = 'orders'
            message.receives = 0
            require(self.receive(one, 'orders', wait=5) == [message], 'ReceiveMessage of one that was moved back')
        else:
            require(self.receive(one, 'dead', wait=5) == [message], 'ReceiveMessage of a dead letter')
        self.delete(two, message)
        self.drop(one, 'dead')

    def receives_of_dead(self, worker, message):
        """A dead letter says whence it is. It is given back."""
        answer = self.call(worker, 'ReceiveMessage', QueueUrl=self.urls['dead'], AttributeNames=['All'], WaitTimeSeconds=5)
        told = answer['Messages'][0]
        require(told['Body'] == message.body, 'a dead letter:', told)
        require(told['Attributes']['DeadLetterQueueSourceArn'].endswith(':orders'), 'a dead letter:', told)
        self.call(worker, 'ChangeMessageVisibility', QueueUrl=self.urls['dead'], ReceiptHandle=told['ReceiptHandle'],
                  VisibilityTimeout=0)
        return int(told['Attributes']['ApproximateReceiveCount'])

    # -- queues with order --------------------------------------------------

    def fifo(self):
        one, two = self.workers
        self.make(one, 'steps.fifo', FifoQueue='true', ContentBasedDeduplication='true')
        url = self.urls['steps.fifo']
        self.refused('MissingParameter', one, 'SendMessage', QueueUrl=url, MessageBody='x')
        first, number = self.send(one, 'steps.fifo', MessageGroupId='a', MessageDeduplicationId='d1')
        again = self.call(two, 'SendMessage', QueueUrl=url, MessageBody=first.body, MessageGroupId='a',
                          MessageDeduplicationId='d1')
        require(again['MessageId'] == number, 'a message that was sent twice has two numbers:', number, again)
        content, number = self.send(one, 'steps.fifo', MessageGroupId='a')
        self.kill_and_start()
        again = self.call(two, 'SendMessage', QueueUrl=url, MessageBody=content.body, MessageGroupId='a')
        require(again['MessageId'] == number, 'contents that were sent twice have two numbers:', number, again)
        for number in range(4):
            self.send(one, 'steps.fifo', MessageGroupId='ab'[number % 2], MessageDeduplicationId=f'e{number}')
        self.send_batch(two, 'steps.fifo', 4, MessageGroupId='b')
        # One of a is in flight: nothing else of a comes, over a kill too.
        got = self.receive(one, 'steps.fifo')
        require(got == [first], 'the first of its group')
        self.kill_and_start()
        others = self.receive(two, 'steps.fifo', count=10)
        require(others and all(other.group == 'b' for other in others), 'of a group in flight:', others)
        self.change(one, 0, first)
        again = self.receive(two, 'steps.fifo')
        require(again == [first], 'the first of its group, given back:', [one.body[:12] for one in again])
        self.delete(two, *others)
        self.delete(one, first)
        taken = [first, *others]
        for _ in range(50):
            got = self.receive(self.random.choice([one, two]), 'steps.fifo', count=self.random.choice([1, 10]))
            if not got:
                break
            self.delete(one, *got)
            taken += got
            if self.random.random() < 0.3:
                self.kill_and_start()
        lost = [one.body[:12] for one in self.messages.values() if one.group and not one.is_gone]
        require(not lost, 'of groups, and lost:', lost)
        self.drop(one, 'steps.fifo')

    # -- at random ----------------------------------------------------------

    def step(self):
        worker = self.random.choice(self.workers)
        held = [one for one in self.messages.values()
                if one.is_held and not one.is_gone and one.visible[0] - 1 > time.monotonic()]
        count = self.random.choice([1, 2, 5, 10])
        some = self.random.sample(held, min(count, len(held)))
        word = self.random.choice(['send', 'send', 'batch', 'receive', 'receive', 'receive', 'delete', 'delete', 'change'])
        if word == 'send':
            self.send(worker, 'work', delay=self.random.choice([0, 0, 0, 1]),
                      attributes=self.random.choice([None, ATTRIBUTES]))
        elif word == 'batch':
            self.send_batch(worker, 'work', max(2, count))
        elif word == 'receive':
            self.receive(worker, 'work', count=count, timeout=self.random.choice([1, LONG, LONG, LONG]))
        elif word == 'delete' and some:
            self.delete(worker, *some)
        elif word == 'change' and some:
            self.change(worker, self.random.choice([0, 2, LONG]), *some)

    def play(self, commands):
        self.directed()
        self.make(self.workers[0], 'work')
        for number in range(commands // self.SLOWER):
            self.step()
            if number % 12 == 11:
                self.kill_and_start()
        taken = self.take_all()
        self.fifo()
        require(self.lacks <= NEWER, 'the client lacks', *self.lacks)
        lacks = f', without {" and ".join(sorted(self.lacks))}' if self.lacks else ''
        return f'{len(self.messages)} messages, {taken} of them left at the end{lacks}'

    def take_all(self):
        """Those in flight for long are given back."""
        one = self.workers[0]
        for message in self.messages.values():
            if message.is_held and not message.is_gone and message.visible[0] - 1 > time.monotonic():
                self.change(one, 0, message)
        taken = 0
        for _ in range(2 * len(self.messages) + 10):
            got = self.receive(one, 'work', count=10, wait=3)
            if not got:
                break
            self.delete(one, *got)
            taken += len(got)
        lost = [one.body[:12] for one in self.messages.values() if not one.is_gone]
        require(not lost, 'acknowledged, and lost:', lost)
        return taken


class Consumer(Signed):
    """A life of a program that hands messages to a function: one process puts, and the other consumes."""

    TIMEOUT = 5  # s

    def prepare(self):
        super().prepare()
        self.taken = {}  # body: when
        self.again = 0

    def maybe_kill(self, chance):
        if self.random.random() < chance:
            self.kill_and_start()

    def take(self, worker, missing):
        answer = worker.say('take', 1)
        if answer == ['none']:
            return
        now, body = time.monotonic(), answer[1]
        require(body in missing or body in self.taken, 'taken, which nobody put:', body)
        if body in self.taken:
            self.again += 1
            require(now - self.taken[body] > self.TIMEOUT - 2, body, 'was handed out again after',
                    round(now - self.taken[body], 2), 's')
        self.taken[body] = now
        missing.discard(body)

    def play(self, commands):
        producer, worker = self.workers
        require(worker.say('consume', self.TIMEOUT) == ['ok'], 'consume')
        missing = set()
        for number in range(commands // 4):
            body = f'body-{number}'
            require(producer.say('put', body) == ['ok'], 'put')
            missing.add(body)
            self.maybe_kill(0.1)
            if self.random.random() < 0.3:
                self.take(worker, missing)
                self.maybe_kill(0.1)
        waits = 0
        while missing and waits < 30:  # s without any
            left = len(missing)
            self.take(worker, missing)
            waits = 0 if len(missing) < left else waits + 1
        require(not missing, 'acknowledged, and lost:', sorted(missing))
        return f'{len(self.taken)} messages, {self.again} of them twice'
