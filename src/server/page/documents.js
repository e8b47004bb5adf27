// The documents of a pipeline table, by their state, source and destination, a page at a time; and one of them, with the
// reason why it is where it is.
import {action} from './actions.js';
import {call, isAborted} from './api.js';
import {changeDeliveries, CHANGES, forget, takeBack} from './document_actions.js';
import {h, replace, say} from './dom.js';
import {plural} from './format.js';
import {list} from './pages.js';
import {badge, facts, inputOf, link, openDialog, scrolled, traceOf, when} from './parts.js';
import {readDestinations, readSteps} from './plan_reads.js';

const REQUESTS_MAX = 100;  // each looks at 20,000 documents
const EVENTS_MAX = 200;
const SHOWN_MAX = 4;  // destinations of a document in the list
const WAITING = ['processing', 'restart', 'dirty', 'force', 'error'];
const FAILED = ['dead', 'error_doc'];
const GROUPS = {
  stranded: 'missing somewhere, and nobody has them',
  open: 'missing somewhere',
  failed: 'failed for good somewhere',
  in_doubt: 'in doubt somewhere',
  orphans: 'children that their original has no more',
  done: 'nothing more happens to them',
};
const HELP = {
  processing: 'found, and to be brought there',
  restart: 'to be brought there again',
  dirty: 'to be brought there again if it has changed',
  force: 'to be sent again at an operator’s request',
  error: 'failed, and rests until it is tried again',
  batched: 'in a worker’s batch',
  sending: 'about to be sent',
  sent: 'it has arrived',
  dropped: 'it need not arrive there',
  dead: 'failed too often',
  error_doc: 'failed for good',
  in_doubt: 'nobody knows whether it arrived',
};

// "index=sent publish=in_doubt": those that people look for first.
function statesOf(one) {
  const worth = (state) =>
      (state === 'in_doubt' || FAILED.includes(state) ? 0 :
           state === 'error'                          ? 1 :
           state === 'sent' || state === 'dropped'    ? 3 :
                                                        2);
  return String(one.states ?? '')
      .split(' ')
      .filter((text) => text !== '')
      .map((text) => {
        const at = text.lastIndexOf('=');
        return {destination: text.slice(0, at), state: text.slice(at + 1)};
      })
      .sort((a, b) => worth(a.state) - worth(b.state));
}

const stateBadge = (state) => badge(state, HELP[state] ?? '');
const shownState = ({destination, state}) => h('span', {class: 'at'}, `${destination} `, stateBadge(state), ' ');
const nameOf = (one) => one.uri ?? `${one.child} of ${one.parent}`;

// What may be done with all of a status: a change, and the parameters of its commands.
function changesOf(status) {
  const each = (states) => states.map((state) => ({status: state}));
  if (status === '') return [['retry', [{all: 1}]], ['sent', [{all: 1}]], ['failed', [{all: 1}]]];
  if (status === 'failed') return [['retry', [{all: 1}]], ['drop', each(FAILED)]];
  if (status === 'in_doubt') return [['sent', [{all: 1}]], ['failed', [{all: 1}]]];
  if (status === 'open' || status === 'stranded') return [['retry', each(['error'])], ['drop', each(WAITING)]];
  if (FAILED.includes(status)) return [['retry', each([status])], ['drop', each([status])]];
  if (status === 'error') return [['retry', each([status])], ['drop', each([status])]];
  if (WAITING.includes(status)) return [['drop', each([status])]];
  if (status === 'sent' || status === 'dropped') return [['force', each([status])]];
  return [];
}

const LABELS = {
  retry: 'Retry',
  force: 'Send again',
  drop: 'Drop',
  sent: 'In doubt: arrived',
  failed: 'In doubt: did not arrive'
};

// What has become of it, as far as the table's history reaches back; read when it is opened.
function history(table, document) {
  const body = h('tbody');
  const note = h('p', {class: 'note', role: 'status'});
  let is_read = false;

  async function read() {
    const events = [];
    let after;
    let requests = 0;
    do {
      const more = after === undefined ? {} : {after};
      const page = await call('HISTORY', {table, document, count: EVENTS_MAX - events.length, ...more});
      events.push(...page.filter((one) => one.command === 'EVENT'));
      after = page.at(-1).after;
      requests += 1;
    } while (after !== undefined && events.length < EVENTS_MAX && requests < REQUESTS_MAX);
    replace(
        body,
        events.map(
            (one) =>
                h('tr', {}, h('td', {}, when(one.date)), h('td', {}, one.what.replace('_', ' ')),
                  h('td', {}, one.destination ?? one.chosen ?? ''),
                  h('td', {class: 'wrap'}, one.error ?? one.reason ?? one.worker ?? ''))));
    say(note,
        events.length === 0     ? 'The history does not reach back to it.' :
            after === undefined ? '' :
                                  `The first ${plural(events.length, 'event')}.`);
  }

  return h(
      'details', {
        on: {
          toggle: () => {
            if (is_read) return;
            is_read = true;
            read().catch((failure) => say(note, failure.message));
          }
        }
      },
      h('summary', {}, 'What became of it'), scrolled('History', h('table', {class: 'plain history'}, body)), note);
}

async function look(table, one, rights, after) {
  const here = location.hash;
  const [reason] = await call('WHY', {table, document: one.document});
  const states = statesOf({states: reason.states});
  const close = h('button', {type: 'button', 'data-first': true, on: {click: () => dialog.close()}}, 'Close');
  const then = (next) => () => {
    dialog.close();
    next();
  };
  const offer = (kind, label) => {
    const change = CHANGES[kind];
    const what = {
      what: `Document ${one.document}, ${nameOf(one)}.`,
      sets: [{document: one.document}],
      choices: states.map(({destination}) => destination),
      after
    };
    return action(
        `${label} …`, 'manage', rights, then(() => changeDeliveries(change, table, what)), change.risky ? 'risky' : '');
  };
  const has = (names) => states.some(({state}) => names.includes(state));
  const dialog =
      h('dialog', {'aria-label': `Document ${one.document}`, on: {close: () => dialog.remove()}},
        h('h2', {}, nameOf(one)), h('p', {}, reason.text), traceOf(reason),
        scrolled(
            'Destinations',
            h('table', {class: 'plain'},
              h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Destination'), h('th', {scope: 'col'}, 'State'))),
              h('tbody', {},
                states.map(
                    ({destination, state}) =>
                        h('tr', {}, h('th', {scope: 'row'}, destination), h('td', {}, stateBadge(state))))))),
        facts({
          document: one.document,
          source: one.source,
          hash: one.hash,
          child: one.child === undefined ? null : `${one.child} of document ${one.parent}`,
          original: one.original,
          orphan: one.orphan ? 'its original has changed, and was not made to have it since' : null,
          children: one.children === undefined && one.children_known === undefined ?
              null :
              `${one.children_known ?? 0} known, ${one.children_not_done ?? 0} not done, ${
                  one.children ?? 'it is not known how many'} in all`,
          'below it': one.missing_below || one.in_hands_below || one.failed_below ?
              `${one.missing_below ?? 0} missing, ${one.in_hands_below ?? 0} with workers, ${
                  one.failed_below ?? 0} failed` :
              null
        }),
        history(table, one.document),
        h('div', {class: 'buttons'}, has(['error', ...FAILED]) ? offer('retry', 'Retry') : null,
          has(['in_doubt']) ? [offer('sent', 'It arrived'), offer('failed', 'It did not arrive')] : null,
          reason.done ? null : action('Take back …', 'manage', rights, then(() => takeBack(table, one, after))),
          offer('force', 'Send again'), has([...WAITING, ...FAILED, 'in_doubt']) ? offer('drop', 'Drop') : null,
          action('Forget …', 'manage', rights, then(() => forget(table, one, after)), 'risky'), close));
  openDialog(dialog, close, here);
}

export function open(place, name, {query: first, rights}) {
  let query = first;
  let documents = null;
  const controller = new AbortController();
  const option = (value, label = value) => h('option', {value}, label);
  const status =
      inputOf('pipeline.DOCUMENTS.status', {name: 'status', words: {'': 'all'}, titles: {...HELP, ...GROUPS}});
  status.querySelector('[value=all]').remove();  // as without one
  const source = h('select', {name: 'source'}, option('', 'all'));
  const destination = h('select', {name: 'destination'}, option('', 'all'));
  const inputs = {status, source, destination};
  const form =
      h('form', {
        class: 'filters',
        role: 'search',
        'aria-label': 'Filter documents',
        on: {
          submit: (event) => event.preventDefault(),
          change: () => {
            location.hash = link(
                ['t', name, 'documents'],
                Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, input.value])));
          }
        }
      },
        h('label', {}, 'Status', status), h('label', {}, 'Source', source), h('label', {}, 'Destination', destination));
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const note = h('p', {class: 'note'});
  const bulk = h('div', {class: 'buttons', role: 'group', 'aria-label': 'Actions on all of the filter'});
  const found = h('div');
  place.append(
      h('section', {class: 'panel', 'aria-label': 'Documents'}, form, problem, h('div', {class: 'over'}, note, bulk),
        found));

  function tell(failure) {
    if (isAborted(failure)) return;
    say(problem, failure.message);
    problem.hidden = false;
  }

  const given = () =>
      Object.fromEntries(Object.keys(inputs).filter((one) => query[one]).map((one) => [one, query[one]]));

  function offer() {
    const {status: by = '', ...where} = given();
    const words = [
      where.source === undefined ? null : `of the source ${where.source}`,
      where.destination === undefined ? null : `at ${where.destination}`
    ].filter((text) => text !== null);
    replace(bulk, changesOf(by).map(([kind, sets]) => {
      const change = CHANGES[kind];
      const states = sets.map((set) => set.status).filter((state) => state !== undefined);
      const what = states.length > 0 ? `Deliveries in the state ${states.join(', ')}` :
          kind === 'retry' ? 'Deliveries that failed for good' :
                             'Deliveries in doubt';
      return action(
          `${LABELS[kind]} …`, 'manage', rights(), () => changeDeliveries(change, name, {
                                                     what: `${[what, ...words].join(' ')}.`,
                                                     sets: sets.map((set) => ({...set, ...where})),
                                                     after: () => documents?.reload()
                                                   }),
          change.risky ? 'risky' : '');
    }));
    say(note, GROUPS[by] ?? HELP[by] ?? '');
  }

  async function show(one) {
    try {
      await look(name, one, rights(), () => documents?.reload());
    } catch (failure) {
      tell(failure);
    }
  }

  function begin() {
    documents?.close();
    found.replaceChildren();
    problem.hidden = true;
    for (const [key, input] of Object.entries(inputs)) {
      // Names that are not known so far, or that no plan has: the daemon says so.
      const value = query[key] ?? '';
      if (![...input.options].some((one) => one.value === value)) input.append(option(value));
      input.value = value;
    }
    offer();
    documents = list(found, {
      command: 'DOCUMENTS',
      parameters: {table: name, ...given()},
      answer: 'DOCUMENT',
      label: `Documents of ${name}`,
      kind: 'documents',
      requests: REQUESTS_MAX,
      key: (one) => one.document,
      nothing: (last) => last.after !== undefined ? 'None among those that were looked at.' :
          Object.keys(given()).length > 0         ? 'There is no such document.' :
                                                    'This table knows no document.',
      columns: [
        {
          head: 'Document',
          class: 'key',
          cell: (one) => h('button', {type: 'button', class: 'link', on: {click: () => show(one)}}, nameOf(one))
        },
        {head: 'Number', class: 'n roomy', cell: (one) => String(one.document)},
        {head: 'Source', class: 'roomy', cell: (one) => one.source ?? ''},
        {
          head: 'Where',
          class: 'states',
          cell: (one) => {
            const states = statesOf(one);
            return [
              states.slice(0, SHOWN_MAX).map(shownState),
              states.length > SHOWN_MAX ? `and ${plural(states.length - SHOWN_MAX, 'destination')}` : null
            ];
          }
        },
        {
          head: 'Children',
          class: 'n wide',
          title: 'known, and of these not done',
          cell: (one) => one.children_known ? `${one.children_known}, ${one.children_not_done ?? 0} not done` : ''
        },
        {
          head: '',
          class: 'roomy',
          cell: (one) => one.orphan ? badge('orphan', GROUPS.orphans) :
              one.done              ? badge('done', GROUPS.done) :
                                      ''
        },
      ],
    });
  }

  async function readNames() {
    try {
      const [steps, destinations] =
          await Promise.all([readSteps(name, {}, controller.signal), readDestinations(name, {}, controller.signal)]);
      const fillOptions = (select, values) => {
        const before = select.value;
        replace(select, option('', 'all'), values.map((one) => option(one)));
        if (!['', ...values].includes(before)) select.append(option(before));
        select.value = before;
      };
      fillOptions(source, steps.filter((one) => one.kind === 'source').map((one) => one.step));
      fillOptions(destination, destinations.map((one) => one.destination));
    } catch (failure) {
      tell(failure);
    }
  }

  begin();
  readNames();
  return {
    draw: () => documents.draw(),
    rights: offer,
    navigate(next) {
      query = next;
      begin();
    },
    close() {
      controller.abort(new DOMException('closed', 'AbortError'));
      documents.close();
    },
  };
}
