"""What clients of beanstalkd do at a daemon that is killed by kill -9 again and again (clients.py): nothing that was
acknowledged is lost, and nothing is handed out twice while it is leased.

First come commands that need time; then commands drawn at random (`put TUBE PRIORITY DELAY TTR BODY`: `inserted JOB`). The
daemon is killed after the answer to each kind of command, and while commands are under way; the libraries connect again by
themselves, or are told to. At the end every job is taken.
"""
import time

from beanstalkd import CONFIG, Line
from life import ANSWER_SECONDS, Life, Violated, Worker, require

TUBES = ['mails', 'pages', 'e.t/c']
LONG = 3600  # s: a lease that no run outlasts
KILLS = 2  # after answers to each word, and as many while it is under way


class Consumer(Worker):
    """A program with what it watches, and what it had before its connection ended."""

    def __init__(self, name, run):
        super().__init__(name, run)
        self.watched = []
        self.had = []

    def reconnect(self):
        super().reconnect()
        if self.watched:
            self.watch(self.watched)

    def watch(self, tubes):
        self.watched = tubes
        require(self.say('watch', *tubes) == ['ok'], 'watch')


class Job:
    def __init__(self, body, tube, priority, number):
        self.body, self.tube, self.priority, self.number = body, tube, priority, number
        self.state = 'ready'  # delayed, reserved, buried, gone; loose: one of them, but nobody has it
        self.holder = None
        self.due = (0.0, 0.0)  # of a delay: not before, and after this surely
        self.may_be_gone = False

    def free(self):
        self.state, self.holder = 'ready', None

    def loosen(self, may_be_gone=False):
        self.state, self.holder, self.may_be_gone = 'loose', None, may_be_gone

    def delay(self, seconds, begin):
        """By a command that was sent then, and is answered now; dates are of whole milliseconds."""
        self.state, self.due = 'delayed', (begin + seconds - 0.002, time.monotonic() + seconds + 0.1)

    def is_ready(self, now):
        return self.state == 'ready' or (self.state == 'delayed' and now > self.due[1])

    def may_be_ready(self, now):
        return self.state in ('ready', 'loose') or (self.state == 'delayed' and now >= self.due[0])

    def place(self):
        return self.priority, int(self.number)


class Tubes(Life):
    CONFIG, TABLE, WORKER = CONFIG, 'tubes', Consumer

    def prepare(self):
        self.jobs = {}  # by body
        self.doubts = {}  # bodies whose put was under way when the daemon died: [at least, at most, seen]
        self.doubtful_kills = self.bodies = 0

    def start(self, is_again=False):
        super().start()
        # What connections of its former life had is given back soon.
        line = Line(self.server)
        until = time.monotonic() + ANSWER_SECONDS
        while not is_again and line.figure('stats', 'current-jobs-reserved') != '0':
            require(time.monotonic() < until, 'the jobs of connections that ended are not given back')
        line.socket.close()
        for job in self.jobs.values():
            if job.state == 'reserved':
                job.holder.had.append(job)
                job.free()

    # -- commands, and what their answers must be ---------------------------

    def new_body(self, size=0):
        self.bodies += 1
        return f'body-{self.bodies}-' + 'x' * size

    def put(self, worker, tube, priority=1024, delay=0, ttr=LONG, size=0):
        body = self.new_body(size)
        begin = time.monotonic()
        answer = worker.say('put', tube, priority, delay, ttr, body)
        require(answer[0] == 'inserted', 'put:', *answer)
        job = self.jobs[body] = Job(body, tube, priority, answer[1])
        if delay:
            job.delay(delay, begin)
        return job

    def reserve(self, worker, seconds=0):
        begin = time.monotonic()
        return self.reserved(worker, worker.say('reserve', seconds), begin)

    def reserved(self, worker, answer, begin):
        if answer[0] == 'none':
            left = [job.body for job in self.jobs.values() if job.tube in worker.watched and job.is_ready(begin)]
            require(not left, 'reserve found none of', left)
            return None
        require(answer[0] == 'reserved', 'reserve:', *answer)
        number, body = answer[1:]
        if body in self.doubts:
            self.seen_doubt(worker, number, body)
            return None
        job = self.jobs.get(body)
        require(job is not None, 'a job that nobody put:', body)
        require(job.state != 'reserved', body, 'was handed out, which', job.holder and job.holder.name, 'has')
        now = time.monotonic()
        require(job.may_be_ready(now), body, 'was handed out, which is', job.state,
                f'for {job.due[0] - now:.4f} s more' if job.state == 'delayed' else '')
        require(job.tube in worker.watched, body, 'is of', job.tube, 'which is not watched')
        require(job.number in ('-', number), body, 'has the number', number, 'and was put as', job.number)
        job.number = number
        if job.state == 'ready' and 'touch' in self.has:
            first = min((one for one in self.jobs.values() if one.tube in worker.watched and one.is_ready(begin)),
                        key=Job.place, default=job)
            require(job.place() <= first.place(), body, job.place(), 'came before', first.body, first.place())
        job.state, job.holder, job.may_be_gone = 'reserved', worker, False
        return job

    def seen_doubt(self, worker, number, body):
        doubt = self.doubts[body]
        doubt[2] += 1
        require(doubt[2] <= doubt[1], body, 'is there', doubt[2], 'times')
        require(worker.say('delete', number) == ['ok'], 'delete of', body)

    def is_done(self, worker, job, answer, what):
        """Whether the holder did it; for others there is no such job."""
        mine = job.state == 'reserved' and job.holder is worker
        require(answer == (['ok'] if mine else ['no']), what, job.body, 'which is', job.state, 'and',
                'is' if mine else 'is not', "the worker's:", *answer)
        return mine

    def touch(self, worker, job):
        self.is_done(worker, job, worker.say('touch', job.number), 'touch')

    def release(self, worker, job, priority=1024, delay=0):
        begin = time.monotonic()
        if not self.is_done(worker, job, worker.say('release', job.number, priority, delay), 'release'):
            return
        job.free()
        job.priority = priority
        if delay:
            job.delay(delay, begin)

    def bury(self, worker, job, priority=1024):
        if self.is_done(worker, job, worker.say('bury', job.number, priority), 'bury'):
            job.state, job.priority, job.holder = 'buried', priority, None

    def delete(self, worker, job, word='delete'):
        answer = worker.say(word, job.number)
        if job.state == 'loose' and job.may_be_gone:
            require(answer in (['ok'], ['no']), word, *answer)
        else:
            is_there = job.state != 'gone' and (job.holder is None or job.holder is worker)
            require(answer == (['ok'] if is_there else ['no']), word, job.body, 'which is', job.state, 'and',
                    job.holder and job.holder.name, 'has it:', *answer)
            if not is_there:
                return
        job.state, job.holder = 'gone', None

    def kick(self, worker, tube):
        begin = time.monotonic()
        answer = worker.say('kick', tube, 1000)
        mine = [job for job in self.jobs.values() if job.tube == tube]
        if any(job.state == 'loose' for job in mine):
            for job in mine:
                if job.state in ('buried', 'delayed'):
                    job.loosen()
            return
        buried = [job for job in mine if job.state == 'buried']
        kicked = buried or [job for job in mine if job.state == 'delayed']
        least = sum(job.state == 'buried' or job.due[0] > time.monotonic() for job in kicked)
        most = sum(job.state == 'buried' or job.due[1] > begin for job in kicked)
        require(least <= int(answer[1]) <= most, 'kick of', tube, *answer, 'expected', least, 'to', most)
        for job in kicked:
            job.free()

    def kick_job(self, worker, job):
        answer = worker.say('kick-job', job.number)
        if job.state == 'loose':
            return
        if job.state == 'delayed' and answer == ['no']:
            require(time.monotonic() >= job.due[0], 'kick-job of', job.body, 'which is delayed:', *answer)
        else:
            can = job.state in ('buried', 'delayed')
            require(answer == (['ok'] if can else ['no']), 'kick-job of', job.body, 'which is', job.state, *answer)
        if job.state in ('buried', 'delayed'):
            job.free()

    def state(self, worker, job):
        answer = worker.say('state', job.number)
        if job.state in ('ready', 'reserved', 'buried'):
            require(answer == ['state', job.state], 'stats-job of', job.body, 'which is', job.state, *answer)

    # -- what needs time ----------------------------------------------------

    def directed(self):
        one, two = self.workers
        one.watch(TUBES)
        two.watch(TUBES[:2])
        other = self.put(one, TUBES[2])
        begin = time.monotonic()
        require(self.reserve(two, 1) is None, 'reserve of what is not watched')
        require(0.9 <= time.monotonic() - begin < 10, 'a time-out of 1 s took', time.monotonic() - begin, 's')
        require(self.reserve(one) is other, 'reserve of one of several tubes')
        self.delete(one, other)
        # A wait that a job ends.
        two.program.send('reserve', 30)
        waited = self.put(one, TUBES[1], size=60_000)
        answer = self.note(two, ['reserve', 30], two.program.answer())
        require(self.reserved(two, answer, time.monotonic()) is waited, 'reserve that waited:', *answer)
        self.delete(two, waited)
        # A lease that ends by its date, and one that goes on.
        over = self.put(one, TUBES[0], ttr=1)
        require(self.reserve(one) is over, 'reserve')
        begin = time.monotonic()
        two.program.send('reserve', 30)
        answer = self.note(two, ['reserve', 30], two.program.answer())
        require(0.5 < time.monotonic() - begin < 10, 'a lease of 1 s ended after', time.monotonic() - begin, 's')
        over.free()
        require(self.reserved(two, answer, begin) is over, 'reserve of a job whose lease was over:', *answer)
        if 'touch' in self.has:
            self.touch(one, over)
            self.delete(one, over)
        self.delete(two, over)
        if 'touch' in self.has:
            kept = self.put(one, TUBES[0], ttr=2)
            require(self.reserve(one) is kept, 'reserve')
            for _ in range(2):
                time.sleep(1.3)
                self.touch(one, kept)
            require(self.reserve(two) is None, 'reserve of a job that was touched')
            self.delete(one, kept)

    # -- at random ----------------------------------------------------------

    def some_job(self, worker):
        held = [job for job in self.jobs.values() if job.holder is worker]
        if held and self.random.random() < 0.7:
            return self.random.choice(held)
        if worker.had and self.random.random() < 0.5:
            return self.random.choice(worker.had[-5:])
        numbered = [job for job in self.jobs.values() if job.number != '-']
        return self.random.choice(numbered[-40:]) if numbered else None

    def draw(self, worker):
        """A command: its word, and what it takes."""
        has_long_delays = 'kick' in self.has
        word = self.random.choice([word for word in
                                   ['put'] * 6 + ['reserve'] * 6 + ['delete'] * 3 +
                                   ['touch', 'release', 'bury', 'kick', 'kick-job', 'state', 'watch', 'reject']
                                   if word in self.has])
        job = self.some_job(worker)
        if word == 'kick-job':
            asleep = [one for one in self.jobs.values() if one.state in ('buried', 'delayed')]
            job = self.random.choice(asleep) if asleep and self.random.random() < 0.7 else job
        if word in ('delete', 'reject') and 'touch' not in self.has:  # of what it was handed, and by its envelope
            mine = [one for one in self.jobs.values() if one.holder is worker]
            job = mine[0] if mine else None
        if job is None and word not in ('put', 'reserve', 'watch', 'kick'):
            word = 'put'
        priority = self.random.choice([0, 10, 1024, 4294967295]) if 'touch' in self.has else 1024
        delay = self.random.choice([0] * 8 + [1] + ([1000] if has_long_delays else []))
        tube = self.random.choice(TUBES)
        return word, job, priority, delay, tube

    def step(self, worker):
        """The word, if its answer was what it is for."""
        word, job, priority, delay, tube = self.draw(worker)
        before = self.counts.get(word, 0)
        match word:
            case 'put':
                self.put(worker, tube, priority, delay, size=self.random.choice([0, 10, 3000]))
            case 'reserve':
                self.reserve(worker)
            case 'watch':
                worker.watch(self.random.sample(TUBES, self.random.randrange(1, len(TUBES) + 1)))
            case 'touch':
                self.touch(worker, job)
            case 'release':
                self.release(worker, job, priority, delay)
            case 'bury':
                self.bury(worker, job, priority)
            case 'delete' | 'reject':
                self.delete(worker, job, word)
            case 'kick':
                self.kick(worker, tube)
            case 'kick-job':
                self.kick_job(worker, job)
            case 'state':
                self.state(worker, job)
        return word if self.counts.get(word, 0) > before else ''

    def step_in_doubt(self, worker):
        """A command is under way when the daemon dies: it is done, or not, or twice by libraries that send it again."""
        word, job, priority, delay, tube = self.draw(worker)
        delay = 0 if word == 'put' else min(delay, 1)  # what may be there is not counted by kick
        body = self.new_body()
        if word in ('release', 'bury'):
            priority = job.priority  # else it would not be known which of both it has
        words = {'put': [tube, priority, delay, LONG, body], 'reserve': [0], 'watch': worker.watched,
                 'release': [job and job.number, priority, delay], 'bury': [job and job.number, priority],
                 'kick': [tube, 1000]}.get(word, [job and job.number])
        worker.program.send(word, *words)
        time.sleep(self.random.choice([0, 0.0002, 0.001, 0.003]))  # not waited for: any moment is one
        self.kill()
        self.doubtful_kills += 1
        self.start(is_again=word == 'reserve')
        answer = self.note(worker, [word, *words], worker.program.answer())
        is_known = answer[0] != 'error'
        if not is_known:
            self.told_to_connect = True
            worker.reconnect()
        match word:
            case 'put':
                self.doubts[body] = [int(is_known), 2, 0]
            case 'reserve':
                # By the daemon that died, or again by the next one: which of them is not known, but by its death.
                job = self.jobs.get(answer[2]) if answer[0] == 'reserved' else None
                require(job is None or job.state != 'gone', *answer, 'is gone')
                self.kill()
                self.start()
            case 'release' | 'bury' | 'kick-job':
                if job.state != 'gone':
                    job.loosen(job.may_be_gone)
            case 'kick':
                for one in self.jobs.values():
                    if one.tube == tube and one.state in ('buried', 'delayed'):
                        one.loosen()
            case 'delete' | 'reject':
                if answer == ['ok']:
                    job.state = 'gone'
                elif job.state != 'gone':
                    job.loosen(may_be_gone=True)

    def drawn(self, commands):
        # The words whose answer a kill comes behind, and as many kills while commands are under way; all over the life.
        after = [word for word in self.has if word != 'connect'] * KILLS
        kills = in_doubt = len(after)
        for at in range(commands * 50):
            left = kills * (commands - at) / commands
            worker = self.random.choice(self.workers)
            if in_doubt > left:
                in_doubt -= 1
                self.step_in_doubt(worker)
            done = self.step(worker)
            if len(after) > left and done in after:
                after.remove(done)
                self.kill()
                self.start()
            if at >= commands and not after:
                return
        raise Violated('never answered as it should:', *after)

    def take_all(self):
        self.kill()
        self.start()
        one = self.workers[0]
        one.watch(TUBES)
        if 'kick' in self.has:
            for tube in TUBES * 2:  # those that are buried, and then those that are delayed
                one.say('kick', tube, 1000)
        elif 'kick-job' in self.has:
            for job in self.jobs.values():
                if job.state not in ('ready', 'gone'):
                    one.say('kick-job', job.number)
        for job in self.jobs.values():
            if job.state != 'gone':
                job.loosen(job.may_be_gone)
        taken = 0
        for _ in range(2 * len(self.jobs) + 2 * len(self.doubts) + 10):
            answer = one.say('reserve', 2)
            if answer == ['none']:
                break
            job = self.reserved(one, answer, 0)
            if job is not None:
                taken += 1
                self.delete(one, job)
        else:
            raise Violated('reserve does not end')
        lost = [job.body for job in self.jobs.values() if job.state != 'gone' and not job.may_be_gone]
        lost += [body for body, (least, _, seen) in self.doubts.items() if seen < least]
        require(not lost, 'acknowledged, and lost:', lost)
        return taken

    def play(self, commands):
        self.directed()
        self.drawn(commands)
        taken = self.take_all()
        return (f'{len(self.jobs) + len(self.doubts)} jobs, {taken} of them left at the end, {self.doubtful_kills} kills '
                'under a command')
