import { describe, expect, test } from 'bun:test';
import type { Db } from '../../platform/db/tables.ts';
import { forget } from './account-data.ts';
import { engines } from './db.fixture.ts';
import { indexDocument } from './index-document.ts';
import { addEntry } from './knowledge.ts';
import { appendMessages } from './messages.ts';
import { deleteSession, openSession } from './sessions.ts';
import { saveVectors } from './vectors.ts';

/** What is written, changed and deleted at the same moment waits in one order: the server never finds a ring. */
describe.each(await engines())('rows are locked in one order, on %s', (_, open) => {
  const userId = 1;
  const rounds = 6;
  const many = 24;

  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const vectorsOf = (ids: (number | null)[]) => ids.map((id) => ({ documentId: id!, vector: [1, 0] }));

  const entries = (db: Db) =>
    Promise.all(
      range(many).map(async (i) => {
        const fact = { userId, category: 'c', title: `t${i}`, content: 'c', keywords: [] };
        const { ref } = await addEntry(db, fact, 1);
        const document = { userId, projectId: null, knowledgeRef: ref, terms: ['word'] };
        return { document, id: await indexDocument(db, document) };
      }),
    );

  /** Several things at once, round after round; what was thrown and how often the server had to break a ring. */
  const atOnce = async (round: (db: Db, other: Db) => Promise<(() => Promise<unknown>)[]>) => {
    const database = await open();
    const again = await database.again?.();
    const faults: unknown[] = [];
    for (const _ of range(rounds)) {
      const works = await round(database.db, again?.db ?? database.db);
      for (const end of await Promise.allSettled(works.map((work) => work())))
        if (end.status === 'rejected') faults.push(String(end.reason));
    }
    await again?.close();
    await database.close();
    return { faults, deadlocks: (await database.deadlocks?.()) ?? 0 };
  };
  const none = { faults: [], deadlocks: 0 };

  test('for vectors of the same documents in any order', async () => {
    const seen = await atOnce(async (db, other) => {
      const ids = (await entries(db)).map(({ id }) => id);
      return range(6).map((i) => () => {
        const ordered = i % 2 === 0 ? ids : ids.toReversed();
        return saveVectors(i % 3 === 0 ? db : other, userId, 'm', vectorsOf(ordered));
      });
    });
    expect(seen).toEqual(none);
  });

  test('for vectors of entries that are changed and deleted', async () => {
    const seen = await atOnce(async (db, other) => {
      const made = await entries(db);
      const ids = made.map(({ id }) => id);
      return [
        () => saveVectors(db, userId, 'm', vectorsOf(ids)),
        () => Promise.all(made.map(({ document }) => indexDocument(other, document))),
        () => saveVectors(other, userId, 'm', vectorsOf(ids.toReversed())),
        () => forget(other, userId),
      ];
    });
    expect(seen).toEqual(none);
  });

  test('for messages of a session that is deleted', async () => {
    const seen = await atOnce(async (db, other) => {
      const { session } = await openSession(db, { userId, sessionId: 'gone' }, 1);
      const said = range(many).map((i) => ({ message: { role: 'user' as const, content: `m${i}` }, tokens: 1 }));
      const stored = (await appendMessages(db, session.ref, said, 1))!;
      const index = (message: { id: number }) =>
        indexDocument(other, { userId, projectId: null, sessionRef: session.ref, messageId: message.id, terms: ['w'] });
      const ids = await Promise.all(stored.slice(0, many / 2).map(index));
      return [
        () => Promise.all(stored.slice(many / 2).map(index)),
        () => saveVectors(db, userId, 'm', vectorsOf(ids.toReversed())),
        () => appendMessages(other, session.ref, said, 2, stored[3]!.id),
        () => deleteSession(db, userId, 'gone'),
      ];
    });
    expect(seen).toEqual(none);
  });
});
