// A value for people in the forms that it has: JSON whose parts fold, text, bytes in hex, base64. It begins in the first
// of these; with more than one there is a switch, whose choice is kept for values of the same name.
import {h, replace, say} from './dom.js';
import {bytes, plural} from './format.js';

const SHOWN_CHARS = 20_000;
const SHOWN_BYTES = 4096;
const JSON_CHARS_MAX = 1_000_000;  // a longer one is text only
const NODES_MAX = 3000;            // parts of JSON in the document
const OPEN_MAX = 20;               // parts of one that is not folded at first
const DEPTH_MAX = 100;
const chosen = new Map();  // by name

// A number as it was written, so that no digit changes.
class Digits {
  constructor(text) { this.text = text; }
}
const exact = (_key, value, context) =>
    (typeof value === 'number' ? new Digits(context?.source ?? JSON.stringify(value)) : value);

// An object or a list; undefined: no such JSON.
function read(text) {
  if (text.length > JSON_CHARS_MAX || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text, exact);
  } catch {
    return undefined;
  }
}

// Copied from the page it is JSON again.
function tree(root) {
  let nodes = 0;
  const leaf = (value) => (value instanceof Digits ? value.text : JSON.stringify(value));
  function part(name, value, comma, depth) {
    const front = name === null ? '' : `${JSON.stringify(name)}: `;
    nodes += 1;
    if (value === null || typeof value !== 'object' || value instanceof Digits)
      return h('div', {class: 'leaf'}, `${front}${leaf(value)}${comma}`);
    const is_list = Array.isArray(value);
    const entries = is_list ? value.map((one) => [null, one]) : Object.entries(value);
    const [open, close] = is_list ? '[]' : '{}';
    if (entries.length === 0) return h('div', {class: 'leaf'}, `${front}${open}${close}${comma}`);
    const words = plural(entries.length, is_list ? 'item' : 'member');
    if (depth === DEPTH_MAX)
      return h('div', {class: 'leaf note'}, `${front}${open} ${words}, too deep to show ${close}`);
    const inner = [];
    for (const [at, [key, one]] of entries.entries()) {
      if (nodes >= NODES_MAX) {
        inner.push(h('div', {class: 'leaf note'}, `… ${plural(entries.length - at, 'more')}: see the text`));
        break;
      }
      inner.push(part(key, one, at + 1 < entries.length ? ',' : '', depth + 1));
    }
    return [
      h('details', {open: depth === 0 || entries.length <= OPEN_MAX},
        h('summary', {'data-words': words, 'data-close': `${close}${comma}`}, `${front}${open}`),
        h('div', {class: 'inner'}, inner)),
      h('div', {class: 'leaf'}, `${close}${comma}`)
    ];
  }
  return h('div', {class: 'json'}, part(null, root, '', 0));
}

// Text as it is, the beginning first.
function long(value, label) {
  if (value === '') return h('p', {class: 'note'}, 'an empty text');
  const pre = h('pre', {class: 'value', tabindex: '0', 'aria-label': label}, value.slice(0, SHOWN_CHARS));
  if (value.length <= SHOWN_CHARS) return pre;
  const more =
      h('button', {
        type: 'button',
        on: {
          click: () => {
            say(pre, value);
            more.remove();
          }
        }
      },
        `Show all ${plural(value.length, 'character')}`);
  return h('div', {}, pre, more);
}

function dump(raw) {
  const lines = [];
  for (let at = 0; at < Math.min(raw.length, SHOWN_BYTES); at += 16) {
    const piece = [...raw.slice(at, Math.min(at + 16, SHOWN_BYTES))];
    const hex = piece.map((byte) => byte.toString(16).padStart(2, '0'));
    const text = piece.map((byte) => (byte >= 32 && byte <= 126 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.slice(0, 8).join(' ').padEnd(23)}  ${
        hex.slice(8).join(' ').padEnd(23)}  ${text}`);
  }
  if (raw.length > SHOWN_BYTES) lines.push(`… ${plural(raw.length - SHOWN_BYTES, 'byte')} more`);
  return lines.join('\n');
}

// What people can read; undefined: it is none. `is_part`: it may end within a character.
function textOf(raw, is_part) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(raw, {stream: is_part});
    return /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function rawOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  } catch {
    return undefined;
  }
}

// One of both: a text, or bytes as base64. `label`: its name.
export function shownValue(label, {text, base64, is_part = false}) {
  const raw = base64 === undefined ? undefined : rawOf(base64);
  const readable = base64 === undefined ? text : raw === undefined ? base64 : textOf(raw, is_part);
  const json = readable === undefined ? undefined : read(readable);
  const forms = new Map();
  if (json !== undefined) forms.set('JSON', () => tree(json));
  if (readable !== undefined) forms.set('Text', () => long(readable, label));
  if (raw !== undefined) {
    forms.set('Hex', () => h('pre', {class: 'value bytes', tabindex: '0', 'aria-label': label}, dump(raw)));
    forms.set('Base64', () => long(base64, label));
  }
  const place = h('div', {class: 'form'});
  const size = raw === undefined ? null : h('span', {class: 'note'}, bytes(raw.length));
  const buttons = [...forms.keys()].map(
      (name) => h(
          'button', {type: 'button', class: 'quiet', 'data-form': name, on: {click: () => choose(name, true)}}, name));
  function choose(name, by_hand) {
    if (by_hand) chosen.set(label, name);
    for (const one of buttons) one.setAttribute('aria-pressed', String(one.dataset.form === name));
    replace(place, forms.get(name)());
  }
  const wanted = chosen.get(label);
  choose(forms.has(wanted) ? wanted : forms.keys().next().value, false);
  return h(
      'div', {class: 'shown-value'},
      buttons.length > 1 || size ? h('div', {class: 'forms', role: 'group', 'aria-label': `Show ${label} as`},
                                     buttons.length > 1 ? buttons : null, size) :
                                   null,
      place);
}
