import { forgetKept, keptOf } from '../../billing/store/kept-answers.ts';
import type { Db } from '../../platform/db/tables.ts';
import { takeLease } from '../../platform/durable/lease.ts';
import type { Summary } from '../context.ts';
import { inputBudget, modelOf } from '../fit-window.ts';
import { type StoredTurnMessage, textOf } from '../messages.ts';
import { chooseHelperModel } from '../models.ts';
import type { CompleteAnswer } from '../ports.ts';
import { summaryMessages } from '../prompts/memory-work.ts';
import { addSummary } from '../store/summaries.ts';
import { requireFit } from '../task/failover.ts';
import { askChosen, now, type Turn } from './turn.ts';

/** Twice the requested length, because a summary that is cut off loses the latest messages. */
const longestSummary = 2000;
/** Name under which a paid summary is kept until it is written. */
const workOf = ({ session }: Pick<Turn, 'session'>): string => `summary:${session.ref}`;
/** Tokens of the prompt besides the conversation. */
const promptTokens = 400;

/**
 * Makes the next rolling summary in parallel with the turn. True if it was stored; a summary that failed, or is empty,
 * refused or cut off, replaces nothing. If one is still being made for an earlier turn, no second one is started.
 */
export async function summarise(turn: Turn, previous: Summary | null, since: StoredTurnMessage[]): Promise<boolean> {
  const read = readable(turn, previous, since);
  if (read.length === 0 || !chooseHelperModel(turn.choosing)) return false;
  const { deps, session } = turn;
  try {
    const release = await takeLease(deps.db, deps.owners, `ms-summary:${session.ref}`);
    if (!release) return false;
    return await made(turn, previous, read).finally(release);
  } catch (error) {
    if (!turn.signal.aborted) deps.warn('a summary could not be created', error);
    return false;
  }
}

async function made(turn: Turn, previous: Summary | null, read: StoredTurnMessage[]): Promise<boolean> {
  const { deps, session } = turn;
  const since = previous?.upTo ?? 0;
  const answered = (await paidFor(turn, since)) ?? (await asked(turn, previous, read));
  if (!answered) return false;
  const { message, finishReason, upTo } = answered;
  const text = textOf(message).trim();
  const forget = (db: Db) => forgetKept(db, workOf(turn));
  try {
    requireFit({ text, finishReason, wantsJson: false, limited: false });
  } catch (unfit) {
    await forget(deps.db);
    throw unfit;
  }
  return addSummary(deps.db, session.ref, { text, tokens: await turn.count(text), upTo }, now(turn), forget);
}

type Answered = Pick<CompleteAnswer, 'message' | 'finishReason'> & { upTo: number };

async function asked(turn: Turn, previous: Summary | null, read: StoredTurnMessage[]): Promise<Answered | null> {
  // Counted at the start, because the answer may be sent before the summary is finished.
  turn.meter.background += 1;
  const messages = summaryMessages(
    previous?.text ?? null,
    read.map(({ message }) => message),
  );
  const upTo = read.at(-1)!.id;
  const keepAs = { work: workOf(turn), call: `${previous?.upTo ?? 0}:${upTo}` };
  const params = { max_tokens: longestSummary };
  const answer = await askChosen(turn, chooseHelperModel, { messages, params, keepAs });
  return answer && { ...answer, upTo };
}

/** A summary of the same messages that was paid for by a process that died before writing it. */
async function paidFor(turn: Turn, since: number): Promise<Answered | null> {
  for (const { call, body } of await keptOf(turn.deps.db, workOf(turn))) {
    const [from, upTo] = call.split(':').map(Number);
    // Stored by the call in `asked`.
    if (from === since) return { ...(JSON.parse(body) as CompleteAnswer), upTo: upTo! };
  }
  return null;
}

/** As many of the oldest messages as the model can read at once; the next turn continues with the rest. */
function readable({ choosing }: Turn, previous: Summary | null, since: StoredTurnMessage[]): StoredTurnMessage[] {
  const model = modelOf(choosing, chooseHelperModel(choosing)?.model ?? '');
  let room = inputBudget(model, { params: { max_tokens: longestSummary } }) - promptTokens - (previous?.tokens ?? 0);
  const read: StoredTurnMessage[] = [];
  for (const one of since) {
    room -= one.tokens;
    if (room < 0 && read.length > 0) break;
    read.push(one);
  }
  return read;
}
