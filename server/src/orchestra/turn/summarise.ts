import { takeLease } from '../../platform/durable/lease.ts';
import type { Summary } from '../context.ts';
import { inputRoom, modelOf } from '../fit.ts';
import { type Remembered, textOf } from '../messages.ts';
import { chooseHelperModel } from '../models.ts';
import { summaryMessages } from '../prompts/memory-work.ts';
import { addSummary } from '../store/summaries.ts';
import { requireFit } from '../task/failover.ts';
import { askChosen, now, type Turn } from './turn.ts';

/** Twice what is asked for: one that is cut off has lost what was said last. */
const longestSummary = 2000;
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
    // Counted as it begins, since the answer may be told before it is made.
    turn.meter.background += 1;
    return await made(turn, previous, read).finally(release);
  } catch (error) {
    if (!turn.signal.aborted) deps.warn('a summary could not be made', error);
    return false;
  }
}

async function made(turn: Turn, previous: Summary | null, read: Remembered[]): Promise<boolean> {
  const messages = summaryMessages(
    previous?.text ?? null,
    read.map(({ message }) => message),
  );
  const answer = await askChosen(turn, chooseHelperModel, { messages, params: { max_tokens: longestSummary } });
  if (!answer) return false;
  const text = textOf(answer.message).trim();
  requireFit({ text, finishReason: answer.finishReason, wantsJson: false, limited: false });
  const upTo = read.at(-1)!.id;
  return addSummary(turn.deps.db, turn.session.ref, { text, tokens: await turn.count(text), upTo }, now(turn));
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
