import { AppError } from '../../lib/errors.ts';
import type { Shared } from '../../platform/shared/port.ts';

const channel = 'mcp-ended';
/** Who ends a session rarely names it again: the oldest are forgotten first. */
const mostKept = 10_000;

/**
 * Sessions that their clients have ended. All there is to know of a session is in its name, which would be as good as before:
 * each process remembers the names of late, as far as it has heard of them.
 */
export class EndedSessions {
  readonly #ended = new Set<string>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  has(holder: string): boolean {
    if (!this.#listening) this.#listen();
    return this.#ended.size > 0 && this.#ended.has(holder);
  }

  async end(holder: string): Promise<void> {
    this.#keep(holder);
    // Unheard, the name begins a new session with the servers behind, as it does after a restart.
    await this.shared.publish(channel, holder).catch(() => {});
  }

  #keep(holder: string): void {
    this.#ended.add(holder);
    if (this.#ended.size > mostKept) this.#ended.delete(this.#ended.values().next().value!);
  }

  #listen(): void {
    this.#listening = this.shared.subscribe(channel, (holder) => this.#keep(holder));
    this.#listening.catch(() => {
      this.#listening = undefined;
    });
  }

  async stop(): Promise<void> {
    const leave = await this.#listening?.catch(() => undefined);
    await leave?.();
  }
}

export const noSession = (): AppError => new AppError('not_found', 'There is no such session. Begin with initialize.');
