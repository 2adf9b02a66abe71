import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { jsonOf, type OAuthTest, openOAuthTest, type TestClient, type Tokens } from '../oauth.fixture.ts';

/** The flow with OpenID Connect turned on, and what an application does with an ID token. */
export async function openOpenidTest(options: { env?: Record<string, string> } = {}) {
  const t = await openOAuthTest({ env: { OPENID_CONNECT: '1', ...options.env } });
  const verified = async (token: string, audience: string): Promise<JWTPayload> => {
    const keys = (await jsonOf(t.call('/api/oauth2/jwks'))) as unknown as JSONWebKeySet;
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: t.config.baseUrl,
      audience,
      currentDate: new Date(t.clock.nowMs()),
    });
    return payload;
  };
  const signIn = async (client: TestClient, fields: Record<string, unknown> = {}, by = t.member) => {
    const tokens = (await t.tokens(client, { scope: 'openid', ...fields }, by)) as Tokens & { id_token: string };
    return { ...tokens, claims: await verified(tokens.id_token, client.clientId) };
  };
  return { ...t, verified, signIn };
}
export type OpenidTest = Awaited<ReturnType<typeof openOpenidTest>>;

/** Where an answer of the authorization endpoint leads: its `redirect_url`, whether it succeeded or not. */
export async function leadsTo(answer: Response | Promise<Response>): Promise<URLSearchParams> {
  const body = await jsonOf(answer);
  return new URL(body.data?.redirect_url ?? body.redirect_url).searchParams;
}

export const askFor = (client: TestClient, fields: Record<string, string> = {}): string =>
  `/api/oauth2/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    scope: 'openid',
    ...fields,
  })}`;

export const relogin = async (t: OAuthTest): Promise<{ call: OAuthTest['member']['call'] }> => {
  const answer = await t.call('/api/user/login', {
    method: 'POST',
    body: { username: t.member.username, password: 'a fine password' },
  });
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  return { call: (path, init = {}) => t.call(path, { ...init, headers: { cookie, ...init.headers } }) };
};
