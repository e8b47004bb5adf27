// What a failure of the program says, as text that a message can carry. Whatever was thrown, a text comes of it, as
// without one the work would stay leased: nothing here throws.

export const ERROR_BYTES_MAX = 1024;
export const TRACE_BYTES_MAX = 16 * 1024;
const CHAIN_MAX = 8;

/** The beginning of a text, cut at a character, as valid UTF-8: U+FFFD for a lone surrogate. */
export function cut(text, bytesMax = ERROR_BYTES_MAX) {
  // No character has less than one byte.
  const bytes = Buffer.from(text.slice(0, bytesMax));
  let end = Math.min(bytes.length, bytesMax);
  // Not within a character.
  while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) --end;
  return bytes.toString('utf8', 0, end);
}

function stringOf(value) {
  try {
    return {text: cut(String(value))};
  } catch (error) {
    return {problem: nameOf(error)};
  }
}

/** The name of its class; 'error' if it has none. */
export function nameOf(failure) {
  try {
    const {name} = failure;
    return typeof name === 'string' && name !== '' ? cut(name, 256) : 'error';
  } catch {
    return 'error';
  }
}

/** Its message, or itself as a text. */
export function textOf(failure) {
  let problem;
  try {
    const {message} = failure ?? {};
    if (message !== undefined) {
      const said = stringOf(message);
      if (said.text !== undefined) return said.text;
      ({problem} = said);
    }
  } catch (error) {
    problem = nameOf(error);
  }
  if (problem === undefined) {
    const said = stringOf(failure);
    if (said.text !== undefined) return said.text;
    ({problem} = said);
  }
  return `its text cannot be shown: ${problem} was thrown`;
}

// Of this one alone.
function ownStackOf(failure) {
  try {
    const {stack} = failure;
    if (typeof stack === 'string' && stack !== '') return cut(stack, TRACE_BYTES_MAX);
  } catch {
    // Its text is there.
  }
  return textOf(failure);
}

// Undefined: it has none.
function causeOf(failure) {
  try {
    return failure.cause ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where it was made, with its text, and the same of its causes; the text alone where there is no stack. The end is left
 * out if it is too long. */
export function stackOf(failure) {
  const parts = [ownStackOf(failure)];
  const seen = new Set([failure]);
  let cause = causeOf(failure);
  while (cause !== undefined && !seen.has(cause) && parts.length < CHAIN_MAX) {
    parts.push(ownStackOf(cause));
    seen.add(cause);
    cause = causeOf(cause);
  }
  return cut(parts.join('\nCaused by: '), TRACE_BYTES_MAX);
}

/** Of an error that a call is given: other values are refused as ever. */
export function errorText(error) { return typeof error === 'string' ? cut(error) : error; }

/** The parameters of a command that says that something failed, and where. */
export function failedWith(error, errorTrace) {
  return {
    error: errorText(error),
    error_trace: typeof errorTrace === 'string' ? cut(errorTrace, TRACE_BYTES_MAX) : errorTrace,
  };
}

/** The answer to a command that says so; a daemon that knows no traces gets it without. */
export async function report(link, command, params, limits) {
  if (link.takesTraces === false) delete params.error_trace;
  try {
    return await link.call(command, params, limits);
  } catch (error) {
    const isOfTrace = error.code === 'unknown_parameter' && error.facts?.parameter === 'error_trace';
    if (!isOfTrace || params.error_trace === undefined) throw error;
  }
  link.takesTraces = false;
  return report(link, command, params, limits);
}

/** `instanceof`, for what was thrown: of a proxy, even that may throw. */
export function isOf(failure, Class) {
  try {
    return failure instanceof Class;
  } catch {
    return false;
  }
}
