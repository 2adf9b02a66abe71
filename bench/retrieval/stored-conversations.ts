import { terms } from '../../server/src/orchestra/search/terms.ts';
import { indexDocument } from '../../server/src/orchestra/store/index-document.ts';
import { appendMessages } from '../../server/src/orchestra/store/messages.ts';
import { openSession } from '../../server/src/orchestra/store/sessions.ts';
import { saveVectors } from '../../server/src/orchestra/store/vectors.ts';
import type { OpenDb } from '../../server/src/platform/db/open.ts';
import { type Bench, openEngine } from '../kit/engine.ts';
import type { Said } from './conversations.ts';
import type { Embedder } from './embedders.ts';

export const userId = 1;
export const model = 'sim/embedding';

export interface StoredConversations extends Bench {
  /** Message ids by session and index. */
  ids: number[][];
}

/**
 * Stores conversations as the engine does: messages, their words with those of the message before, and their vectors.
 */
export async function storeConversations(
  opened: OpenDb,
  sessions: Said[][],
  embed: Embedder,
): Promise<StoredConversations> {
  const bench = await openEngine(opened, { models: [] });
  const { db } = opened;
  const ids: number[][] = [];
  for (const [i, said] of sessions.entries()) {
    const { session } = await openSession(db, { userId, sessionId: `s${i}` }, 0);
    const messages = said.map(({ role, text }) => ({ message: { role, content: text }, tokens: 10 }));
    const stored = (await appendMessages(db, session.ref, messages, Math.floor((said[0]?.at ?? 0) / 1000)))!;
    const vectors: { documentId: number; vector: Float32Array }[] = [];
    for (const [at, { id }] of stored.entries()) {
      const text = said[at]!.text;
      const before = said[at - 1]?.text ?? '';
      const documentId = await indexDocument(db, {
        userId,
        projectId: null,
        sessionRef: session.ref,
        messageId: id,
        beforeId: stored[at - 1]?.id ?? null,
        terms: [...terms(text), ...terms(before)],
      });
      if (documentId !== null) vectors.push({ documentId, vector: embed(text) });
    }
    await saveVectors(db, userId, model, vectors);
    ids.push(stored.map(({ id }) => id));
  }
  return { ...bench, ids };
}
