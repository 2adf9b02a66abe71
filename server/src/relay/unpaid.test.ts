import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engineOf } from '../platform/db/tables.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, chatPiece, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** An answer that came whole, of which the charge cannot be written: our own trouble, and none of the provider's. */
let relay: RelayTest;
let upstream: ScriptedUpstream;
const provider = 'sound';

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(1_000_000);
  upstream = scriptedUpstream(
    () =>
      new Response(chatPiece({ content: 'all of it' }) + chatPiece({}, 'stop'), {
        headers: { 'content-type': 'text/event-stream' },
      }),
  );
  await addUpstream(relay.test, upstream.url, [{ model_id: 'm', prompt_price: 2, completion_price: 2 }], { provider });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const refuseUsage = {
  sqlite: [`create trigger refuse before insert on usage_logs begin select raise(abort, 'no'); end`],
  postgres: [
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    'create trigger refuse before insert on usage_journal for each row execute function refuse()',
  ],
};
const allowUsage = { sqlite: 'drop trigger refuse', postgres: 'drop trigger refuse on usage_journal' };

const ask = async (path: string) => {
  const body = { model: 'm', stream: true, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };
  return (await relay.post(path, body)).text();
};

test('if charging fails, the client gets an internal error and the provider is not blamed', async () => {
  const { db } = relay.test.platform.database;
  const engine = engineOf(db);
  for (const statement of refuseUsage[engine]) await sql.raw(statement).execute(db);
  // Five failures in a row would open the circuit.
  for (const path of Array(3).fill(['/v1/chat/completions', '/v1/messages']).flat()) {
    const text = await ask(path);
    expect(text).toContain('all of it');
    expect(text).toContain(path === '/v1/messages' ? 'api_error' : 'internal_error');
    expect(text).not.toMatch(/provider|\[DONE\]|message_stop/);
  }
  await sql.raw(allowUsage[engine]).execute(db);
  const answered = await ask('/v1/chat/completions');
  expect(answered).not.toContain('error');
  expect(answered).toEndWith('data: [DONE]\n\n');
});
