import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';

/*
 * Answered and failed requests of two users side by side, eight of them in each second. The same list is put together here by
 * comparing every row, and every filter must show exactly what that says, however long its pages.
 */

interface Row {
  request_id: string;
  user: number;
  key: number;
  model: string;
  status: string | number;
  parent: string | null;
  at: number;
  id: number;
}

const start = 1_700_000_000;
const second = (i: number): number => start + Math.floor(i / 4);

let house: TestApp;
let root: Member;
let users: Member[];
let rows: Row[];

const rowOf = (i: number, kind: 'answered' | 'failed'): Row => ({
  request_id: `${kind}-${i}`,
  user: users[i % 2]!.id,
  key: 100 + (i % 3),
  model: i % 5 === 0 ? 'rare' : 'usual',
  status: kind === 'failed' ? (i % 4 === 0 ? 429 : 502) : i % 7 === 0 ? 'aborted' : 'ok',
  parent: i % 11 === 0 ? 'req_turn' : null,
  at: second(i),
  id: i,
});

async function insert(kind: 'answered' | 'failed', count: number): Promise<Row[]> {
  const { db } = house.platform.database;
  const made = Array.from({ length: count }, (_, i) => rowOf(i + 1, kind));
  for (const { request_id, user, key, model, status, parent, at } of made) {
    if (kind === 'failed')
      await sql`insert into failed_requests (request_id, user_id, key_id, model_id, endpoint, status, code, message, duration_ms,
          parent_request_id, created_at)
        values (${request_id}, ${user}, ${key}, ${model}, '/v1/chat/completions', ${status}, 'provider_error', 'No.', 1,
          ${parent}, ${at})`.execute(db);
    else
      await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
          completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
          duration_ms, first_token_ms, parent_request_id, created_at)
        values (${request_id}, ${user}, ${key}, ${model}, '/v1/chat/completions', 'p', 1, 1, 1, 0, 0, 0, 0, 5, 0, 0, ${status},
          1, 1, ${parent}, ${at})`.execute(db);
  }
  return made;
}

beforeAll(async () => {
  house = await openTestApp();
  await house.setOption('RateLimitEnabled', false);
  [root, users] = [await house.root(), [await house.user(), await house.user()]];
  rows = [...(await insert('answered', 45)), ...(await insert('failed', 40))];
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    select user_id, created_at / 86400, model_id, key_id, count(*), 1, 1, sum(quota) from usage_logs group by 1, 2, 3, 4`.execute(
    house.platform.database.db,
  );
});
afterAll(() => house.close());

interface Listed {
  request_id: string;
  status: string;
}

async function byCursor(by: Member, path: string, pageSize: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await by.call(`${path}page_size=${pageSize}${cursor && `&cursor=${cursor}`}`);
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: { requests: Listed[]; next_cursor: string | null } };
    expect(data.requests.length).toBeLessThanOrEqual(pageSize);
    ids.push(...data.requests.map(({ request_id }) => request_id));
    cursor = data.next_cursor;
  }
  return ids;
}

const order = ({ status }: Row): number => (typeof status === 'number' ? 1 : 0);

/** Newest first; of one second what failed comes first. */
const expected = (matches: (row: Row) => boolean): string[] =>
  rows
    .filter(matches)
    .sort((a, b) => b.at - a.at || order(b) - order(a) || b.id - a.id)
    .map(({ request_id }) => request_id);

const filters: [string, (row: Row) => boolean][] = [
  ['', () => true],
  ['status=answered&', ({ status }) => typeof status === 'string'],
  ['status=failed&', ({ status }) => typeof status === 'number'],
  ['status=incomplete&', ({ status }) => status === 'aborted'],
  ['status=429&', ({ status }) => status === 429],
  ['status=404&', () => false],
  ['model=rare&', ({ model }) => model === 'rare'],
  ['model=none&', () => false],
  ['token_id=101&', ({ key }) => key === 101],
  ['token_id=101&model=rare&', ({ key, model }) => key === 101 && model === 'rare'],
  ['status=incomplete&token_id=101&', ({ status, key }) => status === 'aborted' && key === 101],
  ['status=502&model=rare&', ({ status, model }) => status === 502 && model === 'rare'],
  ['parent_request_id=req_turn&', ({ parent }) => parent === 'req_turn'],
  ['parent_request_id=req_turn&model=rare&', ({ parent, model }) => parent === 'req_turn' && model === 'rare'],
  [`from=${second(9)}&to=${second(20)}&`, ({ at }) => at >= second(9) && at <= second(20)],
];

describe.each(filters)('%p', (filter, matches) => {
  test.each([1, 6, 100])('pages of %p', async (size) => {
    const [first] = users as [Member, Member];
    const own = expected((row) => row.user === first.id && matches(row));
    expect(await byCursor(first, `/api/requests?${filter}`, size)).toEqual(own);
    if (size === 1) return;
    expect(await byCursor(root, `/api/admin/requests?${filter}`, size)).toEqual(expected(matches));
    expect(await byCursor(root, `/api/admin/requests?user_id=${first.id}&${filter}`, size)).toEqual(own);
  });
});

test('invalid filter values and unknown parameters are rejected', async () => {
  const wrong = [
    'status=ok',
    'status=600',
    'status=',
    'token_id=x',
    'cursor=x',
    'cursor=MS4y',
    'from=2&to=1',
    'page=1',
  ];
  for (const query of [...wrong, `user_id=${users[1]!.id}`]) {
    const answer = await users[0]!.call(`/api/requests?${query}`);
    expect([query, answer.status]).toEqual([query, 400]);
    expect(await answer.json()).toMatchObject({ success: false });
  }
  expect((await users[0]!.call('/api/admin/requests')).status).toBe(403);
  expect((await house.call('/api/requests')).status).toBe(401);
});

test('a search with few matches continues on the next page without gaps', async () => {
  const { db } = house.platform.database;
  const third = await house.user();
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 4500)`;
  await sql`insert into failed_requests (request_id, user_id, key_id, model_id, endpoint, status, code, message, duration_ms,
      created_at)
    ${numbers} select 'many-' || i, ${third.id}, 0, 'm', '/v1/chat/completions', case when i in (3, 2500, 4400) then 429 else 502 end,
      'c', '', 1, ${start} + i / 10 from n`.execute(db);
  const few = ['many-4400', 'many-2500', 'many-3'];
  expect(await byCursor(third, '/api/requests?status=429&', 2)).toEqual(few);
  expect(await byCursor(third, '/api/requests?status=429&', 20)).toEqual(few);
});
