import type { Part, Turn } from '../../wire/conversation.ts';

/**
 * Turns in which every call has an id of its own. Some servers count from zero in each answer; vendors refuse repeated
 * ids, or would give a result to the wrong call. A result belongs to the last call of its id before it.
 */
export function distinctCalls(turns: Turn[]): Turn[] {
  if (!hasRepeated(turns)) return turns;
  const taken = new Set<string>();
  const current = new Map<string, string>();
  /** The last number tried for an id: counting from the start for every call would be quadratic. */
  const tried = new Map<string, number>();
  const renamed = (part: Part): Part => {
    if (part.type === 'tool_result') return { ...part, callId: current.get(part.callId) ?? part.callId };
    if (part.type !== 'tool_call') return part;
    let id = part.id;
    let number = tried.get(part.id) ?? 1;
    while (taken.has(id)) {
      number += 1;
      id = `${part.id}_${number}`;
    }
    tried.set(part.id, number);
    taken.add(id);
    current.set(part.id, id);
    return id === part.id ? part : { ...part, id };
  };
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map(renamed) }));
}

function hasRepeated(turns: readonly Turn[]): boolean {
  const seen = new Set<string>();
  for (const { parts } of turns)
    for (const part of parts) {
      if (part.type !== 'tool_call') continue;
      if (seen.has(part.id)) return true;
      seen.add(part.id);
    }
  return false;
}
