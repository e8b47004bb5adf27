// One queue: what is on it, its options, its messages a page at a time, and one message with its body and the reason why
// it is where it is.
import {action} from './actions.js';
import {call, isAborted} from './api.js';
import {h, replace, say} from './dom.js';
import {bytes, number, plural, shortened, span} from './format.js';
import {live} from './live.js';
import {list} from './pages.js';
import {badge, dated, empty, facts, inputOf, link, openDialog, tile, toast, traceOf, when} from './parts.js';
import {kick, kickAll, move, park, pause, purge, remove, resume} from './queue_actions.js';
import {limits, marks, queueLink} from './queues.js';
import {shownValue} from './values.js';

const EVERY_MS = 2000;
const REQUESTS_MAX = 100;    // each looks at 10,000 messages
const SHOWN_BYTES = 65_536;  // of a body
const TILES = [
  ['messages', 'Messages', number],
  ['due', 'Due', number],
  ['acquired', 'Acquired', number],
  ['parked', 'Parked', number],
  ['bytes', 'Bytes', bytes],
];

// A part of a text comes as bytes where it ends within a character.
const bodyOf = ({body, body_binary: base64, offset}) =>
    shownValue('Body', body === undefined ? {base64: base64 ?? '', is_part: offset !== undefined} : {text: body});

// What may be done with a message, by its status.
const DEEDS = {
  behind: [['Delete …', 'manage', remove, 'risky']],
  due: [['Park …', 'work', park], ['Delete …', 'manage', remove, 'risky']],
  waiting: [['Kick …', 'manage', kick], ['Park …', 'work', park], ['Delete …', 'manage', remove, 'risky']],
  parked: [['Kick …', 'manage', kick], ['Delete …', 'manage', remove, 'risky']],
  acquired: [['Take back …', 'manage', kick], ['Park …', 'manage', park]],  // READ tells its epoch to managers
};

// one: as BROWSE or PEEK has shown it.
async function look(table, one, rights, after) {
  const here = location.hash;
  const part = one.bytes > SHOWN_BYTES ? {offset: 0, length: SHOWN_BYTES} : {};
  const [head] = await call('READ', {table, message: one.message, ...part});
  const [reason] = await call('WHY', {table, message: one.message});
  const close = h('button', {type: 'button', 'data-first': true, on: {click: () => dialog.close()}}, 'Close');
  const dialog =
      h('dialog', {'aria-label': `Message ${one.message}`, on: {close: () => dialog.remove()}},
        h('h2', {}, `Message ${one.message} `, badge(head.status, '')), h('p', {}, `${reason.text}.`),
        head.error ? h('p', {class: 'error'}, head.error) : null, traceOf(head), bodyOf(head),
        head.offset === undefined ? null :
                                    h('p', {class: 'note'}, `The first ${bytes(SHOWN_BYTES)} of ${bytes(head.bytes)}.`),
        facts({
          queue: head.queue,
          size: plural(head.bytes, 'byte'),
          properties: head.properties,
          exchange: head.exchange,
          'routing key': head.routing_key,
          priority: number(head.priority),
          sent: when(head.sent_date, true),
          'not before': when(head.process_date, true),
          expires: head.expiration_date ? when(head.expiration_date, true) : 'never',
          'failed deliveries': number(head.deliveries),
          redelivered: head.redelivered ? 'it was handed out before' : null,
          'died on': head.dead_of ? h('a', {href: queueLink(table, head.dead_of)}, head.dead_of) : null,
          consumer: head.worker,
          'lease ends': head.lease_end ? when(head.lease_end, true) : null
        }),
        h('div', {class: 'buttons'},
          (DEEDS[head.status] ?? []).map(([label, right, run, kind]) => action(label, right, rights, () => {
                                           dialog.close();
                                           run(table, head, after);
                                         }, kind)), close));
  dialog.addEventListener('click', (event) => event.target.closest('a') && dialog.close());
  openDialog(dialog, close, here);
}

export function open(place, name, {row: queue, query: first, rights}) {
  let query = first;
  let controller = null;
  let asked = 0;
  let now = null;  // the queue, as it was last told
  let is_gone = false;
  let origin = '';  // of a dead letter that is shown: where it is to go back
  let messages = null;
  let shown = '';  // what is on the page
  let offered = '';
  const tiles = {};
  const head = h('div', {class: 'panel-head'});
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const about = h('div');
  const buttons = h('div', {class: 'buttons', role: 'group', 'aria-label': `Actions on ${queue}`});
  const status = inputOf('queue.BROWSE.status', {name: 'status', words: {'': 'all'}});
  const form =
      h('form', {
        class: 'filters',
        role: 'search',
        'aria-label': 'Filter messages',
        on: {submit: (event) => event.preventDefault()}
      },
        h('label', {}, 'Status', status));
  status.addEventListener('change', () => {
    location.hash = link(['t', name, 'queue', queue], {status: status.value});
  });
  const found = h('div');
  const list_panel = h('section', {class: 'panel', 'aria-label': 'Messages'}, form, found);
  place.append(
      h('section', {class: 'panel', 'aria-label': `Queue ${queue}`}, head, problem, about, buttons), list_panel);

  function tell(failure) {
    say(problem, failure.message);
    problem.hidden = false;
  }

  async function show(message) {
    try {
      await look(name, message, rights(), again);
    } catch (failure) {
      tell(failure);
    }
  }

  // The first message of the list's status; of those with consumers none is first.
  async function peek() {
    const state = status.value || 'due';
    try {
      const [first] = await call('PEEK', {table: name, queue, ...(state === 'due' ? {} : {status: state})});
      if (first.command !== 'MESSAGE') return toast(`No message of ${queue} is ${state}.`);
      return await show(first);
    } catch (failure) {
      return tell(failure);
    }
  }

  function again() {
    load();
    messages?.reload();
  }

  function offer() {
    const to = origin || (now.parked > 0 ? queue : '');
    const text = `${to}|${now.paused}|${status.value}|${rights()?.join()}`;
    if (text === offered) return;
    offered = text;
    const focused = buttons.contains(document.activeElement);
    replace(
        buttons,
        now.paused ? action('Resume …', 'manage', rights(), () => resume(name, queue, again)) :
                     action('Pause …', 'manage', rights(), () => pause(name, queue, again)),
        status.value === 'acquired' ? null : action(`First ${status.value || 'due'}`, 'read', rights(), peek),
        action('Kick …', 'manage', rights(), () => kickAll(name, now, again)),
        action('Move …', 'manage', rights(), () => move(name, queue, to, again)),
        action('Drop …', 'manage', rights(), () => purge(name, queue, again), 'risky'));
    if (focused) buttons.querySelector('button').focus();
  }

  async function load() {
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    try {
      const [one] = await call('QUEUES', {table: name, queue}, mine.signal);
      problem.hidden = true;
      is_gone = one.command !== 'QUEUE';
      buttons.hidden = is_gone;
      list_panel.hidden = is_gone;
      delete one.now;  // of a paused queue, and another one each time
      const text = JSON.stringify(one);
      if (text === shown) return;
      shown = text;
      now = is_gone ? null : one;
      if (is_gone) {
        replace(head, h('h2', {}, queue), h('a', {href: link(['t', name])}, 'All queues'));
        return replace(about, empty('There is no queue of this name.'));
      }
      replace(head, h('h2', {}, queue, ' ', marks(one)), h('a', {href: link(['t', name])}, 'All queues'));
      for (const [name, label, show] of TILES) {
        tiles[name] ??= tile(label);
        say(tiles[name].value, show(one[name] ?? 0));
      }
      tiles.parked.node.classList.toggle('bad', one.parked > 0);
      replace(about, h('dl', {class: 'tiles small'}, Object.values(tiles).map(({node}) => node)), facts({
                'dead letters': one.dead_letters ? h('a', {href: queueLink(name, one.dead_letters)}, one.dead_letters) :
                                                   'none: dead messages are parked',
                limits: limits(one).join(', '),
                paused: one.paused ?
                    [
                      one.paused_until ? ['until ', when(one.paused_until, true)] : 'until somebody resumes it',
                      one.pause_reason ? `: ${one.pause_reason}` : ''
                    ] :
                    null,
                'a lease lasts': one.lease ? span(one.lease) : null,
                'messages expire after': one.expires ? span(one.expires) : null,
                declared: one.declared ? 'in the file of the table' : null
              }));
      offer();
    } catch (failure) {
      if (isAborted(failure)) return;
      tell(failure);
    } finally {
      if (controller === mine) controller = null;
    }
  }

  function begin() {
    messages?.close();
    found.replaceChildren();
    status.value = query.status ?? '';
    if (status.selectedIndex < 0) status.value = '';
    messages = list(found, {
      command: 'BROWSE',
      parameters: {table: name, queue, ...(status.value === '' ? {} : {status: status.value})},
      answer: 'MESSAGE',
      label: `Messages of ${queue}`,
      kind: 'messages',
      requests: REQUESTS_MAX,
      key: (one) => one.message,
      nothing: (last) =>
          last.after === undefined ? 'There is no such message.' : 'None among those that were looked at.',
      took: (all) => {
        origin = all.find((one) => one.dead_of)?.dead_of ?? '';
        if (now !== null) offer();
      },
      columns: [
        {
          head: 'Message',
          class: 'n',
          cell: (one) => h('button', {type: 'button', class: 'link', on: {click: () => show(one)}}, String(one.message))
        },
        {head: 'Status', cell: (one) => badge(one.status, '')},
        {head: 'Bytes', class: 'n roomy', cell: (one) => number(one.bytes)},
        {head: 'Routing key', class: 'key wide', cell: (one) => one.routing_key ?? ''},
        {head: 'Priority', class: 'n wide', cell: (one) => one.priority},
        {head: 'Sent', class: 'roomy', cell: (one) => dated(one.sent_date)},
        {head: 'Not before', class: 'wide', cell: (one) => dated(one.process_date)},
        {head: 'Failed', class: 'n', title: 'deliveries that failed or timed out', cell: (one) => one.deliveries || ''},
        {head: 'Died on', class: 'roomy', cell: (one) => one.dead_of ?? ''},
        {head: 'Consumer, or its error', class: 'says', cell: (one) => shortened(one.worker ?? one.error ?? '')},
      ],
    });
  }

  load();
  begin();
  return {
    draw() {
      if (live.state === 'live' && controller === null && Date.now() - asked >= EVERY_MS) load();
      if (!is_gone) messages.draw();
    },
    rights: () => now !== null && offer(),
    reload: again,
    navigate(next) {
      query = next;
      begin();
    },
    close() {
      controller?.abort(new DOMException('closed', 'AbortError'));
      messages.close();
    },
  };
}
