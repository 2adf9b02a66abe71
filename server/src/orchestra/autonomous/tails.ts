import type { Db } from '../../platform/db/tables.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { eventChannel } from './runner.ts';
import { eventsAfter, type StoredEvent, streamEnd } from './store/reads.ts';

/** For when a message is missed. */
const lookMs = 1_000;
/** What is kept in memory of a running stream; who is further behind reads from the table. */
const windowEvents = 1_000;
const windowBytes = 1_000_000;
const pageEvents = 200;
const cachedPages = 8;

/** Events next to each other as they go over the wire, shared by all readers. */
interface Frames {
  first: number;
  last: number;
  /** One per event, and all of them joined. */
  each: Uint8Array[];
  all: Uint8Array;
}

const encoder = new TextEncoder();

function framesOf(events: StoredEvent[]): Frames {
  const each = events.map(({ seq, event, data }) => encoder.encode(`id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`));
  return { first: events[0]!.seq, last: events.at(-1)!.seq, each, all: Buffer.concat(each) };
}

/** The part of some frames that comes after an event; ids have no gaps but where old events were swept. */
function after(frames: Frames, seq: number): Uint8Array {
  if (seq < frames.first) return frames.all;
  return Buffer.concat(frames.each.slice(seq - frames.first + 1));
}

/** The live end of one session's events in this process: one reader of the table, however many listen. */
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

  /** Reads what is new. Calls during a read are served together by one more. */
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

  /** What comes after an event, and up to which; null at the end of the stream. */
  async next(seq: number, signal: AbortSignal): Promise<{ bytes: Uint8Array; last: number } | null> {
    for (;;) {
      if (signal.aborted) return null;
      const start = this.#start;
      if (seq < start - 1) {
        const page = await this.#page(seq);
        if (page && page.first < start) return { bytes: after(page, seq), last: page.last };
        // What lay between was swept.
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

  /** Pages of the past never change, so readers who come together share them. */
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

export interface Tails {
  /** Hands out everything after an event, to the end of the stream or until `signal`. */
  read(sessionRef: number, afterSeq: number, signal: AbortSignal, write: (bytes: Uint8Array) => unknown): Promise<void>;
  /** Sessions listened to, for tests and metrics. */
  size(): number;
  close(): void;
}

export function openTails(db: Db, shared: Pick<Shared, 'subscribe'>): Tails {
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
    // A read that fails is made up for by the next look.
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

  /** Counted before anything is waited for, so that nobody closes a tail that another is about to use. */
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
        // The run may have gone on since the tail last looked: its end must be the real one.
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
