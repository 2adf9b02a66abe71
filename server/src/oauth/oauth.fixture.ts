import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import { s256 } from './pkce.ts';

export const callback = 'https://client.example/callback';
export const everything = 'openid email profile tokens:read tokens:write usage:read';

export interface TestClient {
  id: number;
  clientId: string;
  secret: string;
  redirectUri: string;
}
export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}
type Fields = Record<string, string | undefined>;

/** The service with limits out of the way, an owner, a user, and the steps of the flow as functions. */
export async function openOAuthTest(options: { env?: Record<string, string> } = {}) {
  const clock = manualClock(Date.now());
  const app = await openTestApp({ clock, ...options });
  await app.setOption('RateLimitEnabled', false);
  const owner = await app.user();
  const user = await app.user();
  return { ...app, app, clock, owner, member: user, ...stepsOf(app, owner, user) };
}
export type OAuthTest = Awaited<ReturnType<typeof openOAuthTest>>;

export const basic = (client: Pick<TestClient, 'clientId' | 'secret'>): string =>
  `Basic ${btoa(`${client.clientId}:${client.secret}`)}`;

export const newVerifier = (): string => randomString(64);

const form = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();

export function stepsOf(app: TestApp, owner: Member, user: Member) {
  const post = (path: string, fields: Fields, headers: Record<string, string> = {}) =>
    app.call(path, {
      method: 'POST',
      body: form(fields),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  const client = async (fields: Record<string, unknown> = {}, by: Member = owner): Promise<TestClient> => {
    const response = await by.call('/api/oauth2/applications', {
      method: 'POST',
      body: { name: 'Test application', redirect_uris: [callback], scopes: everything, ...fields },
    });
    if (response.status !== 200) throw new Error(`no application: ${response.status} ${await response.text()}`);
    const { data } = (await response.json()) as { data: Record<string, string> & { id: number } };
    const [redirectUri] = JSON.parse(data.redirect_uris!) as [string];
    return { id: data.id, clientId: data.client_id!, secret: data.client_secret_plain!, redirectUri };
  };

  const decide = (of: TestClient, fields: Record<string, unknown> = {}, by: Member = user) =>
    by.call('/api/oauth2/authorize', {
      method: 'POST',
      body: {
        client_id: of.clientId,
        redirect_uri: of.redirectUri,
        scope: 'openid profile',
        approved: true,
        ...fields,
      },
    });

  const code = async (of: TestClient, fields: Record<string, unknown> = {}, by: Member = user): Promise<string> => {
    const response = await decide(of, fields, by);
    if (response.status !== 200) throw new Error(`no code: ${response.status} ${await response.text()}`);
    const { data } = (await response.json()) as { data: { redirect_url: string } };
    return new URL(data.redirect_url).searchParams.get('code')!;
  };

  const exchange = (of: TestClient, fields: Fields) =>
    post('/api/oauth2/token', {
      grant_type: 'authorization_code',
      redirect_uri: of.redirectUri,
      client_id: of.clientId,
      client_secret: of.secret || undefined,
      ...fields,
    });

  const refresh = (of: TestClient, token: string, fields: Fields = {}) =>
    post('/api/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: of.clientId,
      client_secret: of.secret || undefined,
      ...fields,
    });

  const tokens = async (of: TestClient, fields: Record<string, unknown> = {}, by: Member = user): Promise<Tokens> => {
    const verifier = newVerifier();
    const challenge = { code_challenge: s256(verifier), code_challenge_method: 'S256' };
    const given = await code(of, { ...challenge, ...fields }, by);
    const response = await exchange(of, { code: given, code_verifier: verifier });
    if (response.status !== 200) throw new Error(`no tokens: ${response.status} ${await response.text()}`);
    return (await response.json()) as Tokens;
  };

  const withBearer = (path: string, token: string, init: { method?: string; body?: unknown } = {}) =>
    app.call(path, { ...init, headers: { authorization: `Bearer ${token}` } });
  const userinfo = (token: string) => withBearer('/api/oauth2/userinfo', token);
  const introspect = async (of: TestClient, token: string) => {
    const response = await post('/api/oauth2/introspect', { token }, { authorization: basic(of) });
    return (await response.json()) as { active: boolean } & Record<string, unknown>;
  };
  const act = async (action: string, id: number) =>
    (await app.root()).call(`/api/oauth2/admin/applications/${action}`, { method: 'POST', body: { app_id: id } });

  return { post, client, decide, code, exchange, refresh, tokens, withBearer, userinfo, introspect, act };
}

/** Status and OAuth error code of an answer, for short expectations. */
export async function faultOf(response: Response | Promise<Response>): Promise<[number, unknown]> {
  const answer = await response;
  const body = (await answer.json()) as { error?: string };
  return [answer.status, body.error];
}

/** An answer's body; what it holds is for the expectations to say. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked where it is read
export const jsonOf = async (response: Response | Promise<Response>): Promise<Record<string, any>> =>
  (await (await response).json()) as Record<string, unknown>;
