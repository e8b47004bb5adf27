// One row: why it is where it is, its life, its data, and what may be done with it.
import {action, one as change, underWay} from './actions.js';
import {call, isAborted, Refused} from './api.js';
import {h, replace, say} from './dom.js';
import {plural} from './format.js';
import {live} from './live.js';
import {courseOf, link, traceOf, when} from './parts.js';
import {statusBadge} from './rows.js';
import {shownValue} from './values.js';

const EVERY_MS = 2000;
const SHORT_CHARS = 120;
const OWN = new Set(['command', 'table', 'row', 'left', 'after', 'request', 'omitted']);
const STAYS = {
  waiting: 'It waits for its date.',
  due: 'It can be handed out.',
  behind: 'It waits for another row of its key.',
  processing: 'A worker has it.',
  parked: 'It was given up and waits for an operator.',
  paused: 'The table is paused.',
};

export function open(place, name, {row: text, rights}) {
  const number = /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
  const declared = live.tables.get(name).declared;
  const status = h('span');
  const sentence = h('p', {class: 'why', role: 'status'}, 'Loading …');
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const life = h('dl', {class: 'facts'});
  const trace = h('div');
  const data = h('div', {class: 'data-list'});
  const buttons = h('div', {class: 'buttons', role: 'group', 'aria-label': `Actions on row ${text}`});
  place.append(
      h('article', {class: 'panel row-view', 'aria-label': `Row ${text}`},
        h('p', {class: 'crumbs'}, h('a', {href: link(['t', name])}, `Rows of ${name}`), ' /'),
        h('div', {class: 'head'}, h('h2', {tabindex: '-1'}, `Row ${text} `, status), buttons), problem, sentence,
        h('div', {class: 'halves'}, h('section', {'aria-label': 'Life'}, h('h3', {}, 'Life'), life),
          h('section', {'aria-label': 'Data'}, h('h3', {}, 'Data'), data)),
        trace));

  let controller = null;
  let asked = 0;
  let shown = '';
  let shownData = '';
  let isGone = false;
  let last = null;

  async function load() {
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    try {
      const [[peek], [reason]] = await Promise.all([
        call('PEEK', {table: name, row: number}, mine.signal), call('WHY', {table: name, row: number}, mine.signal)
      ]);
      problem.hidden = true;
      draw(peek, reason);
    } catch (error) {
      if (isAborted(error)) return;
      if (error instanceof Refused && error.code === 'unknown_row') return gone();
      say(problem, error.message);
      problem.hidden = false;
    } finally {
      if (controller === mine) controller = null;
    }
  }

  function gone() {
    isGone = true;
    say(sentence,
        last ? 'It is not here any more: done, deleted or expired. Below is what it was.' :
               'There is no such row: it is done, deleted, expired or was never there.');
    replace(status, h('span', {class: 'badge', 'data-state': 'gone'}, 'gone'));
    replace(buttons);
  }

  function draw(peek, reason) {
    last = peek;
    const now = JSON.stringify([peek, reason.state, reason.text, rights()]);
    if (now === shown) return;
    shown = now;
    say(sentence, reason.text ?? STAYS[reason.state] ?? '');
    replace(status, statusBadge(peek.status));
    const fact = (label, value, title = null) =>
        (value === null || value === undefined || value === '' ?
             null :
             h('div', {title}, h('dt', {}, label), h('dd', {}, value)));
    const dated = (label, ms, title) => (ms > 0 ? fact(label, when(ms, true), title) : null);
    replace(
        life, dated('Inserted', peek.insertion_date, 'insertion_date: the producer’s date of this data'),
        dated('Data of', peek.accepted_date ?? 0, 'accepted_date: an insert with an older insertion_date is stale'),
        fact('Merges', peek.merges > 0 ? `${plural(peek.merges, 'later insert')} merged into it` : 'none', 'merges'),
        dated(
            peek.status === 'waiting' ? 'Falls due' : 'Due since', peek.process_date,
            'process_date: not handed out before'),
        fact('Priority', peek.priority, '0 to 255, the smallest first'),
        reason.domain === undefined ? null : fact('Domain', reason.domain === '' ? '(none)' : reason.domain),
        peek.status === 'processing' ?
            [
              fact('Worker', peek.worker), dated('Leased', reason.since),
              fact('Progress', courseOf(peek), 'progress: as its worker said'),
              dated('Lease ends', peek.lease_end, 'lease_end'), fact('Epoch', reason.epoch, 'of the lease')
            ] :
            null,
        peek.status === 'behind' && reason.held_by ?
            fact('Behind', h('a', {href: link(['t', name, 'row', reason.held_by])}, `row ${reason.held_by}`)) :
            null,
        peek.status === 'parked' ? [dated('Parked', reason.since), dated('To be deleted', reason.until)] : null,
        fact(
            'Rows before it',
            peek.status === 'due' && reason.ahead !== undefined ?
                (reason.ahead >= 1000 ? '1000 or more' : reason.ahead) :
                undefined),
        fact('Limited by', reason.limit),
        fact(
            'Attempts',
            `${peek.attempts ?? 0}: ${plural(reason.failures ?? 0, 'failure')}, ${
                plural(reason.timeouts ?? 0, 'time-out')}; ${reason.lifetime_timeouts ?? 0} over its life`,
            'since the last merge or KICK'),
        dated('Expires', peek.expiration_date, 'expiration_date'),
        fact(
            'Error class',
            peek.error_class ?
                h('a', {href: link(['t', name], {error_class: peek.error_class}), title: 'rows that failed so'},
                  peek.error_class) :
                undefined),
        fact('Last error', peek.error ? h('span', {class: 'bad pre'}, peek.error) : undefined));
    replace(
        trace,
        peek.error_trace ?
            h('section', {'aria-label': 'Trace'},
              h('h3', {title: 'error_trace: where it went wrong, as its worker said'}, 'Trace'), traceOf(peek)) :
            null);
    draw_data(peek);
    draw_buttons(peek);
  }

  function draw_data(peek) {
    const values = declared.columns.filter(({name: column}) => peek[column] !== undefined && !OWN.has(column));
    const now = JSON.stringify(values.map(({name: column}) => peek[column]));
    if (now === shownData) return;
    shownData = now;
    const left_out = String(peek.omitted ?? '').split(',').filter((one) => one !== '');
    const kind = ({name: column, type}) => `${type}${declared.key.includes(column) ? ', key' : ''}`;
    const is_short = ({name: column, type}) => type !== 'buffer' && String(peek[column]).length <= SHORT_CHARS &&
        !/\n|^\s*[[{]/.test(String(peek[column])) && peek[column] !== '';
    const short = values.filter(is_short);
    replace(
        data,
        short.length > 0 ?
            h('dl', {class: 'facts'},
              short.map(
                  (one) => h('div', {title: kind(one)}, h('dt', {}, one.name), h('dd', {}, String(peek[one.name]))))) :
            null,
        values.filter((one) => !is_short(one))
            .map(
                (one) =>
                    h('section', {class: 'column', 'aria-label': one.name},
                      h('h4', {}, one.name, h('span', {class: 'note'}, ` ${kind(one)}`)),
                      shownValue(one.name, {[one.type === 'buffer' ? 'base64' : 'text']: String(peek[one.name])}))),
        values.length === 0 ? h('p', {class: 'note'}, 'No column has a value.') : null,
        left_out.length > 0 ? h('p', {class: 'note'}, `Too large for this answer: ${left_out.join(', ')}.`) : null);
  }

  function draw_buttons(peek) {
    const may = rights();
    const focused = buttons.contains(document.activeElement);
    replace(buttons, peek.status === 'processing' ? underWay(name, number, may, load) : [
      action(
          'Kick …', 'manage', may,
          () => change(
              'KICK', name, number,
              peek.status === 'parked' ? 'It is put back to work: due now, its attempts counted anew.' :
                                         'It is due now instead of at its date, and its attempts are counted anew.',
              load)),
      action(
          'Delete …', 'manage', may,
          () => change('DELETE', name, number, 'It is removed with its data. This cannot be undone.', load), 'risky')
    ]);
    if (focused) buttons.querySelector('button').focus();
  }

  load();
  return {
    draw() {
      if (live.state === 'live' && controller === null && !isGone && Date.now() - asked >= EVERY_MS) load();
    },
    rights() {
      shown = '';
      if (last && !isGone) draw_buttons(last);
    },
    close: () => controller?.abort(new DOMException('closed', 'AbortError')),
  };
}
