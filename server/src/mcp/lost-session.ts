import { isObject } from '../lib/is-object.ts';

/** By the specification 404; Python's and Go's libraries, and TypeScript's examples, answered 400, and Rust's 401. */
const statuses = [400, 401];
const words = /session|not initialized/i;

/**
 * Whether the server no longer knows the session that the request named, as after a restart. It looks for the session
 * before it reads the request, so its refusal does not have the request's id; with it, the refusal is an answer to a
 * request that was processed.
 */
export function isSessionLost(status: number, bytes: Uint8Array, request: string | undefined): boolean {
  if (!statuses.includes(status)) return false;
  const text = new TextDecoder().decode(bytes);
  if (!words.test(text)) return false;
  const asked = idIn(request ?? '');
  return asked === undefined || idIn(text) !== asked;
}

function idIn(text: string): unknown {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message.id : undefined;
  } catch {
    return undefined;
  }
}
