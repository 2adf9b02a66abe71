import type { Db } from '../../platform/db/tables.ts';
import { lenders, type Spoken } from '../search/rank.ts';
import { type FoundDocument, loadDocuments, type Scope } from '../store/documents.ts';
import { passagesAround, spokenMessages } from '../store/surroundings.ts';

export type Surrounded = FoundDocument & { around?: { before: Spoken[]; after: Spoken[] } };

/**
 * Adds to the documents the messages around them, and adds their direct neighbours as documents: the answer to a
 * question is often next to the message that contains its words.
 */
export async function withSurroundings(
  db: Db,
  scope: Scope,
  found: FoundDocument[],
  model: string | null,
): Promise<Surrounded[]> {
  const messages = found.flatMap(({ messageId }) => messageId ?? []);
  if (messages.length === 0) return found;
  const passages = await passagesAround(db, messages, lenders + 1);
  const spoken = await spokenMessages(db, [...new Set(passages.flatMap(({ ids }) => ids))], model);
  const around = new Map<number, NonNullable<Surrounded['around']>>();
  for (const { centre, ids } of passages) {
    const at = ids.indexOf(centre);
    for (let i = Math.max(0, at - 1); i <= Math.min(ids.length - 1, at + 1); i += 1) {
      if (around.has(ids[i]!) && i !== at) continue;
      const of = (list: number[]) => list.flatMap((id) => spoken.get(id) ?? []);
      const before = of(ids.slice(Math.max(0, i - lenders), i)).reverse();
      around.set(ids[i]!, { before, after: of(ids.slice(i + 1, i + 1 + lenders)) });
    }
  }
  const known = new Set(found.map(({ documentId }) => documentId));
  const beside = [...around.keys()]
    .flatMap((id) => spoken.get(id)?.documentId ?? [])
    .filter((documentId) => !known.has(documentId));
  const more = await loadDocuments(db, scope, beside, model);
  return [...found, ...more].map((document) => ({ ...document, around: around.get(document.messageId ?? 0) }));
}
