// Small parts that several views are built of: dates that tick, states, tables of figures, notes.
import {parameters} from './declared.js';
import {h, mark, say} from './dom.js';
import {date, exactDate, relative} from './format.js';
import {clock} from './live.js';

// A date as "in 5 min", which goes on counting; the whole date is its title. `absolute`: both are shown.
export function when(ms, absolute = false) {
  if (!(ms > 0)) return h('span', {class: 'none'}, '–');
  const at = new Date(ms);
  return h(
      'time', {
        datetime: Number.isNaN(at.getTime()) ? null : at.toISOString(),
        title: exactDate(ms),
        'data-at': ms,
        'data-absolute': absolute,
      },
      text(ms, absolute));
}

// The date itself, for what is looked at later; its title tells how long ago.
export function dated(ms) {
  if (!(ms > 0)) return h('span', {class: 'none'}, '–');
  const at = new Date(ms);
  return h(
      'time', {
        datetime: Number.isNaN(at.getTime()) ? null : at.toISOString(),
        title: `${relative(ms, clock())}, ${exactDate(ms)}`,
      },
      date(ms));
}

const text = (ms, absolute) => (absolute ? `${date(ms)} (${relative(ms, clock())})` : relative(ms, clock()));

export function setWhen(node, ms) {
  const shown = Number(node.firstChild?.dataset?.at ?? 0);
  if (node.firstChild && shown === (ms > 0 ? ms : 0)) return;
  node.replaceChildren(when(ms));
}

export function tick() {
  for (const node of document.querySelectorAll('time[data-at]'))
    say(node, text(Number(node.dataset.at), node.dataset.absolute !== undefined));
}

// Where the last attempt failed, as its worker said; undefined: it said nothing.
export const traceOf = ({error_trace: trace}) =>
    trace && h('pre', {class: 'trace', tabindex: '0', 'aria-label': 'Trace'}, trace);

// How far the worker of a row is, as it said; null: it said nothing.
export const courseOf = ({progress, progress_note: note, progress_date: said}) =>
    (progress === undefined ?
         null :
         h('div', {class: 'course'}, h('progress', {value: progress, max: 100, 'aria-label': `${progress} % are done`}),
           h('span', {}, ` ${progress} %`), note ? h('span', {}, `: ${note}`) : null, ' ',
           said ? h('span', {class: 'note'}, when(said)) : null));

export const STATES = {
  open: 'rows are handed out, inserts are accepted',
  paused: 'nothing is handed out; inserts are accepted',
  failing: 'most attempts of the last minutes failed: what failed rests, and is tried again',
  drains: 'inserts are refused; rows are handed out until the table is empty',
};

export function stateOf(stats) {
  if (!stats) return 'unknown';
  if (stats.paused) return 'paused';
  if (stats.draining) return 'drains';
  return stats.failing ? 'failing' : 'open';
}

export function badge(state, help = STATES[state]) {
  return h('span', {class: 'badge', 'data-state': state, title: help}, state);
}

// Another word than that of the state whose colour it has.
export const marked = (word, state, help = word) => h('span', {class: 'badge', 'data-state': state, title: help}, word);

export function setBadge(node, state) {
  say(node, state);
  mark(node, 'data-state', state);
  mark(node, 'title', STATES[state] ?? '');
}

export const empty = (...children) => h('p', {class: 'empty'}, ...children);

// Label and value; returns the element of the value as `value`.
export function tile(label, help = null) {
  const value = h('dd', {}, '–');
  return {node: h('div', {class: 'tile', title: help}, h('dt', {}, label), value), value};
}

// Names and values of one thing; what it does not have is left out.
export function facts(all) {
  return h(
      'dl', {class: 'facts'},
      Object.entries(all)
          .filter(([, value]) => value !== null && value !== undefined && value !== '')
          .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

// The input of a command's parameter, with the limits that its declaration has; of one with choices a select, where `words`
// are for people, and '' among them stands for none. Its `help` is what the declaration says of it.
export function inputOf(name, {tag = 'input', words = {}, titles = {}, value, ...more} = {}) {
  const {help, choices, ...limits} = parameters[name];
  const all = ['' in words ? [''] : [], choices?.split(' ') ?? []].flat();
  const node = choices === undefined ?
      h(tag, {type: tag === 'input' ? 'text' : null, autocomplete: 'off', ...limits, ...more}) :
      h('select', more,
        all.map((one) => h('option', {value: one, title: titles[one]}, words[one] ?? one.replace('_', ' '))));
  if (value !== undefined) node.value = value;
  return Object.assign(node, {help});
}

// A dialog belongs to the place at which it was asked for, and ends with that. `here`: of the moment when it was; one whose
// answer comes after the visitor has gone on is not opened.
export function openDialog(dialog, first, here = location.hash) {
  if (location.hash !== here) return;
  document.body.append(dialog);
  dialog.showModal();
  first.focus();
}

export function closeDialogs() {
  for (const one of document.querySelectorAll('dialog')) one.close();
}

// A table that scrolls within itself where it is too wide.
export function scrolled(label, table) {
  return h('div', {class: 'scrolled', role: 'region', 'aria-label': label, tabindex: '0'}, table);
}

export function toast(message) {
  const node = document.getElementById('status');
  say(node, '');
  // After the change, so that a screen reader says an equal text again.
  setTimeout(() => say(node, message), 50);
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => say(node, ''), 8000);
}

export const link = (path, query = {}) => {
  const text = new URLSearchParams(
                   Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined))
                   .toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
};
