// The errors of the client: one class for each code of doc/protocol.md, section 7.

/**
 * A refusal by the daemon, or a failure of the connection. `code` is for programs, `message` for people; `facts` are the
 * further parameters of the ERROR (`parameter`, `holder`, `epoch`, ...), by their names in the protocol. A code that this
 * version does not know makes a plain FastjournalError.
 */
export class FastjournalError extends Error {
  constructor(code, message, facts = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.facts = facts;
  }
}

function classOf(code) {
  const words = code.split('_').map((word) => word[0].toUpperCase() + word.slice(1));
  const name = words.join('') + (code === 'io_error' ? '' : 'Error');
  const made = {
    [name]: class extends FastjournalError{constructor(message, facts) { super(code, message, facts); }},
  }[name];
  return made;
}

export const InvalidError = classOf('invalid');
export const UnknownCommandError = classOf('unknown_command');
export const UnknownTableError = classOf('unknown_table');
export const UnknownRowError = classOf('unknown_row');
export const MissingParameterError = classOf('missing_parameter');
export const UnknownParameterError = classOf('unknown_parameter');
export const BadParameterError = classOf('bad_parameter');
export const TooLargeError = classOf('too_large');
export const OverLimitError = classOf('over_limit');
export const StaleEpochError = classOf('stale_epoch');
export const StaleSequenceError = classOf('stale_sequence');
export const NotLeasedError = classOf('not_leased');
export const ExpiredError = classOf('expired');
export const WrongStateError = classOf('wrong_state');
export const PausedError = classOf('paused');
export const NoSpaceError = classOf('no_space');
export const NotSupportedError = classOf('not_supported');
export const NotAllowedError = classOf('not_allowed');
export const UnavailableError = classOf('unavailable');
export const TimedOutError = classOf('timed_out');
export const ClosedError = classOf('closed');
export const InUseError = classOf('in_use');
export const NotFoundError = classOf('not_found');
export const BadConfigurationError = classOf('bad_configuration');
export const DamagedError = classOf('damaged');
export const IoError = classOf('io_error');
export const InTransactionError = classOf('in_transaction');
export const RolledBackError = classOf('rolled_back');
export const MovedError = classOf('moved');

/** Thrown by a worker's handler for a row that can never succeed: the row is given up at once (FAIL). So is a document at
 * its destination, by the function of a deliver(). */
export class GiveUp extends Error {
  constructor(message) {
    super(message);
    this.name = 'GiveUp';
  }
}

/** Thrown by the function of a deliver() for a document that did not arrive, or need not (`drop`). */
export class NotSent extends Error {
  constructor(message = '', {kind = 'error', permanent = false, drop = false, mayHaveArrived = false} = {}) {
    super(message);
    this.name = 'NotSent';
    this.kind = kind;
    this.permanent = permanent;
    this.drop = drop;
    this.mayHaveArrived = mayHaveArrived;
  }
}
