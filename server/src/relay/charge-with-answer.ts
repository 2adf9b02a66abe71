import type { Billing } from '../billing/billing.ts';
import type { CallName, Hold, Settlement } from '../billing/types.ts';
import { isHandedOver } from '../lib/left-work.ts';
import type { ChargeLater } from './deps.ts';

/**
 * For work that outlives its process: the call is charged once its answer has the form in which the work goes on with it, and
 * the two are written together. Whoever takes the work over finds both or neither, and neither pays nor asks twice. Of an
 * answer that broke off what was made is charged alone, unless the work goes on elsewhere, where the whole is made anew.
 * Without a name nothing is kept: whoever takes over asks again, and pays alone.
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
    // What stands in line is written all the same; why there is no answer says more than that it had to wait.
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
