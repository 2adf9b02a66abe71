import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Report } from '../routing/plan.ts';

interface Refusal {
  /** Unix seconds. */
  at: number;
  status: number | null;
}

/** Which channels' credentials were refused, and have not been taken since, as this process saw it. */
export class Refusals {
  readonly #channels = new Map<number, Refusal>();

  constructor(readonly clock: Clock) {}

  /** Runs for every request. */
  report({ channel, via }: Candidate, { outcome, cause, status }: Report): void {
    // Keys of users are theirs to mend.
    if (via?.own) return;
    if (cause === 'unauthorized')
      this.#channels.set(channel.id, { at: nowSeconds(this.clock), status: status ?? null });
    else if (outcome === 'success' && this.#channels.size > 0) this.#channels.delete(channel.id);
  }

  /** Null where the channel was changed since: then nobody knows. */
  of(channelId: number, changedAt: number): Refusal | null {
    const refusal = this.#channels.get(channelId);
    return refusal && refusal.at >= changedAt ? refusal : null;
  }
}
