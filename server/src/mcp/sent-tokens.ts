import { shortestSecret } from './fault.ts';
import { isOfUsers, type McpServer } from './store/servers.ts';

type Place = Pick<McpServer, 'id' | 'auth'>;

/** The current token, and the one before it, which a call in progress may have been made with. */
const mostOfOne = 2;
/** A forgotten token is noted again by the next request that sends it. */
const mostPlaces = 10_000;
const nothing: readonly string[] = [];

/**
 * The tokens that this process has sent to servers. Some servers repeat what they are sent, and a token that was issued
 * to us must not reach the callers: most of them share it, or are other programs of its user.
 */
export class SentTokens {
  readonly #byPlace = new Map<string, readonly string[]>();

  /** `userId`: whom the request is for. */
  note(server: Place, userId: number | null, token: string): void {
    const place = placeOf(server, userId);
    const known = this.#byPlace.get(place) ?? nothing;
    if (known[0] === token || token.length < shortestSecret) return;
    if (this.#byPlace.size >= mostPlaces) this.#byPlace.delete(this.#byPlace.keys().next().value!);
    this.#byPlace.set(place, [token, ...known].slice(0, mostOfOne));
  }

  of(server: Place, userId: number | null): readonly string[] {
    if (server.auth === 'headers') return nothing;
    return this.#byPlace.get(placeOf(server, userId)) ?? nothing;
  }
}

const placeOf = (server: Place, userId: number | null): string =>
  isOfUsers(server) ? `${server.id} ${userId}` : `${server.id}`;
