import { type ChatMessage, isInstruction, normalizeWhitespace, textOf } from './messages.ts';

export interface Alignment {
  /** How many stored messages, counted from the first, are still part of the conversation the client sent. */
  keep: number;
  /** Messages from the client that are not stored yet, in order. */
  fresh: ChatMessage[];
}

/**
 * Clients resend the history. Matches it against the stored messages at the latest position where they overlap; the
 * overlap is already known. If the client's history ends earlier (an edited question, a regenerated answer), the
 * conversation is rewound to that point. Rewinding requires a shared assistant message, because a lone "continue" may
 * well be sent twice.
 */
export function alignHistory(stored: ChatMessage[], incoming: ChatMessage[]): Alignment {
  const old = stored.map(fingerprint);
  const sent = incoming.filter((message) => !isInstruction(message));
  const prints = sent.map(fingerprint);
  // Indexed by fingerprint: comparing two histories of thousands of messages pair by pair would be quadratic.
  const places = Map.groupBy(old.keys(), (place) => old[place]!);
  for (let last = sent.length - 1; last >= 0; last--) {
    for (const end of places.get(prints[last]!)?.toReversed() ?? []) {
      const length = runLength(prints, last, old, end);
      if (length === 0) continue;
      const run = sent.slice(last + 1 - length, last + 1);
      const rewinds = end < old.length - 1;
      if (rewinds && !run.some((message) => message.role === 'assistant')) continue;
      return { keep: end + 1, fresh: sent.slice(last + 1) };
    }
  }
  return changedSince(stored, sent) ?? { keep: stored.length, fresh: sent };
}

/**
 * Some clients keep answers in other words than they got (JSON that was parsed, hidden parts), and agents clear old
 * results of tools. If the questions are the same, their version counts from the first difference on: it would be stored
 * a second time with every turn.
 */
function changedSince(stored: ChatMessage[], sent: ChatMessage[]): Alignment | null {
  const [old, prints] = [stored.map(outline), sent.map(outline)];
  const last = sent.findLastIndex(({ role }) => role === 'assistant');
  for (let end = old.length - 1; last >= 0 && end >= 0; end--) {
    if (old[end] !== prints[last]) continue;
    const length = runLength(prints, last, old, end);
    const [from, place] = [last + 1 - length, end + 1 - length];
    const run = sent.slice(from, last + 1);
    if (!run.some(({ role }) => role === 'user')) continue;
    const differs = run.findIndex((message, i) => fingerprint(message) !== fingerprint(stored[place + i]!));
    return { keep: place + differs, fresh: sent.slice(from + differs) };
  }
  return null;
}

/** What stays the same of a message when a client changes answers and results. */
const outline = (message: ChatMessage): string =>
  message.role === 'user' ? fingerprint(message) : fingerprint({ ...message, content: null });

/**
 * Length of the common run that ends at both positions and reaches the start of one of the lists; 0 if it stops
 * earlier.
 */
function runLength(a: string[], aEnd: number, b: string[], bEnd: number): number {
  let length = 0;
  while (length <= aEnd && length <= bEnd && a[aEnd - length] === b[bEnd - length]) length++;
  return length > aEnd || length > bEnd ? length : 0;
}

function fingerprint(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map((call) => call.id);
  const parts = Array.isArray(message.content) ? message.content.filter((part) => part.text === undefined) : [];
  return JSON.stringify([message.role, normalizeWhitespace(textOf(message)), message.tool_call_id ?? '', calls, parts]);
}
