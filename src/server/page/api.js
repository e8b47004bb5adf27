// Requests to the daemon: the only module that sends any. A token goes into a header, never into a URL or a cookie.

const TIME_LIMIT_MS = 15_000;
const EVENT_CHARS_MAX = 4 << 20;
const KEPT_TOKEN = 'fastjournal-token';

// The daemon's own words for what it refused.
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `refused with status ${status}`);
    this.status = status;
    this.code = problem.code ?? '';
    this.facts = problem;
  }
}

// No answer, or none of this daemon.
export class Away extends Error {}

let token = kept();

function kept() {
  try {
    return sessionStorage.getItem(KEPT_TOKEN) ?? '';
  } catch {
    return '';
  }
}

export const hasToken = () => token !== '';

// keep: also over a reload of this tab. Without it the token is in memory only.
export function setToken(text, keep) {
  token = text;
  try {
    if (keep && text !== '')
      sessionStorage.setItem(KEPT_TOKEN, text);
    else
      sessionStorage.removeItem(KEPT_TOKEN);
  } catch {
    // Storage may be forbidden: then it is in memory only.
  }
}

// Integers beyond 2^53 stay text, so that no digit changes.
function exact(_key, value, context) {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? source : value;
}

const parse = (text) => JSON.parse(text, exact);

async function send(command, parameters, accept, signal) {
  const headers = {'Content-Type': 'application/json', 'Accept': accept};
  if (token !== '') headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(`/v1/${command}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(parameters),
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    throw failure(error, signal);
  }
  if (response.ok) return response;
  let problem = {};
  try {
    problem = parse(await response.text());
  } catch {
    // Something between the page and the daemon answered.
  }
  if (!problem.code) throw new Away(`the answer, of status ${response.status}, is not the daemon's`);
  throw new Refused(response.status, problem);
}

function failure(error, signal) {
  if (signal?.aborted && signal.reason?.name !== 'TimeoutError') return signal.reason;
  return new Away(error.name === 'TimeoutError' ? 'no answer in time' : 'no connection');
}

export const isAborted = (error) => error?.name === 'AbortError';

// A file of this page.
export async function file(name) { return (await fetch(name, {credentials: 'omit', redirect: 'error'})).json(); }

// The messages of the answer, one or many, as an array.
export async function call(command, parameters = {}, signal = undefined) {
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const both = signal ? AbortSignal.any([signal, limit]) : limit;
  const response = await send(command, parameters, 'application/json', both);
  let body;
  try {
    body = parse(await response.text());
  } catch (error) {
    throw error instanceof SyntaxError ? new Away('the answer is cut off') : failure(error, both);
  }
  const messages = Array.isArray(body) ? body : [body];
  const refusal = messages.find((one) => one.command === 'ERROR');
  if (refusal) throw new Refused(409, {...refusal, detail: refusal.message});
  return messages;
}

// Server-sent events, each as {name, data}, until the connection ends. Read from a body, since EventSource can send no
// token.
export async function* events(command, parameters, signal) {
  const response = await send(command, parameters, 'text/event-stream', signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      rest += value;
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const event = read(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (event) yield event;
      }
      if (rest.length > EVENT_CHARS_MAX) throw new Away('an event without an end');
    }
  } catch (error) {
    throw error instanceof Away ? error : failure(error, signal);
  } finally {
    reader.cancel().catch(() => {});
  }
}

function read(block) {
  let name = '';
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('event: '))
      name = line.slice(7);
    else if (line.startsWith('data: '))
      data += line.slice(6);
  }
  return data === '' ? null : {name, data: parse(data)};
}
