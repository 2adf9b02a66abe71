import type { Db } from '../../platform/db/tables.ts';
import { type NeighbourMessage, neighbourCount } from '../search/rank.ts';
import { type FoundDocument, loadDocuments } from '../store/documents.ts';
import { messagesAround, spokenMessages } from '../store/messages-around.ts';
import type { Scope } from '../store/scope.ts';

export type WithNeighbours = FoundDocument & { around?: { before: NeighbourMessage[]; after: NeighbourMessage[] } };

/**
 * Adds to the documents the messages around them, and adds their direct neighbours as documents: the answer to a
 * question is often next to the message that contains its words.
 */
export async function withNeighbours(
  db: Db,
  scope: Scope,
  found: FoundDocument[],
  model: string | null,
): Promise<WithNeighbours[]> {
  const messages = found.flatMap(({ messageId }) => messageId ?? []);
  if (messages.length === 0) return found;
  const passages = await messagesAround(db, messages, neighbourCount + 1);
  const spoken = await spokenMessages(db, [...new Set(passages.flatMap(({ ids }) => ids))], model);
  const around = new Map<number, NonNullable<WithNeighbours['around']>>();
  for (const { centre, ids } of passages) {
    const at = ids.indexOf(centre);
    for (let i = Math.max(0, at - 1); i <= Math.min(ids.length - 1, at + 1); i += 1) {
      if (around.has(ids[i]!) && i !== at) continue;
      const of = (list: number[]) => list.flatMap((id) => spoken.get(id) ?? []);
      const before = of(ids.slice(Math.max(0, i - neighbourCount), i)).reverse();
      around.set(ids[i]!, { before, after: of(ids.slice(i + 1, i + 1 + neighbourCount)) });
    }
  }
  const known = new Set(found.map(({ documentId }) => documentId));
  const beside = [...around.keys()]
    .flatMap((id) => spoken.get(id)?.documentId ?? [])
    .filter((documentId) => !known.has(documentId));
  const more = await loadDocuments(db, scope, beside, model);
  return [...found, ...more].map((document) => ({ ...document, around: around.get(document.messageId ?? 0) }));
}
