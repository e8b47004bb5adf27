// Made by ./mk generate from plugins/*/*.xml and src/server/admin/daemon.xml: do not edit.
// clang-format off
// What the declarations say of parameters for which the page has inputs.
export const parameters = {
  'journal.INSERT.priority': {
    type: 'number',
    min: 0,
    max: 255,
    placeholder: 100,
    help: 'the smallest is first; or a word of the option priority-words, as NOW (0 to 255, default ' +
    '100)'
  },
  'journal.LIST.domain': {maxlength: 256, help: 'rows of this domain only'},
  'journal.LIST.error': {maxlength: 1024, help: 'rows whose last error contains this'},
  'journal.LIST.error_class': {maxlength: 128, help: 'rows whose last error is of this class'},
  'journal.LIST.prefix': {help: 'rows whose first key column begins so; not without row-key'},
  'journal.LIST.status': {
    choices: 'waiting due processing behind blocked parked paused',
    help: 'rows in this state only'
  },
  'journal.PAUSE.reason': {maxlength: 1024, help: 'why, for people'},
  'journal.PAUSE.worker': {maxlength: 256, help: 'who pauses; peer address and connection if absent'},
  'keyvalue.GET.prefix': {maxlength: 4096, help: 'keys that begin so'},
  'keyvalue.GET.regex': {maxlength: 1024, help: 'keys of which a part matches this expression (RE2)'},
  'keyvalue.SET.key': {maxlength: 4096, help: 'the key'},
  'keyvalue.SET.type': {
    choices: 'void buffer string integer float boolean',
    help: 'what it is; if absent: as the value came, string in a line'
  },
  'pipeline.DOCUMENTS.status': {
    choices: 'all stranded open failed in_doubt orphans done processing restart dirty force error batched ' +
    'sending sent dropped dead error_doc',
    help: 'stranded (missing, and nobody has them), or all that are in this state'
  },
  'pipeline.PAUSE.reason': {maxlength: 1024, help: 'why, for people'},
  'pipeline.RETRY.count': {
    type: 'number',
    min: 1,
    max: 10000,
    placeholder: 1000,
    help: 'how many at most (1 to 10000, default 1000)'
  },
  'pipeline.STEPS.count': {
    type: 'number',
    min: 1,
    max: 1000,
    placeholder: 100,
    help: 'how many at most (1 to 1000, default 100)'
  },
  'queue.BROWSE.status': {choices: 'waiting due behind acquired parked', help: 'in this state only'},
  'queue.KICK.count': {
    type: 'number',
    min: 1,
    max: 1000,
    placeholder: 1000,
    help: 'how many messages at most (1 to 1000, default 1000)'
  },
  'queue.MOVE.status': {choices: 'waiting parked', help: 'in this state only; both if absent'},
  'queue.MOVE.to': {
    maxlength: 255,
    help: 'the queue that gets them; the same one for parked messages; if absent, that on which each ' +
    'died'
  },
  'queue.PARK.error': {maxlength: 1024, help: 'why, for people'},
  'queue.PAUSE.reason': {maxlength: 255, help: 'why, for people'},
  'queue.PAUSE.until': {help: 'when it goes on by itself; at RESUME only if absent'},
  'queue.PURGE.status': {choices: 'waiting parked', help: 'in this state only; both if absent'},
  'queue.SEND.lease': {
    type: 'number',
    min: 1,
    max: 31536000000,
    help: 'how long its consumers may take unless they say otherwise; as the queue says if absent (1ms ' +
    'to 365d)'
  },
  'queue.SEND.priority': {
    type: 'number',
    min: 0,
    max: 4294967295,
    placeholder: 100,
    help: 'the smallest is first; up to 255, unless the table says otherwise by priorities (default ' +
    '100)'
  },
  'queue.SEND.properties': {
    maxlength: 65536,
    help: 'what goes with it: an object in JSON, which is given back as it came'
  },
  'queue.SEND.queue': {maxlength: 255, help: 'the queue; or else exchange'},
};
