import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { roles } from '../identity/user.ts';
import { manualClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { requestId } from '../lib/ids.ts';
import type { Call } from '../platform/http/route.ts';
import type { Billing } from './billing.ts';
import { addKey, addUser, booksOf, engines, openTestBilling, type TestDb } from './engines.fixture.ts';
import { billingRoutes } from './routes.ts';

describe.each(engines)('usage and ledger routes on $name', (engine) => {
  const clock = manualClock(Date.UTC(2023, 10, 14, 22, 13, 20));
  let open: TestDb;
  let billing: Billing;
  let alice: number;
  let bob: number;
  let key: number;

  async function call(asUser: number, method: string, target: string, body?: unknown) {
    const url = new URL(target, 'http://localhost');
    for (const route of billingRoutes({ db: open.db, clock, billing })) {
      const match = new RegExp(`^${route.path.replace('{id}', '(?<id>[^/]+)')}$`).exec(url.pathname);
      if (route.method !== method || !match) continue;
      const parts = { body, query: Object.fromEntries(url.searchParams), params: match.groups ?? {} };
      const parsed: Record<string, unknown> = {};
      for (const name of ['params', 'query', 'body'] as const) {
        const result = route[name]?.safeParse(parts[name]);
        if (result?.error) return { status: 400, param: String(result.error.issues[0]!.path[0]), data: null, text: '' };
        parsed[name] = result?.data;
      }
      try {
        const principal = { user: { id: asUser, role: roles.root } };
        const response = await route.handle({ ...parsed, principal, headers: {} } as unknown as Call);
        const text = await response.text();
        return { status: response.status, text, data: text.startsWith('{') ? JSON.parse(text).data : null };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { status: error.status, param: error.extras.param, data: null, text: error.message };
      }
    }
    throw new Error(`no route for ${target}`);
  }

  async function request(userId: number, model: string, cost: number, keyId: number | null = null) {
    const hold = await billing.hold({
      requestId: requestId(),
      userId,
      keyId,
      keyUnlimited: true,
      amount: 50,
      modelId: model,
    });
    const usage = { promptTokens: 10, completionTokens: 5 };
    await billing.settle(hold, { cost, usage, endpoint: '/v1/chat/completions', provider: '=acme', stream: true });
  }

  beforeAll(async () => {
    open = await engine.open();
    billing = await openTestBilling(open, clock);
    [alice, bob] = [await addUser(open.db, 1000), await addUser(open.db, 1000)];
    key = await addKey(open.db, alice, 0, true);
    await request(alice, 'a/one', 3, key);
    await request(alice, 'a/two', 4);
    await request(bob, 'a/one', 5);
    clock.advance(86_400_000);
    for (let i = 0; i < 3; i++) await request(alice, 'a/one', 10 + i);
  });
  afterAll(async () => {
    await billing.stop();
    await open.drop();
  });

  test("logs are limited to one's own, newest first, paged and filtered", async () => {
    const all = await call(alice, 'get', '/api/usage/logs?page_size=2');
    expect(all.data).toMatchObject({ total: 5, page: 1, page_size: 2 });
    expect(all.data.logs.map((log: { quota: number }) => log.quota)).toEqual([12, 11]);
    expect(all.data.logs[0]).toMatchObject({
      model: 'a/one',
      token_id: null,
      stream: true,
      status: 'ok',
      user_id: alice,
    });
    const last = await call(alice, 'get', '/api/usage/logs?page_size=2&page=3');
    expect(last.data.logs.map((log: { quota: number }) => log.quota)).toEqual([3]);
    expect((await call(alice, 'get', '/api/usage/logs?model=a/two')).data.total).toBe(1);
    const byKey = await call(alice, 'get', `/api/usage/logs?token_id=${key}`);
    expect(byKey.data.logs.map((log: { token_id: number }) => log.token_id)).toEqual([key]);
    expect((await call(bob, 'get', `/api/usage/logs?token_id=${key}`)).data.total).toBe(0);
    expect((await call(bob, 'get', '/api/admin/usage/logs')).data.total).toBe(6);
    expect((await call(bob, 'get', `/api/admin/usage/logs?user_id=${bob}`)).data.total).toBe(1);
  });

  test('totals match the rows for any part of a day', async () => {
    const now = Math.floor(clock.nowMs() / 1000);
    const ranges = [
      [now - 86_400, now - 86_400, 2],
      [now - 86_400, now, 5],
      [now - 86_399, now, 3],
      [now + 1, now + 99, 0],
      [0, now - 1, 2],
      [now - 90_000, now + 90_000, 5],
      [1_699_920_000, 1_700_006_399, 2],
    ];
    for (const [from, to, total] of ranges) {
      const { data } = await call(alice, 'get', `/api/usage/logs?from=${from}&to=${to}`);
      expect([from, to, data.total, data.logs.length]).toEqual([from, to, total, total]);
    }
  });

  test('summaries per day, model and key', async () => {
    const days = await call(alice, 'get', '/api/usage/summary');
    expect(days.data.items).toEqual([
      { day: '2023-11-14', requests: 2, prompt_tokens: 20, completion_tokens: 10, quota: 7 },
      { day: '2023-11-15', requests: 3, prompt_tokens: 30, completion_tokens: 15, quota: 33 },
    ]);
    expect(days.data.total).toEqual({ requests: 5, prompt_tokens: 50, completion_tokens: 25, quota: 40 });
    const models = await call(alice, 'get', '/api/usage/summary?group_by=model');
    expect(models.data.items.map((one: { model: string; quota: number }) => [one.model, one.quota])).toEqual([
      ['a/one', 36],
      ['a/two', 4],
    ]);
    const keys = await call(alice, 'get', '/api/usage/summary?group_by=token');
    expect(keys.data.items.map((one: { token_id: number; quota: number }) => [one.token_id, one.quota])).toEqual([
      [null, 37],
      [key, 3],
    ]);
    const together = await call(alice, 'get', '/api/usage/summary?also=model,token');
    expect(together.data).toEqual({ ...days.data, also: { model: models.data.items, token: keys.data.items } });
    for (const odd of ['year', 'model,', 'model,model,model,model', ''])
      expect([odd, (await call(alice, 'get', `/api/usage/summary?also=${odd}`)).status]).toEqual([odd, 400]);
    expect((await call(alice, 'get', '/api/admin/usage/summary?group_by=model')).data.total.quota).toBe(45);
    expect((await call(alice, 'get', '/api/usage/summary?from=0')).status).toBe(400);
  });

  test('export as CSV', async () => {
    const { text } = await call(alice, 'get', '/api/usage/logs?format=csv&model=a/one');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toStartWith('id,request_id,user_id,token_id,model');
    expect(lines[1]).toContain(",'=acme,");
  });

  test('credits are entered in the ledger; invalid ones change nothing', async () => {
    const carol = await addUser(open.db, 0);
    const given = await call(bob, 'post', `/api/admin/users/${carol}/credits`, { quota: 900, note: 'gift' });
    expect(given.data).toMatchObject({ kind: 'grant', amount: 900, balance_after: 900, note: 'gift', actor_id: bob });
    const wrong = [{ quota: 0 }, { quota: 1.5 }, { quota: '5' }, {}, { quota: 1e300 }, { quota: -901 }];
    for (const body of wrong) {
      const refused = await call(bob, 'post', `/api/admin/users/${carol}/credits`, body);
      expect([refused.status, refused.param]).toEqual([400, 'quota']);
    }
    expect((await call(bob, 'post', '/api/admin/users/987654/credits', { quota: 1 })).status).toBe(404);
    await request(carol, 'a/one', 7);
    const ledger = await call(carol, 'get', '/api/ledger');
    expect(ledger.data.total).toBe(2);
    expect(ledger.data.entries.map((one: { amount: number }) => one.amount)).toEqual([-7, 900]);
    expect(ledger.data.entries[0]).toMatchObject({ kind: 'usage', balance_after: 893, model: 'a/one', actor_id: null });
    expect((await call(bob, 'get', `/api/admin/ledger?user_id=${carol}`)).data.total).toBe(2);
    expect((await call(bob, 'get', '/api/admin/ledger')).data.total).toBe(8);
    expect(await booksOf(open.db, carol)).toMatchObject({ quota: 893 });
  });

  test('invalid queries are rejected', async () => {
    for (const query of ['from=abc', 'from=5&to=4', 'token_id=-1', 'format=xml', 'model=', 'page=900000&page_size=100'])
      expect((await call(alice, 'get', `/api/usage/logs?${query}`)).status).toBe(400);
    expect((await call(alice, 'get', '/api/usage/summary?group_by=user')).status).toBe(400);
  });

  test('the total of a summary is the same by day, model and key, also with more keys and models than are listed', async () => {
    const carol = await addUser(open.db, 0);
    const day = Math.floor(clock.nowMs() / 86_400_000);
    await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 1201)
      select ${carol}, ${sql.lit(day)} - i % 2, 'many/' || i, i, 1, 2, 3, 4 from n`.execute(open.db);
    for (const target of ['/api/usage/summary', `/api/admin/usage/summary?user_id=${carol}`])
      for (const by of ['day', 'model', 'token']) {
        const asked = `${target}${target.includes('?') ? '&' : '?'}group_by=${by}`;
        const { data } = await call(carol, 'get', asked);
        const total = { requests: 1201, prompt_tokens: 2402, completion_tokens: 3603, quota: 4804 };
        expect([by, data.total]).toEqual([by, total]);
      }
  });
});
