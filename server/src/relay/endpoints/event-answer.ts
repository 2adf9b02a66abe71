import { AnswerTooLarge } from '../../lib/collect-bytes.ts';
import { SseParser, sseEvent } from '../../lib/sse.ts';
import type { Write } from '../../platform/http/event-stream.ts';
import type { Candidate } from '../../routing/candidate.ts';
import type { OpenStream } from '../answer-stream.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import { ClientLeft } from '../try-candidates.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';

/** Streams an event to the caller before the answer is complete. */
export type Tell = (candidate: Candidate, event: Json) => void;

/** An event as in OpenAI's media endpoints, with its type repeated outside. */
export const mediaEvent = (event: Json): string => sseEvent(String(event.type), JSON.stringify(event));

/**
 * Events of work that streams some of them and returns the last when it is charged. Starts with the first event:
 * earlier failures get a status of their own, later ones are written by `fail`.
 */
export function eventsOf(
  work: (tell: Tell) => Promise<{ candidate: Candidate; events: Json[] }>,
  fail: (thrown: unknown) => string,
): Promise<OpenStream> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<Candidate>();
  const waiting: string[] = [];
  let wake: (() => void) | undefined;
  const put = (text: string): void => {
    waiting.push(text);
    wake?.();
  };
  let over = false;
  const done = work((candidate, event) => {
    put(mediaEvent(event));
    begin(candidate);
  }).then(({ candidate, events }) => {
    for (const event of events) put(mediaEvent(event));
    return candidate;
  });
  const end = () => {
    over = true;
    wake?.();
  };
  done.then(end, (thrown) => {
    if (!(thrown instanceof ClientLeft)) put(fail(thrown));
    end();
  });
  const pump = async (write: Write): Promise<void> => {
    for (;;) {
      for (const text of waiting.splice(0)) await write(text);
      if (over && waiting.length === 0) return;
      if (waiting.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };
  return Promise.race([begun, done]).then((candidate) => ({ candidate, pump }));
}

export const isEventStream = (response: Response): boolean =>
  /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');

/** Reads an upstream's events one by one; an error event ends it. */
export async function readEvents(
  response: Response,
  mostBytes: number,
  touch: () => void,
  see: (event: Json) => void,
): Promise<void> {
  const parser = new SseParser(mostBytes);
  let bytes = 0;
  const take = (events: { data: string }[]): void => {
    for (const { data } of events) if (data !== '' && data.trim() !== '[DONE]') see(eventIn(data));
  };
  if (!response.body) throw new UpstreamFault(failure('the upstream returned an empty response'));
  for await (const chunk of response.body) {
    touch();
    bytes += chunk.length;
    if (bytes > mostBytes) throw new AnswerTooLarge(mostBytes);
    take(parser.push(chunk));
  }
  take(parser.end());
}

function eventIn(data: string): Json {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    event = undefined;
  }
  if (!isObject(event)) throw new UpstreamFault(failure('the upstream sent an event that is not a JSON object'));
  if (event.error != null) throw new UpstreamFault(readEmbeddedError(event));
  if (event.type === 'error') throw new UpstreamFault(readEmbeddedError({ error: event }));
  return event;
}
