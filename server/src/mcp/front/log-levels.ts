import type { Shared } from '../../platform/shared/port.ts';
import type { Params } from '../connection.ts';
import { saidLevel } from '../params-behind.ts';
import type { LogMessage } from '../passing.ts';

const channel = 'mcp-log-levels';
/** Of late; whoever is forgotten hears everything, as who has never said. */
const mostKept = 10_000;

/** RFC 5424 §6.2.1, the least first. */
export const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * How much of their logs clients of the protocol with sessions want to hear. They say it once, for servers that they may not have
 * used yet, and for those of the newest revision, which are told with each request: so it is remembered here, by every process.
 */
export class LogLevels {
  readonly #levels = new Map<string, string>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  async set(holder: string, level: string): Promise<void> {
    this.#keep(holder, level);
    // Unheard, a client is told more than it wants.
    await this.shared.publish(channel, `${level} ${holder}`).catch(() => {});
  }

  /** Whether the client wants to hear it. */
  hears(holder: string, { level }: Pick<LogMessage, 'level'>): boolean {
    const least = this.#of(holder);
    return least === undefined || levels.indexOf(level) >= levels.indexOf(least);
  }

  /** With what a server of the newest revision is told of it. */
  told(holder: string, params: Params): Params {
    const level = this.#of(holder);
    if (level === undefined) return params;
    // Params are loose: the protocol has an object here, and what is none is the server's to refuse.
    return { ...params, _meta: { [saidLevel]: level, ...(params._meta as Params | undefined) } };
  }

  #of(holder: string): string | undefined {
    if (!this.#listening) this.#listen();
    return this.#levels.size > 0 ? this.#levels.get(holder) : undefined;
  }

  #keep(holder: string, level: string): void {
    this.#levels.delete(holder);
    this.#levels.set(holder, level);
    if (this.#levels.size > mostKept) this.#levels.delete(this.#levels.keys().next().value!);
  }

  #listen(): void {
    this.#listening = this.shared.subscribe(channel, (text) => {
      const at = text.indexOf(' ');
      this.#keep(text.slice(at + 1), text.slice(0, at));
    });
    this.#listening.catch(() => {
      this.#listening = undefined;
    });
  }

  async stop(): Promise<void> {
    const leave = await this.#listening?.catch(() => undefined);
    await leave?.();
  }
}
