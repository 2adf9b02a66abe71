import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import type { Db } from '../../platform/db/tables.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import type { ChatMessage } from '../messages.ts';
import { baselineOf } from '../search/similarity-baseline.ts';
import { terms } from '../search/terms.ts';
import { newVectorIndex, sharedVectorIndex, type VectorIndex } from '../search/vector-index.ts';
import { toUnit } from '../search/vectors.ts';
import { engines } from './db.fixture.ts';
import { countTerms, documentsWithTerms, loadDocuments } from './documents.ts';
import { indexDocument } from './index-document.ts';
import { addEntry, changeEntry, deleteEntry, entryText, findEntry, newestEntries } from './knowledge.ts';
import { appendMessages, pageOfMessages, recentMessages } from './messages.ts';
import { loadPatterns, recordOutcomes } from './patterns.ts';
import { abandonPlans, activePlan, addPlan, type PlanState, planOfCalls, savePlan, sweepPlans } from './plans.ts';
import { loadPreferences, savePreferences } from './preferences.ts';
import { deleteSession, findSession, listSessions, openSession } from './sessions.ts';
import { addSummary, latestSummary } from './summaries.ts';
import { claimUnembedded, releaseUnembedded } from './unembedded.ts';
import { saveVectors, vectorsOf } from './vectors.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const said = (content: string, tokens = 5) => ({ message: user(content), tokens });

/** The document of a source that is there. */
const indexed = async (...args: Parameters<typeof indexDocument>): Promise<number> => (await indexDocument(...args))!;

describe.each(await engines())('%s', (_, open) => {
  let opened: OpenDb;
  let db: Db;
  beforeAll(async () => {
    opened = await open();
    db = opened.db;
  });
  afterAll(() => opened.close());

  test('concurrent changes of one entry leave one document, and none of a deleted one', async () => {
    const made = await addEntry(db, { userId: 71, category: 'fact', title: 't', content: 'c', keywords: [] }, 100);
    const document = { userId: 71, projectId: null, knowledgeRef: made.ref, terms: ['word'] };
    await Promise.all(Array.from({ length: 20 }, () => indexDocument(db, document)));
    const rows = await db.selectFrom('ms_documents').select('id').where('user_id', '=', 71).execute();
    expect(rows).toHaveLength(1);
    await deleteEntry(db, 71, made.id);
    expect(await indexDocument(db, document)).toBeNull();
  });

  test('a session id is per user, and opening it twice finds the same session', async () => {
    const first = await openSession(db, { userId: 1, sessionId: 's', tags: ['a', 'b_c'] }, 100);
    expect(first).toMatchObject({ created: true, session: { tags: ['a', 'b_c'], totalMessages: 0, createdAt: 100 } });
    const again = await openSession(db, { userId: 1, sessionId: 's', tags: ['x'] }, 200);
    expect(again).toMatchObject({ created: false, session: { ref: first.session.ref, tags: ['a', 'b_c'] } });
    const other = await openSession(db, { userId: 2, sessionId: 's' }, 300);
    expect(other.created).toBe(true);
    expect(other.session.ref).not.toBe(first.session.ref);
    const found = await listSessions(db, { userId: 1, tag: 'b_c', offset: 0, limit: 10 }, 300);
    expect(found).toMatchObject({ total: 1, sessions: [{ sessionId: 's' }] });
    expect((await listSessions(db, { userId: 1, tag: 'bxc', offset: 0, limit: 10 }, 300)).total).toBe(0);
    expect(await deleteSession(db, 2, 's')).toBe(true);
    expect(await deleteSession(db, 2, 's')).toBe(false);
    expect(await findSession(db, 1, 's', 300)).not.toBeNull();
  });

  test('messages accumulate, and rewinding hides them with their summaries', async () => {
    const { session } = await openSession(db, { userId: 1, sessionId: 'talk' }, 100);
    const stored = (await appendMessages(db, session.ref, [said('a'), said('b'), said('c')], 110))!;
    expect(await findSession(db, 1, 'talk', 110)).toMatchObject({
      totalMessages: 3,
      totalTokens: 15,
      lastAccessed: 110,
    });
    await addSummary(db, session.ref, { text: 'ab', tokens: 2, upTo: stored[0]!.id }, 111);
    await addSummary(db, session.ref, { text: 'abc', tokens: 3, upTo: stored[2]!.id }, 112);
    await appendMessages(db, session.ref, [said('B', 7)], 120, stored[0]!.id);
    expect((await recentMessages(db, session.ref)).map(({ message }) => message.content)).toEqual(['a', 'B']);
    expect(
      (await pageOfMessages(db, session.ref, { offset: 1, limit: 5 })).messages.map(({ tokens }) => tokens),
    ).toEqual([7]);
    expect(await findSession(db, 1, 'talk', 120)).toMatchObject({ totalMessages: 2, totalTokens: 12 });
    expect(await latestSummary(db, session.ref)).toEqual({ text: 'ab', tokens: 2, upTo: stored[0]!.id });
  });

  test('a long session is deleted in batches, with other work in between', async () => {
    const { session } = await openSession(db, { userId: 9, sessionId: 'long' }, 100);
    const many = Array.from({ length: 2_000 }, (_, i) => said(`m${i}`));
    await appendMessages(db, session.ref, many, 100);
    let turns = 0;
    let deleted = false;
    const others = (async () => {
      for (; !deleted; turns += 1) await new Promise(setImmediate);
    })();
    expect(await deleteSession(db, 9, 'long')).toBe(true);
    deleted = true;
    await others;
    expect(turns).toBeGreaterThan(5);
    expect(await recentMessages(db, session.ref)).toEqual([]);
    expect(await findSession(db, 9, 'long', 100)).toBeNull();
  });

  test('deleting a session deletes everything in it, and it accepts no more writes', async () => {
    const { session } = await openSession(db, { userId: 9, sessionId: 'gone' }, 100);
    const [message] = (await appendMessages(db, session.ref, [said('zebra crossing')], 100))!;
    const id = await indexed(db, {
      userId: 9,
      projectId: null,
      sessionRef: session.ref,
      messageId: message!.id,
      terms: terms('zebra crossing'),
    });
    await saveVectors(db, 9, 'm', [{ documentId: id, vector: [1, 0] }]);
    expect(await documentsWithTerms(db, { userId: 9 }, ['zebra'], 10)).toEqual([id]);
    const planRef = await addPlan(db, { planId: 'p-gone', userId: 9, sessionRef: session.ref, state }, 100);
    await savePlan(db, { ref: planRef!, userId: 9, status: 'waiting_for_tools', state, openCalls: ['g1'] }, 100);
    await deleteSession(db, 9, 'gone');
    expect(await documentsWithTerms(db, { userId: 9 }, ['zebra'], 10)).toEqual([]);
    expect(await planOfCalls(db, 9, ['g1'], 100)).toBeNull();
    expect(await appendMessages(db, session.ref, [said('x')], 130)).toBeNull();
    expect(await addSummary(db, session.ref, { text: 's', tokens: 1, upTo: 1 }, 130)).toBe(false);
    expect(await addPlan(db, { planId: 'p2-gone', userId: 9, sessionRef: session.ref, state }, 130)).toBeNull();
    await saveVectors(db, 9, 'm', [{ documentId: id, vector: [1, 0] }]);
    expect(await claimUnembedded(db, 'me', 9, 5)).toEqual([]);
  });

  const state: PlanState = {
    description: 'd',
    single: true,
    request: user('r'),
    tasks: [],
    results: {},
    tools: [],
  };

  test('a waiting plan is found by any of its calls, by its own user, for a day', async () => {
    const { session } = await openSession(db, { userId: 3, sessionId: 'p' }, 1000);
    const ref = (await addPlan(db, { planId: 'plan-1', userId: 3, sessionRef: session.ref, state }, 1000))!;
    expect(await findSession(db, 3, 'p', 1001)).toMatchObject({ hasActivePlan: true });
    const waiting = { ref, userId: 3, status: 'waiting_for_tools' as const, state, openCalls: ['c1', 'c2'] };
    await savePlan(db, waiting, 1000);
    expect(await planOfCalls(db, 3, ['zz', 'c2'], 1001)).toMatchObject({ planId: 'plan-1', state });
    expect(await planOfCalls(db, 4, ['c2'], 1001)).toBeNull();
    expect(await planOfCalls(db, 3, ['c2'], 1000 + 86_400)).toBeNull();
    expect(await activePlan(db, session.ref, 1001)).toMatchObject({ status: 'waiting_for_tools' });
    await abandonPlans(db, session.ref, 1002);
    expect(await planOfCalls(db, 3, ['c1'], 1003)).toBeNull();
    expect(await findSession(db, 3, 'p', 1003)).toMatchObject({ hasActivePlan: false });
    expect(await sweepPlans(db, 1003)).toBe(0);
    expect(await sweepPlans(db, 1003 + 3 * 86_400)).toBeGreaterThan(0);
  });

  test('words are found only within owner and project, and vectors only for their owner and model', async () => {
    const entry = (userId: number, title: string, projectId: string | null = null) =>
      addEntry(db, { userId, projectId, category: 'c', title, content: `${title} text`, keywords: ['k'] }, 5);
    const index = async (userId: number, title: string, projectId: string | null = null) => {
      const made = await entry(userId, title, projectId);
      return indexed(db, { userId, projectId, knowledgeRef: made.ref, terms: terms(entryText(made)) });
    };
    const mine = await index(5, 'walrus facts');
    const project = await index(5, 'walrus plans', 'p1');
    await index(6, 'walrus secrets', 'p1');
    expect((await documentsWithTerms(db, { userId: 5 }, terms('walrus other'), 10)).sort()).toEqual(
      [mine, project].sort(),
    );
    expect(await documentsWithTerms(db, { userId: 5, projectId: 'p1' }, terms('walrus'), 10)).toEqual([project]);
    expect(await documentsWithTerms(db, { userId: 5 }, [], 10)).toEqual([]);
    await saveVectors(db, 5, 'm', [
      { documentId: mine, vector: [1, 1, -1] },
      { documentId: project, vector: [-1, 1, 1] },
    ]);
    const near = newVectorIndex();
    expect(await near.near(db, 5, 'm', toUnit([-0.9, 1, 1]), 1)).toEqual([project]);
    expect(await near.near(db, 6, 'm', toUnit([1, 1, 1]), 5)).toEqual([]);
    expect(await near.near(db, 5, 'other', toUnit([1, 1, 1]), 5)).toEqual([]);
    const late = await index(5, 'late');
    expect(await claimUnembedded(db, 'me', 5, 5)).toEqual([late]);
    await releaseUnembedded(db, 'me', [late]);
    await saveVectors(db, 5, 'm', [{ documentId: late, vector: [-1, -1, -1] }]);
    expect(await near.near(db, 5, 'm', toUnit([-1, -1, -1]), 1)).toEqual([late]);
    // What one process deletes, another one does not find instead of what is there.
    const shared = memoryShared(systemClock);
    const process = () => sharedVectorIndex(shared, { onAllHeard: () => {} }, console.error);
    const [one, other] = [process(), process()];
    const nearest = (index: VectorIndex) => index.near(db, 5, 'm', toUnit([-1, 1, -1]), 1);
    const gone = await index(5, 'gone');
    await saveVectors(db, 5, 'm', [{ documentId: gone, vector: [-1, 1, -1] }]);
    expect([await nearest(one), await nearest(other)]).toEqual([[gone], [gone]]);
    await db.deleteFrom('ms_documents').where('id', '=', gone).execute();
    one.forget(5);
    await until('the other has heard', async () => (await nearest(other))[0] !== gone);
    await shared.close();
    const noise = await near.noise(db, 5, 'm', toUnit([1, 1, 1]));
    const expected = baselineOf([1 / 3, 1 / 3, -1]);
    expect(noise.mean).toBeCloseTo(expected.mean, 5);
    expect(noise.deviation).toBeCloseTo(expected.deviation, 5);
    expect(await near.noise(db, 6, 'm', toUnit([1, 1, 1]))).toEqual(baselineOf([]));
    const vectors = await vectorsOf(db, 5, 'm', [mine, late, 987_654]);
    expect([...vectors.keys()].sort()).toEqual([mine, late].sort());
    expect(await vectorsOf(db, 6, 'm', [mine])).toEqual(new Map());
    const counts = await countTerms(db, 5, terms('walrus late nothing'));
    expect(counts.documents).toBe(3);
    expect(counts.holders).toEqual(
      new Map([
        [terms('walrus')[0]!, 2],
        [terms('late')[0]!, 1],
      ]),
    );
    expect(await documentsWithTerms(db, { userId: 5 }, terms('walrus late'), 1)).toEqual([late]);
    const [found] = await loadDocuments(db, { userId: 5 }, [mine], 'm');
    expect(found).toMatchObject({
      source: { kind: 'knowledge', title: 'walrus facts' },
      text: 'walrus facts\nk\nwalrus facts text',
    });
    expect([...found!.vector!].map((value) => Math.sign(value))).toEqual([1, 1, -1]);
    expect(await loadDocuments(db, { userId: 6 }, [mine], 'm')).toEqual([]);
    expect(await loadDocuments(db, { userId: 5, projectId: 'p1' }, [mine, project], null)).toHaveLength(1);
  });

  test('knowledge belongs to its user', async () => {
    const entry = await addEntry(db, { userId: 7, category: 'c', title: 't', content: 'x', keywords: ['a'] }, 50);
    expect(await findEntry(db, 8, entry.id)).toBeNull();
    expect(await changeEntry(db, 8, entry.id, { title: 'stolen' }, 60)).toBeNull();
    expect(await deleteEntry(db, 8, entry.id)).toBe(false);
    expect(await changeEntry(db, 7, entry.id, { content: 'y', keywords: [] }, 60)).toMatchObject({
      title: 't',
      content: 'y',
      keywords: [],
      createdAt: 50,
    });
    expect(await newestEntries(db, { userId: 7, category: 'z', limit: 5 })).toEqual([]);
    expect(await newestEntries(db, { userId: 7, limit: 5 })).toHaveLength(1);
    expect(await deleteEntry(db, 7, entry.id)).toBe(true);
  });

  test('recent outcomes weigh most', async () => {
    const outcome = (ok: boolean) => ({ kind: 'math' as const, difficulty: 'easy' as const, model: 'm', ok });
    const many = [...Array.from({ length: 199 }, () => outcome(true)), outcome(false)];
    await recordOutcomes(db, 77, many, 1);
    expect(await loadPatterns(db, 77)).toMatchObject([{ successes: 199, failures: 1 }]);
    await recordOutcomes(db, 77, [outcome(false)], 2);
    expect(await loadPatterns(db, 77)).toMatchObject([{ successes: 100, failures: 2, updatedAt: 2 }]);
  });

  test('patterns are counted and preferences stored', async () => {
    const outcome = { kind: 'code' as const, difficulty: 'easy' as const, model: 'm' };
    await recordOutcomes(
      db,
      1,
      [
        { ...outcome, ok: true },
        { ...outcome, ok: false },
        { ...outcome, ok: true },
      ],
      70,
    );
    expect(await loadPatterns(db, 1)).toEqual([{ ...outcome, successes: 2, failures: 1, updatedAt: 70 }]);
    expect(await loadPatterns(db, 2)).toEqual([]);
    expect(await loadPreferences(db, 1)).toEqual({});
    await savePreferences(db, 1, { rerank_top_n: 3 }, 70);
    await savePreferences(db, 1, { rerank_top_n: 4 }, 71);
    expect(await loadPreferences(db, 1)).toEqual({ rerank_top_n: 4 });
  });
});
