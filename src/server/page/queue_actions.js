// What may be done with a queue: messages are sent, taken back from a consumer, moved to another queue, and dropped. What is moved or dropped is
// counted before, and changed page by page.
import {ask, field} from './actions.js';
import {call, isAborted} from './api.js';
import {h, say} from './dom.js';
import {number, plural} from './format.js';
import {inputOf, toast} from './parts.js';

const MESSAGES_MAX = 1_000_000;  // one dialog changes no more

export function send(table, queue, after) {
  const to = inputOf('queue.SEND.queue', {value: queue, 'aria-required': 'true', 'data-first': queue === ''});
  const body = h('textarea', {rows: '3', autocomplete: 'off', 'data-first': queue !== ''});
  const properties = inputOf('queue.SEND.properties', {tag: 'textarea', rows: '1', placeholder: '{"name": "value"}'});
  const priority = inputOf('queue.SEND.priority');
  ask({
    title: `Send a message to a queue of ${table}`,
    verb: 'Send',
    body:
        h('div', {class: 'fields'}, field('Queue', to), field('Body', body),
          field('Properties', properties, 'an object in JSON'), field('Priority', priority, priority.help)),
    async run(signal) {
      const parameters = {table, queue: to.value, body: body.value};
      if (properties.value.trim() !== '') parameters.properties = properties.value.trim();
      if (priority.value !== '') parameters.priority = Number(priority.value);
      const [answer] = await call('SEND', parameters, signal);
      after?.();
      return `Message ${answer.message} is on ${to.value}.`;
    },
  });
}

export function takeBack(table, message, consumer, after) {
  ask({
    title: `Take message ${message} back?`,
    verb: 'Take back',
    body: h(
        'p', {},
        `${consumer} has it, and is refused when it reports. The message waits at its place in the queue; nothing is ` +
            'counted.'),
    async run(signal) {
      const [answer] = await call('KICK', {table, message}, signal);
      after();
      return answer.command === 'KICKED' ? `Message ${message} waits again.` : `Message ${message} had expired.`;
    },
  });
}

const STATUSES = {
  '': 'all that no consumer has',
  waiting: 'due and waiting ones',
  parked: 'parked ones'
};

// One command changes 1000 messages at most.
async function pages(command, parameters, signal, tell) {
  let count = 0;
  for (let more = true; more && count < MESSAGES_MAX;) {
    const [answer] = await call(command, parameters, signal);
    count += answer.count;
    more = answer.more === 1 && answer.count > 0;
    tell(count);
  }
  return count;
}

// parameters(): of the command, or null if they are not complete. Counts when the dialog is open, and again after each
// change of `inputs`.
function counted({command, title, verb, done, danger = false, body, inputs, parameters, after}) {
  const what = h('p', {role: 'status'}, 'Counting …');
  let counting = null;
  async function count(state) {
    counting?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    counting = mine;
    state.ready(null);
    const given = parameters();
    if (given === null) return say(what, 'To which queue?');
    try {
      const [answer] = await call(command, {...given, dry_run: 1}, AbortSignal.any([state.signal, mine.signal]));
      const more = answer.more === 1;
      say(what,
          answer.count === 0 ?
              'There is no such message now: nothing would be changed.' :
              `${more ? 'More than ' : ''}${plural(answer.count, 'message')} now. Those that are there ` +
                  'when their turn comes are changed; those with consumers stay.');
      state.forgive();
      return state.ready(
          answer.count === 0 ? null : `${verb} ${more ? 'all, more than ' : ''}${plural(answer.count, 'message')}`);
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
  const target = inputOf('queue.MOVE.to', {value: to, 'aria-required': 'true', 'data-first': true});
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
      if (target.value === '') return null;
      return {table, queue, to: target.value, ...(status.value === '' ? {} : {status: status.value})};
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
