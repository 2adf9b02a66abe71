import { sseEvent } from '../../lib/sse.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { eventChannel } from './runner.ts';
import { eventsAfter, type StoredEvent, streamEnd } from './store/reads.ts';

/** Poll interval, in case a message is lost. */
const lookMs = 1_000;
/** How much of a running stream is kept in memory; clients further behind read from the table. */
const windowEvents = 1_000;
const windowBytes = 1_000_000;
const pageEvents = 200;
const cachedPages = 8;

/** Consecutive events in wire format, shared by all readers. */
interface Frames {
  first: number;
  last: number;
  /** `each` has one frame per event, `all` is the concatenation. */
  each: Uint8Array[];
  all: Uint8Array;
}

const encoder = new TextEncoder();

function framesOf(events: StoredEvent[]): Frames {
  const each = events.map(({ seq, event, data }) => encoder.encode(`id: ${seq}\n${sseEvent(event, data)}`));
  return { first: events[0]!.seq, last: events.at(-1)!.seq, each, all: Buffer.concat(each) };
}

/** The frames after an event. Ids have gaps only where old events were deleted. */
function after(frames: Frames, seq: number): Uint8Array {
  if (seq < frames.first) return frames.all;
  return Buffer.concat(frames.each.slice(seq - frames.first + 1));
}

/** The live end of one session's events in this process: a single table reader serves all clients. */
class Tail {
  readonly #window: Frames[] = [];
  #bytes = 0;
  #lastSeq: number;
  #ended = false;
  readonly #waiting = new Set<() => void>();
  readonly #pages = new Map<number, Promise<Frames | null>>();
  #reading: Promise<void> | null = null;
  #again = false;

  constructor(
    readonly db: Db,
    readonly sessionRef: number,
    lastSeq: number,
  ) {
    this.#lastSeq = lastSeq;
  }

  get #start(): number {
    return this.#window[0]?.first ?? this.#lastSeq + 1;
  }

  /** Reads new events. Calls during a read share one further read. */
  look(): Promise<void> {
    if (this.#reading) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    do {
      this.#again = false;
      for (;;) {
        const events = await eventsAfter(this.db, this.sessionRef, this.#lastSeq, pageEvents);
        if (events.length > 0) this.#append(framesOf(events));
        if (events.length < pageEvents) break;
      }
      const end = await streamEnd(this.db, this.sessionRef);
      const ended = end === null || (!end.running && this.#lastSeq >= end.lastSeq);
      const news = ended !== this.#ended;
      this.#ended = ended;
      if (news) this.#wake();
    } while (this.#again);
  }

  #append(frames: Frames): void {
    this.#window.push(frames);
    this.#bytes += frames.all.length;
    this.#lastSeq = frames.last;
    while (this.#window.length > 1 && (this.#bytes > windowBytes || this.#lastSeq - this.#start >= windowEvents)) {
      this.#bytes -= this.#window.shift()!.all.length;
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  /** The next bytes after an event and the id they end with; null at the end of the stream. */
  async next(seq: number, signal: AbortSignal): Promise<{ bytes: Uint8Array; last: number } | null> {
    for (;;) {
      if (signal.aborted) return null;
      const start = this.#start;
      if (seq < start - 1) {
        const page = await this.#page(seq);
        if (page && page.first < start) return { bytes: after(page, seq), last: page.last };
        // The events in between were deleted.
        seq = start - 1;
      }
      const frames = this.#window.find(({ last }) => last > seq);
      if (frames) return { bytes: after(frames, seq), last: frames.last };
      if (this.#ended) return null;
      await this.#news(signal);
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const gone = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', gone, { once: true });
    });
  }

  /** Pages of past events never change, so concurrent readers share them. */
  #page(seq: number): Promise<Frames | null> {
    const known = this.#pages.get(seq);
    if (known) return known;
    const page = eventsAfter(this.db, this.sessionRef, seq, pageEvents).then((events) =>
      events.length > 0 ? framesOf(events) : null,
    );
    this.#pages.set(seq, page);
    page.catch(() => this.#pages.delete(seq));
    if (this.#pages.size > cachedPages) this.#pages.delete(this.#pages.keys().next().value!);
    return page;
  }
}

export interface EventTails {
  /** Writes everything after an event, until the stream ends or `signal` aborts. */
  read(sessionRef: number, afterSeq: number, signal: AbortSignal, write: (bytes: Uint8Array) => unknown): Promise<void>;
  /** Number of sessions with readers, for tests and metrics. */
  size(): number;
  close(): void;
}

export function openTails(db: Db, shared: Pick<Shared, 'subscribe'>): EventTails {
  interface Open {
    tail: Tail;
    close(): Promise<void>;
  }
  interface Joined {
    opening: Promise<Open>;
    readers: number;
  }
  const tails = new Map<number, Joined>();
  const closing = new AbortController();

  const open = async (sessionRef: number): Promise<Open> => {
    const end = await streamEnd(db, sessionRef);
    const tail = new Tail(db, sessionRef, end?.lastSeq ?? 0);
    // If a read fails, the next poll catches up.
    const look = () => void tail.look().catch(() => {});
    const unsubscribe = await shared.subscribe(eventChannel(sessionRef), look, look);
    const looking = setInterval(look, lookMs);
    looking.unref();
    const close = async () => {
      clearInterval(looking);
      await unsubscribe();
    };
    return { tail, close };
  };

  /** The reader is counted before the first await, so that another reader's leaving does not close the tail. */
  const join = (sessionRef: number): Joined => {
    const joined = tails.get(sessionRef) ?? { opening: open(sessionRef), readers: 0 };
    tails.set(sessionRef, joined);
    joined.readers += 1;
    return joined;
  };
  const part = async (sessionRef: number, joined: Joined): Promise<void> => {
    joined.readers -= 1;
    if (joined.readers > 0) return;
    tails.delete(sessionRef);
    await joined.opening.then(({ close }) => close()).catch(() => {});
  };

  return {
    size: () => tails.size,
    async read(sessionRef, afterSeq, signal, write) {
      const joined = join(sessionRef);
      const until = AbortSignal.any([signal, closing.signal]);
      try {
        const { tail } = await joined.opening;
        // The run may have been resumed since the tail last read: refresh, so that an old end is not taken for real.
        await tail.look();
        let seq = afterSeq;
        for (;;) {
          const news = await tail.next(seq, until);
          if (!news) return;
          seq = news.last;
          await write(news.bytes);
        }
      } finally {
        await part(sessionRef, joined);
      }
    },
    close: () => closing.abort(),
  };
}
