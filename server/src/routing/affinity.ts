import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import { expiringMap } from '../platform/shared/expiring-map.ts';
import type { Shared } from '../platform/shared/port.ts';

/** Identifies the conversation a request belongs to. */
export interface ConversationName {
  /** The conversation may have been answered before: the client named it, or the request already contains an answer. */
  readonly begun: boolean;
  /** The same for all requests of a conversation. Computed lazily, because it may hash a long text. */
  key(): string;
}

/** Remembers which key of which channel last answered a conversation, because that vendor has the prompt cached. */
export interface Affinity {
  /** The circuit key, or null if unknown. Synchronous unless only another process may know it. */
  find(place: string): string | null | Promise<string | null>;
  keep(place: string, circuitKey: string): void;
  close(): Promise<void>;
}

interface AffinityDeps {
  clock: Clock;
  shared: Shared;
}

interface Bound {
  key: string;
  /** When other processes could last have read it. */
  storedMs: number;
}

const channel = 'routing:affinity';
const storedKey = (place: string): string => `routing:affinity:${place}`;
/** Vendors' prompt caches live for minutes, or an hour if paid for. */
const keptMs = 3_600_000;
/** A few megabytes. Beyond that the least recently used conversations are evicted and routed anew. */
const mostConversations = 20_000;

const moved = z.tuple([z.string(), z.string(), z.string()]);

/**
 * Shared between processes through Redis: a process looks up an unknown conversation once, and announces one that
 * moves. Requests of a conversation answered by this process never wait.
 */
class SharedAffinity implements Affinity {
  #bound: ReturnType<typeof expiringMap<Bound>>;
  readonly #self = randomString(12);
  /** Null if there is only one process. */
  readonly #others: Shared | null;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(readonly deps: AffinityDeps) {
    this.#bound = expiringMap<Bound>(deps.clock, mostConversations);
    this.#others = deps.shared.kind === 'memory' ? null : deps.shared;
  }

  async subscribe(): Promise<void> {
    this.#unsubscribe = await this.#others?.subscribe(
      channel,
      (text) => this.#hear(text),
      // Messages may have been missed: look up all conversations again.
      () => {
        this.#bound = expiringMap<Bound>(this.deps.clock, mostConversations);
      },
    );
  }

  find(place: string): string | null | Promise<string | null> {
    const known = this.#bound.find(place);
    if (known) return known.value.key;
    if (!this.#others?.healthy()) return null;
    return this.#others.get(storedKey(place)).then(
      (key) => {
        if (key !== null && !this.#bound.find(place)) this.#set(place, key, this.deps.clock.steadyMs());
        return key;
      },
      // Only the prompt cache is lost, the request can still be answered.
      () => null,
    );
  }

  keep(place: string, circuitKey: string): void {
    const nowMs = this.deps.clock.steadyMs();
    const known = this.#bound.find(place)?.value;
    if (known?.key === circuitKey && nowMs - known.storedMs < keptMs / 2) {
      this.#set(place, circuitKey, known.storedMs);
      return;
    }
    this.#set(place, circuitKey, nowMs);
    if (!this.#others) return;
    this.#others.set(storedKey(place), circuitKey, keptMs).catch(() => {});
    if (known && known.key !== circuitKey)
      this.#others.publish(channel, JSON.stringify([this.#self, place, circuitKey])).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
  }

  #set(place: string, key: string, storedMs: number): void {
    this.#bound.set(place, { key, storedMs }, keptMs);
  }

  #hear(text: string): void {
    const [from, place, key] = parseMoved(text) ?? [this.#self, '', ''];
    if (from !== this.#self && this.#bound.find(place)) this.#set(place, key, this.deps.clock.steadyMs());
  }
}

function parseMoved(text: string): [from: string, place: string, key: string] | null {
  try {
    return moved.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function openAffinity(deps: AffinityDeps): Promise<Affinity> {
  const affinity = new SharedAffinity(deps);
  await affinity.subscribe();
  return affinity;
}
