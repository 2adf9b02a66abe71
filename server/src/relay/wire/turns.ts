import type { Turn } from './conversation.ts';

/**
 * Anthropic and Google read adjacent messages of one role as one turn. Others do not, and refuse calls that are not
 * followed by all of their results.
 */
export function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (last?.role === turn.role) for (const part of turn.parts) last.parts.push(part);
  else turns.push(turn);
}
