import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import type { Member } from '../app.fixture.ts';
import { sweepUsage } from '../billing/store/usage.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { addUpstream } from '../relay/scripted-upstream.fixture.ts';
import { openWorld, type World } from './organisations.fixture.ts';

/** Half an hour before December in Vienna, an hour and a half before it in UTC. */
const clock = manualClock(Date.UTC(2026, 10, 30, 22, 30));
const hour = 3_600_000;
let world: World;
let owner: Member;
let member: Member;
let id: number;
let teamId: number;
const path = (rest = '') => `/api/organisations/${id}${rest}`;

/** 10 plain tokens at 100, 20 from a cache at 10, and 5 of the answer at 200 dollars a million. */
const costs = { prompt: 500, cacheRead: 100, completion: 500 };
const cost = costs.prompt + costs.cacheRead + costs.completion;

beforeAll(async () => {
  world = await openWorld({ clock });
  await addUpstream(world.t, world.upstream.url, [
    { model_id: 'parts', prices: { prompt: 100, completion: 200, cache_read: 10 } },
  ]);
  world.upstream.answer(() =>
    Response.json({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: {
        ...{ prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 },
        prompt_tokens_details: { cached_tokens: 20 },
      },
    }),
  );
  owner = await world.t.user();
  const made = await world.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', {
    ...{ name: '@Acme, "Vienna"', time_zone: 'Europe/Vienna' },
  });
  id = made.data.id;
  teamId = (await world.send(owner, 'POST', path('/teams'), { name: '=1+2' })).data.id;
  member = await world.join(owner, id, 'member', teamId);
  await world.credit(member.id, 1_000_000);
  await world.credit(made.data.account_id, 1_000_000);
});
afterAll(() => world.close());

const keyOf = async (by: Member, body: Record<string, unknown>) =>
  (await world.send<{ id: number; key: string }>(by, 'POST', path('/keys'), { name: 'k', ...body })).data;

const file = (query: string, by = owner) => by.call(path(`/accounting?${query}`));

/** Lines of the file by the names of its columns. No cell of these has a comma in it but the organisation's name. */
async function linesOf(query: string): Promise<Record<string, string>[]> {
  const answer = await file(query);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const [header, ...lines] = (await answer.text()).trim().replace('"\'@Acme, ""Vienna"""', 'ACME').split('\r\n');
  const names = header!.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i]!, cell])));
}

const usd = (quota: number) => (quota / 500_000).toFixed(6);

test('exports a month in the organisation’s time zone, by level and part, exact to the unit', async () => {
  const own = await keyOf(member, { name: '+49', team_id: teamId });
  const ofTeam = await keyOf(owner, { owner: 'team', team_id: teamId, name: 'robot' });
  const free = await keyOf(owner, { name: 'none' });
  await world.credit(owner.id, 1_000_000);
  expect((await world.ask(own.key, 'parts')).status).toBe(200);
  // December in Vienna, November in UTC.
  clock.advance(hour);
  for (const key of [own, ofTeam, free]) expect((await world.ask(key.key, 'parts')).status).toBe(200);
  clock.advance(hour);
  expect((await world.ask(own.key, 'parts')).status).toBe(200);
  await until('all of it is written', async () => (await linesOf('month=2026-12'))[0]?.requests === '4');

  const december = { month: '2026-12', time_zone: 'Europe/Vienna' };
  expect(await linesOf('month=2026-12')).toEqual([
    {
      ...{ ...december, level: 'organisation', id: `${id}`, name: 'ACME', requests: '4', units: '0' },
      ...{ prompt_tokens: '120', completion_tokens: '20', cache_read_tokens: '80', cache_write_tokens: '0' },
      ...{ cache_write_1h_tokens: '0', reasoning_tokens: '0', audio_in_tokens: '0', image_in_tokens: '0' },
      ...{ audio_out_tokens: '0', prompt_usd: usd(4 * costs.prompt), completion_usd: usd(4 * costs.completion) },
      ...{ request_usd: usd(0), cache_read_usd: usd(4 * costs.cacheRead), cache_write_usd: usd(0) },
      ...{ cache_write_1h_usd: usd(0), reasoning_usd: usd(0), audio_in_usd: usd(0), audio_out_usd: usd(0) },
      ...{ image_in_usd: usd(0), unknown_usd: usd(0), shortfall_usd: usd(0), web_searches: '0', search_usd: usd(0) },
      ...{ quota: `${4 * cost}`, usd: usd(4 * cost) },
    },
  ]);
  const short = async (query: string) =>
    (await linesOf(query)).map((line) => [line.id, line.name, line.requests, line.quota]);
  // What spreadsheets would run is text.
  expect(await short('month=2026-12&level=team')).toEqual([
    ['', 'no team', '1', `${cost}`],
    [`${teamId}`, "'=1+2", '3', `${3 * cost}`],
  ]);
  const byMember = [
    ['', 'no member', '1', `${cost}`],
    [`${owner.id}`, owner.username, '1', `${cost}`],
    [`${member.id}`, member.username, '2', `${2 * cost}`],
  ];
  expect(await short('month=2026-12&level=member')).toEqual(byMember);
  expect(await short('month=2026-12&level=key')).toEqual([
    [`${own.id}`, "'+49", '2', `${2 * cost}`],
    [`${ofTeam.id}`, 'robot', '1', `${cost}`],
    [`${free.id}`, 'none', '1', `${cost}`],
  ]);
  expect(await short('month=2026-11&level=key')).toEqual([[`${own.id}`, "'+49", '1', `${cost}`]]);
  expect(await short('month=2027-01')).toEqual([]);
  // Keys, members and teams that are gone did use what they used.
  expect((await world.send(owner, 'DELETE', path(`/keys/${own.id}`))).status).toBe(200);
  expect((await world.send(owner, 'DELETE', path(`/members/${member.id}`))).status).toBe(200);
  expect((await world.send(owner, 'DELETE', path(`/teams/${teamId}`))).status).toBe(200);
  expect(await short('month=2026-12&level=member')).toEqual(byMember);
  expect(await short('month=2026-12&level=team')).toEqual([
    ['', 'no team', '1', `${cost}`],
    [`${teamId}`, '', '3', `${3 * cost}`],
  ]);
});

test('many entries within one second are each counted once', async () => {
  const { id: keyId } = await keyOf(owner, { name: 'busy' });
  const { db } = world.t.platform.database;
  const at = Date.UTC(2027, 4, 5) / 1000;
  await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
      duration_ms, first_token_ms, created_at, cost_parts)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 1201)
    select 'many-' || i, ${owner.id}, ${keyId}, 'parts', 'chat', 'p', 1, 2, 1, 0, 0, 0, 0.1, 3, 1, 0, 'ok', 1, 1, ${at},
      case when i = 1 then '' else '1,3' end from n`.execute(db);
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    values (${owner.id}, ${at / 86_400}, 'parts', ${keyId}, 1201, 2402, 1201, 3603)`.execute(db);
  expect(await linesOf('month=2027-05&level=key')).toMatchObject([
    {
      ...{ requests: '1201', prompt_tokens: '2402', units: '120.1', quota: '3603', shortfall_usd: usd(1201) },
      // What does not say what its parts cost is said to be unknown, so that the line adds up.
      ...{ prompt_usd: usd(1200), completion_usd: usd(3600), unknown_usd: usd(4) },
    },
  ]);
});

test('a month without single entries is taken from daily totals and marked as such', async () => {
  await sweepUsage(world.t.platform.database.db, Date.UTC(2026, 11, 10) / 1000);
  expect(await linesOf('month=2026-12&level=organisation')).toMatchObject([
    // Without what was November in UTC.
    { time_zone: 'UTC', requests: '1', prompt_tokens: '30', quota: `${cost}`, unknown_usd: usd(cost) },
  ]);
  expect(await linesOf('month=2027-05')).toMatchObject([{ time_zone: 'Europe/Vienna', requests: '1201' }]);
});

describe('accounting export', () => {
  test.each(['', 'month=2026', 'month=2026-13', 'month=2026-12&level=planet', 'month=2026-12&page=2'])(
    '%p is rejected',
    async (query) => {
      expect((await file(query)).status).toBe(400);
    },
  );

  test('requires the right to see all spending', async () => {
    expect((await file('month=2026-12', await world.join(owner, id, 'member'))).status).toBe(403);
    expect((await file('month=2026-12', await world.join(owner, id, 'viewer'))).status).toBe(200);
    expect((await file('month=2026-12', await world.t.user())).status).toBe(404);
  });
});
