import { AppError } from '../../lib/errors.ts';
import { limitKeyOfIp } from './client-ip.ts';
import type { Call } from './route.ts';

const mebibyte = 1024 * 1024;
/** Four of the largest requests there are. */
const mostOfCaller = 128 * mebibyte;
const mostOfAll = 512 * mebibyte;

/** There will be, as soon as others are answered. */
export class NoRoom extends AppError {
  constructor(what: string) {
    super('capacity_exhausted', `${what} Send fewer at once.`, { headers: { 'retry-after': '1' } });
  }
}

/**
 * What requests that wait for their answer have become larger by than what came in: bodies that were compressed, and files,
 * items and conversations that are named by an id. A proxy that bounds what comes in sees nothing of it, and a few dozen
 * requests of some bytes would fill the memory.
 */
export class Growth {
  #all = 0;
  readonly #callers = new Map<string, number>();

  take(caller: string, bytes: number): void {
    const own = (this.#callers.get(caller) ?? 0) + bytes;
    if (own > mostOfCaller) throw new NoRoom('Your requests that are under way have become too large together.');
    if (this.#all + bytes > mostOfAll) throw new NoRoom('Too many large requests are under way.');
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

/** A user with all their keys, or an address. */
export const growsAs = ({ principal, ip }: Pick<Call, 'principal' | 'ip'>): string => {
  // What a principal is its way in decides; those of people and of their keys have a user.
  const { user } = (principal ?? {}) as { user?: { id: number } };
  return user ? `user:${user.id}` : limitKeyOfIp(ip);
};
