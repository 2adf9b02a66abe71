import { ssePing, sseType } from '../../../lib/sse.ts';

const blankLine = '\n\n';

/**
 * Events as Google sends them: there are no comments among them, and its libraries for Python and Go fail at one. All of
 * them skip blank lines, which keep the connection open as well.
 */
export class GoogleEvents {
  readonly type = sseType;

  push(events: Uint8Array | string): Uint8Array | string {
    return isPing(events) ? blankLine : events;
  }

  end(): string {
    return '';
  }
}

const isPing = (events: Uint8Array | string): boolean =>
  events.length === ssePing.length &&
  (typeof events === 'string' ? events : Buffer.from(events).toString()) === ssePing;
