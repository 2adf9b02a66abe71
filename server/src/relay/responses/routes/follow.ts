import { ssePing } from '../../../lib/sse.ts';
import { endOnLostAccess } from '../../../platform/http/end-on-lost-access.ts';
import { openEventStream } from '../../../platform/http/event-stream.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Log } from '../../../platform/log.ts';
import type { ResponseKeeper } from '../keeper.ts';

type Follow = (left: AbortSignal, write: (text: string) => unknown) => Promise<void>;

/** Streams a background response's events while an authorized client reads; the work continues without it. */
export function followed(
  call: Call<'apiKey'>,
  { log, recheckCaller }: { log: Log } & Pick<ResponseKeeper, 'recheckCaller'>,
  id: string,
  follow: Follow,
  over = () => {},
): Response {
  const { response, write, left, end } = openEventStream(call);
  // The response head is sent with the first byte, which must not wait for the next event.
  write(ssePing);
  const out = new AbortController();
  const stopLooking = endOnLostAccess(
    () => recheckCaller(call),
    () => out.abort(),
  );
  void follow(AbortSignal.any([left, out.signal]), write)
    .catch((error) => left.aborted || log.warn({ error, response: id }, 'an event stream was interrupted'))
    .finally(() => {
      stopLooking();
      end();
      over();
    });
  return response;
}
