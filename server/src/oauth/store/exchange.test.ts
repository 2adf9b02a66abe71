import { afterAll, beforeAll, expect, test } from 'bun:test';
import { nowSeconds } from '../../lib/clock.ts';
import { basic, type TestClient } from '../oauth.fixture.ts';
import { openPayingTest, type PayingTest } from '../paying.fixture.ts';
import { insertExchanged } from './exchange.ts';

let t: PayingTest;
beforeAll(async () => {
  t = await openPayingTest();
});
afterAll(() => t.close());

/** Writes tokens that are exchanged for an exchanged one, as it was read. */
async function exchanged(first: TestClient, acting: TestClient) {
  const { access_token } = await t.tokens(first);
  const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
  const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
  const fields = { grant_type, subject_token: access_token, subject_token_type: accessToken };
  await t.post('/api/oauth2/token', fields, { authorization: basic(acting) });
  const { db } = t.platform.database;
  const find = db.selectFrom('oauth_tokens').selectAll().where('application_id', '=', acting.id);
  const parent = await find.orderBy('id', 'desc').executeTakeFirstOrThrow();
  let drawn = 0;
  const write = () => {
    drawn += 1;
    const id = parent.id + drawn;
    const fresh = { id, access_hash: `a${id}`, refresh_hash: `r${id}`, created_at: nowSeconds(t.clock) };
    return insertExchanged(db, { ...parent, ...fresh, parent_id: parent.id });
  };
  return write;
}

test('a token that ended after it was read cannot be exchanged', async () => {
  const ends: Record<string, (acting: TestClient, first: TestClient) => Promise<unknown>> = {
    'its application was suspended': (acting) => t.act('suspend', acting.id),
    'its application was deleted': (acting) =>
      t.owner.call(`/api/oauth2/applications/${acting.id}`, { method: 'DELETE' }),
    'the consent was revoked': (_, first) => t.member.call(`/api/oauth2/consents/${first.id}`, { method: 'DELETE' }),
    'it ran out': async () => t.clock.advance(3_601_000),
  };
  for (const [how, end] of Object.entries(ends)) {
    const acting = await t.payingClient({ token_exchange: true });
    const first = await t.payingClient({ token_exchange_clients: [acting.clientId] });
    const write = await exchanged(first, acting);
    expect([how, await write()]).toEqual([how, true]);
    await end(acting, first);
    expect([how, await write()]).toEqual([how, false]);
  }
});
