import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { PostgresPool } from '../platform/db/postgres-pool.ts';
import { engineOf } from '../platform/db/tables.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** What a warm request asks of the database: nothing before its upstream is called, one statement after. */
let relay: RelayTest;
let upstream: ScriptedUpstream;
/** Statements so far, but for those that the process makes by itself. */
const statements: string[] = [];
let before = -1;
const byItself = /\bowners\b|\bwanted\b|pg_stat|routing_|jobs\b/;

const unsafe = PostgresPool.prototype.unsafe;
const spied = spyOn(PostgresPool.prototype, 'unsafe').mockImplementation(function (this: PostgresPool, text, values) {
  if (!byItself.test(text)) statements.push(text);
  return unsafe.call(this, text, values);
});

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(100_000_000);
  upstream = scriptedUpstream(() => {
    before = statements.length;
    return Response.json({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
  });
  await addUpstream(relay.test, upstream.url, [{ model_id: 'm', prompt_price: 2, completion_price: 2 }]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
  spied.mockRestore();
});

test('none before the upstream is called, one after', async () => {
  if (engineOf(relay.test.platform.database.db) === 'sqlite') return;
  const ask = async (path: string) => {
    const answer = await relay.post(path, { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
    expect(answer.status).toBe(200);
    await answer.text();
  };
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    await ask(path);
    // What the process does by itself now and then may fall into one try, never into all of them.
    let seen = { before: -1, after: -1 };
    for (let tries = 0; tries < 20 && !(seen.before === 0 && seen.after === 1); tries += 1) {
      statements.length = 0;
      await ask(path);
      seen = { before, after: statements.length - before };
    }
    expect({ path, ...seen }).toEqual({ path, before: 0, after: 1 });
    expect(statements[0]).toContain('insert into usage_logs');
  }
});
