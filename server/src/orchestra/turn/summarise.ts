import { forgetKept, keptOf } from '../../billing/store/kept-answers.ts';
import type { Db } from '../../platform/db/tables.ts';
import { takeLease } from '../../platform/durable/lease.ts';
import type { Summary } from '../context.ts';
import { inputRoom, modelOf } from '../fit.ts';
import { type Remembered, textOf } from '../messages.ts';
import { chooseHelperModel } from '../models.ts';
import type { CompleteAnswer } from '../ports.ts';
import { summaryMessages } from '../prompts/memory-work.ts';
import { addSummary } from '../store/summaries.ts';
import { requireFit } from '../task/failover.ts';
import { askChosen, now, type Turn } from './turn.ts';

/** Twice what is asked for: one that is cut off has lost what was said last. */
const longestSummary = 2000;
/** One that is paid for is kept under this name until it is written. */
const workOf = ({ session }: Pick<Turn, 'session'>): string => `summary:${session.ref}`;
/** What the prompt for it takes beside the conversation. */
const promptTokens = 400;

/**
 * Makes the next rolling summary beside the turn's own work. True when it was stored; a summary that failed, or came out empty,
 * refused or cut off, replaces nothing. One that is still being made for an earlier turn is not made a second time.
 */
export async function summarise(turn: Turn, previous: Summary | null, since: Remembered[]): Promise<boolean> {
  const read = readable(turn, previous, since);
  if (read.length === 0 || !chooseHelperModel(turn.choosing)) return false;
  const { deps, session } = turn;
  try {
    const release = await takeLease(deps.db, deps.owners, `ms-summary:${session.ref}`);
    if (!release) return false;
    return await made(turn, previous, read).finally(release);
  } catch (error) {
    if (!turn.signal.aborted) deps.warn('a summary could not be made', error);
    return false;
  }
}

async function made(turn: Turn, previous: Summary | null, read: Remembered[]): Promise<boolean> {
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

async function asked(turn: Turn, previous: Summary | null, read: Remembered[]): Promise<Answered | null> {
  // Counted as it begins, since the answer may be told before it is made.
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

/** What a turn before had made of the same messages, whose process died before it was written. */
async function paidFor(turn: Turn, since: number): Promise<Answered | null> {
  for (const { call, body } of await keptOf(turn.deps.db, workOf(turn))) {
    const [from, upTo] = call.split(':').map(Number);
    // As it was answered to `asked`.
    if (from === since) return { ...(JSON.parse(body) as CompleteAnswer), upTo: upTo! };
  }
  return null;
}

/** As many of the oldest messages as the model can read at once: the next turn goes on with what is left. */
function readable({ choosing }: Turn, previous: Summary | null, since: Remembered[]): Remembered[] {
  const model = modelOf(choosing, chooseHelperModel(choosing)?.model ?? '');
  let room = inputRoom(model, { params: { max_tokens: longestSummary } }) - promptTokens - (previous?.tokens ?? 0);
  const read: Remembered[] = [];
  for (const one of since) {
    room -= one.tokens;
    if (room < 0 && read.length > 0) break;
    read.push(one);
  }
  return read;
}
