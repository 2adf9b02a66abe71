import { LazySubscription } from '../../platform/shared/lazy-subscription.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Params } from '../connection.ts';
import type { LogMessage } from '../request-callbacks.ts';
import { logLevelKey } from '../request-params.ts';

const channel = 'mcp-log-levels';
/** The least recently set are evicted. A client without an entry receives all messages. */
const mostKept = 10_000;

/** RFC 5424 §6.2.1, least severe first. */
export const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * The log levels of clients with sessions. A client sets its level once, also for servers it has not used yet, and
 * servers of the newest revision expect it with each request: so every process remembers it.
 */
export class LogLevels {
  readonly #levels = new Map<string, string>();
  readonly #listening = new LazySubscription(() =>
    this.shared.subscribe(channel, (text) => {
      const at = text.indexOf(' ');
      this.#keep(text.slice(at + 1), text.slice(0, at));
    }),
  );

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  async set(holder: string, level: string): Promise<void> {
    this.#keep(holder, level);
    // A process that misses the message sends the client more than it wants.
    await this.shared.publish(channel, `${level} ${holder}`).catch(() => {});
  }

  /** Whether the client wants this message. */
  hears(holder: string, { level }: Pick<LogMessage, 'level'>): boolean {
    const least = this.#of(holder);
    return least === undefined || levels.indexOf(level) >= levels.indexOf(least);
  }

  /** Adds the level to the params, as servers of the newest revision expect it. */
  told(holder: string, params: Params): Params {
    const level = this.#of(holder);
    if (level === undefined) return params;
    // Params are loosely typed: `_meta` should be an object, and rejecting anything else is left to the server.
    return { ...params, _meta: { [logLevelKey]: level, ...(params._meta as Params | undefined) } };
  }

  #of(holder: string): string | undefined {
    this.#listening.begin();
    return this.#levels.size > 0 ? this.#levels.get(holder) : undefined;
  }

  #keep(holder: string, level: string): void {
    this.#levels.delete(holder);
    this.#levels.set(holder, level);
    if (this.#levels.size > mostKept) this.#levels.delete(this.#levels.keys().next().value!);
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}
