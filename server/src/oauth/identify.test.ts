import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSealer } from '../lib/seal.ts';
import type { BearerPrincipal } from './bearer.ts';
import type { TestClient } from './oauth.fixture.ts';
import { type OAuth, openOAuth } from './open.ts';
import { type OpenidTest, openOpenidTest } from './openid/openid.fixture.ts';

/* What other rooms ask when an access token is shown to them. */

let t: OpenidTest;
let oauth: OAuth;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  const { database, cacheSync, log, sealingKeys } = t.platform;
  // The service has its worker already.
  const jobs = { ...t.platform.jobs, work: () => {} };
  const { accounts } = t.app.app.identity;
  const sealer = openSealer({ keys: sealingKeys });
  const teams = { manages: async () => false, accountOf: async () => 0, given: async () => {}, onEnd: () => {} };
  oauth = openOAuth({ db: database.db, accounts, sealer, teams, jobs, log, cacheSync, config: t.config });
  client = await t.client();
});
afterAll(async () => {
  await oauth.stop();
  await t.close();
});

const at = (path: string, named: boolean) => ({ resource: `${t.config.baseUrl}${path}`, named });
const identified = async (token: string | null, audience: ReturnType<typeof at>): Promise<BearerPrincipal | string> => {
  try {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return await oauth.identify(new Request(audience.resource, { headers }), audience);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('a token is valid only for the resources it names', async () => {
  const resource = [`${t.config.baseUrl}/mcp/notes`, `${t.config.baseUrl}/v1`];
  const { access_token } = await t.tokens(client, { resource, scope: 'openid' });
  const principal = { user: { id: t.member.id }, applicationId: client.id, scopes: ['openid'] };
  for (const named of [true, false]) {
    expect(await identified(access_token, at('/mcp/notes', named))).toMatchObject(principal);
    expect(await identified(access_token, at('/v1', named))).toMatchObject(principal);
    for (const path of ['', '/mcp', '/mcp/note', '/mcp/notes2', '/mcp/notes/', '/v'])
      expect(await identified(access_token, at(path, named))).toBe('invalid_token');
  }
});

test('a token without resources is valid where none is required', async () => {
  const { access_token } = await t.tokens(client);
  expect(await identified(access_token, at('/v1', false))).toMatchObject({ applicationId: client.id });
  expect(await identified(access_token, at('/mcp/notes', true))).toBe('invalid_token');
});

test('invalid and revoked access tokens are rejected', async () => {
  const resource = `${t.config.baseUrl}/mcp`;
  const [tokens, revoked] = [await t.tokens(client, { resource }), await t.tokens(client, { resource })];
  const here = at('/mcp', true);
  await t.post('/api/oauth2/revoke', {
    ...{ token: revoked.access_token, client_id: client.clientId, client_secret: client.secret },
  });
  for (const wrong of [null, '', 'sk-1', tokens.refresh_token, `${tokens.access_token}x`, revoked.access_token])
    expect(await identified(wrong, here)).toBe('invalid_token');
  expect(await identified(tokens.access_token, here)).toMatchObject({ applicationId: client.id });
});
