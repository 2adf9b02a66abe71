type Leave = () => Promise<void>;

/** A subscription that starts when it is first needed, and the next time again if it failed. */
export class LazySubscription {
  #started: Promise<Leave> | undefined;
  #active = false;

  constructor(private readonly subscribe: () => Promise<Leave>) {}

  /** True once messages arrive. */
  begin(): boolean {
    if (!this.#started) this.#start();
    return this.#active;
  }

  /** Resolves once messages arrive or the subscription has failed. */
  async begun(): Promise<void> {
    this.begin();
    await this.#started?.catch(() => undefined);
  }

  #start(): void {
    this.#started = this.subscribe();
    this.#started.then(
      () => {
        this.#active = true;
      },
      () => {
        this.#started = undefined;
      },
    );
  }

  async stop(): Promise<void> {
    const leave = await this.#started?.catch(() => undefined);
    await leave?.();
  }
}
