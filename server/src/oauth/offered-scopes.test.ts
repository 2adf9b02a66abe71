import { afterAll, beforeAll, expect, test } from 'bun:test';
import { jsonOf, type TestClient } from './oauth.fixture.ts';
import { askFor, type OpenidTest, openOpenidTest } from './openid/openid.fixture.ts';

let t: OpenidTest;
const all = 'openid email profile tokens:read tokens:write usage:read models:use'.split(' ');
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  await t.setOption('OAuth2DynamicRegistration', true);
  client = await t.client({ scopes: all.join(' ') });
});
afterAll(() => t.close());

/** Every place that tells programs which scopes there are, and where each can be requested. */
async function offers(): Promise<Record<string, { scopes: string[]; of: TestClient }>> {
  const at = async (path: string) => (await jsonOf(t.call(path))).scopes_supported as string[];
  const body = { redirect_uris: [client.redirectUri], scope: all.join(' '), token_endpoint_auth_method: 'none' };
  const made = await jsonOf(t.call('/api/oauth2/register', { method: 'POST', body }));
  const registered = { ...client, clientId: made.client_id };
  return {
    'the metadata of OpenID Connect': { scopes: await at('/.well-known/openid-configuration'), of: client },
    'the metadata at our own path': { scopes: await at('/api/oauth2/.well-known/openid-configuration'), of: client },
    'the metadata of RFC 8414': { scopes: await at('/.well-known/oauth-authorization-server'), of: client },
    'a registration': { scopes: made.scope.split(' '), of: registered },
  };
}

test.each([all.join(' '), 'openid email', 'usage:read models:use', ''])(
  'with the allowed scopes %j, exactly the offered scopes can be requested',
  async (allowed) => {
    await t.setOption('OAuth2AllowedScopes', allowed);
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    for (const [place, { scopes, of }] of Object.entries(await offers())) {
      const asked = all.map(async (scope) => (await t.member.call(askFor(of, { scope, ...challenge }))).status);
      const statuses = await Promise.all(asked);
      const granted = all.filter((_, n) => statuses[n] === 200);
      expect([place, ...scopes]).toEqual([place, ...granted]);
    }
  },
);
