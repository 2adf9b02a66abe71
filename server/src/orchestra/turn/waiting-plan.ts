import { nowSeconds } from '../../lib/clock.ts';
import { alignHistory } from '../align-history.ts';
import { mayContinue, storedSessionId } from '../application-memory.ts';
import { isSameCalls, withStoredIds } from '../call-ids.ts';
import type { ChatMessage } from '../messages.ts';
import type { Caller, Deps } from '../ports.ts';
import type { Settings } from '../settings.ts';
import { recentMessages } from '../store/messages.ts';
import { openCalls, planOfCalls, waitingPlan, waitingPlans } from '../store/plans.ts';
import { sessionByRef } from '../store/sessions.ts';
import { resultsAndRemarks } from './body.ts';

/**
 * The messages with the ids of the waiting plan whose calls they answer. Clients whose format needs no ids lead to it by
 * the conversation alone: only a plan that waits at exactly this point of it counts.
 */
export async function withPlanIds(
  { db, clock }: Deps,
  caller: Caller,
  messages: ChatMessage[],
  { session_id: named }: Settings,
): Promise<ChatMessage[]> {
  const { userId } = caller;
  const time = nowSeconds(clock);
  const answered = resultsAndRemarks(messages).results.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  const calls = messages.findLast(({ role }) => role === 'assistant')?.tool_calls ?? [];
  if (answered.length === 0 || calls.length === 0 || (await planOfCalls(db, userId, answered, time))) return messages;
  for (const ref of await waitingPlans(db, userId, time)) {
    const plan = await waitingPlan(db, ref);
    if (!plan || !isSameCalls(openCalls(plan.state), calls)) continue;
    const session = await sessionByRef(db, plan.sessionRef, time);
    if (!session || !mayContinue(caller, session.sessionId)) continue;
    if (named !== undefined && storedSessionId(caller, named) !== session.sessionId) continue;
    const stored = (await recentMessages(db, plan.sessionRef)).map(({ message }) => message);
    const renamed = withStoredIds(stored, messages);
    const { keep, fresh } = alignHistory(stored, renamed);
    if (keep === stored.length && fresh.every(({ role }) => role !== 'assistant')) return renamed;
  }
  return messages;
}
