import { ChurnMap } from '../../lib/churn-map.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Shared } from '../../platform/shared/port.ts';

const channel = 'mcp-cancelled';

/**
 * Running requests of clients with sessions, which cancel by a separate message that may arrive in any process. Clients
 * of the newest revision close the connection instead.
 */
export class RunningCalls {
  readonly #running = new ChurnMap<Running>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  /** `client` is one client at one endpoint: request ids are unique only within it. */
  begin(client: string, id: string | number): Running {
    if (!this.#listening) this.#listen();
    const name = nameOf(client, id);
    const running = new Running(name, this.#running);
    this.#running.set(name, running);
    return running;
  }

  /** Cancellation is best effort: without the subscription the call just runs to its end. */
  #listen(): void {
    this.#listening = this.shared.subscribe(channel, (name) => this.#abort(name));
    this.#listening.catch(() => {
      this.#listening = undefined;
    });
  }

  async cancel(client: string, id: string | number): Promise<void> {
    const name = nameOf(client, id);
    if (this.#running.get(name)) this.#abort(name);
    else await this.shared.publish(channel, name);
  }

  #abort(name: string): void {
    this.#running.get(name)?.takeBack();
  }

  async stop(): Promise<void> {
    const leave = await this.#listening?.catch(() => undefined);
    await leave?.();
  }
}

/** Longer names are replaced by their hash, to keep messages between processes short. */
const mostCharacters = 100;

/** The number 1 and the string "1" are different ids. */
function nameOf(client: string, id: string | number): string {
  const name = typeof id === 'number' ? `${client}\n${id}` : `${client}\n"${id}"`;
  return name.length <= mostCharacters ? name : sha256Hex(name);
}

/** A running request. Its signal is created lazily, since most requests end before it is needed. */
export class Running {
  #controller: AbortController | null = null;
  #takenBack = false;

  constructor(
    private readonly name: string,
    private readonly all: ChurnMap<Running>,
  ) {}

  end(): void {
    if (this.all.get(this.name) === this) this.all.delete(this.name);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#takenBack) this.#controller.abort(takenBack());
    return this.#controller.signal;
  }

  takeBack(): void {
    this.#takenBack = true;
    this.#controller?.abort(takenBack());
  }
}

const takenBack = (): Error => new Error('the client cancelled it');
