import { afterAll, beforeAll, expect, test } from 'bun:test';
import { watchPool } from '../platform/db/pool-statements.fixture.ts';
import { engineOf } from '../platform/db/tables.ts';
import { openPayingTest, type PayingTest } from './paying.fixture.ts';

/** What a warm request with an access token asks of the database: as little as one with a key. */
let t: PayingTest;
const byItself = /\bowners\b|\bwanted\b|pg_stat|routing_|jobs\b|last_used_at/;
const { statements, stop } = watchPool(byItself);

beforeAll(async () => {
  t = await openPayingTest();
});
afterAll(async () => {
  await t.close();
  stop();
});

test('a warm request runs only the charge statement', async () => {
  if (engineOf(t.platform.database.db) === 'sqlite') return;
  const { access_token } = await t.mayPay(await t.payingClient(), 100_000);
  const ask = async () => {
    const answer = await t.ask(access_token);
    expect(answer.status).toBe(200);
    await answer.text();
  };
  await ask();
  // What the process does by itself now and then may fall into one try, never into all of them.
  let seen: string[] = [];
  for (let tries = 0; tries < 20 && seen.length !== 1; tries += 1) {
    statements.length = 0;
    await ask();
    seen = [...statements];
  }
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('insert into usage_journal');
});
