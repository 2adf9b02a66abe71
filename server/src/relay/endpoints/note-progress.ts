import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { effectivePrice, priceOf } from '../charge.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import type { OpenCall } from '../open-call.ts';

const everyMs = 1_000;

/** For the ticks of a call: what the caller has received is charged if the process dies, as in chats. */
export function noteProgress(
  { billing }: RelayDeps,
  context: RequestContext,
  { hold }: Pick<OpenCall, 'hold'>,
  candidate: Candidate,
  usageSoFar: () => Promise<Usage> | null,
): (nowMs: number) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (!hold.stored || context.chargeLater || nowMs - lastMs < everyMs) return;
    lastMs = nowMs;
    const note = (usage: Usage) =>
      billing.progress(hold, priceOf(effectivePrice(context, candidate), usage), usage, context.endpoint);
    // If it cannot be counted now, the next tick or the end does.
    void usageSoFar()?.then(note, () => {});
  };
}
