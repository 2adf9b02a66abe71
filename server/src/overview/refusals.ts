import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Report } from '../routing/plan.ts';

interface Refusal {
  /** Unix seconds. */
  at: number;
  status: number | null;
}

/** Channels whose credentials were refused and not accepted since, as seen by this process. */
export class Refusals {
  readonly #channels = new Map<number, Refusal>();

  constructor(readonly clock: Clock) {}

  /** Runs for every request. */
  report({ channel, via }: Candidate, { outcome, cause, status }: Report): void {
    // Users manage their own keys.
    if (via?.own) return;
    if (cause === 'unauthorized')
      this.#channels.set(channel.id, { at: nowSeconds(this.clock), status: status ?? null });
    else if (outcome === 'success' && this.#channels.size > 0) this.#channels.delete(channel.id);
  }

  /** Null if the channel was changed since: then the state is unknown. */
  of(channelId: number, changedAt: number): Refusal | null {
    const refusal = this.#channels.get(channelId);
    return refusal && refusal.at >= changedAt ? refusal : null;
  }
}
