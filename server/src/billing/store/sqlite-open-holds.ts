import { ChurnMap } from '../../lib/churn-map.ts';
import type { HoldRow } from './port.ts';

/**
 * The open holds of this process. On disk they are a sum per user and key, since a row of its own would cost every request
 * two writes, and nobody but this process can settle it: when the process dies, the sum is given back. A hold that must be
 * told apart then, because its request has cost something already, gets its row.
 *
 * Changed inside a transaction, and set back when that fails.
 */
export class OpenHolds {
  readonly #summed = new ChurnMap<HoldRow>();
  /** Ids of holds that have rows. */
  readonly #written = new Set<string>();
  #added: string[] = [];
  #taken: HoldRow[] = [];
  #parted: HoldRow[] = [];
  #settled: string[] = [];

  find(requestId: string): HoldRow | undefined {
    return this.#summed.get(requestId);
  }

  /** False when the request has a hold already. */
  add(row: HoldRow): boolean {
    if (this.#summed.get(row.request_id) || this.#written.has(row.request_id)) return false;
    this.#summed.set(row.request_id, row);
    this.#added.push(row.request_id);
    return true;
  }

  /** Ends a hold that is part of a sum; undefined for all others. */
  take(requestId: string): HoldRow | undefined {
    const row = this.#summed.get(requestId);
    if (row) {
      this.#summed.delete(requestId);
      this.#taken.push(row);
    } else if (this.#written.delete(requestId)) this.#settled.push(requestId);
    return row;
  }

  /** The hold is getting a row of its own. */
  part(requestId: string): HoldRow | undefined {
    const row = this.#summed.get(requestId);
    if (row) {
      this.#summed.delete(requestId);
      this.#written.add(requestId);
      this.#parted.push(row);
    }
    return row;
  }

  /** A transaction begins. */
  begin(): void {
    this.#added = [];
    this.#taken = [];
    this.#parted = [];
    this.#settled = [];
  }

  undo(): void {
    for (const requestId of this.#settled) this.#written.add(requestId);
    for (const row of this.#parted) {
      this.#written.delete(row.request_id);
      this.#summed.set(row.request_id, row);
    }
    for (const row of this.#taken) this.#summed.set(row.request_id, row);
    for (const requestId of this.#added) this.#summed.delete(requestId);
    this.begin();
  }
}
