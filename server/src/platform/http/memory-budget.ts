import { AppError } from '../../lib/errors.ts';
import { limitKeyOfIp } from './client-ip.ts';
import type { Call } from './route.ts';

const mebibyte = 1024 * 1024;
/** Four requests of the maximum size. */
const mostOfCaller = 128 * mebibyte;
const mostOfAll = 512 * mebibyte;

/** Temporary: memory is free again once other requests are answered. */
export class OutOfMemoryBudget extends AppError {
  constructor(what: string) {
    super('capacity_exhausted', `${what} Send fewer at once.`, { headers: { 'retry-after': '1' } });
  }
}

/**
 * Tracks by how much pending requests have grown beyond their received size: decompressed bodies, and files, items and
 * conversations referenced by id. A proxy in front cannot bound this, and a few dozen small requests could exhaust
 * memory.
 */
export class MemoryBudget {
  #all = 0;
  readonly #callers = new Map<string, number>();

  take(caller: string, bytes: number): void {
    const own = (this.#callers.get(caller) ?? 0) + bytes;
    if (own > mostOfCaller) throw new OutOfMemoryBudget('Your requests in progress are too large in total.');
    if (this.#all + bytes > mostOfAll) throw new OutOfMemoryBudget('Too many large requests are in progress.');
    this.#callers.set(caller, own);
    this.#all += bytes;
  }

  giveBack(caller: string, bytes: number): void {
    const left = (this.#callers.get(caller) ?? 0) - bytes;
    if (left > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
    this.#all -= bytes;
  }
}

/** Counted per user across all keys, or per IP address. */
export const memoryBudgetKey = ({ principal, ip }: Pick<Call, 'principal' | 'ip'>): string => {
  // The principal's type depends on the authenticator; those of users and API keys have a user.
  const { user } = (principal ?? {}) as { user?: { id: number } };
  return user ? `user:${user.id}` : limitKeyOfIp(ip);
};
