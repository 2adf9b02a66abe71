import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { addUpstream } from '../relay/scripted-upstream.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

/** Half an hour before midnight in Vienna, in the middle of a month and at a week's end. */
const clock = manualClock(Date.UTC(2026, 10, 15, 22, 30));
const hour = 3_600_000;
let world: World;
let owner: Member;
beforeAll(async () => {
  world = await openWorld({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  owner = await world.t.user();
});
afterAll(() => world.close());

interface Budget {
  id: number;
  used: number;
  remaining: number;
  resets_at: number | null;
}

/** An organisation in Vienna with a team, a member in it, and a key of the member's. */
async function place() {
  const { data } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme', time_zone: 'Europe/Vienna' });
  const id = data.id;
  const path = (rest: string) => `/api/organisations/${id}${rest}`;
  const teamId = (await world.send(owner, 'POST', path('/teams'), { name: 'Research' })).data.id;
  const member = await world.join(owner, id, 'member', teamId);
  await world.credit(member.id, 1_000 * price);
  const made = await world.send<{ id: number; key: string }>(member, 'POST', path('/keys'), {
    name: 'k',
    team_id: teamId,
  });
  const levels = { organisation: id, team: teamId, member: member.id, key: made.data.id };
  const budget = async (level: keyof typeof levels, body: Record<string, unknown>) =>
    (await world.send<Budget>(owner, 'POST', path('/budgets'), { level, level_id: levels[level], ...body })).data;
  const budgets = async () => (await world.send<{ budgets: Budget[] }>(owner, 'GET', path('/budgets'))).data.budgets;
  return { id, path, member, key: made.data.key, levels, budget, budgets };
}

describe('hard budgets', () => {
  test.each(['organisation', 'team', 'member', 'key'] as const)(
    'a budget of a %s is named in the rejection',
    async (level) => {
      const { budget, key, budgets } = await place();
      await budget(level, { window: 'total', amount: 2 * price });
      expect((await world.ask(key)).status).toBe(200);
      expect((await world.ask(key)).status).toBe(200);
      const refused = await world.ask(key);
      expect(refused).toMatchObject({ status: 403, code: 'budget_exceeded' });
      expect(refused.message).toContain(level === 'key' ? 'this API key' : `this ${level}`);
      expect(refused.message).toContain('in total');
      expect(await budgets()).toMatchObject([{ used: 2 * price, remaining: 0, resets_at: null }]);
    },
  );

  test('a change of a budget gives away nothing of what a video holds', async () => {
    await addUpstream(world.t, world.upstream.url, [{ model_id: 'film', type: 'video', request_price: 0.0002 }]);
    const { budget, key, levels } = await place();
    const { id } = await budget('team', { window: 'total', amount: 6 * price });
    const headers = { authorization: `Bearer ${key}` };
    const body = { model: 'film', prompt: 'a storm', duration: 4 };
    expect((await world.t.call('/v1/videos', { method: 'POST', headers, body })).status).toBe(202);
    const path = `/api/organisations/${levels.organisation}/budgets/${id}`;
    for (const change of [{ alerts: [0.5] }, { hard: false }, { hard: true }])
      expect((await world.send(owner, 'PUT', path, change)).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await world.ask(key)).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
  });

  test('a budget resets at midnight in the organisation’s time zone, and the error says so', async () => {
    const { budget, key, budgets } = await place();
    await budget('team', { window: 'day', amount: price });
    expect((await world.ask(key)).status).toBe(200);
    const refused = await world.ask(key);
    expect(refused.message).toContain('a day');
    expect(refused.message).toContain('2026-11-16 00:00 (Europe/Vienna)');
    // Half an hour later it is another day there, and not yet in UTC.
    clock.advance(hour / 2 + 1_000);
    expect((await world.ask(key)).status).toBe(200);
    expect(await budgets()).toMatchObject([{ used: price, remaining: 0 }]);
    expect((await world.ask(key)).status).toBe(403);
    // The time of day is set back: the day before has nothing left.
    clock.jump(-hour);
    expect((await world.ask(key)).status).toBe(403);
    clock.jump(hour);
  });

  test('changing the time zone does not reset a budget', async () => {
    const { budget, key, path, budgets } = await place();
    await budget('organisation', { window: 'month', amount: price });
    expect((await world.ask(key)).status).toBe(200);
    for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
      expect((await world.send(owner, 'PUT', path(''), { time_zone })).status).toBe(200);
      expect(await world.ask(key)).toMatchObject({ code: 'budget_exceeded' });
      expect(await budgets()).toMatchObject([{ used: price, remaining: 0 }]);
    }
  });

  test('raising or lowering a budget keeps its usage', async () => {
    const { budget, key, path } = await place();
    const { id } = await budget('member', { window: 'week', amount: price });
    const set = (body: Record<string, unknown>) => world.send<Budget>(owner, 'PUT', path(`/budgets/${id}`), body);
    expect((await world.ask(key)).status).toBe(200);
    expect((await world.ask(key)).status).toBe(403);
    expect((await set({ amount: 3 * price })).data).toMatchObject({ used: price, remaining: 2 * price });
    expect((await world.ask(key)).status).toBe(200);
    expect((await set({ amount: price })).data).toMatchObject({ used: 2 * price, remaining: 0 });
    expect((await world.ask(key)).status).toBe(403);
    expect((await set({ hard: false })).status).toBe(200);
    expect((await world.ask(key)).status).toBe(200);
    expect((await set({ hard: true })).status).toBe(200);
    expect((await world.ask(key)).status).toBe(403);
    expect((await world.send(owner, 'DELETE', path(`/budgets/${id}`))).status).toBe(200);
    expect((await world.ask(key)).status).toBe(200);
  });

  test('a key moved to another team leaves the budget, and its usage stays', async () => {
    const { budget, key, path, levels, member, budgets } = await place();
    await budget('team', { window: 'month', amount: price });
    const other = (await world.send(owner, 'POST', path('/teams'), { name: 'Sales' })).data.id;
    const body = { level: 'team', level_id: other, window: 'month', amount: 2 * price };
    await world.send(owner, 'POST', path('/budgets'), body);
    const move = (team_id: number) => world.send(owner, 'PUT', path(`/keys/${levels.key}`), { team_id });
    expect((await world.ask(key)).status).toBe(200);
    expect((await world.ask(key)).status).toBe(403);
    expect((await move(other)).status).toBe(409);
    await world.send(owner, 'PUT', path(`/teams/${other}/members/${member.id}`));
    expect((await move(other)).data).toMatchObject({ team_id: other, owner: { type: 'user', id: member.id } });
    expect((await world.ask(key)).status).toBe(200);
    expect((await budgets()).map(({ used }) => used)).toEqual([price, price]);
    expect((await move(levels.team)).status).toBe(200);
    expect((await world.ask(key)).status).toBe(403);
  });

  test('a budget holds under concurrent requests', async () => {
    const { budget, key, budgets } = await place();
    await budget('organisation', { window: 'day', amount: 7 * price });
    await budget('team', { window: 'total', amount: 9 * price });
    const answers = await Promise.all(Array.from({ length: 40 }, () => world.ask(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['', 'budget_exceeded']));
    expect((await budgets()).map(({ used }) => used)).toEqual([7 * price, 7 * price]);
  });
});

describe('budget alerts', () => {
  test('each threshold alerts once per window, on the page and by webhook', async () => {
    const { budget, key, path, id } = await place();
    const heard: { event: string; organisation_id: number; data: { share: number } }[] = [];
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        expect(request.headers.get('x-svc-signature')).toBeTruthy();
        heard.push((await request.json()) as (typeof heard)[number]);
        return new Response(null, { status: 204 });
      },
    });
    const webhook_url = `http://127.0.0.1:${receiver.port}/`;
    expect((await world.send(owner, 'PUT', path(''), { webhook_url })).status).toBe(200);
    await budget('team', { window: 'day', amount: 4 * price, hard: false, alerts: [0.5, 1] });
    const shares = async () =>
      (await world.send<{ warnings: { share: number }[] }>(owner, 'GET', path('/warnings'))).data.warnings.map(
        ({ share }) => share,
      );
    await world.ask(key);
    await world.ask(key);
    await until('half of it is told', async () => (await shares()).length === 1);
    for (let n = 0; n < 4; n += 1) expect((await world.ask(key)).status).toBe(200);
    await until('all of it is told', async () => (await shares()).length === 2);
    expect(await shares()).toEqual([1, 0.5]);
    await until('the webhook has both', () => heard.length === 2);
    expect(heard.map(({ event, organisation_id, data }) => [event, organisation_id, data.share])).toEqual([
      ['budget_warning', id, 0.5],
      ['budget_warning', id, 1],
    ]);
    clock.advance(24 * hour);
    await world.ask(key);
    await world.ask(key);
    await until('it is told in the next window too', async () => (await shares()).length === 3);
    expect((await shares())[0]).toBe(0.5);
    await receiver.stop(true);
  });
});

describe('limits', () => {
  test('models and providers must be allowed at every level', async () => {
    const { key, path, levels } = await place();
    const set = (level: keyof typeof levels, body: Record<string, unknown>) =>
      world.send(owner, 'PUT', path(`/limits/${level}/${levels[level]}`), body);
    expect((await set('organisation', { models: ['m', 'other'] })).status).toBe(200);
    expect((await set('team', { models: ['m'] })).status).toBe(200);
    expect((await world.ask(key, 'm')).status).toBe(200);
    expect(await world.ask(key, 'other')).toMatchObject({ status: 403, code: 'model_not_allowed' });
    const listed = async () => {
      const answer = await world.t.call('/v1/models', { headers: { authorization: `Bearer ${key}` } });
      return ((await answer.json()) as { data: { id: string }[] }).data
        .map(({ id }) => id)
        .filter((id) => /^(m|other)$/.test(id));
    };
    const described = async (model: string) =>
      (await world.t.call(`/v1/models/${model}`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await listed()).toEqual(['m']);
    expect([await described('m'), await described('other')]).toEqual([200, 404]);
    expect((await set('member', { providers: ['somebody-else'] })).status).toBe(200);
    expect(await world.ask(key, 'm')).toMatchObject({ status: 404, code: 'no_available_provider' });
    expect(await listed()).toEqual([]);
    expect((await world.send(owner, 'DELETE', path(`/limits/member/${levels.member}`))).status).toBe(200);
    expect((await world.ask(key, 'm')).status).toBe(200);
  });

  test('requests and tokens per minute are limited', async () => {
    const { key, path, levels } = await place();
    const set = (body: Record<string, unknown>) => world.send(owner, 'PUT', path(`/limits/key/${levels.key}`), body);
    await set({ requests_per_minute: 2 });
    const statuses = [(await world.ask(key)).status, (await world.ask(key)).status];
    expect(statuses).toEqual([200, 200]);
    expect(await world.ask(key)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    await set({ tokens_per_minute: 6 });
    // Five tokens each: known when the answer is there.
    await world.ask(key);
    await until('the tokens of those before are too many', async () => (await world.ask(key)).status === 429);
  });

  test('a request with fallback models counts once', async () => {
    const { key, path, levels } = await place();
    await world.send(owner, 'PUT', path(`/limits/key/${levels.key}`), { requests_per_minute: 1 });
    const answer = await world.t.call('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: { model: 'gone', models: ['lost', 'm'], messages: [{ role: 'user', content: 'hello' }] },
    });
    expect(answer.status).toBe(200);
  });
});

test('budgets and limits of a deleted key end with it', async () => {
  const { path, levels, budget, budgets } = await place();
  await budget('key', { window: 'total', amount: price });
  await budget('team', { window: 'total', amount: price });
  const limits = async () => (await world.send<{ limits: unknown[] }>(owner, 'GET', path('/limits'))).data.limits;
  await world.send(owner, 'PUT', path(`/limits/key/${levels.key}`), { requests_per_minute: 1 });
  expect([(await budgets()).length, (await limits()).length]).toEqual([2, 1]);
  expect((await world.send(owner, 'DELETE', path(`/keys/${levels.key}`))).status).toBe(200);
  expect([(await budgets()).length, (await limits()).length]).toEqual([1, 0]);
  const late = { level: 'key', level_id: levels.key, window: 'day', amount: price };
  expect((await world.send(owner, 'POST', path('/budgets'), late)).status).toBe(400);
  // The row goes with the next one that is made.
  await budget('organisation', { window: 'day', amount: price });
  const rows = world.t.platform.database.db.selectFrom('organisation_budgets').select('id');
  expect(await rows.where('level', '=', 'key').where('level_id', '=', levels.key).execute()).toEqual([]);
});

test('invalid levels, windows, thresholds and time zones are rejected', async () => {
  const { path, levels } = await place();
  const other = await place();
  const body = { level: 'team', level_id: levels.team, window: 'day', amount: 5 };
  const post = async (given: Record<string, unknown>) =>
    (await world.send(owner, 'POST', path('/budgets'), { ...body, ...given })).status;
  expect(await post({ level_id: other.levels.team })).toBe(400);
  expect(await post({ level: 'key', level_id: other.levels.key })).toBe(400);
  expect(await post({ level: 'planet' })).toBe(400);
  expect(await post({ window: 'year' })).toBe(400);
  expect(await post({ amount: -1 })).toBe(400);
  expect(await post({ amount: 1.5 })).toBe(400);
  expect(await post({ alerts: [0] })).toBe(400);
  expect(await post({ alerts: [1.1] })).toBe(400);
  expect(await post({ unknown: 1 })).toBe(400);
  expect(await post({})).toBe(200);
  expect(await post({})).toBe(409);
  expect((await world.send(owner, 'PUT', path(''), { time_zone: 'Mars/Olympus' })).status).toBe(400);
  expect((await world.send(owner, 'PUT', other.path('/budgets/1'), { amount: 1 })).status).toBe(404);
});

test('usage, requests and audit entries are listed by level', async () => {
  const { key, path, levels, member } = await place();
  const free = { name: 'no team' };
  expect((await world.send(member, 'POST', path('/keys'), free)).status).toBe(400);
  const inTeam = { ...free, team_id: levels.team };
  const second = await world.send<{ key: string; id: number }>(member, 'POST', path('/keys'), inTeam);
  const out = { team_id: null };
  expect((await world.send(member, 'PUT', path(`/keys/${second.data.id}`), out)).status).toBe(403);
  expect((await world.send(owner, 'PUT', path(`/keys/${second.data.id}`), out)).status).toBe(200);
  for (const secret of [key, key, second.data.key]) expect((await world.ask(secret)).status).toBe(200);
  const total = async (query: string, by = owner) =>
    (await world.send<{ total: { requests: number; quota: number } }>(by, 'GET', path(`/usage${query}`))).data.total;
  expect(await total('')).toMatchObject({ requests: 3, quota: 3 * price });
  expect(await total(`?level=team&level_id=${levels.team}`)).toMatchObject({ requests: 2 });
  expect(await total(`?level=member&level_id=${member.id}`)).toMatchObject({ requests: 3 });
  expect(await total(`?level=key&level_id=${second.data.id}`)).toMatchObject({ requests: 1 });
  expect(await total('', member)).toMatchObject({ requests: 3 });
  const other = await world.join(owner, levels.organisation, 'member');
  expect(await total('', other)).toMatchObject({ requests: 0 });

  interface Logs {
    logs: { token_id: number }[];
    next_cursor: string | null;
  }
  const first = (await world.send<Logs>(owner, 'GET', path('/requests?page_size=2'))).data;
  expect(first.logs).toHaveLength(2);
  const rest = (await world.send<Logs>(owner, 'GET', path(`/requests?page_size=2&cursor=${first.next_cursor}`))).data;
  expect(rest.logs).toHaveLength(1);
  expect(rest.next_cursor).toBeNull();
  expect((await world.send(owner, 'GET', path('/usage?level=team'))).status).toBe(400);

  const file = async (query: string, by = owner) => {
    const answer = await by.call(path(`/requests?format=csv&${query}`));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    return (await answer.text()).trim().split('\r\n').slice(1);
  };
  const month = new Date(clock.nowMs()).toISOString().slice(0, 7);
  expect(await file(`month=${month}`)).toHaveLength(3);
  expect(await file(`month=${month}&level=team&level_id=${levels.team}`)).toHaveLength(2);
  expect(await file('month=2026-01')).toEqual([]);
  expect(await file('', other)).toEqual([]);
  for (const wrong of ['month=2026-13', `month=${month}&from=1`, 'format=xml'])
    expect((await world.send(owner, 'GET', path(`/requests?${wrong}`))).status).toBe(400);

  interface Decisions {
    decisions: { request_id: string; outcome: string }[];
  }
  await until('the decisions are written', async () => {
    const { data } = await world.send<Decisions>(owner, 'GET', path(`/decisions?level=key&level_id=${second.data.id}`));
    return data.decisions.length === 1;
  });

  const acts = (await world.send<{ logs: { action: string }[] }>(owner, 'GET', path('/audit'))).data.logs;
  expect(acts.map(({ action }) => action)).toContain('organisation_key_created');
  expect((await world.send(member, 'GET', path('/audit'))).status).toBe(403);
});
