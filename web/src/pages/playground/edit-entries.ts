import type { AnswerEntry, Entry } from './conversation.ts';

/** What was said before this. */
export const before = (entries: Entry[], id: string): Entry[] =>
  entries.slice(
    0,
    entries.findIndex((entry) => entry.id === id),
  );

const isOf = (entry: Entry, column: string): boolean => entry.role !== 'user' && entry.column === column;

/** Without an answer and what came after it: in its column what followed in the same turn, and all later turns. */
export function withoutAnswer(entries: Entry[], { id, column }: AnswerEntry): Entry[] {
  const at = entries.findIndex((entry) => entry.id === id);
  const nextTurn = entries.findIndex((entry, index) => index > at && entry.role === 'user');
  const kept = nextTurn < 0 ? entries : entries.slice(0, nextTurn);
  return kept.filter((entry, index) => index < at || !isOf(entry, column));
}

export const withoutColumn = (entries: Entry[], column: string): Entry[] =>
  entries.filter((entry) => !isOf(entry, column));

/** The same, with what one column has heard and said also in another. What is still being written is not. */
export const forColumn = (entries: Entry[], from: string, to: string, newId: () => string): Entry[] =>
  entries.flatMap((entry): Entry[] => {
    if (entry.role === 'user' || entry.column !== from) return [entry];
    const running = entry.role === 'assistant' && (entry.state === 'waiting' || entry.state === 'streaming');
    return running ? [entry] : [entry, { ...entry, id: newId(), column: to }];
  });
