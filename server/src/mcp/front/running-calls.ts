import { ChurnSet } from '../../lib/churn-set.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { LazySubscription } from '../../platform/shared/lazy-subscription.ts';
import type { Shared } from '../../platform/shared/port.ts';

const channel = 'mcp-cancelled';

/**
 * Running requests of clients with sessions, which cancel by a separate message that may arrive in any process. Clients
 * of the newest revision close the connection instead.
 */
export class RunningCalls {
  /** Searched only by cancellations, which are rare: a key for each call would cost more. */
  readonly #running = new ChurnSet<Running>();
  #count = 0;
  /** Cancellation is best effort: without the subscription the call just runs to its end. */
  readonly #listening = new LazySubscription(() => this.shared.subscribe(channel, (name) => void this.#abort(name)));

  constructor(private readonly shared: Pick<Shared, 'publish' | 'subscribe'>) {}

  /** `client` is one client at one endpoint: request ids are unique only within it. */
  begin(client: string, id: string | number): Running {
    this.#listening.begin();
    this.#count += 1;
    const running = new Running(client, id, this.#count, this.#running);
    this.#running.add(running);
    return running;
  }

  async cancel(client: string, id: string | number): Promise<void> {
    const name = nameOf(client, id);
    if (!this.#abort(name)) await this.shared.publish(channel, name);
  }

  /** Some clients use an id again while it is in use: then the last request is meant. False if there is none. */
  #abort(name: string): boolean {
    let last: Running | null = null;
    for (const running of this.#running)
      if (running.name === name && running.place > (last?.place ?? 0)) last = running;
    last?.takeBack();
    return last !== null;
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

/** Longer names are replaced by their hash, to keep messages between processes short. */
const mostCharacters = 100;

/** The number 1 and the string "1" are different ids. */
function nameOf(client: string, id: string | number): string {
  const name = typeof id === 'number' ? `${client}\n${id}` : `${client}\n"${id}"`;
  return name.length <= mostCharacters ? name : sha256Hex(name);
}

/** A running request. Its name and signal are created lazily, since most requests end before they are needed. */
export class Running {
  #name: string | null = null;
  #controller: AbortController | null = null;
  #takenBack = false;

  constructor(
    private readonly client: string,
    private readonly id: string | number,
    /** Counts up. */
    readonly place: number,
    private readonly all: ChurnSet<Running>,
  ) {}

  get name(): string {
    this.#name ??= nameOf(this.client, this.id);
    return this.#name;
  }

  end(): void {
    this.all.delete(this);
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
