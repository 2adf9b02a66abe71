import type { Summary } from '../context.ts';
import { type Remembered, textOf } from '../messages.ts';
import { chooseHelperModel } from '../models.ts';
import { summaryMessages } from '../prompts/memory-work.ts';
import { addSummary } from '../store/summaries.ts';
import { askChosen, now, type Turn } from './turn.ts';

/** Long enough for what matters, short beside the window it is to free. */
const longestSummary = 1000;

/**
 * Makes the next rolling summary beside the turn's own work. True when it was stored; a summary that failed, or
 * came out empty or cut off, replaces nothing.
 */
export async function summarise(turn: Turn, previous: Summary | null, since: Remembered[]): Promise<boolean> {
  const last = since.at(-1);
  if (!last) return false;
  try {
    const messages = summaryMessages(
      previous?.text ?? null,
      since.map(({ message }) => message),
    );
    const answer = await askChosen(turn, chooseHelperModel, { messages, params: { max_tokens: longestSummary } });
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
