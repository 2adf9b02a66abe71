import { sseEvent } from '../../lib/sse.ts';
import { noResponse, type ResponsesDeps } from './deps.ts';
import { eventChannel } from './event-writer.ts';
import type { Followed } from './keeper.ts';
import { endType, responseOf } from './render.ts';
import { readResponse } from './store/background.ts';
import { eventsAfter } from './store/events.ts';
import { outputOf } from './store/items.ts';

/** In case a message is missed. */
const lookMs = 1_000;
const pageEvents = 200;

const frame = (type: unknown, json: string): string => sseEvent(`${type}`, json);

/** Inserts the number into the text: parsing and serializing each delta would be wasteful. */
function frameOf(seq: number, text: string): string {
  const type = /^\{"type":"([\w.]+)"/.exec(text)?.[1] ?? (JSON.parse(text) as { type: string }).type;
  return frame(type, `${text.slice(0, -1)},"sequence_number":${seq}}`);
}

/** Streams a response's events after a given one, to its end or until `signal`, whichever process produces them. */
export async function followResponse(
  { db, shared }: Pick<ResponsesDeps, 'db' | 'shared'>,
  { id, after, include }: Followed,
  signal: AbortSignal,
  write: (text: string) => unknown,
): Promise<void> {
  const news = newBell();
  const unsubscribe = await shared.subscribe(eventChannel(id), news.ring, news.ring);
  const timer = setInterval(news.ring, lookMs);
  signal.addEventListener('abort', news.ring, { once: true });
  try {
    for (let seq = after; !signal.aborted; ) {
      // Read before the events, so that all events until the end are among them.
      const row = await readResponse(db, id);
      if (!row) throw noResponse(id);
      const events = await eventsAfter(db, id, seq, pageEvents);
      if (events.length > 0) await write(events.map((event) => frameOf(event.seq, event.data)).join(''));
      seq = events.at(-1)?.seq ?? seq;
      if (events.length === pageEvents) continue;
      if (row.ended_at === null) {
        await news.heard();
        continue;
      }
      const type = endType(row.status);
      const number = row.last_seq + 1;
      if (type && number > after) {
        const response = responseOf(row, await outputOf(db, row), include);
        await write(frame(type, JSON.stringify({ type, response, sequence_number: number })));
      }
      return;
    }
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', news.ring);
    await unsubscribe();
  }
}

/** A signal while nobody waits is kept for the next wait. */
function newBell() {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    heard: async () => {
      if (!rung)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      wake = undefined;
      rung = false;
    },
  };
}
