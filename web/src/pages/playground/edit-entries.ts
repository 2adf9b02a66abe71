import type { AnswerEntry, Entry } from './conversation.ts';

/** The entries before this one. */
export const before = (entries: Entry[], id: string): Entry[] =>
  entries.slice(
    0,
    entries.findIndex((entry) => entry.id === id),
  );

const isOf = (entry: Entry, column: string): boolean => entry.role !== 'user' && entry.column === column;

/** Removes an answer and what followed it: the rest of the turn in its column, and all later turns. */
export function withoutAnswer(entries: Entry[], { id, column }: AnswerEntry): Entry[] {
  const at = entries.findIndex((entry) => entry.id === id);
  const nextTurn = entries.findIndex((entry, index) => index > at && entry.role === 'user');
  const kept = nextTurn < 0 ? entries : entries.slice(0, nextTurn);
  return kept.filter((entry, index) => index < at || !isOf(entry, column));
}

export const withoutColumn = (entries: Entry[], column: string): Entry[] =>
  entries.filter((entry) => !isOf(entry, column));

/** Copies the entries of one column to another, except running answers. */
export const forColumn = (entries: Entry[], from: string, to: string, newId: () => string): Entry[] =>
  entries.flatMap((entry): Entry[] => {
    if (entry.role === 'user' || entry.column !== from) return [entry];
    const running = entry.role === 'assistant' && (entry.state === 'waiting' || entry.state === 'streaming');
    return running ? [entry] : [entry, { ...entry, id: newId(), column: to }];
  });
