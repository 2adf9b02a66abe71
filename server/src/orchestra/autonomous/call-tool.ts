import { argumentsIn, callConnected, notAnObject, unknownOutcome } from '../connected-tools.ts';
import { lookAgain } from './look-again.ts';
import { loadSteps } from './store/steps.ts';
import type { OpenCall } from './talk.ts';
import type { Work } from './work.ts';

/** Journal keys of a call: once the first is there the call is never made again. */
const begunKey = (id: string): string => `begun:${id}`;
export const outcomeKey = (id: string): string => `outcome:${id}`;

/**
 * What one call of a connected tool comes to, as the model is told. Since it may have effects it is noted as begun before it is
 * made, and never made twice, whoever goes on with the run and from where; null when the journal has its outcome already.
 */
export async function callOnce(work: Work, call: OpenCall, signal: AbortSignal): Promise<string | null> {
  const { deps, caller, holding, journal } = work;
  const found = await loadSteps(deps.db, holding.ref, [begunKey(call.id), outcomeKey(call.id)]);
  if (found.has(outcomeKey(call.id))) return null;
  if (found.has(begunKey(call.id))) return unknownOutcome;
  if (!argumentsIn(call.arguments)) return notAnObject;
  await lookAgain(work);
  await journal.record(begunKey(call.id), { name: call.name });
  signal.throwIfAborted();
  // Whoever has to be asked was asked by the run.
  const asked = { name: call.name, arguments: call.arguments, approved: true };
  const { text, cost } = await callConnected(deps, caller, asked, signal);
  work.state.cost += cost;
  return text;
}
