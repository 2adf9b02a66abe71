import { isHandedOver } from '../../lib/left-work.ts';
import { argumentsIn, callConnected, followConnected, notAnObject, unknownOutcome } from '../connected-tools.ts';
import { lookAgain } from './look-again.ts';
import { loadSteps } from './store/steps.ts';
import type { OpenCall } from './talk.ts';
import { refuseDearer, type Work } from './work.ts';

/** A run may take a day; what a server has not done in so long it will hardly do. */
const taskLimitMs = 3_600_000;

/** Journal keys of a call: once the first is there the call is never made again. */
const begunKey = (id: string): string => `begun:${id}`;
/** How a call is found that its server goes on with: whoever takes the run over waits on for it. */
const taskKey = (id: string): string => `task:${id}`;
export const outcomeKey = (id: string): string => `outcome:${id}`;

/**
 * What one call of a connected tool comes to, as the model is told. Since it may have effects it is noted as begun before it is
 * made, and never made twice, whoever goes on with the run and from where; null when the journal has its outcome already.
 */
export async function callOnce(work: Work, call: OpenCall, signal: AbortSignal): Promise<string | null> {
  const { deps, caller, holding, journal } = work;
  const found = await loadSteps(deps.db, holding.ref, [begunKey(call.id), taskKey(call.id), outcomeKey(call.id)]);
  if (found.has(outcomeKey(call.id))) return null;
  const begunTask = found.get(taskKey(call.id)) as { task: string } | undefined;
  const handedOver = () => isHandedOver(signal);
  const paid = ({ text, cost }: { text: string; cost: number }): string => {
    work.state.cost += cost;
    return text;
  };
  if (begunTask)
    return paid(
      await followConnected(deps, caller, { name: call.name, handedOver, ...begunTask }, signal, taskLimitMs),
    );
  if (found.has(begunKey(call.id))) return unknownOutcome;
  if (!argumentsIn(call.arguments)) return notAnObject;
  refuseDearer(work);
  await lookAgain(work);
  await journal.record(begunKey(call.id), { name: call.name });
  signal.throwIfAborted();
  // Whoever has to be asked was asked by the run.
  const asked = {
    ...{ name: call.name, arguments: call.arguments, approved: true, handedOver },
    goesOn: (task: string) => journal.record(taskKey(call.id), { task }),
  };
  return paid(await callConnected(deps, caller, asked, signal, taskLimitMs));
}
