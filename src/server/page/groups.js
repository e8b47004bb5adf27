// The groups of jobs of a table: how far each is, and its end.
import {action, ask} from './actions.js';
import {call} from './api.js';
import {meter} from './charts.js';
import {h} from './dom.js';
import {number, plural} from './format.js';
import {list} from './pages.js';
import {marked, when} from './parts.js';

const STATES = {
  open: 'open',
  closed: 'drains',
  ended: 'paused'
};

function cancel(table, one, after) {
  ask({
    title: `Cancel the group ${one.group}?`,
    verb: `Delete ${plural(one.rows, 'row')}`,
    danger: true,
    body: h(
        'p', {}, 'Its rows that have not ended are deleted, also those that workers have, whose reports are refused. ',
        'It takes no further rows. This cannot be undone.'),
    async run(signal, tell) {
      let after_row;
      let count = 0;
      do {
        const [answer] =
            await call('CANCEL', {table, group: one.group, ...(after_row ? {after: after_row} : {})}, signal);
        count += answer.count ?? 0;
        after_row = answer.after;
        tell(`${plural(count, 'row')} so far …`);
      } while (after_row !== undefined && !signal.aborted);
      after();
      return `Group ${one.group} is cancelled: ${plural(count, 'row')}.`;
    },
  });
}

export function open(place, name, {rights}) {
  const panel = h('section', {class: 'panel', 'aria-label': 'Groups'});
  place.append(panel);
  const again = () => shown.redraw();
  const shown = list(panel, {
    command: 'GROUPS',
    parameters: {table: name},
    answer: 'GROUP',
    label: `Groups of ${name}`,
    key: (one) => one.number,
    nothing: () => 'This table has no groups of jobs.',
    columns: [
      {head: 'Group', class: 'key', cell: (one) => one.group},
      {head: 'State', cell: (one) => marked(one.state, STATES[one.state])},
      {
        head: 'Ended',
        class: 'roomy',
        cell: (one) => {
          const ended = one.done + one.failed;
          const all = ended + one.rows + (one.parked ?? 0);
          return meter('', ended, all, `${number(ended)} of ${number(all)}`);
        }
      },
      {head: 'To do', class: 'n', cell: (one) => number(one.rows)},
      {head: 'Done', class: 'n', cell: (one) => number(one.done)},
      {head: 'Failed', class: 'n', cell: (one) => number(one.failed + (one.parked ?? 0))},
      {head: 'Since', class: 'wide', cell: (one) => when(one.since)},
      {
        head: 'Actions',
        class: 'roomy',
        cell: (one) =>
            (one.state === 'ended' ? '' :
                                     action('Cancel …', 'manage', rights(), () => cancel(name, one, again), 'risky'))
      },
    ],
  });
  return {draw: () => shown.draw(), rights: again, close: () => shown.close()};
}
