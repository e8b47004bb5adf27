// What may be done with a queue: it is paused and resumed; messages are sent, parked, kicked, deleted, moved to another
// queue, and dropped. What is moved or dropped is counted before, and many are changed page by page.
import {ask, DATE_FORMS, dateOf, field, spanOf} from './actions.js';
import {call, isAborted} from './api.js';
import {h, say} from './dom.js';
import {date, number, plural} from './format.js';
import {inputOf, toast} from './parts.js';

const MESSAGES_MAX = 1_000_000;  // one dialog changes no more
const PAGE_MAX = 1000;           // and one command

export function send(table, queue, after) {
  const to = inputOf('queue.SEND.queue', {value: queue, 'aria-required': 'true', 'data-first': queue === ''});
  const body = h('textarea', {rows: '3', autocomplete: 'off', 'data-first': queue !== ''});
  const properties = inputOf('queue.SEND.properties', {tag: 'textarea', rows: '1', placeholder: '{"name": "value"}'});
  const priority = inputOf('queue.SEND.priority');
  const lease = inputOf('queue.SEND.lease', {type: 'text', min: null, max: null});
  ask({
    title: `Send a message to a queue of ${table}`,
    verb: 'Send',
    body:
        h('div', {class: 'fields'}, field('Queue', to), field('Body', body),
          field('Properties', properties, 'an object in JSON'), field('Priority', priority, priority.help),
          field('Lease', lease, `90s, 5m, 2h or 1d: ${lease.help}`)),
    async run(signal) {
      const parameters = {table, queue: to.value, body: body.value};
      if (properties.value.trim() !== '') parameters.properties = properties.value.trim();
      if (priority.value !== '') parameters.priority = Number(priority.value);
      if (lease.value.trim() !== '') parameters.lease = spanOf('lease', lease.value.trim());
      const [answer] = await call('SEND', parameters, signal);
      after?.();
      return `Message ${answer.message} is on ${to.value}.`;
    },
  });
}

// By the status of the message, which may have another one meanwhile: then it is refused.
const KICKS = {
  acquired: {
    verb: 'Take back',
    title: (message) => `Take message ${message} back?`,
    words: (consumer) => `${consumer} has it, and is refused when it reports. The message waits at its place in the ` +
        'queue; nothing is counted.',
  },
  parked: {
    verb: 'Kick',
    title: (message) => `Kick message ${message}?`,
    words: () => 'It waits in its queue again, and its deliveries are counted anew.',
  },
  waiting: {
    verb: 'Kick',
    title: (message) => `Kick message ${message}?`,
    words: () => 'It is due at once, and not at its date.',
  },
};

export function kick(table, {message, status, worker}, after) {
  const {verb, title, words} = KICKS[status];
  ask({
    title: title(message),
    verb,
    body: h('p', {}, words(worker)),
    async run(signal) {
      const [answer] = await call('KICK', {table, message, status}, signal);
      after();
      return answer.command === 'KICKED' ? `Message ${message} waits again.` : `Message ${message} had expired.`;
    },
  });
}

// PARK wants the epoch of a lease: a message that nobody has is taken first.
export function park(table, {message, epoch}, after) {
  const error = inputOf('queue.PARK.error', {'data-first': true});
  ask({
    title: `Park message ${message}?`,
    verb: 'Park',
    body: [
      h('p', {},
        `It stays on its queue until somebody kicks, moves or deletes it. ${
            epoch === undefined ? '' : 'Its consumer is refused when it reports. '}No failed delivery is counted.`),
      field('Reason', error, error.help)
    ],
    async run(signal) {
      const [leased] = epoch === undefined ? await call('ACQUIRE', {table, message}, signal) : [{epoch}];
      const parameters = {table, message, epoch: leased.epoch};
      if (error.value.trim() !== '') parameters.error = error.value.trim();
      const [answer] = await call('PARK', parameters, signal);
      after();
      return answer.command === 'PARKED' ? `Message ${message} is parked.` : `Message ${message} had expired.`;
    },
  });
}

export function remove(table, {message}, after) {
  ask({
    title: `Delete message ${message}?`,
    verb: 'Delete',
    danger: true,
    body: h('p', {}, 'It is gone for good, and does not go to dead letters. This cannot be undone.'),
    async run(signal) {
      await call('DELETE', {table, message}, signal);
      after();
      return `Message ${message} is deleted.`;
    },
  });
}

export function pause(table, queue, after) {
  const until = inputOf('queue.PAUSE.until', {placeholder: 'until somebody resumes it', 'data-first': true});
  const reason = inputOf('queue.PAUSE.reason');
  ask({
    title: `Pause the queue ${queue}?`,
    verb: 'Pause',
    body: [
      h('p', {}, 'Nothing of it is handed out. Messages with consumers go on, and messages that are sent are taken.'),
      h('div', {class: 'fields'}, field('Until', until, DATE_FORMS), field('Reason', reason, reason.help))
    ],
    async run(signal) {
      const parameters = {table, queue};
      if (until.value.trim() !== '') parameters.until = dateOf('until', until.value.trim());
      if (reason.value.trim() !== '') parameters.reason = reason.value.trim();
      const [answer] = await call('PAUSE', parameters, signal);
      after();
      if (answer.until) return `${queue} is paused until ${date(answer.until)}.`;
      return parameters.until === undefined ? `${queue} is paused.` : `${queue} is not paused: that date is past.`;
    },
  });
}

export function resume(table, queue, after) {
  ask({
    title: `Resume the queue ${queue}?`,
    verb: 'Resume',
    body: h('p', {}, 'Its messages are handed out again. Consumers that wait are told at once.'),
    async run(signal) {
      await call('RESUME', {table, queue}, signal);
      after();
      return `${queue} is open again.`;
    },
  });
}

// one: the queue, as QUEUES told it.
export function kickAll(table, one, after) {
  const waiting = one.messages - one.due - (one.behind ?? 0) - one.acquired - one.parked;
  const which = one.parked > 0 ?
      `${plural(one.parked, 'parked message')}: back to its queue, with deliveries counted anew.` :
      `No message is parked. ${plural(waiting, 'message')} before ${
          waiting === 1 ? 'its' : 'their'} date: due at once.`;
  const count = inputOf('queue.KICK.count', {max: null, placeholder: 'all', 'data-first': true});
  ask({
    title: `Kick messages of ${one.queue}?`,
    verb: 'Kick',
    ready: one.parked + waiting > 0,
    body: [h('p', {}, which), field('How many', count, 'at most, the first ones first')],
    async run(signal, tell) {
      const most = count.value === '' ? MESSAGES_MAX : Number(count.value);
      const sum = await pages('KICK', {table, queue: one.queue}, signal, (now) => tell(`${number(now)} so far`), most);
      after();
      return `${plural(sum, 'message')} ${sum === 1 ? 'is' : 'are'} back at work.`;
    },
  });
}

const STATUSES = {
  '': 'all that no consumer has',
  waiting: 'due and waiting ones',
  parked: 'parked ones'
};

async function pages(command, parameters, signal, tell, most = MESSAGES_MAX) {
  let count = 0;
  let after = {};
  for (let more = true; more && count < most;) {
    const [answer] = await call(command, {...parameters, ...after, count: Math.min(PAGE_MAX, most - count)}, signal);
    count += answer.count;
    if (answer.after !== undefined) after = {after: answer.after};
    more = answer.more === 1 && (answer.count > 0 || answer.after !== undefined);
    tell(count);
  }
  return count;
}

// parameters(): of the command. Counts when the dialog is open, and again after each change of `inputs`.
function counted({command, title, verb, done, danger = false, body, inputs, parameters, after}) {
  const what = h('p', {role: 'status'}, 'Counting …');
  let counting = null;
  async function count(state) {
    counting?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    counting = mine;
    state.ready(null);
    try {
      const [answer] = await call(command, {...parameters(), dry_run: 1}, AbortSignal.any([state.signal, mine.signal]));
      const more = answer.more === 1;
      const none = answer.count === 0 && !more;
      say(what,
          none ? 'There is no such message now: nothing would be changed.' :
                 `${more ? 'More than ' : ''}${plural(answer.count, 'message')} now. Those that are there ` +
                  'when their turn comes are changed; those with consumers stay.');
      state.forgive();
      return state.ready(none ? null : `${verb} ${more ? 'all, more than ' : ''}${plural(answer.count, 'message')}`);
    } catch (problem) {
      if (isAborted(problem)) return undefined;
      say(what, '');
      return state.fail(problem);
    }
  }
  ask({
    title,
    verb,
    danger,
    ready: false,
    body: [...body, what],
    began(state) {
      for (const input of inputs)
        input.addEventListener(input.tagName === 'SELECT' ? 'change' : 'input', () => count(state));
      count(state);
    },
    async run(signal, tell) {
      let sum = 0;
      try {
        sum = await pages(command, parameters(), signal, (now) => {
          sum = now;
          tell(`${number(now)} so far`);
        });
      } catch (problem) {
        if (isAborted(problem) && sum > 0) toast(`Stopped after ${plural(sum, 'message')}.`);
        throw problem;
      } finally {
        after?.();
      }
      return `${plural(sum, 'message')} ${sum === 1 ? 'was' : 'were'} ${done}.`;
    },
  });
}

// to: the queue that is most likely wanted; the same one for parked messages.
export function move(table, queue, to, after) {
  const target = inputOf('queue.MOVE.to', {value: to, placeholder: 'where each of them died', 'data-first': true});
  const status = inputOf('queue.MOVE.status', {words: STATUSES, value: to === queue ? 'parked' : ''});
  counted({
    command: 'MOVE',
    title: `Move messages of ${queue}?`,
    verb: 'Move',
    done: 'moved',
    body: [
      h('p', {}, 'They keep their numbers and their order, and their deliveries are counted anew.'),
      h('div', {class: 'fields'}, field('To the queue', target, `${queue} itself: its parked messages are due again`),
        field('Which', status))
    ],
    inputs: [target, status],
    parameters() {
      const where = target.value === '' ? {} : {to: target.value};
      return {table, queue, ...where, ...(status.value === '' ? {} : {status: status.value})};
    },
    after,
  });
}

export function purge(table, queue, after) {
  const status = inputOf('queue.PURGE.status', {words: STATUSES});
  counted({
    command: 'PURGE',
    title: `Drop messages of ${queue}?`,
    verb: 'Drop',
    done: 'dropped',
    danger: true,
    body: [
      h('p', {}, 'They are gone for good, and do not go to dead letters. This cannot be undone.'),
      h('div', {class: 'fields'}, field('Which', status))
    ],
    inputs: [status],
    parameters: () => ({table, queue, ...(status.value === '' ? {} : {status: status.value})}),
    after,
  });
}
