import { AppError } from '../../lib/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import { newId, typeOf } from './items.ts';
import type { Item, Owner } from './keeper.ts';

/** The encrypted content: readable only by this service, and only for the user it was made for. */
interface Sealed {
  kind: 'compaction';
  userId: number;
  summary: string;
}

export const compactionItem = (sealer: Sealer, { userId }: Owner, summary: string): Item => ({
  id: newId('cmp'),
  type: 'compaction',
  encrypted_content: sealer.seal(JSON.stringify({ kind: 'compaction', userId, summary } satisfies Sealed)),
});

/** The items as a model should read them: each compaction becomes a message with its summary. */
export const expandItems = (sealer: Sealer, owner: Owner, items: Item[]): Item[] =>
  items.map((item) => (typeOf(item) === 'compaction' ? expanded(sealer, owner, item) : item));

function expanded(sealer: Sealer, { userId }: Owner, item: Item): Item {
  const found = opened(sealer, item.encrypted_content);
  // The same error for another user's as for a broken one.
  if (found?.kind !== 'compaction' || found.userId !== userId)
    throw new AppError('invalid_value', 'The encrypted content of a compaction item cannot be read by this service.', {
      param: 'encrypted_content',
    });
  const text = `What was said before, in short:\n\n${found.summary}`;
  return { type: 'message', id: item.id, role: 'developer', content: [{ type: 'input_text', text }] };
}

function opened(sealer: Sealer, sealed: unknown): Partial<Sealed> | null {
  try {
    return JSON.parse(sealer.open(sealed as string)) as Partial<Sealed>;
  } catch {
    return null;
  }
}

/** Fits a model's window beside the summary and the next messages. */
const keptBytes = 64 * 1024;

/** The last user messages that fit, in order: requests are best kept in their own words. */
export function lastMessages(items: readonly Item[]): Item[] {
  const kept: Item[] = [];
  let bytes = 0;
  for (const item of items.toReversed()) {
    if (typeOf(item) !== 'message' || item.role !== 'user') continue;
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > keptBytes) break;
    kept.unshift(item);
  }
  return kept;
}
