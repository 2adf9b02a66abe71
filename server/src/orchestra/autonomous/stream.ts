import { ssePing } from '../../lib/sse.ts';
import { endOnLostAccess } from '../../platform/http/end-on-lost-access.ts';
import { openEventStream } from '../../platform/http/event-stream.ts';
import type { Call } from '../../platform/http/route.ts';
import type { EventTails } from './event-tails.ts';

/** Streams the events after `seq` to one client, as long as it stays authorized. */
export function streamEvents(
  tails: EventTails,
  call: Pick<Call, 'signal' | 'headers'>,
  sessionRef: number,
  seq: number,
  { warn, stillIn, over }: { warn(message: string, error: unknown): void; stillIn(): unknown; over(): void },
): Response {
  const { response, write, left, end } = openEventStream(call);
  // The response head is sent with the first byte: write one now instead of waiting for the next event.
  write(ssePing);
  const out = new AbortController();
  const stopLooking = endOnLostAccess(stillIn, () => out.abort());
  void tails
    .read(sessionRef, seq, AbortSignal.any([left, out.signal]), write)
    .catch((error) => left.aborted || warn('an event stream was interrupted', error))
    .finally(() => {
      stopLooking();
      end();
      over();
    });
  return response;
}
