// The plan of a pipeline table as a graph, and its destinations as a table, each with what has arrived there, is under way,
// and has failed; a destination may be paused.
import {action, ask, field} from './actions.js';
import {call, isAborted} from './api.js';
import {h, keyed, replace, say} from './dom.js';
import {number, plural} from './format.js';
import {live} from './live.js';
import {badge, empty, inputOf, link, scrolled} from './parts.js';
import {drawing, MARKS, words} from './plan_drawing.js';
import {add, byState, countsOf, NONE, readDestinations, readSteps, waysTo} from './plan_reads.js';

const EVERY_MS = 2000;
const SOURCES_AT_ONCE = 8;  // requests for counts of single sources, each time

const MODES = {
  open: 'documents are handed out for it',
  probing: 'paused, as too much failed there: now and then one document is tried',
  shut: 'somebody has paused it: nothing is handed out for it',
};
const modeBadge = (mode) => badge(mode === 'shut' ? 'paused' : mode, MODES[mode] ?? '');

function pause(table, one, after) {
  const reason = inputOf('pipeline.PAUSE.reason', {'data-first': true});
  ask({
    title: `Pause ${one.destination}?`,
    verb: 'Pause',
    body: [
      h('p', {}, 'From now on no document is handed out for this destination, until somebody resumes it. ',
        'What is being sent now ends as it ends.'),
      field('Reason', reason, 'shown to everybody')
    ],
    async run(signal) {
      const text = reason.value.trim();
      await call('PAUSE', {table, destination: one.destination, ...(text === '' ? {} : {reason: text})}, signal);
      after();
      return `${one.destination} is paused.`;
    },
  });
}

function resume(table, one, after) {
  const {under} = countsOf(one);
  ask({
    title: `Resume ${one.destination}?`,
    verb: 'Resume',
    body:
        h('p', {}, `${plural(under, 'document')} ${under === 1 ? 'is' : 'are'} under way there. `,
          one.mode === 'probing' ? 'If the cause lasts, they fail, and it is paused again.' :
                                   'Workers that wait are told at once.'),
    async run(signal) {
      await call('RESUME', {table, destination: one.destination}, signal);
      after();
      return `${one.destination} is open.`;
    },
  });
}

export function open(place, name, {rights}) {
  const head = h('h2', {}, 'Plan');
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const none = empty('Loading …');
  const graph = h('div', {class: 'plan-box', role: 'region', 'aria-label': 'Plan', tabindex: '0'});
  const legend = h(
      'p', {class: 'note legend'}, h('span', {class: 'arrived'}, MARKS.arrived), ' arrived  ',
      h('span', {class: 'under'}, MARKS.under), ' under way: waits, rests or is with a worker  ',
      h('span', {class: 'bad'}, MARKS.bad), ' failed for good or in doubt. At a line: at all destinations behind it; ',
      'at one out of a source, of the documents of that source.');
  const edgeRows = h('tbody');
  const edgeTable =
      h('details', {on: {toggle: () => drawEdges()}}, h('summary', {}, 'The lines as a table'),
        scrolled(
            'Lines of the plan',
            h('table', {class: 'plain edges'},
              h('thead', {},
                h('tr', {},
                  ['From', 'To', 'Arrived', 'Under way', 'Failed', 'In doubt'].map(
                      (text, at) => h('th', {scope: 'col', class: at > 1 ? 'n' : null}, text)))),
              edgeRows)));
  const rows = h('tbody');
  const HEADS = [
    ['Destination', 'key'], ['State', ''], ['Guarantee', 'roomy'], ['Arrived', 'n'], ['Under way', 'n'],
    ['Failed', 'n'], ['In doubt', 'n'], ['By state', 'wide'], ['', '']
  ];
  const list = scrolled(
      `Destinations of ${name}`,
      h('table', {class: 'plain destinations'},
        h('thead', {}, h('tr', {}, HEADS.map(([text, kind]) => h('th', {scope: 'col', class: kind}, text)))), rows));
  const planPanel = h('section', {class: 'panel', 'aria-label': 'Plan'}, head, problem, none, legend, graph, edgeTable);
  const listPanel = h('section', {class: 'panel', 'aria-label': 'Destinations'}, h('h2', {}, 'Destinations'), list);
  place.append(planPanel, listPanel);
  for (const part of [graph, legend, edgeTable, listPanel]) part.hidden = true;

  let controller = null;
  let asked = 0;
  let steps = null;
  let ways = new Map();  // of each destination
  let edges = [];        // of the plan
  let picture = null;
  let drawn = '';  // what it was drawn of
  let of_edge = [];
  let destinations = [];
  const of_source = new Map();  // source -> its counts by destination
  let next_source = 0;

  // The sources that share a destination: the counts of others are those of their destinations.
  const shared =
      () => [...new Set([...ways.values()].filter((one) => one.sources.size > 1).flatMap((one) => [...one.sources]))];

  async function load() {
    controller?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    try {
      const [first] = await call('STEPS', {table: name, count: 1}, mine.signal);
      if (first.command !== 'STEP') {
        replace(none, 'This table has no plan so far.');
        return;
      }
      const {version} = first;
      const now = await readDestinations(name, {version}, mine.signal);
      if (steps === null || version !== steps[0].version) {
        steps = await readSteps(name, {version}, mine.signal);
        const by_name = new Map(steps.map((one) => [one.step, one]));
        edges = steps.flatMap((one) => one.behind.map((from) => ({from, to: one.step})));
        ways = new Map(now.map((one) => [one.destination, waysTo(one, by_name)]));
        of_source.clear();
      }
      const all = shared();
      const few = all.length <= SOURCES_AT_ONCE ?
          all :
          Array.from({length: SOURCES_AT_ONCE}, (_one, at) => all[(next_source + at) % all.length]);
      next_source = all.length === 0 ? 0 : (next_source + few.length) % all.length;
      await Promise.all(few.map(async (source) => {
        const its = await readDestinations(name, {version, source}, mine.signal);
        of_source.set(source, new Map(its.map((one) => [one.destination, countsOf(one)])));
      }));
      destinations = now;
      problem.hidden = true;
      show();
    } catch (failure) {
      if (isAborted(failure)) return;
      say(problem, failure.message);
      problem.hidden = false;
    } finally {
      if (controller === mine) controller = null;
    }
  }

  function show() {
    none.hidden = true;
    for (const part of [graph, legend, edgeTable, listPanel]) part.hidden = false;
    say(head, `Plan ${steps[0].plan}, version ${steps[0].version}`);
    const shape = JSON.stringify(
        [steps[0].version, destinations.map(({destination, mode, reason}) => [destination, mode, reason])]);
    if (shape !== drawn) {
      drawn = shape;
      picture = drawing(steps, destinations, edges);
      const is_first = graph.firstChild === null;
      graph.replaceChildren(picture.node);
      if (is_first) graph.scrollTop = picture.middle - graph.clientHeight / 2;
    }
    const counts = new Map(destinations.map((one) => [one.destination, countsOf(one)]));
    const edge_destinations = new Map();
    for (const one of destinations)
      for (const edge of ways.get(one.destination)?.edges ?? []) {
        if (!edge_destinations.has(edge)) edge_destinations.set(edge, []);
        edge_destinations.get(edge).push(one);
      }
    const sources = new Set(steps.filter((one) => one.kind === 'source').map((one) => one.step));
    of_edge = edges.map(({from, to}) => {
      const behind = edge_destinations.get(`${from} ${to}`) ?? [];
      const countsAt = ({destination}) =>
          (sources.has(from) && ways.get(destination).sources.size > 1 ? of_source.get(from)?.get(destination) ?? NONE :
                                                                         counts.get(destination));
      return {
        counts: behind.reduce((sum, one) => add(sum, countsAt(one)), NONE),
        is_held: behind.length > 0 && behind.every((one) => one.mode !== 'open'),
      };
    });
    const sum = [...counts.values()].reduce(add, NONE);
    picture.set(
        counts, of_edge,
        `${plural(sources.size, 'source')}, ${plural(steps.length - sources.size, 'step')} and ${
            plural(destinations.length, 'destination')}: ${words(sum)}. The tables below have the same figures.`);
    drawEdges();
    keyed(rows, destinations, (one) => one.destination, () => h('tr'), fill);
  }

  function drawEdges() {
    if (!edgeTable.open) return;
    replace(edgeRows, edges.map(({from, to}, at) => {
      const {arrived, under, failed, doubt} = of_edge[at].counts;
      return h(
          'tr', {}, h('th', {scope: 'row'}, from), h('td', {}, to), count(arrived), count(under), count(failed, true),
          count(doubt, true));
    }));
  }

  const count = (value, is_bad = false) =>
      h('td',
        {class: `n${
             value === 0 ? ' zero' :
                 is_bad  ? ' bad' :
                           ''}`},
        number(value));

  function fill(row, one) {
    const text = JSON.stringify([one, rights()]);
    if (row.shown === text) return;
    row.shown = text;
    const focused = row.contains(document.activeElement) ? document.activeElement.tagName : null;
    const {arrived, under, failed, doubt} = countsOf(one);
    const documents = (status) => link(['t', name, 'documents'], {status, destination: one.destination});
    const linked = (value, status, is_bad) =>
        h('td',
          {class: `n${
               value === 0 ? ' zero' :
                   is_bad  ? ' bad' :
                             ''}`},
          value === 0 ? '0' : h('a', {href: documents(status), class: is_bad ? 'bad' : null}, number(value)));
    replace(
        row, h('th', {scope: 'row', class: 'key'}, h('a', {href: documents('')}, one.destination)),
        h('td', {}, modeBadge(one.mode), one.reason ? h('span', {class: 'note'}, ` ${one.reason}`) : null),
        h('td', {class: 'roomy nowrap'}, one.guarantee), linked(arrived, 'sent'), linked(under, 'open'),
        linked(failed, 'failed', true), linked(doubt, 'in_doubt', true), h('td', {class: 'wide note'}, byState(one)),
        h('td', {class: 'n'},
          one.mode === 'open' ? null : action('Resume …', 'manage', rights(), () => resume(name, one, load)), ' ',
          one.mode === 'shut' ? null : action('Pause …', 'manage', rights(), () => pause(name, one, load))));
    if (focused) row.querySelector(focused.toLowerCase())?.focus();
  }

  load();
  return {
    draw() {
      if (live.state === 'live' && controller === null && Date.now() - asked >= EVERY_MS) load();
    },
    rights: () => steps !== null && show(),
    close: () => controller?.abort(new DOMException('closed', 'AbortError')),
  };
}
