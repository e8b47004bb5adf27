// What people may do here, each with a dialog that says beforehand what will happen, and in the daemon's words what it
// refused. Buttons of actions that the visitor has no right to say so.
import {call, isAborted, Refused} from './api.js';
import {h, mark, replace, say} from './dom.js';
import {number, plural} from './format.js';
import {live} from './live.js';
import {inputOf, openDialog, toast, when} from './parts.js';

const MATCHED_MAX = 1_000_000;  // the count goes on no further
let called = '';                // the name of the visitor, for pauses

// rights: those on the table, as words; null: not known, and then everything is offered.
export function may(rights, right) { return rights === null || rights.includes(right); }

export function whyNot(right) {
  const who = live.rights?.user ? `The user ${live.rights.user}` : 'Whoever comes without a token';
  return `This needs the right ${right}. ${who} does not have it here.`;
}

// A button; without the right it stays reachable, and says why nothing will happen.
export function action(label, right, rights, run, kind = '') {
  const allowed = may(rights, right);
  const why = allowed ? null : whyNot(right);
  return h(
      'button', {
        type: 'button',
        class: kind,
        title: why,
        'aria-disabled': allowed ? null : 'true',
        'data-right': right,
        on: {click: () => (allowed ? run() : toast(why))},
      },
      label);
}

let dialogs = 0;

// A dialog. run(signal, tell) returns the sentence that is shown afterwards; what it throws is shown in the dialog,
// which stays. began(state) is told when it is open; ready=false: nothing can be confirmed until state.ready(words).
export function ask({title, body, verb, danger = false, ready = true, run, began, here = location.hash}) {
  const id = `dialog-${dialogs += 1}`;
  const controller = new AbortController();
  const error = h('p', {class: 'error', role: 'alert', hidden: true});
  const progress = h('p', {class: 'note', role: 'status'});
  const confirm = h('button', {type: 'submit', class: danger ? 'danger' : 'primary'}, verb);
  const cancel = h('button', {type: 'button', on: {click: () => dialog.close()}}, 'Cancel');
  let busy = false;
  const state = {
    signal: controller.signal,
    // null: there is nothing to confirm.
    ready(text) {
      say(confirm, text ?? verb);
      confirm.disabled = text === null;
    },
    forgive() { error.hidden = true; },
    fail(problem) {
      say(error,
          problem instanceof Refused ? `Refused: ${problem.message}` :
                                       `No answer: ${problem.message}. It is not known whether it was done.`);
      error.hidden = false;
    },
  };
  const form =
      h('form', {
        on: {
          submit: async (event) => {
            event.preventDefault();
            if (busy || confirm.disabled) return;
            busy = true;
            confirm.disabled = true;
            error.hidden = true;
            say(cancel, 'Stop');
            try {
              const words = await run(controller.signal, (text) => say(progress, text));
              dialog.close();
              toast(words);
            } catch (problem) {
              if (isAborted(problem)) return;
              state.fail(problem);
              say(cancel, 'Close');
              confirm.disabled = false;
            } finally {
              busy = false;
            }
          },
        },
      },
        h('h2', {id}, title), body, progress, error, h('div', {class: 'buttons'}, confirm, cancel));
  const dialog =
      h('dialog', {
        'aria-labelledby': id,
        on: {
          close: () => {
            controller.abort(new DOMException('closed', 'AbortError'));
            dialog.remove();
          }
        }
      },
        form);
  confirm.disabled = !ready;
  openDialog(dialog, dialog.querySelector('[data-first]') ?? (danger ? cancel : confirm), here);
  began?.(state);
  return dialog;
}

export function field(label, input, note = null) {
  const id = `field-${dialogs += 1}`;
  input.id = id;
  const help = note ? h('span', {class: 'note', id: `${id}-note`}, note) : null;
  if (note) mark(input, 'aria-describedby', `${id}-note`);
  return h('div', {class: 'field'}, h('label', {for: id
           }, label), input, help);
}

const given = (values) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== undefined));

// --- tables -------------------------------------------------------------------

const HALTS = {
  PAUSE: {
    verb: 'Pause',
    done: 'is paused',
    words: (stats) =>
        [`From now on no row of this table is handed out, ${plural(stats.rows_due ?? 0, 'row')} that ${
             stats.rows_due === 1 ? 'is' : 'are'} due included, until somebody resumes it. `,
         `${plural(stats.rows_processing ?? 0, 'row')} being processed ${
             stats.rows_processing === 1 ? 'goes' : 'go'} on, and inserts are accepted.`],
  },
  DRAIN: {
    verb: 'Drain',
    done: 'drains',
    words: (stats) =>
        ['From now on inserts into this table are refused, also those that would merge, until somebody resumes it. ',
         `Its ${plural(stats.rows ?? 0, 'row')} ${
             stats.rows === 1 ? 'is' : 'are'} handed out as before until the table is empty.`],
  },
  RESUME: {
    verb: 'Resume',
    done: 'is open again',
    words: (stats) =>
        [stats.paused ? `Rows are handed out again: ${plural(stats.rows_due ?? 0, 'row')} ${
                            stats.rows_due === 1 ? 'is' : 'are'} due now. ` :
                        '',
         stats.draining ? 'Inserts are accepted again. ' : '', 'Workers that wait are told at once.'],
  },
};

// Of documents, where it is another.
const HALTS_OF_DOCUMENTS = {
  DRAIN: (stats) =>
      ['From now on documents that are new or have changed are refused, until somebody resumes it. ',
       `${plural(stats.documents_open ?? 0, 'document')} that ${
           stats.documents_open === 1 ? 'is' : 'are'} missing somewhere ${
           stats.documents_open === 1 ? 'is' : 'are'} handed out as before.`],
  RESUME: () => ['Documents that are new or have changed are taken again.'],
};

export function halt(command, table, stats, kind = 'rows') {
  const {verb, done} = HALTS[command];
  const words = (kind === 'documents' ? HALTS_OF_DOCUMENTS[command] : undefined) ?? HALTS[command].words;
  const reason = inputOf('journal.PAUSE.reason', {'data-first': true});
  const name = inputOf('journal.PAUSE.worker', {value: called || live.rights?.user || ''});
  ask({
    title: `${verb} ${table}?`,
    verb: `${verb} ${table}`,
    body: [
      h('p', {}, words(stats ?? {})), field('Reason', reason, 'shown to everybody who asks why'),
      field('Your name', name, 'shown beside it; empty: your address')
    ],
    async run(signal) {
      called = name.value.trim();
      await call(command, given({table, reason: reason.value.trim(), worker: called}), signal);
      return `${table} ${done}.`;
    },
  });
}

// --- rows ---------------------------------------------------------------------

export function one(command, table, row, words, after) {
  const kick = command === 'KICK';
  ask({
    title: `${kick ? 'Kick' : 'Delete'} row ${row}?`,
    verb: kick ? `Kick row ${row}` : `Delete row ${row}`,
    danger: !kick,
    body: h('p', {}, words),
    async run(signal) {
      await call(command, {table, row}, signal);
      after?.();
      return kick ? `Row ${row} is due now.` : `Row ${row} is deleted.`;
    },
  });
}

// Of a row that a worker has: each says who, and since when, as it is told at that moment.
export function underWay(table, row, rights, after) {
  async function ended(command) {
    const here = location.hash;
    let now;
    try {
      [now] = await call('WHY', {table, row});
    } catch (problem) {
      return toast(problem.message);
    }
    const has = now.state === 'processing';
    const who = has ? [now.worker || 'A worker', ' has worked on it since ', when(now.since, true), '. '] :
                      ['Nobody works on it any more. '];
    const back = command === 'KICK';
    return ask({
      here,
      title: back ? `Take row ${row} back?` : `Delete row ${row}?`,
      verb: back ? `Take row ${row} back` : `Delete row ${row}`,
      danger: !back,
      body:
          h('p', {}, who,
            back ? 'It is due at once, and its attempts are counted anew. ' :
                   'It is removed with its data, which cannot be undone. ',
            has ? 'Nothing stops the program itself: its report will be refused.' : null),
      async run(signal) {
        await call(command, {table, row}, signal);
        after?.();
        return back ? `Row ${row} is due again.` : `Row ${row} is deleted.`;
      },
    });
  }
  return [
    action('Take back …', 'manage', rights, () => ended('KICK')),
    action('Delete …', 'manage', rights, () => ended('DELETE'), 'risky')
  ];
}

const FILTERS = {
  status: 'the status',
  domain: 'the domain',
  prefix: 'a key that begins with',
  error: 'an error that contains',
  error_class: 'an error of the class'
};

export function filterWords(filter) {
  const parts = Object.entries(given(filter)).map(([name, value]) => `${FILTERS[name] ?? name} “${value}”`);
  return parts.length > 0 ? `with ${parts.join(', ')}` : '';
}

// One command looks at 10,000 rows and changes 1000 at most: the next goes on behind `after`.
async function pages(command, table, filter, extra, signal, tell) {
  let after;
  let count = 0;
  let looked = 0;
  do {
    const [answer] = await call(command, given({table, ...filter, ...extra, after}), signal);
    count += answer.count;
    looked += answer.looked;
    after = answer.after;
    tell(count, looked);
  } while (after !== undefined && !signal.aborted && looked < MATCHED_MAX);
  signal.throwIfAborted();
  return {count, whole: after === undefined};
}

export function many(command, table, filter) {
  const kick = command === 'KICK';
  const what = h('p', {role: 'status'}, 'Counting …');
  const scope = filterWords(filter) || (kick ? 'with the status “parked”' : '');
  const verb = kick ? 'Kick' : 'Delete';
  ask({
    title: `${verb} rows of ${table}?`,
    verb,
    danger: !kick,
    ready: false,
    body: [
      h('p', {},
        `Rows ${scope}${
            kick && !filter.status && scope !== '' && filterWords(filter) ? ', and only parked ones' : ''}.`),
      what,
      h('p', {class: 'note'},
        kick ? 'They are made due now and their attempts are counted anew. Of rows being processed ' +
                'the leases are taken back.' :
               'They are removed in whatever state, also those being processed: their workers are refused when they ' +
                'report. This cannot be undone.')
    ],
    async began(state) {
      try {
        const {count, whole} = await pages(
            command, table, filter, {dry_run: 1}, state.signal,
            (some, looked) => say(what, `Counting … ${number(some)} of ${number(looked)} rows so far`));
        say(what,
            count === 0 ?
                'No row matches now: nothing would be changed.' :
                `${whole ? '' : 'At least '}${plural(count, 'row')} ${
                    count === 1 ? 'matches' : 'match'} now. Those that match when their turn comes are changed.`);
        state.ready(count === 0 ? null : `${verb} ${whole ? '' : 'all, at least '}${plural(count, 'row')}`);
      } catch (problem) {
        if (isAborted(problem)) return;
        replace(what, '');
        state.fail(problem);
      }
    },
    async run(signal, tell) {
      let sum = 0;
      let part = {whole: false};
      try {
        // Beyond the most of one count as well.
        part = await pages(command, table, filter, {}, signal, (count) => {
          sum = count;
          tell(`${number(count)} so far`);
        });
      } catch (problem) {
        if (isAborted(problem) && sum > 0) toast(`Stopped after ${plural(sum, 'row')}.`);
        throw problem;
      }
      return `${plural(sum, 'row')} ${sum === 1 ? 'was' : 'were'} ${kick ? 'kicked' : 'deleted'}.${
          part.whole ? '' : ' There may be more.'}`;
    },
  });
}

// --- inserts ------------------------------------------------------------------

const RESULTS = {
  inserted: 'a new row',
  merged: 'merged into the row that waits',
  behind: 'it waits for the row of its key that is processed',
  stale: 'nothing changed: the row has newer data',
  duplicate: 'nothing changed: it was inserted before',
};

export function insert(table) {
  const {declared} = table;
  const inputs = declared.columns.map(({name, type}) => {
    const key = declared.key.includes(name);
    const input = type === 'string' && !key ? h('textarea', {rows: '1', autocomplete: 'off'}) :
                                              h('input', {type: 'text', autocomplete: 'off'});
    if (key) mark(input, 'aria-required', 'true');
    return {
      name,
      input,
      node: field(name, input, `${type}${key ? ', part of the key' : ''}${type === 'buffer' ? ', as base64' : ''}`)
    };
  });
  if (inputs.length > 0) mark(inputs[0].input, 'data-first', '');
  const priority = inputOf('journal.INSERT.priority');
  const process = h('input', {type: 'text', autocomplete: 'off', placeholder: 'now'});
  const expiration = h('input', {type: 'text', autocomplete: 'off', placeholder: 'never'});
  ask({
    title: `Insert into ${table.name}`,
    verb: 'Insert',
    body: [
      h('p', {},
        declared.key.length > 0 ?
            `If a row with the same ${
                declared.key.join(
                    ' and ')} waits, the data is merged into it by the table's rules; otherwise this is a new row.` :
            'This is always a new row: the table has no key.'),
      h('div', {class: 'fields'}, inputs.map(({node}) => node)),
      h('details', {}, h('summary', {}, 'Priority and dates'),
        h('div', {class: 'fields'}, field('priority', priority, priority.help),
          field('process_date', process, DATE_FORMS),
          field('expiration_date', expiration, 'in the same forms; not handed out from then on')))
    ],
    async run(signal) {
      const parameters = {table: table.name};
      for (const {name, input} of inputs)
        if (input.value !== '') parameters[name] = input.value;
      if (priority.value !== '') parameters.priority = Number(priority.value);
      if (process.value.trim() !== '') parameters.process_date = dateOf('process_date', process.value.trim());
      if (expiration.value.trim() !== '')
        parameters.expiration_date = dateOf('expiration_date', expiration.value.trim());
      const [answer] = await call('INSERT', parameters, signal);
      return `Row ${answer.row}: ${RESULTS[answer.result] ?? answer.result}.`;
    },
  });
}

export const DATE_FORMS = '+90s, +5m, +2h, +1d, or a date such as 2026-12-24 18:00';
const UNITS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000
};

// "5m" in milliseconds; null: it is no such text.
function spanIn(text) {
  const found = /^(\d+)\s*(ms|s|m|min|h|d)$/.exec(text);
  return found && Number(found[1]) * UNITS[found[2]];
}

export function spanOf(name, text) {
  const span = spanIn(text);
  if (span !== null) return span;
  throw new Refused(400, {detail: `${name}: expected 90s, 5m, 2h or 1d; nothing was sent`});
}

export function dateOf(name, text) {
  const after = text.startsWith('+') ? spanIn(text.slice(1).trim()) : null;
  if (after !== null) return `+${after}`;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text.replace(' ', 'T'));
  if (!Number.isNaN(at)) return at;
  throw new Refused(400, {detail: `${name}: expected ${DATE_FORMS}; nothing was sent`});
}

// --- alerts -------------------------------------------------------------------

export function lower(alert, after) {
  ask({
    title: `Lower the alert ${alert.name}?`,
    verb: 'Lower',
    body: [
      h('p', {}, alert.table ? `Of the table ${alert.table}: ` : 'Of the daemon: ', alert.message),
      h('p', {class: 'note'},
        alert.manual_down ? 'It stays until somebody lowers it. It is raised again if its cause occurs again.' :
                            'It would end by itself with its cause. While the cause lasts it is raised again.')
    ],
    async run(signal) {
      await call('LOWER', given({name: alert.name, table: alert.table}), signal);
      after?.();
      return `The alert ${alert.name} is lowered.`;
    },
  });
}

// --- distributed transactions -------------------------------------------------

export function decide(branch, outcome) {
  const commits = outcome === 'commit';
  ask({
    title: `${commits ? 'Commit' : 'Roll back'} the branch ${branch.xid}?`,
    verb: commits ? 'Commit' : 'Roll back',
    danger: true,
    body: [
      h('p', {},
        `${plural(branch.ops, 'command')}${branch.tables ? ` on ${branch.tables}` : ''} will be ` +
            `${commits ? 'carried out' : 'given up'}, and what they hold is free again.`),
      h('p', {class: 'note'},
        'Other resources of the transaction are not asked: if they end otherwise, the transaction is half done. ' +
            'Decide only if its manager will not come back, and as it has decided elsewhere.')
    ],
    async run(signal) {
      await call('XA_DECIDE', {xid: branch.xid, outcome}, signal);
      return `The branch ${branch.xid} is ${commits ? 'committed' : 'rolled back'}. Its manager will hear of it.`;
    },
  });
}

export function forget(branch) {
  ask({
    title: `Forget the branch ${branch.xid}?`,
    verb: 'Forget',
    danger: true,
    body:
        h('p', {},
          `An operator has decided it: ${
              branch.state}. If its manager asks later, it will hear that there never was one.`),
    async run(signal) {
      await call('XA_FORGET', {xid: branch.xid}, signal);
      return `The branch ${branch.xid} is forgotten.`;
    },
  });
}
