/** An organisation with more keys than one answer lists. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';
import { mostKeysAtOnce } from './store/keys.ts';

let world: World;
let owner: Member;
let member: Member;
let id: number;
const path = (rest: string) => `/api/organisations/${id}${rest}`;
const make = async (by: Member): Promise<number> =>
  (await world.send(by, 'POST', path('/keys'), { name: 'first' })).data.id;

/** More keys in the place of one, newer than it. */
async function multiply(keyId: number, count: number, options: { exist: boolean }): Promise<void> {
  const { db } = world.t.platform.database;
  const key = await db.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow();
  const place = await db
    .selectFrom('organisation_keys')
    .selectAll()
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow();
  const ids = Array.from({ length: count }, (_, index) => keyId * 100_000 + index);
  for (let from = 0; from < count; from += 500) {
    const part = ids.slice(from, from + 500);
    if (options.exist)
      await db
        .insertInto('api_keys')
        .values(part.map((one) => ({ ...key, id: one, key_hash: `hash ${one}` })))
        .execute();
    await db
      .insertInto('organisation_keys')
      .values(part.map((one) => ({ ...place, key_id: one })))
      .execute();
  }
}

beforeAll(async () => {
  world = await openWorld();
  owner = await world.t.user();
  id = (await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' })).data.id;
  member = await world.join(owner, id, 'member');
});
afterAll(() => world.close());

test('a member sees the budget of their key, however many keys they had since', async () => {
  const key = await make(member);
  const budget = { level: 'key', level_id: key, window: 'total', amount: price };
  expect(await world.send(owner, 'POST', path('/budgets'), budget)).toMatchObject({ status: 200 });
  await multiply(key, mostKeysAtOnce, { exist: false });
  const { data } = await world.send<{ budgets: { level_id: number }[] }>(member, 'GET', path('/budgets'));
  expect(data.budgets.map(({ level_id }) => level_id)).toEqual([key]);
});

test('all keys are listed, in parts', async () => {
  const key = await make(owner);
  await multiply(key, mostKeysAtOnce, { exist: true });
  const listed: number[] = [];
  const parts: number[] = [];
  let query = '';
  do {
    const { status, data } = await world.send<{ keys: { id: number }[]; next_cursor: string | null }>(
      owner,
      'GET',
      path(`/keys${query}`),
    );
    expect(status).toBe(200);
    parts.push(data.keys.length);
    listed.push(...data.keys.map((one) => one.id));
    query = data.next_cursor === null ? '' : `?cursor=${data.next_cursor}`;
  } while (query !== '');
  expect(parts).toEqual([mostKeysAtOnce, 2]);
  expect(new Set(listed).size).toBe(mostKeysAtOnce + 2);
  expect(listed).toContain(key);
  expect((await world.send(owner, 'GET', path('/keys?cursor=nonsense'))).status).toBe(400);
});
