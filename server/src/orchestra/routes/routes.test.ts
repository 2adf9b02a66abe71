import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPreferences } from '../preferences.ts';
import { respond } from '../respond.ts';
import { request, type Stage, stage } from '../scripted.fixture.ts';
import { openRouter } from './router.fixture.ts';

let s: Stage;
let router: ReturnType<typeof openRouter>;
let call: ReturnType<typeof openRouter>['call'];

beforeAll(async () => {
  const toolCall = { id: 'x', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
  s = await stage(({ tools }) =>
    tools
      ? { message: { role: 'assistant', content: null, tool_calls: [toolCall] } }
      : 'the answer to everything asked',
  );
  router = openRouter(s.deps);
  call = router.call;
});
afterAll(async () => {
  await router.close();
  await s.close();
});

describe('sessions', () => {
  test('are created, found, listed by tag, shown in detail and deleted', async () => {
    const made = await call('POST', '/sessions', { session_id: 'one', tags: ['work'] });
    expect(made).toMatchObject({ status: 201, body: { success: true, data: { session_id: 'one', tags: ['work'] } } });
    expect((await call('POST', '/sessions', { session_id: 'one' })).status).toBe(200);
    expect((await call('POST', '/sessions', {})).body.data.session_id).toMatch(/^ms-/);
    expect((await call('POST', '/sessions')).body.data.session_id).toMatch(/^ms-/);
    expect((await call('GET', '/sessions')).body.data).toMatchObject({ total: 3, page: 1, page_size: 20 });
    expect((await call('GET', '/sessions?tag=work')).body.data).toMatchObject({
      total: 1,
      sessions: [{ session_id: 'one' }],
    });
    await s.ask('What is the question?', { session_id: 'one' });
    const detail = (await call('GET', '/sessions/one')).body.data;
    expect(detail).toMatchObject({ total_messages: 2, has_active_plan: false, summary: null, active_plan: null });
    const history = (await call('GET', '/sessions/one/history?page_size=1&page=2')).body.data;
    expect(history).toMatchObject({ session_id: 'one', total: 2, page: 2 });
    expect(history.messages).toEqual([
      {
        id: expect.any(Number),
        role: 'assistant',
        content: 'the answer to everything asked',
        model: 'v/small',
        tokens: expect.any(Number),
        created_at: expect.any(Number),
      },
    ]);
    expect((await call('DELETE', '/sessions/one')).body.success).toBe(true);
    expect((await call('GET', '/sessions/one')).status).toBe(404);
    expect((await call('DELETE', '/sessions/one')).status).toBe(404);
  });

  test('a waiting plan is shown with its tasks', async () => {
    await respond(
      s.deps,
      request('Look it up', { session_id: 'plan' }, { tools: [{ type: 'function', function: { name: 'f' } }] }),
    );
    const { active_plan, has_active_plan } = (await call('GET', '/sessions/plan')).body.data;
    expect(has_active_plan).toBe(true);
    expect(active_plan).toMatchObject({
      status: 'waiting_for_tools',
      tasks: [{ id: 't1', status: 'waiting_for_tools' }],
    });
  });

  test("another user's session is not found", async () => {
    await call('POST', '/sessions', { session_id: 'mine' }, 1);
    expect((await call('GET', '/sessions/mine', undefined, 2)).status).toBe(404);
    expect((await call('GET', '/sessions/mine/history', undefined, 2)).status).toBe(404);
    expect((await call('DELETE', '/sessions/mine', undefined, 2)).status).toBe(404);
    expect((await call('GET', '/sessions', undefined, 2)).body.data.total).toBe(0);
  });

  test('invalid input is rejected', async () => {
    expect((await call('POST', '/knowledge')).status).toBe(415);
    expect((await call('PUT', '/user/preferences')).status).toBe(415);
    expect((await call('POST', '/sessions', { session_id: 'a b' })).body).toMatchObject({ success: false });
    expect((await call('POST', '/sessions', { session_id: 'x'.repeat(129) })).status).toBe(400);
    expect((await call('POST', '/sessions', { tags: 'work' })).status).toBe(400);
    expect((await call('GET', '/sessions/a%20b')).status).toBe(404);
  });
});

describe('knowledge', () => {
  const entry = { category: 'infra', title: 'Staging', content: 'The database listens on port 5433', keywords: ['db'] };
  test('is created, searched, changed and deleted', async () => {
    const made = await call('POST', '/knowledge', entry);
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      ...entry,
      id: expect.any(String),
      source_session: null,
      source: null,
      quote: null,
      source_message: null,
      created_at: expect.any(Number),
    });
    await call('POST', '/knowledge', {
      ...entry,
      category: 'pets',
      title: 'Cat',
      content: 'Sleeps all day',
      keywords: [],
    });
    await s.settled();
    expect((await call('GET', '/knowledge')).body.data.map((e: { title: string }) => e.title)).toEqual([
      'Cat',
      'Staging',
    ]);
    expect((await call('GET', '/knowledge?limit=1')).body.data).toHaveLength(1);
    expect((await call('GET', '/knowledge?category=infra')).body.data).toHaveLength(1);
    expect((await call('GET', '/knowledge?q=which%20port%20for%20databases')).body.data).toMatchObject([
      { title: 'Staging' },
    ]);
    expect((await call('GET', '/knowledge?q=db')).body.data).toMatchObject([{ title: 'Staging' }]);
    expect((await call('GET', '/knowledge?q=port&category=pets')).body.data).toEqual([]);
    const { id } = made.body.data;
    const changed = await call('PUT', `/knowledge/${id}`, { content: 'Now it listens on 6000' });
    expect(changed.body.data).toMatchObject({ title: 'Staging', content: 'Now it listens on 6000' });
    expect((await call('GET', '/knowledge?q=5433')).body.data).toEqual([]);
    expect((await call('GET', '/knowledge?q=6000')).body.data).toHaveLength(1);
    expect((await call('GET', `/knowledge/${id}`)).body.data.id).toBe(id);
    expect((await call('GET', `/knowledge/${id}`, undefined, 2)).status).toBe(404);
    expect((await call('PUT', `/knowledge/${id}`, { title: 'x' }, 2)).status).toBe(404);
    expect((await call('DELETE', `/knowledge/${id}`, undefined, 2)).status).toBe(404);
    expect((await call('DELETE', `/knowledge/${id}`)).status).toBe(200);
    expect((await call('GET', '/knowledge?q=6000')).body.data).toEqual([]);
  });

  test('invalid input is rejected', async () => {
    expect((await call('POST', '/knowledge', { ...entry, title: '' })).status).toBe(400);
    expect((await call('POST', '/knowledge', { ...entry, keywords: 'db' })).status).toBe(400);
    expect((await call('POST', '/knowledge', { title: 'x' })).body.message).toContain('category');
    expect((await call('GET', '/knowledge?limit=many')).status).toBe(400);
    expect((await call('GET', '/knowledge/kn-none')).status).toBe(404);
  });
});

describe('preferences and patterns', () => {
  const path = '/user/preferences';
  test('support every field, a partial update and a reset', async () => {
    expect((await call('GET', path)).body).toEqual({ success: true, data: defaultPreferences });
    const changed = await call('PUT', path, { rerank_top_n: 3, hard_model: 'v/big' });
    expect(changed.body.data).toEqual({ ...defaultPreferences, rerank_top_n: 3, hard_model: 'v/big' });
    expect((await call('PUT', path, { rerank_top_n: null })).body.data.rerank_top_n).toBe(10);
    expect((await call('GET', path)).body.data.hard_model).toBe('v/big');
    expect((await call('GET', path, undefined, 2)).body.data).toEqual(defaultPreferences);
  });

  test('one invalid field changes nothing', async () => {
    const before = (await call('GET', path)).body.data;
    for (const bad of [
      { auto_summarize: 'no' },
      { max_tasks_per_plan: 0 },
      { easy_model: 'v/none' },
      { easy_model: 'v/embed' },
    ]) {
      const refused = await call('PUT', path, { summarize_threshold: 5, ...bad });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ success: false, message: expect.stringContaining(Object.keys(bad)[0]!) });
    }
    expect((await call('GET', path)).body.data).toEqual(before);
  });

  test('learned patterns are shown', async () => {
    await s.ask('What is the question?');
    await s.settled();
    const { patterns } = (await call('GET', '/patterns')).body.data;
    expect(patterns).toContainEqual(
      expect.objectContaining({
        kind: 'question',
        difficulty: 'easy',
        model: 'v/small',
        success_rate: 1,
        in_use: false,
      }),
    );
    expect((await call('GET', '/patterns', undefined, 2)).body.data.patterns).toEqual([]);
  });
});

test.each([
  ['GET', '/sessions'],
  ['GET', '/sessions/one'],
  ['GET', '/sessions/one/history'],
  ['DELETE', '/sessions/one'],
  ['GET', '/knowledge'],
  ['GET', '/knowledge/1'],
  ['GET', '/user/preferences'],
  ['GET', '/patterns'],
])('%s %s rejects an unknown parameter by name', async (method, path) => {
  const { status, body } = await call(method, `${path}?query=tea`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ success: false, message: 'query: there is no such parameter.' });
});
