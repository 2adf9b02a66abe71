import { isHandedOver } from '../../lib/abandoned-work.ts';
import { argumentsIn, callConnected, followConnected, notAnObject, unknownOutcome } from '../connected-tools.ts';
import { recheckAccess } from './recheck-access.ts';
import { loadSteps } from './store/steps.ts';
import type { OpenCall } from './task-conversation.ts';
import { pauseAtMaxCost, type Work } from './work.ts';

/** A run may take a day, but a server that has not finished a task after an hour is unlikely to. */
const taskLimitMs = 3_600_000;

/** Journal keys of a call. Once the `begun` key exists, the call is never made again. */
const begunKey = (id: string): string => `begun:${id}`;
/** The server's id of a long-running call: a process that takes the run over continues waiting for it. */
const taskKey = (id: string): string => `task:${id}`;
export const outcomeKey = (id: string): string => `outcome:${id}`;

/** Whether the call was made, perhaps by another process, or is being made. */
export async function isBegun({ deps, holding }: Work, { id }: OpenCall): Promise<boolean> {
  return (await loadSteps(deps.db, holding.ref, [begunKey(id)])).size > 0;
}

/**
 * Calls a connected tool and returns the text for the model; null if the journal already has the outcome. The call may
 * have side effects, so it is journaled as begun before it is made, and never repeated, even if another process takes
 * the run over or it is resumed from an earlier checkpoint.
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
  pauseAtMaxCost(work);
  await recheckAccess(work);
  await journal.record(begunKey(call.id), { name: call.name });
  signal.throwIfAborted();
  // The run has already obtained any approval that was needed.
  const asked = {
    ...{ name: call.name, arguments: call.arguments, approved: true, handedOver },
    goesOn: (task: string) => journal.record(taskKey(call.id), { task }),
  };
  return paid(await callConnected(deps, caller, asked, signal, taskLimitMs));
}
