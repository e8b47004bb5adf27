// Made by ./mk generate from plugins/*/*.xml and src/server/admin/daemon.xml and clients/calls/*.toml: do not edit.
// clang-format off

// Which fields of answers are numbers and which are flags; all others are text or bytes.
const words = (text) => new Set(text.split(' '));
const none = new Set();

export const blob = {
  STORED: {
    numbers: words('entry_time begin end file'),
    flags: none,
  },
  BLOB: {
    numbers: words('entry_time begin end length file files descriptor'),
    flags: words('newer'),
  },
  ATTACHED: {
    numbers: words('file descriptor'),
    flags: none,
  },
  MAINTAINING: {
    numbers: words('file total done'),
    flags: none,
  },
};

export const journal = {
  INSERTED: {
    numbers: words('row merges process_date waits_for ended_date unique_until'),
    flags: none,
  },
  ROW: {
    numbers: words('row epoch lease_end priority process_date insertion_date accepted_date expiration_date timeouts' +
      ' attempts waits_for merges started_date max_attempts lease unique_for schedule_date after progress' +
      ' progress_date'),
    flags: words('places'),
  },
  KICKED: {
    numbers: words('row process_date count looked after'),
    flags: words('dry_run'),
  },
  REASON: {
    numbers: words('row in due_for process_date expiration_date ahead held_by waits_for epoch lease_end since until' +
      ' timeouts attempts failures lifetime_timeouts merges accepted_date schedule_date after progress progress_date'),
    flags: words('in_transaction'),
  },
  DUE: {
    numbers: words('from to rows now after'),
    flags: none,
  },
  DOMAIN: {
    numbers: words('rows waiting due ready processing weight first_date next_date after'),
    flags: none,
  },
  SCHEDULED: {
    numbers: words('number next_date'),
    flags: none,
  },
  SCHEDULE: {
    numbers: words('number every jitter begins ends catch_up_window catch_up_max pause_after alert_after priority' +
      ' expires_in next_date waiting_date last_date last_row last_success failures_in_row running made done failed' +
      ' skipped missed since after'),
    flags: words('declared late'),
  },
  BACKFILLED: {
    numbers: words('count until'),
    flags: words('complete'),
  },
  GROUP: {
    numbers: words('number rows done failed parked since ended_date until after'),
    flags: none,
  },
  NODE: {
    numbers: words('row level after'),
    flags: none,
  },
  FIGURE: {
    numbers: words('date inserted leased done failed timed_out waiting processing lateness_ms_p50 lateness_ms_p99' +
      ' after'),
    flags: none,
  },
};

export const keyvalue = {
  STORED: {
    numbers: words('timestamp count'),
    flags: none,
  },
  PAIR: {
    numbers: words('timestamp expiration_date lock_end worked_on_end ttl creation_date modification_date access_date' +
      ' size'),
    flags: words('locked worked_on persist'),
  },
};

export const pipeline = {
  DOCUMENT: {
    numbers: words('document token lease_end children newer parent original children_known children_not_done' +
      ' missing_below in_hands_below failed_below after'),
    flags: words('dry_run check done orphan'),
  },
  RECORDED: {
    numbers: words('document lease_end children'),
    flags: none,
  },
  DESTINATION: {
    numbers: words('processing restart dirty force error batched sending sent dropped dead error_doc in_doubt' +
      ' with_workers after'),
    flags: none,
  },
  EVENT: {
    numbers: words('event date document generation parent original failures children after'),
    flags: none,
  },
  PLAN: {
    numbers: words('version documents'),
    flags: words('newest'),
  },
  STEP: {
    numbers: words('version copies_max after'),
    flags: words('any_path'),
  },
  KICKED: {
    numbers: words('document count in_doubt'),
    flags: none,
  },
  REASON: {
    numbers: words('document newer children_known children_not_done missing_below in_hands_below failed_below'),
    flags: words('done'),
  },
};

export const queue = {
  SENT: {
    numbers: words('message queues process_date'),
    flags: none,
  },
  MESSAGE: {
    numbers: words('message epoch origin bytes offset priority process_date sent_date expiration_date deliveries' +
      ' lease_end lease leases returns parkings kicks timeouts now after'),
    flags: words('places redelivered'),
  },
  QUEUE: {
    numbers: words('messages due behind urgent acquired parked bytes max_deliveries max_messages max_bytes lease' +
      ' paused_until now expires delay max_message_bytes made_date changed_date'),
    flags: words('temporary declared leaving paused'),
  },
  EXCHANGE: {
    numbers: words('bindings'),
    flags: none,
  },
  BINDING: {
    numbers: words('binding after'),
    flags: none,
  },
};

export const daemon = {
  HELP: {
    numbers: none,
    flags: none,
  },
  RIGHTS: {
    numbers: words('connection'),
    flags: none,
  },
  TABLE: {
    numbers: words('rows'),
    flags: words('persistent'),
  },
  ALERT: {
    numbers: words('priority count first last'),
    flags: words('manual_down'),
  },
  WAITER: {
    numbers: words('connection since until waiting missed credit leases after'),
    flags: words('stalled'),
  },
  BRANCH: {
    numbers: words('transaction ops ends_date prepared_date in_doubt_for decided_date'),
    flags: none,
  },
  DIGEST: {
    numbers: words('lsn'),
    flags: none,
  },
  RELOADED: {
    numbers: words('count'),
    flags: words('dry_run'),
  },
};
