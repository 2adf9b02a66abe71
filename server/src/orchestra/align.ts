import { type ChatMessage, isInstruction, squeeze, textOf } from './messages.ts';

export interface Alignment {
  /** How many stored messages, from the first, belong to the conversation as the client now shows it. */
  keep: number;
  /** What the client brings that is not stored yet, in order. */
  fresh: ChatMessage[];
}

/**
 * Clients resend the history. What they send is laid over what is stored, as late as it fits: the part that
 * lies on top is known. A client that shows an earlier point (an edited question, an answer asked for again)
 * rewinds the conversation to there; that takes a shared answer, since a lone "continue" may well be said twice.
 */
export function align(stored: ChatMessage[], incoming: ChatMessage[]): Alignment {
  const old = stored.map(fingerprint);
  const sent = incoming.filter((message) => !isInstruction(message));
  const prints = sent.map(fingerprint);
  // By position, since a history of thousands against another must not be compared pair by pair.
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
  return { keep: stored.length, fresh: sent };
}

/** Length of the run that ends at both places and reaches back to where one of the two begins; 0 when it breaks off. */
function runLength(a: string[], aEnd: number, b: string[], bEnd: number): number {
  let length = 0;
  while (length <= aEnd && length <= bEnd && a[aEnd - length] === b[bEnd - length]) length++;
  return length > aEnd || length > bEnd ? length : 0;
}

function fingerprint(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map((call) => call.id);
  const parts = Array.isArray(message.content) ? message.content.filter((part) => part.text === undefined) : [];
  return JSON.stringify([message.role, squeeze(textOf(message)), message.tool_call_id ?? '', calls, parts]);
}
