import type { Part, Turn } from '../../wire/conversation.ts';

type Spell = (id: string) => string;
const asGiven: Spell = (id) => id;

interface Called {
  turn: unknown;
  ids: string[];
  answered: number;
}

/**
 * Gives every call of a conversation an id of its own, and its result the same. Some servers count from zero in each
 * answer, or name calls after their function; vendors refuse repeated ids, or would give a result to the wrong call.
 * `spell` makes an id one that the vendor accepts.
 */
export class CallIds {
  readonly #taken = new Set<string>();
  /** The calls of each id in the last turn that has any. */
  readonly #called = new Map<string, Called>();
  /** The last number tried for an id: counting from the start for every call would be quadratic. */
  readonly #tried = new Map<string, number>();

  constructor(readonly spell = asGiven) {}

  ofCall(given: string, turn: unknown): string {
    const spelt = this.spell(given);
    let id = spelt;
    let number = this.#tried.get(spelt) ?? 1;
    while (this.#taken.has(id)) {
      number += 1;
      id = `${spelt}_${number}`;
    }
    this.#tried.set(spelt, number);
    this.#taken.add(id);
    const called = this.#called.get(given);
    if (called && called.turn === turn) called.ids.push(id);
    else this.#called.set(given, { turn, ids: [id], answered: 0 });
    return id;
  }

  /** Of the last turn with calls of this id before it; results of several come in the order of the calls. */
  ofResult(given: string): string {
    const called = this.#called.get(given);
    if (!called) return this.spell(given);
    const at = Math.min(called.answered, called.ids.length - 1);
    called.answered += 1;
    return called.ids[at]!;
  }
}

/** Turns in which every call has an id of its own. */
export function distinctCalls(turns: Turn[], spell = asGiven): Turn[] {
  if (!hasRepeated(turns, spell)) return turns;
  const ids = new CallIds(spell);
  const renamed = (part: Part, turn: Turn): Part => {
    if (part.type === 'tool_result') return { ...part, callId: ids.ofResult(part.callId) };
    return part.type === 'tool_call' ? { ...part, id: ids.ofCall(part.id, turn) } : part;
  };
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => renamed(part, turn)) }));
}

function hasRepeated(turns: readonly Turn[], spell: Spell): boolean {
  const seen = new Set<string>();
  for (const { parts } of turns)
    for (const part of parts) {
      if (part.type !== 'tool_call') continue;
      const id = spell(part.id);
      if (seen.has(id)) return true;
      seen.add(id);
    }
  return false;
}
