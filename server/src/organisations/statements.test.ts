import { afterAll, beforeAll, expect, test } from 'bun:test';
import { watchPool } from '../platform/db/pool-statements.fixture.ts';
import { engineOf } from '../platform/db/tables.ts';
import { saidHello } from '../relay/scripted-upstream.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

/** What a warm request under a budget at every level asks of the database: nothing before its upstream is called, one statement after. */
let world: World;
let before = -1;
const byItself =
  /\bowners\b|\bwanted\b|pg_stat|routing_|jobs\b|budget_windows_now|from "organisation_budgets" where "id" in/;
const { statements, stop } = watchPool(byItself);

beforeAll(async () => {
  world = await openWorld();
  world.upstream.answer(() => {
    before = statements.length;
    return saidHello();
  });
});
afterAll(async () => {
  await world.close();
  stop();
});

test('a request runs no statement before the upstream call and one after, and the remaining budget is returned', async () => {
  const owner = await world.t.user();
  await world.credit(owner.id, 1_000 * price);
  const { data } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' });
  const path = `/api/organisations/${data.id}`;
  const team = (await world.send(owner, 'POST', `${path}/teams`, { name: 'Research' })).data.id;
  await world.send(owner, 'PUT', `${path}/teams/${team}/members/${owner.id}`);
  const made = await world.send<{ id: number; key: string }>(owner, 'POST', `${path}/keys`, {
    name: 'k',
    team_id: team,
  });
  const levels = { organisation: data.id, team, member: owner.id, key: made.data.id };
  for (const [level, level_id] of Object.entries(levels)) {
    const body = { level, level_id, window: 'month', amount: 500 * price };
    expect((await world.send(owner, 'POST', `${path}/budgets`, body)).status).toBe(200);
  }
  const ask = async () => {
    const answer = await world.t.call('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${made.data.key}` },
      body: { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    return Number(answer.headers.get('x-svc-budget-remaining'));
  };
  expect(await ask()).toBe(499 * price);
  expect(await ask()).toBe(498 * price);
  if (engineOf(world.t.platform.database.db) === 'sqlite') return;
  // What the process does by itself now and then may fall into one try, never into all of them.
  let seen = { before: -1, after: -1 };
  for (let tries = 0; tries < 20 && !(seen.before === 0 && seen.after === 1); tries += 1) {
    statements.length = 0;
    await ask();
    seen = { before, after: statements.length - before };
  }
  expect(seen).toEqual({ before: 0, after: 1 });
  expect(statements[0]).toContain('insert into usage_journal');
});
