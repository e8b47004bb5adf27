// The plan of a pipeline table and its destinations, as the daemon tells them, and what a line of the plan leads to.
import {call} from './api.js';
import {parameters} from './declared.js';

const STEPS_MAX = parameters['pipeline.STEPS.count'].max;
const WAITING = ['processing', 'restart', 'dirty', 'force', 'error', 'batched', 'sending'];
const STATES = [...WAITING, 'sent', 'dropped', 'dead', 'error_doc', 'in_doubt'];

// All pages of an answer.
async function whole(command, parameters, answer, signal) {
  const out = [];
  for (let more = {}; more !== null;) {
    const page = await call(command, {...parameters, ...more}, signal);
    for (const one of page)
      if (one.command === answer) out.push(one);
    more = page.at(-1).after === undefined ? null : {after: page.at(-1).after};
  }
  return out;
}

const names = (text) => String(text ?? '').split(' ').filter((name) => name !== '');

// which: {version, source}; of the newest version, and of all sources, without them.
export async function readSteps(table, which, signal) {
  const steps = await whole('STEPS', {table, ...which, count: STEPS_MAX}, 'STEP', signal);
  return steps.map((one) => ({...one, behind: names(one.behind)}));
}

export const readDestinations = (table, which, signal) =>
    whole('DESTINATIONS', {table, ...which}, 'DESTINATION', signal);

// What people look at first. Documents that workers have are under way, and so are those that wait or rest.
export function countsOf(one) {
  const sum = (states) => states.reduce((all, state) => all + (one[state] ?? 0), 0);
  const doubt = one.in_doubt ?? 0;
  return {arrived: one.sent ?? 0, under: sum(WAITING), failed: sum(['dead', 'error_doc']), doubt};
}

export const add = (a, b) => ({
  arrived: a.arrived + b.arrived,
  under: a.under + b.under,
  failed: a.failed + b.failed,
  doubt: a.doubt + b.doubt,
});
export const NONE = {
  arrived: 0,
  under: 0,
  failed: 0,
  doubt: 0
};

// Each state that a document has there, once: "sent 12, error 3; with workers 1".
export const byState = (one) =>
    STATES.filter((state) => one[state] > 0).map((state) => `${state.replace('_', ' ')} ${one[state]}`).join(', ') +
    (one.with_workers > 0 ? `; with workers ${one.with_workers}` : '');

const duplicates = (step) => step.router === 'duplicate-all' || (step.router === 'by-name' && step.copies_max > 1);

// The sources of a destination, and the edges by which its copies arrive, as "FROM TO". A destination has branches: the
// successors that duplicating routers chose on the way, which must be taken in this order.
export function waysTo(destination, steps) {
  const branches = names(destination.branches);
  const is_any = steps.get(destination.step).any_path === 1;
  const sources = new Set();
  const edges = new Set();
  const known = new Map();
  // Whether a copy may be there, with so many of its branches taken.
  const reached = (name, taken) => {
    const key = `${taken} ${name}`;
    if (known.has(key)) return known.get(key);
    const step = steps.get(name);
    let is_reached = step.kind === 'source' && taken === 0;
    if (is_reached) sources.add(name);
    for (const before of step.behind) {
      const is_branch = !is_any && duplicates(steps.get(before));
      if (is_branch && branches[taken - 1] !== name) continue;
      if (!reached(before, is_branch ? taken - 1 : taken)) continue;
      is_reached = true;
      edges.add(`${before} ${name}`);
    }
    known.set(key, is_reached);
    return is_reached;
  };
  reached(destination.step, branches.length);
  return {sources, edges};
}
