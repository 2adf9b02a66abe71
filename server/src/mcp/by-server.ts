import type { McpServer } from './store/servers.ts';

/** Entries by server and holder. Nested, because a key made of both would have to be built for each call. */
export class ByServer<V> {
  readonly #servers = new Map<number, Map<string, V>>();

  get({ id }: McpServer, holder: string): V | undefined {
    return this.#servers.get(id)?.get(holder);
  }

  set({ id }: McpServer, holder: string, entry: V): void {
    const holders = this.#servers.get(id);
    if (holders) holders.set(holder, entry);
    else this.#servers.set(id, new Map([[holder, entry]]));
  }

  delete({ id }: McpServer, holder: string): void {
    const holders = this.#servers.get(id);
    holders?.delete(holder);
    if (holders?.size === 0) this.#servers.delete(id);
  }

  /** A snapshot, whatever is added or removed meanwhile. */
  all(): V[] {
    return [...this.#servers.values()].flatMap((holders) => [...holders.values()]);
  }
}
