import type { ResponsesDeps } from './deps.ts';
import type { Item } from './keeper.ts';
import { appendEvents } from './store/events.ts';

export const eventChannel = (id: string): string => `response-events:${id}`;

/** Written from the row itself, at its start and end. */
const ownTypes = new Set([
  ...['response.created', 'response.queued', 'response.in_progress'],
  ...['response.completed', 'response.failed', 'response.incomplete', 'response.cancelled', 'error'],
]);
/** Beyond this, events are no longer stored: readers get the end, which contains everything. */
const mostEvents = 50_000;
const mostBytes = 16 * 1024 * 1024;

/** Without its number, which is assigned when it is written. */
export function eventText({ sequence_number: _, ...event }: Item): string {
  return JSON.stringify(event);
}

export interface EventWriter {
  tell(event: Item): void;
  /** Resolves when all events so far are written, or have failed. */
  settled(): Promise<void>;
}

/**
 * Stores a running response's events. Each write takes everything that arrived during the previous one, so that a
 * hundred tokens a second need a few dozen writes.
 */
export function newEventWriter(
  { db, shared, log }: Pick<ResponsesDeps, 'db' | 'shared' | 'log'>,
  id: string,
  epoch: number,
): EventWriter {
  let waiting: string[] = [];
  let writing: Promise<void> | null = null;
  let events = 0;
  let bytes = 0;
  let over = false;

  const write = async (): Promise<void> => {
    while (waiting.length > 0 && !over) {
      const texts = waiting;
      waiting = [];
      try {
        over = !(await appendEvents(db, id, epoch, texts));
        if (!over) await shared.publish(eventChannel(id), '').catch(() => {});
      } catch (error) {
        // Failing to publish events must not fail the answer.
        log.warn({ error, response: id }, 'could not store events of a response');
        over = true;
      }
    }
    writing = null;
  };
  const add = (text: string): void => {
    events += 1;
    bytes += text.length;
    if (over || events > mostEvents || bytes > mostBytes) return;
    waiting.push(text);
    writing ??= write();
  };
  return {
    tell: (event) => {
      if (typeof event.type === 'string' && !ownTypes.has(event.type)) add(eventText(event));
    },
    settled: async () => {
      while (writing) await writing;
    },
  };
}
