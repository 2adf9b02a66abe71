import { ssePing } from '../../../lib/sse.ts';
import { openEventStream } from '../../../platform/http/event-stream.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Log } from '../../../platform/log.ts';

type Follow = (left: AbortSignal, write: (text: string) => unknown) => Promise<void>;

/** The events of a response in the background, for as long as somebody reads them; the work goes on without. */
export function followed(call: Call, log: Log, id: string, follow: Follow): Response {
  const { response, write, left, end } = openEventStream(call);
  // The head of the answer leaves with the first byte, which must not wait for the next event.
  write(ssePing);
  void follow(left, write)
    .catch((error) => left.aborted || log.warn({ error, response: id }, 'an event stream broke off'))
    .finally(end);
  return response;
}
