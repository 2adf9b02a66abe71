import { afterAll, beforeAll, expect, test } from 'bun:test';
import { watchPool } from '../platform/db/pool-statements.fixture.ts';
import { engineOf } from '../platform/db/tables.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, saidHello, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** What a warm request asks of the database: nothing before its upstream is called, one statement after. */
let relay: RelayTest;
let upstream: ScriptedUpstream;
let channel: number;
let before = -1;
const byItself = /\bowners\b|\bwanted\b|pg_stat|routing_(?!own_keys)|jobs\b/;
const { statements, stop } = watchPool(byItself);

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(100_000_000);
  upstream = scriptedUpstream(() => {
    before = statements.length;
    return saidHello();
  });
  const models = [{ model_id: 'm', prompt_price: 2, completion_price: 2 }];
  channel = await addUpstream(relay.test, upstream.url, models, { provider: 'acme', credential: 'sk-first' });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
  stop();
});

async function expectOneAfter(messages: { role: string; content: string }[]): Promise<void> {
  const ask = async (path: string) => {
    const answer = await relay.post(path, { model: 'm', max_tokens: 9, messages });
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
    expect(statements[0]).toContain('insert into usage_journal');
  }
}

const hi = { role: 'user', content: 'hi' };

test('no statement before the upstream call, one after it', async () => {
  if (engineOf(relay.test.platform.database.db) === 'sqlite') return;
  await expectOneAfter([hi]);
});

test('the same with several credentials, a user’s own key, and a continued conversation', async () => {
  if (engineOf(relay.test.platform.database.db) === 'sqlite') return;
  const root = await relay.test.root();
  const second = { name: 'Second', credential: 'sk-second', requests_per_minute: 1_000, spend_per_day: 1_000 };
  const added = await root.call(`/api/admin/channels/${channel}/credentials`, { method: 'POST', body: second });
  expect(added.status).toBe(201);
  const conversation = [hi, { role: 'assistant', content: 'hello' }, { role: 'user', content: 'and now?' }];
  await expectOneAfter(conversation);
  await relay.test.setOption('OwnKeys', true);
  await relay.test.setOption('OwnKeyFee', 0.5);
  const own = { provider: 'acme', name: 'Mine', credential: 'sk-own' };
  expect((await relay.member.call('/api/routing/own-keys', { method: 'POST', body: own })).status).toBe(201);
  await expectOneAfter(conversation);
  expect(upstream.seen.at(-1)!.headers.get('authorization')).toBe('Bearer sk-own');
});
