import { ssePing } from '../../lib/sse.ts';
import { openEventStream } from '../../platform/http/event-stream.ts';
import type { Call } from '../../platform/http/route.ts';
import type { Tails } from './tails.ts';

/** The events after `seq` to one reader. */
export function streamEvents(
  tails: Tails,
  call: Pick<Call, 'signal' | 'headers'>,
  sessionRef: number,
  seq: number,
  warn: (message: string, error: unknown) => void,
): Response {
  const { response, write, left, end } = openEventStream(call);
  // The head of the answer leaves with the first byte, which must not wait for the next event.
  write(ssePing);
  void tails
    .read(sessionRef, seq, left, write)
    .catch((error) => left.aborted || warn('an event stream broke off', error))
    .finally(end);
  return response;
}
