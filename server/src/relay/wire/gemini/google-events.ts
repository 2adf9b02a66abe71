import { withEscapedEnds } from '../../../lib/one-line.ts';
import { ssePing, sseType } from '../../../lib/sse.ts';

const blankLine = '\n\n';

/**
 * Events as Google sends them: there are no comments among them, and its libraries for Python and Go fail at one. All of
 * them skip blank lines, which keep the connection open as well. Nor are there letters, such as U+2028, that end a line
 * for the one for Python.
 */
export class GoogleEvents {
  readonly type = sseType;

  push(events: Uint8Array | string): Uint8Array | string {
    return isPing(events) ? blankLine : holdsEnds(events) ? withEscapedEnds(textOf(events)) : events;
  }

  end(): string {
    return '';
  }
}

const textOf = (events: Uint8Array | string): string =>
  typeof events === 'string' ? events : Buffer.from(events.buffer, events.byteOffset, events.byteLength).toString();

const isPing = (events: Uint8Array | string): boolean => events.length === ssePing.length && textOf(events) === ssePing;

const ends = ['\u0085', '\u2028', '\u2029'];
const endBytes = ends.map((end) => Buffer.from(end));
const beginnings = [0xc2, 0xe2];

/** Each write is made of whole events, so that no letter is split. Few events have a byte that one begins with. */
function holdsEnds(events: Uint8Array | string): boolean {
  if (typeof events === 'string') return ends.some((end) => events.includes(end));
  if (!beginnings.some((byte) => events.includes(byte))) return false;
  const bytes = Buffer.from(events.buffer, events.byteOffset, events.byteLength);
  return endBytes.some((end) => bytes.includes(end));
}
