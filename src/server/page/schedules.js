// The schedules of a table: when their next rows come, as a line of the next day for each, what became of the last one,
// and what may be done with one.
import {action, ask, field} from './actions.js';
import {call} from './api.js';
import {h, svg} from './dom.js';
import {clockTime, number, plural, span} from './format.js';
import {clock} from './live.js';
import {list} from './pages.js';
import {inputOf, link, marked, when} from './parts.js';

const DATES = 100;
const DAY = 86_400_000;
const WIDTH = 480;

const rhythm = (one) => (one.cron === undefined ? `every ${span(one.every)}` : one.cron);

// The next day from left to right, a mark every six hours, a dot a date.
function line(one) {
  const now = clock();
  const dates =
      String(one.dates ?? '').split(' ').filter((text) => text !== '').map(Number).filter((date) => date <= now + DAY);
  const many = dates.length === DATES;
  const words = one.state !== 'active' ? `${one.state}: no date` :
                                         `${plural(dates.length, 'date')}${many ? ' or more' : ''} in the next day`;
  return h(
      'div', {class: 'next-day'},
      svg('svg', {viewBox: `0 0 ${WIDTH} 16`, role: 'img', 'aria-label': words, preserveAspectRatio: 'none'},
          svg('path', {class: 'ground', d: `M0 8H${WIDTH}`}),
          [0, 6, 12, 18, 24].map((hour) => svg('path', {class: 'ground', d: `M${(hour * WIDTH) / 24} 3V13`})),
          one.state === 'active' ? dates.map(
                                       (date) =>
                                           svg('circle', {cx: 4 + ((date - now) / DAY) * (WIDTH - 8), cy: 8, r: 3.5},
                                               svg('title', {}, clockTime(date)))) :
                                   null),
      h('span', {class: 'note'}, words));
}

function change(command, table, name, words, verb, after) {
  const reason = inputOf('journal.PAUSE.reason', {'data-first': true});
  const asks = command === 'PAUSE';
  ask({
    title: `${verb} ${name}?`,
    verb: `${verb} ${name}`,
    body: [h('p', {}, words), asks ? field('Reason', reason, 'shown to everybody who asks why') : null],
    async run(signal) {
      const said = asks && reason.value.trim() !== '' ? {reason: reason.value.trim()} : {};
      const [answer] = await call(command, {table, schedule: name, ...said}, signal);
      after();
      return command === 'TRIGGER' ? `Schedule ${name} made row ${answer.row}.` :
                                     `Schedule ${name} ${asks ? 'is paused' : 'goes on'}.`;
    },
  });
}

export function open(place, name, {rights}) {
  const panel = h('section', {class: 'panel', 'aria-label': 'Schedules'});
  place.append(panel);
  const again = () => shown.redraw();
  const shown = list(panel, {
    command: 'SCHEDULES',
    parameters: {table: name, dates: DATES},
    answer: 'SCHEDULE',
    label: `Schedules of ${name}`,
    kind: 'schedules',
    key: (one) => one.schedule,
    nothing: () => 'This table has no schedules: declare one in its file, or by SCHEDULE.',
    columns: [
      {head: 'Schedule', class: 'key', cell: (one) => one.schedule},
      {
        head: 'State',
        cell: (one) =>
            [marked(one.state, one.state === 'active' ? 'open' : 'paused', one.reason ?? one.state),
             one.late ? h('strong', {class: 'bad'}, ' late') : null, one.problem ? ` ${one.problem}` : null]
      },
      {
        head: 'Dates',
        class: 'roomy',
        cell: (one) => [h('code', {}, rhythm(one)), h('div', {class: 'note'}, one.time_zone ?? 'UTC')]
      },
      {head: 'Next', cell: (one) => when(one.next_date)},
      {head: 'Next day', class: 'roomy', cell: line},
      {
        head: 'Last row',
        cell: (one) =>
            (one.last_row ?
                 [h('a', {href: link(['t', name, 'row', one.last_row])}, one.last_row), ` ${one.last_result ?? ''}`] :
                 '–')
      },
      {head: 'Done, failed', class: 'n wide', cell: (one) => `${number(one.done)}, ${number(one.failed)}`},
      {
        head: 'Actions',
        class: 'roomy',
        cell: (one) =>
            h('div', {class: 'buttons', role: 'group', 'aria-label': `Actions on ${one.schedule}`},
              one.state === 'paused' ?
                  action(
                      'Resume …', 'manage', rights(),
                      () => change('RESUME', name, one.schedule, 'Its dates make rows again.', 'Resume', again)) :
                  action(
                      'Pause …', 'manage', rights(),
                      () => change(
                          'PAUSE', name, one.schedule, 'No date of it makes a row until somebody resumes it.', 'Pause',
                          again)),
              action(
                  'Run now …', 'manage', rights(),
                  () => change(
                      'TRIGGER', name, one.schedule, 'It makes a row at once, whatever its dates and its overlap say.',
                      'Run', again)))
      },
    ],
  });
  return {draw: () => shown.draw(), rights: again, reload: again, close: () => shown.close()};
}
