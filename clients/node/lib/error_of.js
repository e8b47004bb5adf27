// From the code of an ERROR to the error that is thrown.
import * as errors from './errors.js';

const {FastjournalError, GiveUp, NotSent, ...coded} = errors;
const classes = new Map(Object.values(coded).map((one) => [new one('').code, one]));

/** The error of a code, of its own class if it is known. */
export function errorOf(code, message, facts = {}) {
  const Class = classes.get(code);
  return Class === undefined ? new FastjournalError(code, message, facts) : new Class(message, facts);
}
