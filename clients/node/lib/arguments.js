// What a program gives to typed calls, as parameters of messages.
import {errorOf} from './error_of.js';

/** A text or bytes: the parameter NAME, or NAME_binary. */
export function bytesOf(name, given) {
  if (typeof given === 'string') return {[name]: given};
  if (given instanceof Uint8Array) return {[`${name}_binary`]: given};
  throw errorOf('bad_parameter', `parameter ${name}: it is a string or a Uint8Array`, {parameter: name});
}

/** The body of a message; an empty one is absent. */
export function contentOf(body) {
  if (body === undefined || body.length === 0) return {};
  return typeof body === 'string' ? {body} : {body_binary: body};
}

/** An object as its JSON. */
export function jsonOf(given) { return typeof given === 'object' ? JSON.stringify(given) : given; }

/** A value of a key/value table: without one it is of type void. */
export function valueOf(given) {
  // A mistake more likely than a wish.
  if (given === undefined)
    throw errorOf('bad_parameter', 'parameter value: undefined is none; null is of type void', {parameter: 'value'});
  return given ?? undefined;
}
