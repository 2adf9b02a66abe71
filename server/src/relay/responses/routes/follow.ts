import { ssePing } from '../../../lib/sse.ts';
import { openEventStream } from '../../../platform/http/event-stream.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Log } from '../../../platform/log.ts';

type Follow = (left: AbortSignal, write: (text: string) => unknown) => Promise<void>;

/** Streams a background response's events while the client reads; the work continues without it. */
export function followed(call: Call, log: Log, id: string, follow: Follow, over = () => {}): Response {
  const { response, write, left, end } = openEventStream(call);
  // The response head is sent with the first byte, which must not wait for the next event.
  write(ssePing);
  void follow(left, write)
    .catch((error) => left.aborted || log.warn({ error, response: id }, 'an event stream was interrupted'))
    .finally(() => {
      end();
      over();
    });
  return response;
}
