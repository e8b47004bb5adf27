// What may be done with documents of a pipeline table: with one, or with all that a filter names. Deliveries (a document
// at a destination) are counted before, by a dry run, and changed page by page.
import {ask, field} from './actions.js';
import {call, isAborted} from './api.js';
import {parameters} from './declared.js';
import {h, say} from './dom.js';
import {number, plural} from './format.js';
import {toast} from './parts.js';

const COUNTED_PAGE = parameters['pipeline.RETRY.count'].max;
const CHANGES_MAX = 1_000_000;  // one dialog changes no more
const REQUESTS_MAX = 10_000;

const deliveries = (count) => plural(count, 'delivery', 'deliveries');

// By command; of RESOLVE by its outcome, too.
export const CHANGES = {
  retry: {
    command: 'RETRY',
    verb: 'Retry',
    title: 'Retry deliveries?',
    confirm: (what) => `Retry ${what}`,
    done: 'tried again',
    words: 'They are tried again as new: their failures are forgotten.',
  },
  force: {
    command: 'FORCE',
    verb: 'Send again',
    title: 'Send again?',
    confirm: (what) => `Send ${what} again`,
    done: 'to be sent again',
    words: 'They are sent again, also where they have arrived: a receiver that does not look at keys gets them twice.',
    risky: true,
  },
  drop: {
    command: 'DROP',
    verb: 'Drop',
    title: 'Drop deliveries?',
    confirm: (what) => `Drop ${what}`,
    done: 'dropped',
    words: 'They are not brought there any more, unless they change or somebody sends them again.',
    risky: true,
  },
  sent: {
    command: 'RESOLVE',
    more: {outcome: 'sent'},
    verb: 'It arrived',
    title: 'Say that it arrived?',
    confirm: (what) => `${what} arrived`,
    done: 'said to have arrived',
    words: 'Of those in doubt: they have arrived, and are not sent again.',
  },
  failed: {
    command: 'RESOLVE',
    more: {outcome: 'failed'},
    verb: 'It did not arrive',
    title: 'Say that it did not arrive?',
    confirm: (what) => `${what} did not arrive`,
    done: 'said to have failed',
    words: 'Of those in doubt: they did not arrive, and are sent again. If they did, they arrive twice.',
    risky: true,
  },
};

// sets: parameters of as many commands, one after the other. {count, whole}
async function pages(change, table, sets, extra, signal, tell) {
  let count = 0;
  let requests = 0;
  for (const set of sets) {
    let after;
    do {
      if (requests === REQUESTS_MAX || count >= CHANGES_MAX) return {count, whole: false};
      const more = after === undefined ? {} : {after};
      const [answer] = await call(change.command, {table, ...set, ...change.more, ...extra, ...more}, signal);
      count += answer.count;
      after = answer.after;
      requests += 1;
      tell(count);
    } while (after !== undefined);
  }
  return {count, whole: true};
}

// what: in words. choices: names of destinations, of which one may be chosen.
export function changeDeliveries(change, table, {what, sets, choices = [], after}) {
  const select = h(
      'select', {}, h('option', {value: ''}, 'all destinations'), choices.map((one) => h('option', {value: one}, one)));
  const told = h('p', {role: 'status'}, 'Counting …');
  const chosen = () => (select.value === '' ? sets : sets.map((set) => ({...set, destination: select.value})));
  let counting = null;
  async function count(state) {
    counting?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    counting = mine;
    state.ready(null);
    say(told, 'Counting …');
    try {
      const {count: found, whole} = await pages(
          change, table, chosen(), {dry_run: 1, count: COUNTED_PAGE}, AbortSignal.any([state.signal, mine.signal]),
          (some) => say(told, `Counting … ${number(some)} so far`));
      say(told,
          found === 0 ?
              'There is no such delivery now: nothing would be changed.' :
              `${whole ? '' : 'At least '}${deliveries(found)} now: each is a document at one destination. Those ` +
                  'that fit when their turn comes are changed; what workers have is left alone.');
      state.forgive();
      const words = change.confirm(deliveries(found));
      state.ready(found === 0 ? null : whole ? words : `${words}, at least`);
    } catch (problem) {
      if (isAborted(problem)) return;
      say(told, '');
      state.fail(problem);
    }
  }
  ask({
    title: change.title,
    verb: change.verb,
    danger: change.risky === true,
    ready: false,
    body: [
      h('p', {}, what), choices.length > 1 ? field('At', select) : null, told, h('p', {class: 'note'}, change.words)
    ],
    began(state) {
      select.addEventListener('change', () => count(state));
      count(state);
    },
    async run(signal, tell) {
      let sum = 0;
      let all = {whole: false};
      try {
        all = await pages(change, table, chosen(), {}, signal, (now) => {
          sum = now;
          tell(`${number(now)} so far`);
        });
      } catch (problem) {
        if (isAborted(problem) && sum > 0) toast(`Stopped after ${deliveries(sum)}.`);
        throw problem;
      } finally {
        after();
      }
      return `${deliveries(sum)} ${sum === 1 ? 'is' : 'are'} ${change.done}.${all.whole ? '' : ' There may be more.'}`;
    },
  });
}

export function takeBack(table, one, after) {
  ask({
    title: `Take document ${one.document} back?`,
    verb: 'Take back',
    body: [
      h('p', {}, one.uri ?? `Child ${one.child} of document ${one.parent}`),
      h('p', {},
        'The workers that have it are refused when they report. It is handed out again, and nothing is counted. What is ' +
            'being sent where it may arrive once at most is in doubt then.')
    ],
    async run(signal) {
      const [answer] = await call('KICK', {table, document: one.document}, signal);
      after();
      return `${plural(answer.count, 'lease')} of document ${one.document} ${answer.count === 1 ? 'is' : 'are'} over.`;
    },
  });
}

export function forget(table, one, after) {
  ask({
    title: `Forget document ${one.document}?`,
    verb: 'Forget',
    danger: true,
    body: [
      h('p', {}, one.uri ?? `Child ${one.child} of document ${one.parent}`),
      h('p', {},
        'With all its children, and what is known of them. If its source finds it again, it is new, and is sent ' +
            'everywhere. This cannot be undone.')
    ],
    async run(signal, tell) {
      let sum = 0;
      try {
        for (let more = true; more;) {
          const [answer] = await call('FORGET', {table, document: one.document}, signal);
          sum += answer.count;
          more = answer.more === 1 && answer.count > 0;
          tell(`${number(sum)} so far`);
        }
      } finally {
        after();
      }
      return `${plural(sum, 'document')} ${sum === 1 ? 'is' : 'are'} forgotten.`;
    },
  });
}
