import { nowSeconds } from '../lib/clock.ts';
import { storedSessionId } from './application-memory.ts';
import { textOf } from './messages.ts';
import { paidOnce } from './paid-once.ts';
import type { Caller, Deps } from './ports.ts';
import { respond } from './respond.ts';
import { appendMessages, recentMessages } from './store/messages.ts';
import { findSession } from './store/sessions.ts';
import { weighOne } from './tokens.ts';
import { type TurnRequest, withApplication } from './turn/begin.ts';
import type { TurnAnswer } from './turn/turn-answer.ts';
import { silent, type TurnOutput } from './turn/writer.ts';

/** A turn within durable work: calls that were already answered and paid are not repeated. */
export async function respondOnce(deps: Deps, request: TurnRequest, out: TurnOutput = silent): Promise<TurnAnswer> {
  const { caller, calls } = request;
  const once = paidOnce(deps, calls!, caller.userId);
  const before = await once.find();
  if (!before) return respond(deps, request, out, once);
  const { message, meta } = before;
  await complete(deps, caller, before);
  out.opened(() => meta);
  if (message.reasoning_content) out.reasoning(message.reasoning_content);
  const text = textOf(message);
  if (text !== '') await out.content(text);
  return before;
}

/** The process that made the answer may have died before writing it into the session. */
async function complete(deps: Deps, caller: Caller, { message: answer, meta }: TurnAnswer): Promise<void> {
  const now = nowSeconds(deps.clock);
  const sessionId = storedSessionId(await withApplication(deps, caller), meta.session_id);
  const session = await findSession(deps.db, caller.userId, sessionId, now);
  const last = session && (await recentMessages(deps.db, session.ref, 1)).at(-1);
  if (!last || last.message.role === 'assistant') return;
  const { reasoning_content: _, ...message } = answer;
  await appendMessages(deps.db, session.ref, [{ message, tokens: await weighOne(message) }], now);
}
