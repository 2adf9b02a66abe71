import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openPlace, openSqlite } from './autonomous/autonomous.fixture.ts';
import type { ChatMessage } from './messages.ts';
import { type Scripted, type Stage, stage } from './scripted.fixture.ts';
import { addEntry } from './store/knowledge.ts';
import { savePreferences } from './store/preferences.ts';
import { findSession } from './store/sessions.ts';
import { latestSummary } from './store/summaries.ts';
import { writeEntry } from './turn/after-answer.ts';

const fact = { category: 'port', title: 'Master', content: 'Ingrid is the harbour master.', keywords: [] };
const oneFact = JSON.stringify({ facts: [{ ...fact, quote: 'harbour master of Bergen is Ingrid' }] });
const noFact = JSON.stringify({ facts: [] });
const text = 'The harbour master of Bergen is Ingrid, and her ship is the Alba.';

describe('background work of a turn', () => {
  const open = (facts = noFact) =>
    stage((_, purpose) =>
      purpose === 'extraction' ? facts : purpose === 'summary' ? 'They spoke of the harbour.' : 'Noted, the harbour.',
    );
  const after = async (preferences: object, svcMs: object, facts?: string): Promise<Stage & { counted: number[] }> => {
    const s = await open(facts);
    await savePreferences(s.deps.db, 1, { summarize_threshold: 2, ...preferences }, 0);
    const counted: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { meta } = await s.ask(`${text} ${i}`, { session_id: 's', ...svcMs });
      counted.push(meta.background_calls);
      await s.settled();
    }
    await s.close();
    return Object.assign(s, { counted });
  };
  const kinds = ({ calls, embedded }: Stage) => ({
    summaries: calls.filter(({ purpose }) => purpose === 'summary').length,
    extractions: calls.filter(({ purpose }) => purpose === 'extraction').length,
    embeddings: embedded.length,
  });

  test('runs completely if enabled, and is counted', async () => {
    const s = await after({ enable_knowledge_extraction: true }, {});
    expect(kinds(s)).toEqual({ summaries: 2, extractions: 3, embeddings: 3 });
    expect(s.counted).toEqual([2, 3, 3]);
  });
  test('does not run with `remember: false`, whatever the preferences say', async () => {
    const s = await after({ enable_knowledge_extraction: true }, { remember: false, use_vector_search: false });
    expect(kinds(s)).toEqual({ summaries: 0, extractions: 0, embeddings: 0 });
    expect(s.counted).toEqual([0, 0, 0]);
  });
  test('with `use_vector_search: false`, embeds neither facts nor messages', async () => {
    const s = await after(
      { enable_knowledge_extraction: true },
      { use_vector_search: false, memory_mode: 'selective' },
    );
    expect(kinds(s)).toEqual({ summaries: 2, extractions: 3, embeddings: 0 });
  });
  test('the preference disables embedding, and a request that searches enables it', async () => {
    expect(kinds(await after({ enable_embedding: false }, {})).embeddings).toBe(0);
    expect(kinds(await after({ enable_embedding: false }, { use_vector_search: true })).embeddings).toBeGreaterThan(0);
    // Neither nearest messages nor facts are a search.
    const besides = { memory_mode: 'selective', extract_knowledge: true };
    expect(kinds(await after({ enable_embedding: false }, besides, oneFact))).toEqual({
      summaries: 2,
      extractions: 3,
      embeddings: 0,
    });
  });
  test('a client without a session that resends its history pays only for new messages', async () => {
    const s = await open();
    await savePreferences(s.deps.db, 1, { summarize_threshold: 2 }, 0);
    const messages: ChatMessage[] = [];
    for (let i = 0; i < 4; i++) {
      messages.push({ role: 'user', content: `${text} Berth number ${i} is free.` });
      messages.push((await s.ask(messages)).message);
      await s.settled();
    }
    expect(s.embedded.map((texts) => texts.length)).toEqual([1, 1, 1, 1]);
    expect(kinds(s).summaries).toBe(0);
    await s.ask('Is berth number 1 free?', { use_vector_search: true });
    expect(JSON.stringify(s.calls.at(-1)!.messages)).toContain('Berth number 1 is free.');
    await s.close();
  });
  test('rewound messages are not found by later turns', async () => {
    const s = await open();
    const found = async (session_id: string) => {
      const asked = 'Who is the harbour master of Bergen?';
      await s.ask(asked, { session_id, use_vector_search: true, remember: false, rerank_threshold: 0 });
      return JSON.stringify(s.calls.at(-1)!.messages).includes('Ingrid');
    };
    const first = [{ role: 'user' as const, content: 'Hello, good people of the harbour' }];
    const hello = await s.ask(first, { session_id: 'a' });
    await s.ask([...first, hello.message, { role: 'user', content: text }], { session_id: 'a' });
    await s.settled();
    expect(await found('b')).toBe(true);
    await s.ask([...first, hello.message, { role: 'user', content: 'Never mind' }], { session_id: 'a' });
    await s.settled();
    expect(await found('c')).toBe(false);
    await s.close();
  });
  test('messages that must not be remembered are not found by later turns', async () => {
    const s = await open();
    await s.ask(text, { session_id: 'a', remember: false });
    await s.settled();
    const found = await s.ask('Who is the harbour master of Bergen?', { session_id: 'b', use_vector_search: true });
    expect(found.meta.vector_search_results).toBe(0);
    await s.close();
  });
});

describe('a summary', () => {
  /** Two turns of a session, before a third in which a summary falls due. */
  const due = async (summary: () => Scripted | Promise<Scripted>, then: (s: Stage) => Promise<void>) => {
    const s = await stage((_, purpose) => (purpose === 'summary' ? summary() : 'Noted, the harbour.'));
    await savePreferences(s.deps.db, 1, { summarize_threshold: 5, enable_embedding: false }, 0);
    for (let i = 0; i < 2; i++) await s.ask(`${text} ${i}`, { session_id: 's' });
    await then(s);
    await s.close();
  };
  const stored = async ({ deps }: Stage) => latestSummary(deps.db, (await findSession(deps.db, 1, 's', 0))!.ref);

  test('that takes longer than the answer is created once and counted for the session', async () => {
    const slow = Promise.withResolvers<string>();
    await due(
      () => slow.promise,
      async (s) => {
        const { meta } = await s.ask(`${text} 2`, { session_id: 's' });
        expect(meta).toMatchObject({ summary_updated: false, background_calls: 1 });
        expect((await s.ask(`${text} 3`, { session_id: 's' })).meta.background_calls).toBe(0);
        expect(s.calls.filter(({ purpose }) => purpose === 'summary')).toHaveLength(1);
        slow.resolve('They spoke of the harbour.');
        await s.settled();
        expect((await stored(s))?.text).toBe('They spoke of the harbour.');
        // Four answers and the summary, 15 each.
        expect(await findSession(s.deps.db, 1, 's', 0)).toMatchObject({ tokensUsed: 75 });
      },
    );
  });

  test('does not include messages rewound while it was created', async () => {
    const slow = Promise.withResolvers<string>();
    await due(
      () => slow.promise,
      async (s) => {
        await s.ask(`${text} 1`, { session_id: 's' });
        const before = [
          { role: 'user' as const, content: `${text} 0` },
          { role: 'assistant' as const, content: 'Noted, the harbour.' },
        ];
        await s.ask([...before, { role: 'user', content: 'Something else, please.' }], { session_id: 's' });
        slow.resolve('They spoke of the second thing.');
        await s.settled();
        expect(await stored(s)).toBeNull();
      },
    );
  });

  const half = { message: { role: 'assistant' as const, content: 'They spoke of' }, finishReason: 'length' };
  test.each([["I'm sorry, but I can't help with that."], ['  '], [half]])('that is %p replaces nothing', (bad) =>
    due(
      () => bad,
      async (s) => {
        expect((await s.ask(`${text} 1`, { session_id: 's' })).meta.summary_updated).toBe(false);
        expect(await stored(s)).toBeNull();
      },
    ),
  );
});

test('a session reports the tokens of all its calls, including those after the answer', async () => {
  const s = await stage(() => 'Noted, the harbour.');
  for (let i = 0; i < 2; i++) await s.ask(`${text} ${i}`, { session_id: 's' });
  await s.settled();
  // Each turn: one answer of 15 tokens, one embedding of 1.
  expect(await findSession(s.deps.db, 1, 's', 0)).toMatchObject({ tokensUsed: 32 });
  await s.close();
});

describe.each([true, false])('with enable_rerank %p', (enable_rerank) => {
  test('runs rerank recalled text accordingly', async () => {
    const database = await openSqlite();
    await savePreferences(database.db, 1, { enable_rerank, rerank_top_n: 3 }, 0);
    const entry = { title: 'Harbour', content: text, category: 'fact', keywords: [], projectId: null };
    await writeEntry(database.db, 1, (tx) => addEntry(tx, { ...entry, userId: 1, sourceSession: null }, 1));
    const asked: string[] = [];
    const place = await openPlace(
      database,
      ({ purpose }) =>
        purpose === 'evaluate' ? '{"score": 0.9}' : purpose === 'judge' ? '{"confidence": 1, "missing": []}' : 'Ingrid',
      {
        deps: {
          rerank: async ({ query, documents }) => {
            asked.push(query);
            const results = documents.map((_, index) => ({ index, relevance_score: 0.9 }));
            return { results, usage: { promptTokens: 1, completionTokens: 0 } };
          },
        },
      },
    );
    const message = 'Who is the harbour master of Bergen?';
    await place.call('POST', '/execute', { message, session_id: 's', stream_events: false });
    expect(asked).toEqual(enable_rerank ? [message] : []);
    const session = await findSession(database.db, 1, 's', 0);
    const { body } = await place.call('GET', '/s/status');
    expect(session!.tokensUsed).toBe(body.total_tokens_used);
    expect(session!.tokensUsed).toBeGreaterThan(0);
    await place.close();
    await database.close();
  });
});

describe('a request id', () => {
  let house: TestApp;
  beforeAll(async () => {
    house = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
  });
  afterAll(() => house.close());

  test('finds every call of its turn or run, and no other', async () => {
    const user = await house.user();
    const headers = { authorization: `Bearer ${await user.key()}` };
    const get = async (path: string) => (await (await user.call(path)).json()) as { data: Record<string, unknown[]> };
    const body = { model: 'svc/svc-ms', messages: [{ role: 'user', content: `${text} Who is she?` }] };
    const post = (path: string, sent: object) => house.call(path, { method: 'POST', headers, body: sent });
    const answer = await post('/v1/chat/completions', { ...body, svc_ms: { extract_knowledge: true } });
    const { svc_ms_meta: meta } = (await answer.json()) as { svc_ms_meta: Record<string, number | string> };
    expect(meta).toMatchObject({ request_id: answer.headers.get('x-request-id')!, cost: 0, background_calls: 2 });
    await post('/v1/chat/completions', { ...body, model: 'demo/chat' });
    const run = await post('/api/svc-ms/autonomous/execute', { message: 'Say something', stream_events: false });
    const { execution_id } = (await run.json()) as { execution_id: string };
    for (const [id, least] of [[`${meta.request_id}`, 3] as const, [execution_id, 2] as const]) {
      const logs = async () =>
        (await get(`/api/usage/logs?parent_request_id=${id}`)).data.logs as {
          parent_request_id: string;
          model: string;
        }[];
      await until('the calls are written', async () => (await logs()).length >= least);
      const found = await logs();
      expect(new Set(found.map((log) => log.parent_request_id))).toEqual(new Set([id]));
      const { decisions } = (await get(`/api/routing/decisions?parent_request_id=${id}`)).data;
      expect(decisions!.length).toBe(found.length);
      const csv = await (await user.call(`/api/usage/logs?parent_request_id=${id}&format=csv`)).text();
      expect(csv.trim().split('\n')).toHaveLength(found.length + 1);
      expect(csv).toContain('parent_request_id');
    }
    const all = (await get('/api/usage/logs')).data.logs as { parent_request_id: string | null }[];
    expect(all.filter((log) => log.parent_request_id === null)).toHaveLength(1);
    const stranger = await house.user();
    const others = await stranger.call(`/api/usage/logs?parent_request_id=${execution_id}`);
    expect(((await others.json()) as { data: { total: number } }).data.total).toBe(0);
  });
});

test('a failed turn counts its tokens', async () => {
  const s = await stage(() => ({ message: { role: 'assistant', content: '' } }));
  await s.ask('Hello', { session_id: 's' }).catch(() => {});
  expect(await findSession(s.deps.db, 1, 's', 0)).toMatchObject({ tokensUsed: 45 });
  await s.close();
});
