import { ChurnMap } from '../../lib/churn-map.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Shared } from '../../platform/shared/port.ts';

const channel = 'mcp-cancelled';

/**
 * Requests that clients of the protocol with sessions may take back: by a message of its own, which comes to any process.
 * Those of the newest protocol close the connection instead.
 */
export class UnderWay {
  readonly #running = new ChurnMap<Running>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  /** `client` is one client at one address: its ids of requests are its own. */
  begin(client: string, id: string | number): Running {
    if (!this.#listening) this.#listen();
    const name = nameOf(client, id);
    const running = new Running(name, this.#running);
    this.#running.set(name, running);
    return running;
  }

  /** Taking something back is a courtesy: without it the call runs to its end. */
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

/** Longer names go to every process as their hash, which is as short as any other word between them. */
const mostCharacters = 100;

/** A number and the same in letters are two ids. */
function nameOf(client: string, id: string | number): string {
  const name = typeof id === 'number' ? `${client}\n${id}` : `${client}\n"${id}"`;
  return name.length <= mostCharacters ? name : sha256Hex(name);
}

/** A request under way. Its signal is made when somebody asks for it, which most are over before. */
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

const takenBack = (): Error => new Error('the client took it back');
