import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Db } from '../../platform/db/tables.ts';
import { type Stage, stage, wordVector } from '../scripted.fixture.ts';
import { toUnit } from '../search/vectors.ts';
import { engines } from '../store/db.fixture.ts';
import { documentTerms } from '../store/document-terms.ts';
import { indexDocument } from '../store/index-document.ts';
import { addEntry } from '../store/knowledge.ts';
import { appendMessages } from '../store/messages.ts';
import type { Scope } from '../store/scope.ts';
import { openSession } from '../store/sessions.ts';
import { saveVectors } from '../store/vectors.ts';
import { writeEntry } from './after-answer.ts';
import { search } from './recall.ts';

const userId = 1;
const model = 'v/embed';
const asked = 'harbour crane';
/** All of them match better than what is wanted, and there are more than a search takes from either index. */
const nearer = 'harbour crane harbour crane';
const wanted = 'harbour crane, and much else that only the wanted text says about tides and ropes';
const decoys = 2200;

/** What is searched for is in the scope; everything that matches better is not. */
describe.each(await engines())('what a scope leaves is found behind what it excludes, on %s', (_name, open) => {
  let s: Stage;
  let current: number;

  const entry = (tx: Db, content: string, category: string, projectId: string | null, sourceRef?: number) =>
    writeEntry(tx, userId, (tx) =>
      addEntry(
        tx,
        {
          ...{ userId, category, projectId, title: 'Note', content, keywords: [] },
          ...(sourceRef !== undefined && { fromFile: { sourceRef, page: null, heading: null, position: 0 } }),
        },
        0,
      ),
    );

  async function talk(tx: Db, sessionId: string, texts: string[], projectId?: string): Promise<number> {
    const { session } = await openSession(tx, { userId, sessionId, projectId }, 0);
    const said = texts.map((content) => ({ message: { role: 'user' as const, content }, tokens: 10 }));
    for (const [i, { id }] of (await appendMessages(tx, session.ref, said, 0))!.entries())
      await indexDocument(tx, {
        ...{ userId, projectId: projectId ?? null, sessionRef: session.ref, messageId: id },
        terms: documentTerms(texts[i]!),
      });
    return session.ref;
  }

  beforeAll(async () => {
    s = await stage(() => 'noted', {}, open);
    const { db } = s.deps;
    await db.transaction().execute(async (tx) => {
      const source = await tx
        .insertInto('ms_sources')
        .values({
          ...{ public_id: 'src-1', user_id: userId, key_id: null, project_id: null, name: 'f.txt', kind: 'text' },
          ...{ content_hash: 'h', size: 1, category: 'other', keywords: '[]', replaces: 0, state: 'ready' },
          ...{ error: null, total: null, created_at: 0, updated_at: 0 },
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await entry(tx, `${wanted} 1`, 'wanted', null);
      await entry(tx, `${wanted} 2`, 'other', 'mine');
      await talk(tx, 'in the project', [`${wanted} 3`], 'mine');
      await talk(tx, 'of no project', [`${wanted} 4`]);
      current = await talk(
        tx,
        'the current one',
        Array.from({ length: decoys / 2 }, (_, i) => `${nearer} ${i}`),
      );
      for (let i = 0; i < decoys; i += 1) await entry(tx, `${nearer} ${i}`, 'other', 'theirs', source.id);
    });
    const documents = await db
      .selectFrom('ms_documents as d')
      .leftJoin('ms_messages as m', 'm.id', 'd.message_id')
      .leftJoin('ms_knowledge as k', 'k.id', 'd.knowledge_ref')
      .select(['d.id', 'm.message', 'k.content'])
      .execute();
    const vectors = documents.map(({ id, message, content }) => ({
      documentId: id,
      vector: toUnit(wordVector(content ?? message!)),
    }));
    for (let i = 0; i < vectors.length; i += 500) await saveVectors(db, userId, model, vectors.slice(i, i + 500));
  });
  afterAll(() => s.close());

  const scopes: [string, () => Partial<Scope>, string][] = [
    ['a category', () => ({ only: 'knowledge', category: 'wanted' }), `${wanted} 1`],
    ['facts that are not from files', () => ({ only: 'knowledge', fromFile: false }), `${wanted} 1`],
    ['facts of no project', () => ({ only: 'knowledge', projectId: null, fromFile: false }), `${wanted} 1`],
    ['facts of a project', () => ({ only: 'knowledge', projectId: 'mine' }), `${wanted} 2`],
    ['a project', () => ({ projectId: 'mine' }), `${wanted} 3`],
    ['no project', () => ({ projectId: null, exceptSession: current }), `${wanted} 4`],
  ];

  test.each(scopes)('%s, by words', async (_scope, scope, text) => {
    const found = await search(s, { userId, ...scope() }, asked, null, 10);
    expect(found.map((one) => one.text.replace(/^Note\n/, ''))).toContain(text);
    expect(found.filter((one) => one.text.includes(nearer))).toEqual([]);
  });

  test.each(scopes)('%s, by meaning', async (_scope, scope, text) => {
    const query = { model, vector: toUnit(wordVector(asked)) };
    // No word of it is in any document.
    const found = await search(s, { userId, ...scope() }, 'zebra', query, 10);
    expect(found.map((one) => one.text.replace(/^Note\n/, ''))).toContain(text);
    expect(found.filter((one) => one.text.includes(nearer))).toEqual([]);
  });

  test('sessions other than the current one, however much it said of the matter', async () => {
    const { db } = s.deps;
    await db.deleteFrom('ms_knowledge').where('category', '!=', 'wanted').execute();
    s.deps.near.forget();
    for (const query of [null, { model, vector: toUnit(wordVector(asked)) }]) {
      const text = query ? 'zebra' : asked;
      const found = await search(s, { userId, exceptSession: current }, text, query, 10);
      expect(found.map((one) => one.text)).toContain(`${wanted} 4`);
    }
  });
});
