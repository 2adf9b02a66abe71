import type { Billing } from '../billing/billing.ts';
import type { CallName, Hold, Settlement } from '../billing/types.ts';
import type { ChargeLater } from './deps.ts';

/**
 * For work that outlives its process: the call is charged once its answer has the form in which the work goes on with it, and
 * the two are written together. Whoever takes the work over finds both or neither, and neither pays nor asks twice. Of an
 * answer that broke off what was made is charged alone.
 */
export async function chargeWithAnswer<T>(
  billing: Pick<Billing, 'settle'>,
  name: CallName,
  ask: (chargeLater: ChargeLater) => Promise<T>,
  bodyOf: (answer: T) => string,
): Promise<T> {
  const due: { hold: Hold; settlement: Settlement }[] = [];
  let answer: T;
  try {
    answer = await ask((hold, settlement) => due.push({ hold, settlement }));
  } catch (error) {
    // What stands in line is written all the same; why there is no answer says more than that it had to wait.
    for (const { hold, settlement } of due) await billing.settle(hold, settlement).catch(() => {});
    throw error;
  }
  for (const { hold, settlement } of due) {
    const keep = settlement.status === 'ok' && { keep: { ...name, body: bodyOf(answer) } };
    await billing.settle(hold, { ...settlement, ...keep });
  }
  return answer;
}
