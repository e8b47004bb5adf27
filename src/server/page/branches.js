// Branches of distributed transactions, and how an operator ends one in place of its manager.
import {action, decide, forget} from './actions.js';
import {h} from './dom.js';
import {live, rightsOnAll} from './live.js';
import {list} from './pages.js';
import {badge, when} from './parts.js';

const STATES = {
  active: 'its commands come; nothing of it is done',
  idle: 'no connection works on it; its manager has not prepared it',
  suspended: 'its connection works on something else meanwhile',
  rollback_only: 'nothing of it is done; its manager will hear so',
  prepared: 'in doubt: it holds its rows and keys until its manager, or an operator, ends it',
  committed: 'an operator has committed it; it is remembered until its manager has heard of it',
  rolled_back: 'an operator has rolled it back; it is remembered until its manager has heard of it',
};

function choices(one) {
  const rights = rightsOnAll();
  if (one.state === 'prepared')
    return h(
        'div', {class: 'buttons'}, action('Commit …', 'admin', rights, () => decide(one, 'commit')),
        action('Roll back …', 'admin', rights, () => decide(one, 'rollback')));
  return one.decided_date ? action('Forget …', 'admin', rights, () => forget(one)) : '';
}

// What is of the visitor; an administrator sees all.
export function open() {
  const node =
      h('section', {class: 'panel', 'aria-label': 'Distributed transactions'}, h('h2', {}, 'Distributed transactions'));
  let branches = null;
  const begin = () => list(node, {
    command: 'XA_RECOVER',
    parameters: {all: 1},
    answer: 'BRANCH',
    label: 'Branches',
    key: (one) => `${one.xid} ${one.state}`,
    nothing: () => 'No branch is known.',
    columns: [
      {head: 'Xid', class: 'key', cell: (one) => one.xid},
      {head: 'State', cell: (one) => badge(one.state, STATES[one.state] ?? '')},
      {head: 'Commands', class: 'n', cell: (one) => one.ops ?? ''},
      {head: 'Tables', cell: (one) => one.tables ?? ''},
      {head: 'Log', class: 'roomy', cell: (one) => one.log ?? ''},
      {head: 'Of', class: 'roomy', title: 'the user or peer that began it', cell: (one) => one.origin ?? ''},
      {head: 'Prepared', cell: (one) => when(one.prepared_date)},
      {head: 'Decided', class: 'roomy', cell: (one) => when(one.decided_date)},
      {head: 'End it', cell: choices},
    ],
  });
  // Who may change nothing anywhere has none, and is not told of others'.
  const draw = () => {
    const known = live.state === 'live' && live.rights;
    const words = known ? `${live.rights.rights ?? ''} ${live.rights.grants ?? ''}` : '';
    node.hidden = !/\b(add|work|manage|admin)\b/.test(words);
    if (node.hidden) return;
    branches ??= begin();
    branches.draw();
  };
  node.hidden = true;
  return {node, draw, close: () => branches?.close()};
}
