// What is left of rows that ended, and of attempts that failed: searched, looked at whole, and put again with other data.
import {action, ask, field} from './actions.js';
import {call} from './api.js';
import {h} from './dom.js';
import {shortened, span} from './format.js';
import {live} from './live.js';
import {list} from './pages.js';
import {dated, facts, link, marked, openDialog, traceOf, when} from './parts.js';
import {shownValue} from './values.js';

const REQUESTS_MAX = 100;
const STATES = {
  done: 'open',
  failed: 'failing',
  attempt: 'failing',
  expired: 'paused',
  deleted: 'paused'
};
const ending = (one) => marked(one.end, STATES[one.end] ?? 'paused');
const took = (one) => (one.start_date && one.end_date ? span(one.end_date - one.start_date) : '');

function again(table, one, declared) {
  const inputs = declared.columns.filter((column) => column.type !== 'buffer')
                     .map((column) => [column.name, h('textarea', {
                                         rows: '1',
                                         autocomplete: 'off',
                                         value: one[column.name] === undefined ? '' : String(one[column.name])
                                       })]);
  ask({
    title: `Put row ${one.row} again?`,
    verb: 'Put it again',
    body: [
      h('p', {}, 'It becomes a new row with this data, due now.'),
      h('div', {class: 'fields'}, inputs.map(([name, input]) => field(name, input)))
    ],
    async run(signal) {
      const changed = inputs.filter(([name, input]) => input.value !== String(one[name] ?? ''));
      const given = Object.fromEntries(changed.map(([name, input]) => [name, input.value]));
      const [answer] = await call('REDO', {table, row: one.row, ...given}, signal);
      return `Row ${answer.row} has it now.`;
    },
  });
}

async function look(table, one, rights) {
  const here = location.hash;
  const {declared} = live.tables.get(table);
  const attempts = (await call('HISTORY', {table, row: one.row, end: 'attempt', count: 100}))
                       .filter(({command}) => command === 'ENTRY');
  const close = h('button', {type: 'button', 'data-first': true, on: {click: () => dialog.close()}}, 'Close');
  const dialog = h(
      'dialog', {'aria-label': `Row ${one.row}`, on: {close: () => dialog.remove()}},
      h('h2', {}, `Row ${one.row} `, ending(one)), one.error ? h('p', {class: 'error'}, one.error) : null, traceOf(one),
      one.result ? [h('h3', {}, 'Result'), shownValue('Result', {text: String(one.result)})] : null, facts({
        ended: when(one.end_date, true),
        began: one.start_date ? when(one.start_date, true) : null,
        took: took(one),
        worker: one.worker,
        attempts: one.attempts,
        tags: one.tags,
        'error class': one.error_class
      }),
      h('h3', {}, 'Data'),
      declared.columns.filter((column) => one[column.name] !== undefined)
          .map(
              (column) => h(
                  'section', {class: 'column', 'aria-label': column.name}, h('h4', {}, column.name),
                  shownValue(column.name, {[column.type === 'buffer' ? 'base64' : 'text']: String(one[column.name])}))),
      attempts.length > 0 ?
          [
            h('h3', {}, 'Failed attempts'),
            attempts.map(
                (each) =>
                    h('section', {class: 'column'},
                      h('p', {}, `${each.attempt ?? ''}: `, dated(each.end_date),
                        ` ${each.worker ?? ''}: ${each.error ?? each.cause ?? ''}`),
                      traceOf(each)))
          ] :
          null,
      h('div', {class: 'buttons'}, one.end === 'attempt' ? null : action('Put again …', 'manage', rights, () => {
          dialog.close();
          again(table, one, declared);
        }), close));
  openDialog(dialog, close, here);
}

export function open(place, name, {query: first, rights}) {
  let query = first;
  let shown = null;
  const declared = live.tables.get(name).declared;
  const key = declared.key.length === 1 ? declared.key[0] : null;
  const names = ['end', 'error', 'tag', 'row', 'from_date', 'to_date'];
  const inputs = {
    end:
        h('select', {name: 'end'},
          ['', 'done', 'failed', 'expired', 'deleted', 'attempt'].map(
              (one) => h('option', {value: one}, one === '' ? 'all' : one))),
    error: h('input', {name: 'error', type: 'search', maxlength: 1024}),
    tag: h('input', {name: 'tag', type: 'search', maxlength: 64}),
    row: h('input', {name: 'row', type: 'search', inputmode: 'numeric'}),
    from_date: h('input', {name: 'from_date', type: 'datetime-local'}),
    to_date: h('input', {name: 'to_date', type: 'datetime-local'}),
  };
  if (key) {
    names.push('key');
    inputs.key = h('input', {name: 'key', type: 'search'});
  }
  const labels =
      {end: 'End', error: 'Error contains', tag: 'Tag', row: 'Row', from_date: 'Since', to_date: 'Until', key};
  const found = h('div');
  place.append(
      h('section', {class: 'panel', 'aria-label': 'History'},
        h('form', {
          class: 'filters',
          role: 'search',
          'aria-label': 'Search in the history',
          on: {
            submit: (event) => {
              event.preventDefault();
              location.hash =
                  link(['t', name, 'history'], Object.fromEntries(names.map((one) => [one, inputs[one].value])));
            }
          }
        },
          names.map((one) => h('label', {}, labels[one], inputs[one])), h('button', {type: 'submit'}, 'Search')),
        found));

  function begin() {
    shown?.close();
    found.replaceChildren();
    const parameters = {table: name};
    for (const one of names) {
      inputs[one].value = query[one] ?? '';
      if (!query[one]) continue;
      if (one === 'from_date' || one === 'to_date')
        parameters[one] = new Date(query[one]).getTime();
      else
        parameters[one === 'key' ? key : one] = one === 'row' ? Number(query[one]) : query[one];
    }
    shown = list(found, {
      command: 'HISTORY',
      parameters,
      answer: 'ENTRY',
      label: `History of ${name}`,
      kind: 'messages',
      requests: REQUESTS_MAX,
      key: (one) => one.entry,
      nothing: (last) => last.reason ?? 'Nothing that ended fits.',
      columns: [
        {
          head: 'Row',
          class: 'n',
          cell: (one) => h(
              'button', {type: 'button', class: 'link', on: {click: () => look(name, one, rights())}}, String(one.row))
        },
        {head: 'End', cell: ending},
        {head: 'When', cell: (one) => dated(one.end_date)},
        {head: key ?? 'Worker', class: 'key roomy', cell: (one) => shortened(one[key] ?? one.worker ?? '')},
        {head: 'Took', class: 'n wide', cell: took},
        {head: 'Attempts', class: 'n wide', cell: (one) => one.attempts ?? one.attempt ?? ''},
        {head: 'Result or error', class: 'says', cell: (one) => shortened(one.error ?? one.result ?? '')},
      ],
    });
  }

  begin();
  return {
    draw: () => shown.draw(),
    navigate(next) {
      query = next;
      begin();
    },
    close: () => shown.close(),
  };
}
