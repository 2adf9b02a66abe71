import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { ChatMessage } from '../messages.ts';
import { terms } from '../search/terms.ts';
import { writeEntry } from '../turn/after-answer.ts';
import { engines, type TestDb } from './db.fixture.ts';
import { documentsWithTerms } from './documents.ts';
import { indexDocument } from './index-document.ts';
import { addEntry } from './knowledge.ts';
import { appendMessages } from './messages.ts';
import { reindexDocuments } from './reindex.ts';
import type { Scope } from './scope.ts';
import { openSession } from './sessions.ts';
import { saveVectors, vectorsOf } from './vectors.ts';

const userId = 5;

describe.each(await engines())('on %s', (engine, open) => {
  let database: TestDb;
  let db: Db;
  beforeAll(async () => {
    database = await open();
    db = database.db;
  });
  afterAll(() => database.close());

  /** Makes a document what the previous release left: other terms, no words for later filters, no version. */
  async function makeOld(id: number, words: string): Promise<void> {
    const owned = words.split(' ').map((word) => `u${userId}x${word}`);
    await sql`update ms_documents set terms_version = 0 where id = ${id}`.execute(db);
    if (engine === 'postgres') {
      const old = `k${userId} ${owned.join(' ')}`;
      await sql`update ms_documents set terms = to_tsvector('simple', ${old}) where id = ${id}`.execute(db);
    } else {
      await sql`delete from ms_documents_fts where rowid = ${id}`.execute(db);
      await sql`insert into ms_documents_fts (rowid, owner, terms)
        values (${id}, ${`k${userId}`}, ${owned.join(' ')})`.execute(db);
    }
  }

  const found = (text: string, scope: Partial<Scope> = {}) =>
    documentsWithTerms(db, { userId, ...scope }, terms(text), 10);

  async function entry(content: string, category = 'drinks'): Promise<number> {
    const made = await writeEntry(db, userId, (tx) =>
      addEntry(tx, { userId, category, title: 'title', content, keywords: ['keyword'] }, 100),
    );
    const row = await db.selectFrom('ms_documents').select('id').where('knowledge_ref', '=', made.ref);
    return (await row.executeTakeFirstOrThrow()).id;
  }

  async function talk(sessionId: string, ...contents: string[]) {
    const { session } = await openSession(db, { userId, sessionId }, 100);
    const messages = contents.map((content, i): { message: ChatMessage; tokens: number } => ({
      message: { role: i % 2 === 0 ? 'user' : 'assistant', content },
      tokens: 1,
    }));
    return { session, stored: (await appendMessages(db, session.ref, messages, 100))! };
  }

  test('an old entry is found by the terms of today, and keeps its vector', async () => {
    const id = await entry('我喜欢喝绿茶Sencha');
    await makeOld(id, '我喜 喜欢 欢喝 喝绿 绿茶 茶s');
    await saveVectors(db, userId, 'm', [{ documentId: id, vector: [1, 2, 3] }]);
    expect(await found('sencha')).toEqual([]);
    // Not lost by a filter that the old terms do not know.
    expect(await found('绿茶', { only: 'knowledge', category: 'drinks' })).toEqual([id]);
    expect(await reindexDocuments(db, 100)).toBe(1);
    for (const text of ['sencha', '茶', 'keyword']) expect(await found(text)).toEqual([id]);
    expect(await found('sencha', { only: 'knowledge', category: 'drinks' })).toEqual([id]);
    expect(await found('sencha', { only: 'knowledge', category: 'food' })).toEqual([]);
    expect((await vectorsOf(db, userId, 'm', [id])).size).toBe(1);
    expect(await reindexDocuments(db, 100)).toBe(0);
  });

  test('an old message is found by its own words and by those of its question, also the result of a run', async () => {
    const { session, stored } = await talk('s', 'Which ウイスキー of Islay?', 'Laphroaig.', 'goal: Oban', 'made');
    const document = { userId, projectId: null, sessionRef: session.ref, terms: ['x'] };
    const [asked, , goal, result] = stored.map(({ id }) => id);
    const answer = (await indexDocument(db, { ...document, messageId: stored[1]!.id, beforeId: asked! }))!;
    const made = (await indexDocument(db, { ...document, messageId: result!, beforeId: null }))!;
    expect(goal).toBeDefined();
    await makeOld(answer, 'other');
    await makeOld(made, 'other');
    expect(await reindexDocuments(db, 100)).toBe(2);
    expect(await found('laphroaig')).toEqual([answer]);
    expect(await found('islay')).toEqual([answer]);
    expect(await found('oban')).toEqual([made]);
    expect(await found('islay', { exceptSession: session.ref })).toEqual([]);
    expect(await found('other')).toEqual([]);
  });

  test('in batches, oldest first; a superseded message does not stop the others', async () => {
    const { session, stored } = await talk('old', 'first walrus', 'second walrus', 'third walrus');
    const ids: number[] = [];
    for (const { id } of stored)
      ids.push(
        (await indexDocument(db, { userId, projectId: null, sessionRef: session.ref, messageId: id, terms: ['x'] }))!,
      );
    for (const id of ids) await makeOld(id, 'other');
    await sql`update ms_messages set superseded = 1 where id = ${stored[0]!.id}`.execute(db);
    expect(await reindexDocuments(db, 2)).toBe(2);
    expect(await found('walrus')).toEqual([ids[1]!]);
    expect(await reindexDocuments(db, 2)).toBe(1);
    expect(await reindexDocuments(db, 2)).toBe(0);
    expect((await found('walrus')).sort()).toEqual(ids.slice(1).sort());
  });

  test('two processes at once, while an entry changes', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => entry(`narwhal ${i}`)));
    for (const id of ids) await makeOld(id, 'other');
    const other = (await database.again?.()) ?? null;
    const refs = await db.selectFrom('ms_documents').select('knowledge_ref').where('id', 'in', ids).execute();
    const change = async () => {
      for (const { knowledge_ref: ref } of refs)
        await indexDocument(db, { userId, projectId: null, knowledgeRef: ref!, terms: ['narwhal', 'changed'] });
    };
    await Promise.all([reindexDocuments(db, 100), reindexDocuments(other?.db ?? db, 100), change()]);
    await other?.close();
    expect(await documentsWithTerms(db, { userId }, ['changed'], 100)).toHaveLength(20);
    expect(await documentsWithTerms(db, { userId }, ['narwhal'], 100)).toHaveLength(20);
    expect(await reindexDocuments(db, 100)).toBe(0);
  });
});
