// The daemon itself: its log on disk, how long syncs take, what an acknowledgement means, and all its figures.
import {who} from './access.js';
import * as transactions from './branches.js';
import {meter} from './charts.js';
import {h, replace, say} from './dom.js';
import {help, learn, show} from './figures.js';
import {bytes} from './format.js';
import {live} from './live.js';
import {empty, tile} from './parts.js';
import {figureList} from './table_figures.js';

const TILES = [
  ['log_disk_bytes', 'Log on disk'],
  ['log_live_bytes', 'Needed'],
  ['log_disk_bound', 'Bound'],
  ['sync_us_p50', 'Sync p50'],
  ['sync_us_p99', 'Sync p99'],
  ['sync_us_max', 'Sync max'],
  ['commits', 'Commits'],
  ['turn_us_max', 'Longest turn'],
  ['connections', 'Connections'],
  ['client_memory', 'Client memory'],
];

export function open(main) {
  const tiles = TILES.map(([name, label]) => ({name, ...tile(label)}));
  const meters = h('div', {class: 'meters'});
  const durability = h('p', {class: 'why'});
  const nodes = h('p', {class: 'why'});
  const visitor = h('p', {class: 'note'});
  const figures = figureList('');
  const branches = transactions.open();
  const nothing = empty('You may see tables only: the figures of the daemon need the right read on all of them.');
  const all = h(
      'div', {}, h('dl', {class: 'tiles'}, tiles.map(({node}) => node)),
      h('section', {class: 'panel', 'aria-label': 'Log'}, h('h2', {}, 'Log'), durability, nodes, meters), branches.node,
      h('section', {class: 'panel', 'aria-label': 'All figures'}, h('h2', {}, 'All figures'),
        h('p', {class: 'note'}, 'By the names of STATS.'), figures.node));
  main.replaceChildren(
      h('div', {class: 'head'}, h('div', {}, h('h1', {tabindex: '-1'}, 'Daemon'), visitor)), nothing, all);

  function draw() {
    const stats = live.daemon;
    say(visitor, who());
    all.hidden = stats === null;
    nothing.hidden = stats !== null || live.state !== 'live';
    if (!stats) return;
    for (const one of tiles) {
      say(one.value, show(one.name, stats[one.name]));
      one.node.setAttribute('title', help(one.name, ''));
    }
    say(durability, stats.durability ?? '');
    say(nodes, stats.nodes ? `Shared with other nodes: ${stats.nodes}` : '');
    replace(
        meters,
        meter(
            'Log on disk, of its bound', stats.log_disk_bytes, stats.log_disk_bound,
            `${bytes(stats.log_disk_bytes)} of ${bytes(stats.log_disk_bound)}`),
        meter(
            'Needed, of the log on disk', stats.log_live_bytes, stats.log_disk_bytes,
            `${bytes(stats.log_live_bytes)} of ${bytes(stats.log_disk_bytes)}`),
        meter(
            'Memory of clients, of its limit', stats.client_memory, stats.client_memory_limit,
            `${bytes(stats.client_memory)} of ${bytes(stats.client_memory_limit)}`));
    branches.draw();
    figures.set(stats);
    learn('').then((is_new) => is_new && draw());
  }

  return {title: 'Daemon', draw, close: () => branches.close()};
}
