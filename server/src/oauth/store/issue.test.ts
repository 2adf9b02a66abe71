import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isTaken } from '../../platform/durable/errors.ts';
import { issuePair } from '../grants/grant.ts';
import { type OAuthTest, openOAuthTest } from '../oauth.fixture.ts';
import { type NewPair, openIssuer } from './issue.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const pairOf = (id: number): NewPair => ({
  id,
  family: 1,
  application_id: 1,
  user_id: 1,
  access_hash: `a-${id}`,
  access_scope: 'openid',
  access_expires_at: 1,
  refresh_hash: `r-${id}`,
  scope: 'openid',
  expires_at: 1,
  epoch: 0,
  created_at: 1,
  sign_in: null,
  jkt: null,
  resource: null,
  access_resource: null,
});

test('a taken id leaves the refresh token unused, and another id is drawn', async () => {
  const { database } = t.platform;
  const issuer = openIssuer(database.db);
  const read = (id: number) =>
    database.db.selectFrom('oauth_tokens').select('rotated_at_ms').where('id', '=', id).executeTakeFirst();
  await database.db
    .insertInto('oauth_tokens')
    .values([1, 2].map((id) => ({ ...pairOf(id), access_revoked: 0, revoked: 0 })))
    .execute();

  const fault = await issuer.rotate(1, 5, pairOf(2)).catch((error: unknown) => error);
  expect(isTaken(fault)).toBe(true);
  expect(await read(1)).toEqual({ rotated_at_ms: null });

  const ids = [2, 2, 3];
  const deps = { clock: t.clock, options: t.app.app.identity.options, nextTokenId: () => ids.shift()! };
  const issued = await issuePair(deps, pairOf(1), { scopes: ['openid'], resource: null }, (row) =>
    issuer.rotate(1, 5, row),
  );
  expect(issued?.scope).toBe('openid');
  expect([await read(1), await read(3)]).toEqual([{ rotated_at_ms: 5 }, { rotated_at_ms: null }]);

  expect(await issuer.rotate(1, 6, pairOf(4))).toBe(false);
  expect(await read(4)).toBeUndefined();
});
