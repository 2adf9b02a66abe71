import type { Billing } from '../billing/billing.ts';
import type { CallName, Hold, Settlement } from '../billing/types.ts';
import { isHandedOver } from '../lib/abandoned-work.ts';
import type { ChargeLater } from './deps.ts';

/**
 * For durable work: the charge is written in one transaction with the answer, in the form the work continues from. A
 * process that takes the work over finds both or neither, so it neither pays nor asks twice. For an answer that broke
 * off, what was produced is charged alone, unless the work continues in another process, which asks again. Without a
 * `name` nothing is stored: the process that takes over asks again and pays once.
 */
export async function chargeWithAnswer<T>(
  billing: Pick<Billing, 'settle' | 'release'>,
  name: CallName | undefined,
  signal: AbortSignal,
  ask: (chargeLater: ChargeLater) => Promise<T>,
  bodyOf: (answer: T) => string,
): Promise<T> {
  const due: { hold: Hold; settlement: Settlement }[] = [];
  const chargePart = ({ hold, settlement }: (typeof due)[number]) =>
    isHandedOver(signal) ? billing.release(hold) : billing.settle(hold, settlement);
  let answer: T;
  try {
    answer = await ask((hold, settlement) => due.push({ hold, settlement }));
  } catch (error) {
    // Charges already queued are still written; the original error says more than a failure of theirs.
    for (const part of due) await chargePart(part).catch(() => {});
    throw error;
  }
  for (const one of due)
    if (one.settlement.status !== 'ok') await chargePart(one);
    else {
      const kept = name ? { keep: { ...name, body: bodyOf(answer) } } : { resumable: true };
      await billing.settle(one.hold, { ...one.settlement, ...kept });
    }
  return answer;
}
