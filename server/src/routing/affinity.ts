import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import { expiringMap } from '../platform/shared/expiring-map.ts';
import type { Shared } from '../platform/shared/port.ts';

/** What a request says of the conversation that it belongs to. */
export interface ConversationName {
  /** It may have been answered before: named by its client, or with an answer in it already. */
  readonly begun: boolean;
  /** The same for all its requests; made when somebody wants to know, as it may be made of a long text. */
  key(): string;
}

/** Which key of which channel answered a conversation last, and so holds the cache of what it has said up to there. */
export interface Affinity {
  /** Key of the circuit; at once, unless only another process may know. Null when nobody does. */
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
  /** When the other processes could last have read it. */
  storedMs: number;
}

const channel = 'routing:affinity';
const storedKey = (place: string): string => `routing:affinity:${place}`;
/** Caches of vendors live for minutes, and an hour where that is paid for. */
const keptMs = 3_600_000;
/** Some megabytes; past it the conversations go that were quiet for longest, and are drawn anew. */
const mostConversations = 20_000;

const moved = z.tuple([z.string(), z.string(), z.string()]);

/**
 * Processes share it through what they share anyway: a conversation that is new to one is looked up once, and one that moves
 * is announced. A request of a conversation that was answered here before waits for nothing.
 */
class SharedAffinity implements Affinity {
  #bound: ReturnType<typeof expiringMap<Bound>>;
  readonly #self = randomString(12);
  /** Null for a process that is alone. */
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
      // Some may have moved meanwhile: they are looked up again.
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
      // The cache is lost, the answer is not.
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
