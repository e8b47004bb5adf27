#!/usr/bin/python3
"""Calendars beside other implementations: ten years, twelve zones, random expressions and chosen ones.

usage: references.py DATES [--expressions N] [--seed S] [--croner FOLDER]
DATES is the program of dates.cpp. Exit status 77: python3-croniter is not installed. --croner: a folder in which npm
installed croner.

- croniter (of Debian) gives the dates on a clock that is never changed; the zones of Python and the rules of
  doc/schedules.md about changes of the clock make those of the zone of them, local time by local time. What croniter does
  in a zone itself is not asked: with Debian 12's 1.3.5 `30 2 * * *` in New York is 03:30 on the day of a gap.
- croner knows zones. It may differ where doc/schedules.md says so, at the end of a gap, and nowhere else.

An expression of more than a date in two hours is looked at around changes of the clock and in a few other weeks.
"""
import argparse
import calendar
import datetime
import random
import subprocess
import sys
import time
import zoneinfo

try:
    import croniter
except ImportError:
    print('python3-croniter is not installed: skipped')
    sys.exit(77)

ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca',
         'Asia/Kathmandu', 'America/Santiago', 'Australia/Sydney', 'Africa/Cairo', 'America/Sao_Paulo',
         'Pacific/Auckland']
FIRST, END = 2008, 2018  # Apia's lost day is in 2011; Cairo has four changes in 2010 and in 2014
LATER = 2024, 2044       # behind the tables in the files of zones, from 2038 on
DAY = 86400
MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split()
DAYS = 'sun mon tue wed thu fri sat'.split()
CHOSEN = [
    '0 0 * * *', '30 2 * * *', '0 2 * * *', '30 0 * * *', '15 1,2,3 * * *', '*/10 2 * * *', '*/10 1 * * *', '30 * * * *',
    '* * * * *', '15 * * * *', '0 */2 * * *', '0 */6 * * *', '30 1-3 * * *', '0 0-23 * * *', '30 0-23 * * *',
    '0 12 30 12 *', '59 23 * * *', '0 0 29 2 *', '0 0 31 * *', '0 0 l * *', '0 9 1 * mon', '0 9 */2 * mon', '0 0 13 * 5',
    '0 0 * * 5#3', '0 0 * * 1#5', '0 3 15 * *', '0 0 1 1 *', '0 0 1 */3 *', '5/15 3 * * *', '0 22 * * 1-5', '0 0 * 2 *',
    '20 2 * 3,10,11 sun', '0 1 * * sun', '0 30 2 * * *', '*/20 30 2 * * *', '10 */30 1,2 * * *', '0 0 * * 7',
]
# Those that croniter does not know.
CRONER_ONLY = ['0 0 15W * *', '0 0 LW * *', '0 0 1W * *', '0 0 31W * *', '0 12 10W,20W 1-6 *', '0 8 * * 5#L', '0 0 1 * +mon',
               '30 2 L * *', '0 0 13 * +fri']


def field(rng, first, last, names=None):
    """Random text for a field. All values are `*` for croniter, and so not random ones."""
    def value(n):
        return rng.choice([names[n - first], names[n - first].upper(), str(n)]) if names else str(n)
    kind = rng.random()
    if kind < 0.3:
        return '*'
    if kind < 0.45:
        return f'*/{rng.randint(2, last - first)}'
    if kind < 0.7:
        return value(rng.randint(first, last))
    a, b = sorted((rng.randint(first, last), rng.randint(first, last)))
    if kind < 0.8 and 0 < b - a < last - first:
        return f'{value(a)}-{value(b)}'
    if kind < 0.85 and 1 < b - a:
        return f'{value(a)}-{value(b)}/{rng.randint(2, b - a)}'
    return ','.join(value(n) for n in sorted(rng.sample(range(first, last + 1), rng.randint(2, 4))))


def expression(rng):
    hour = rng.choice([field(rng, 0, 23), field(rng, 0, 4), str(rng.randint(0, 3))])
    day = rng.choice(['*', '*', field(rng, 1, 31), 'l'])
    weekday = rng.choice(['*', '*', field(rng, 0, 6, DAYS), f'{rng.randint(0, 6)}#{rng.randint(1, 5)}'])
    text = f'{field(rng, 0, 59)} {hour} {day} {rng.choice(["*", field(rng, 1, 12, MONTHS)])} {weekday}'
    return f'{rng.choice(["0", "30", "*/20", "5,50"])} {text}' if rng.random() < 0.15 else text


class Place:
    """A zone: what its clocks do, by Python's own reader of tzdata."""

    def __init__(self, name):
        self.name = name
        self.zone = zoneinfo.ZoneInfo(name)
        self.changes = []  # (second, offset before, offset after)
        for first, end in ((FIRST, END), LATER):
            second, last = calendar.timegm((first, 1, 1, 0, 0, 0)), calendar.timegm((end, 1, 1, 0, 0, 0))
            while second < last:
                if self.offset(second) != self.offset(second + DAY):
                    low, high = second, second + DAY
                    while high - low > 1:
                        middle = (low + high) // 2
                        low, high = (middle, high) if self.offset(middle) == self.offset(low) else (low, middle)
                    self.changes.append((high, self.offset(low), self.offset(high)))
                second += DAY
        self.gaps = {at for at, before, after in self.changes if after > before}

    def offset(self, second):
        at = datetime.datetime.fromtimestamp(second, datetime.timezone.utc).astimezone(self.zone)
        return int(at.utcoffset().total_seconds())

    def dates(self, local, fixed, each_hour):
        """UTC of a second of the wall's clock, by the rules of doc/schedules.md."""
        for at, before, after in self.changes:
            if at + before <= local < at + after:
                return [] if each_hour else [at]
            if at + after <= local < at + before:
                return [local - before] if fixed else [local - before, local - after]
        # Not near a change: what the offset is a day and more away does not matter.
        return [local - self.offset(local - self.offset(local))]


def shape(text):
    """Whether an expression has fixed times, and whether it has every hour."""
    times = text.split()[:-3]
    hours = set()
    for part in times[-1].split(','):
        span, _, step = part.partition('/')
        a, _, b = span.partition('-')
        low = 0 if span == '*' else int(a)
        high = 23 if span == '*' or (step and not b) else int(b or a)
        hours.update(range(low, high + 1, int(step or 1)))
    return not any('*' in word or '/' in word for word in times), len(hours) == 24


def by_croniter(text, place, first, before):
    words = text.split()
    if len(words) == 6:
        words = words[1:] + words[:1]  # croniter has seconds last
    fixed, each_hour = shape(text)
    start = datetime.datetime.fromtimestamp(first - 2 * DAY, datetime.timezone.utc).replace(tzinfo=None)
    dates = set()
    try:
        clock = croniter.croniter(' '.join(words).lower(), start)
        while True:
            local = calendar.timegm(clock.get_next(datetime.datetime).timetuple())
            if local >= before + 2 * DAY:
                break
            dates.update(place.dates(local, fixed, each_hour))
    except croniter.CroniterBadDateError:
        pass  # it looks no further than fifty years
    return sorted(date for date in dates if first <= date < before)


class Subject:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def dates(self, text, place, first, before):
        self.process.stdin.write(f'{text}\t{place.name}\t{first}\t{before}\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline().rstrip('\n')
        if line.startswith('!') or not self.process.poll() is None:
            raise SystemExit(f'{text} in {place.name}: {line}')
        return [int(word) for word in line.split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def is_for_croniter(text):
    """It has no W, and takes a day of the month beside 5#3 as a second condition, where cron takes one of them. With
    */29 and */30 for days, 1.3.5 leaves the first of March out."""
    day, _, weekday = text.split()[-3:]
    return text not in CRONER_ONLY and (day == '*' or '#' not in weekday) and day not in ('*/29', '*/30')


def windows(text, place, rng):
    """Where to look: everywhere, or around changes of the clock."""
    first, end = calendar.timegm((FIRST, 1, 1, 0, 0, 0)), calendar.timegm((END, 1, 1, 0, 0, 0))
    words = text.split()[-5:]
    dense = any(c in words[0] + words[1] for c in '*/-') or len(text.split()) == 6 or words[1].count(',') > 1
    if not dense:
        yield first, end
        yield calendar.timegm((2037, 1, 1, 0, 0, 0)), calendar.timegm((2041, 1, 1, 0, 0, 0))
        return
    some = rng.sample(place.changes, min(5, len(place.changes)))
    for at, _, _ in some:
        yield at - DAY, at + DAY
    for _ in range(2):
        at = rng.randrange(first, end)
        yield at, at + 2 * DAY


def explained(text, place, ours, theirs):
    """Whether doc/schedules.md has this difference to croner: at the end of a gap."""
    fixed, each_hour = shape(text)
    more, less = set(ours) - set(theirs), set(theirs) - set(ours)
    lost_day = {at for at, before, after in place.changes if after - before >= DAY or (at + after) % DAY == 0}
    if not more <= place.gaps or not less <= place.gaps:
        return False
    # A `*` or step: croner leaves a gap out. All hours in a list or range: it runs at the end of one. A gap up to the end
    # of a day: it leaves that out as well.
    return (not more or not fixed or more <= lost_day) and (not less or (fixed and each_hour))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dates')
    parser.add_argument('--expressions', type=int, default=60)
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument('--croner')
    args = parser.parse_args()
    print(f'seed {args.seed}', flush=True)
    rng = random.Random(args.seed)
    ours = Subject(args.dates)
    croner = Subject('node', str(__import__('pathlib').Path(__file__).parent / 'croner.mjs'),
                     str(__import__('pathlib').Path(args.croner).resolve())) if args.croner else None
    places = [Place(name) for name in ZONES]
    cases = [(text, place) for text in CHOSEN for place in (places if args.expressions > 60 else rng.sample(places, 3))]
    cases += [(expression(rng), rng.choice(places)) for _ in range(args.expressions)]
    if croner:
        cases += [(text, place) for text in CRONER_ONLY for place in places]
    failed, compared, named = 0, 0, 0
    for text, place in cases:
        for first, before in windows(text, place, rng):
            try:
                found = ours.dates(text, place, first, before)
            except SystemExit as refused:
                # Random days of random months may have no date.
                if 'no date' in str(refused):
                    break
                raise
            compared += len(found)
            if is_for_croniter(text):
                expected = by_croniter(text, place, first, before)
                # With a step of days it leaves the first of March out at times, behind a short month.
                only = [time.gmtime(one + 86400)[1] for one in set(found) - set(expected)]
                if found != expected and set(expected) <= set(found) and '/' in text and set(only) == {3}:
                    named += 1
                elif found != expected:
                    failed += 1
                    print(f'{text!r} in {place.name} from {first} before {before}, by croniter: '
                          f'only ours {sorted(set(found) - set(expected))[:5]}, '
                          f'only croniter {sorted(set(expected) - set(found))[:5]}')
            if croner:
                theirs = croner.dates(text.replace('l ', 'L '), place, first, before)
                if found != theirs:
                    named += 1
                    if not explained(text, place, found, theirs):
                        failed += 1
                        print(f'{text!r} in {place.name} from {first} before {before}, by croner: '
                              f'only ours {sorted(set(found) - set(theirs))[:5]}, '
                              f'only croner {sorted(set(theirs) - set(found))[:5]}')
    ours.end()
    if croner:
        croner.end()
    print(f'{len(cases)} pairs of expression and zone, {compared} dates, {named} windows with a named difference, '
          f'{failed} differ')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
