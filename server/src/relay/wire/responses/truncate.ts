import { AppError } from '../../../lib/errors.ts';
import type { Sourced, Turn } from '../conversation.ts';
import { weigh } from '../read.ts';

/** A conversation may begin here: the user speaks, and does not answer calls that would be gone. */
const mayBegin = ({ role, parts }: Turn): boolean =>
  role === 'user' && parts.every(({ type }) => type !== 'tool_result');

/** Without about half of its oldest turns; null where nothing can be left out. */
function shortened(conversation: Sourced): Sourced | null {
  const { turns, bytes = 0 } = conversation;
  const half = Math.ceil(turns.length / 2);
  const after = turns.findIndex((turn, i) => i >= half && mayBegin(turn));
  const start = after === -1 ? turns.findLastIndex((turn, i) => i > 0 && mayBegin(turn)) : after;
  if (start <= 0) return null;
  const left = turns.slice(0, start).reduce((sum, { parts }) => sum + weigh(parts), 0);
  return { ...conversation, turns: turns.slice(start), bytes: Math.max(0, bytes - left) };
}

/** With `truncation: "auto"` the oldest turns are left out until the rest fits. */
export async function untilFitting<T>(conversation: Sourced, ask: (asked: Sourced) => Promise<T>): Promise<T> {
  for (let asked = conversation; ; ) {
    try {
      return await ask(asked);
    } catch (error) {
      const tooLong = error instanceof AppError && error.code === 'context_length_exceeded';
      const shorter = tooLong && conversation.source.body.truncation === 'auto' ? shortened(asked) : null;
      if (!shorter) throw error;
      asked = shorter;
    }
  }
}
