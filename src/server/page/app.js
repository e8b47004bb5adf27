// Begins: the address says which view is shown, and what is around it says whether the daemon answers.
import {access} from './access.js';
import * as alerts from './alerts.js';
import {hasToken, Refused} from './api.js';
import * as daemon from './daemon.js';
import {h, mark, replace, say} from './dom.js';
import {clockTime, spanWhole} from './format.js';
import {live, reconnect, start, subscribe} from './live.js';
import * as overview from './overview.js';
import {closeDialogs, tick} from './parts.js';
import * as table from './table.js';

const main = document.getElementById('main');
const banner = document.getElementById('banner');
let view = null;
let kind = null;

// #/t/jobs/row/7?status=due -> {path: ['t', 'jobs', 'row', '7'], query: {status: 'due'}}
function place() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  try {
    return {
      path: path.split('/').filter((part) => part !== '').map(decodeURIComponent),
      query: Object.fromEntries(new URLSearchParams(query))
    };
  } catch {
    return {path: [], query: {}};
  }
}

function choose({path}) {
  if (path[0] === 't' && path.length > 1) return table;
  if (path[0] === 'alerts') return alerts;
  return path[0] === 'daemon' ? daemon : overview;
}

function go(event) {
  closeDialogs();
  const to = place();
  const next = choose(to);
  const inner = {path: to.path.slice(1), query: to.query};
  const stays = view !== null && next === kind && view.navigate?.(inner);
  if (!stays) {
    view?.close?.();
    kind = next;
    view = next.open(main, inner);
  }
  for (const link of document.querySelectorAll('#nav a')) {
    const current = link.dataset.view === (kind === alerts ? 'alerts' : kind === daemon ? 'daemon' : 'overview');
    if (current)
      link.setAttribute('aria-current', 'page');
    else
      link.removeAttribute('aria-current');
  }
  draw();
  // A reader of the screen hears where it is now; within a table it stays where it was.
  if (event && !stays) {
    window.scrollTo(0, 0);
    main.querySelector('h1')?.focus({preventScroll: true});
  }
}

const TEXTS = {
  connecting: 'connecting',
  live: 'live',
  away: 'no answer',
  refused: 'no access',
  hidden: 'resting'
};

function around() {
  const node = document.getElementById('connection');
  mark(node, 'data-state', live.state);
  say(document.getElementById('connection-text'), TEXTS[live.state]);
  mark(
      node, 'title', live.state === 'live' ? 'figures arrive every second' : `last answer at ${clockTime(live.since)}`);
  document.body.classList.toggle('stale', live.state === 'away' && live.tables.size > 0);
  const count = document.getElementById('alert-count');
  say(count, live.alerts.length);
  count.hidden = live.alerts.length === 0;
  say(document.getElementById('access'), live.rights?.user ?? (hasToken() ? 'Token' : 'Access'));
  const alerted = live.alerts.length > 0 ? `(${live.alerts.length}) ` : '';
  document.title = `${alerted}${view?.title ?? ''} · ${location.host}`;
}

// Its parts stay the same elements, so that the countdown is not read out each second.
const since = h('span');
const countdown = h('span', {'aria-live': 'off', class: 'countdown'});
const retry = h('button', {type: 'button', on: {click: reconnect}}, 'Try now');
const enter = h('button', {type: 'button', on: {click: access}}, 'Give a token');
let shownBanner = '';

function drawBanner() {
  const shown = live.state === 'away' || live.state === 'refused' ? live.state : '';
  if (shown !== shownBanner) {
    shownBanner = shown;
    banner.hidden = shown === '';
    mark(banner, 'data-kind', shown);
    if (shown === 'away') replace(banner, since, ' ', countdown, ' ', retry);
    if (shown === 'refused') replace(banner, since, ' ', enter);
  }
  if (shown === 'away') {
    say(since,
        live.error instanceof Refused ?
            `The daemon refuses to send figures: ${live.error.message}` :
            `The daemon has not answered since ${clockTime(live.since)}. What you see is from then.`);
    const left = Math.max(0, Math.ceil((live.nextTry - Date.now()) / 1000));
    say(countdown, `${spanWhole(Date.now() - live.since)} ago; ${left > 0 ? `next try in ${left} s` : 'trying'}`);
  }
  if (shown === 'refused') say(since, live.error?.message ?? '');
}

function draw() {
  around();
  drawBanner();
  view?.draw?.();
}

document.getElementById('access').addEventListener('click', access);
window.addEventListener('hashchange', go);
subscribe(draw);
setInterval(() => {
  tick();
  drawBanner();
}, 1000);
go(null);
start();
