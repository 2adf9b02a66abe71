import type { Summary } from '../context.ts';
import { inputRoom, modelOf } from '../fit.ts';
import { type Remembered, textOf } from '../messages.ts';
import { chooseHelperModel } from '../models.ts';
import { summaryMessages } from '../prompts/memory-work.ts';
import { addSummary } from '../store/summaries.ts';
import { askChosen, now, type Turn } from './turn.ts';

/** Long enough for what matters, short beside the window it is to free. */
const longestSummary = 1000;
/** What the prompt for it takes beside the conversation. */
const promptTokens = 400;

/**
 * Makes the next rolling summary beside the turn's own work. True when it was stored; a summary that failed, or
 * came out empty or cut off, replaces nothing.
 */
export async function summarise(turn: Turn, previous: Summary | null, since: Remembered[]): Promise<boolean> {
  const read = readable(turn, previous, since);
  const last = read.at(-1);
  if (!last) return false;
  try {
    const messages = summaryMessages(
      previous?.text ?? null,
      read.map(({ message }) => message),
    );
    const answer = await askChosen(turn, chooseHelperModel, { messages, params: { max_tokens: longestSummary } });
    turn.meter.background += 1;
    const text = answer ? textOf(answer.message).trim() : '';
    if (!answer || text === '' || answer.finishReason === 'content_filter') return false;
    return await addSummary(
      turn.deps.db,
      turn.session.ref,
      { text, tokens: await turn.count(text), upTo: last.id },
      now(turn),
    );
  } catch (error) {
    if (!turn.signal.aborted) turn.deps.warn('a summary could not be made', error);
    return false;
  }
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
