import { sha256Hex } from '../../lib/hashing.ts';
import type { Shared } from '../../platform/shared/port.ts';

const channel = 'mcp-cancelled';

/**
 * Requests that clients of the protocol with sessions may take back: by a message of its own, which comes to any process.
 * Those of the newest protocol close the connection instead.
 */
export class UnderWay {
  readonly #running = new Map<string, AbortController>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  /** `client` is one client at one address: its ids of requests are its own. */
  begin(client: string, id: string | number): { signal: AbortSignal; end(): void } {
    this.#listening ??= this.shared.subscribe(channel, (name) => this.#abort(name));
    // Taking something back is a courtesy: without it the call runs to its end.
    this.#listening.catch(() => {
      this.#listening = undefined;
    });
    const name = nameOf(client, id);
    const controller = new AbortController();
    this.#running.set(name, controller);
    return {
      signal: controller.signal,
      end: () => {
        if (this.#running.get(name) === controller) this.#running.delete(name);
      },
    };
  }

  async cancel(client: string, id: string | number): Promise<void> {
    const name = nameOf(client, id);
    if (this.#running.has(name)) this.#abort(name);
    else await this.shared.publish(channel, name);
  }

  #abort(name: string): void {
    this.#running.get(name)?.abort(new Error('the client took it back'));
  }

  async stop(): Promise<void> {
    const leave = await this.#listening?.catch(() => undefined);
    await leave?.();
  }
}

/** As short as any other, however long an id a client makes up: it goes to every process. */
const nameOf = (client: string, id: string | number): string => sha256Hex(JSON.stringify([client, id]));
