import { AppError } from '../../lib/errors.ts';
import { LazySubscription } from '../../platform/shared/lazy-subscription.ts';
import type { Shared } from '../../platform/shared/port.ts';

const channel = 'mcp-ended';
/** Clients rarely use a session again after ending it, so the oldest entries are evicted first. */
const mostKept = 10_000;

/**
 * Sessions ended by their clients. A session's name holds all of its state and would stay valid, so each process
 * remembers the recently ended names that it was notified of.
 */
export class EndedSessions {
  readonly #ended = new Set<string>();
  readonly #listening = new LazySubscription(() => this.shared.subscribe(channel, (holder) => this.#keep(holder)));

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  has(holder: string): boolean {
    this.#listening.begin();
    return this.#ended.size > 0 && this.#ended.has(holder);
  }

  async end(holder: string): Promise<void> {
    this.#keep(holder);
    // A process that misses the message starts new sessions with the servers for this name, as after a restart.
    await this.shared.publish(channel, holder).catch(() => {});
  }

  #keep(holder: string): void {
    this.#ended.add(holder);
    if (this.#ended.size > mostKept) this.#ended.delete(this.#ended.values().next().value!);
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

export const noSession = (): AppError => new AppError('not_found', 'There is no such session. Start with initialize.');
