/** Things that exist in the service under test, so that requests can name them, and the secrets no answer may hold. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { type Caller, login, rootPassword, type Service } from '../service.ts';

export interface World {
  /** Header sets by the name of the security scheme, and some that open nothing. */
  credentials: Record<string, Record<string, string>>;
  known(name: string): readonly unknown[] | undefined;
}

const callback = 'https://client.example/callback';
const upstreamSecret = 'sk-upstream-do-not-tell-0123456789';

/** Made anew every so often: fuzzed requests log out, delete keys and change options. */
export async function makeWorld(service: Service, turn: number): Promise<World> {
  const root = await login(service.url, 'root', rootPassword);
  for (const [key, value] of Object.entries({
    RateLimitEnabled: false,
    RegistrationEnabled: true,
    OAuth2Enabled: true,
  }))
    await root.api('/api/admin/options', { method: 'PUT', body: { key, value } });
  const user = await service.user(100_000_000);
  const key = await user.key({ name: `fuzz ${turn}` });
  const application = await user.api<{ id: number; client_id: string; client_secret_plain: string }>(
    '/api/oauth2/applications',
    {
      method: 'POST',
      body: {
        name: `Fuzz ${turn}`,
        redirect_uris: [callback],
        scopes: 'openid email profile tokens:read tokens:write',
      },
    },
  );
  const basic = `Basic ${btoa(`${application.client_id}:${application.client_secret_plain}`)}`;
  const code = await newCode(user, application.client_id);
  const tokens = await exchange(service, basic, await newCode(user, application.client_id));
  const channel = await root.api<{ id: number }>('/api/admin/channels', {
    method: 'POST',
    body: {
      name: `fuzz-${turn}`,
      provider: 'fuzz',
      kind: 'openai',
      base_url: 'http://127.0.0.1:9',
      credential: upstreamSecret,
    },
  });
  const sessionId = `fuzz-${turn}`;
  await user.api('/api/svc-ms/sessions', { method: 'POST', body: { session_id: sessionId } });
  const values = knownValues({ user, application, tokens, code, channel, sessionId });
  return {
    credentials: {
      session: { cookie: user.cookie },
      admin: { cookie: root.cookie },
      apiKey: { authorization: `Bearer ${key}` },
      oauth: { authorization: `Bearer ${tokens.access_token}` },
      client: { authorization: basic },
      nobody: {},
      wrongBearer: { authorization: 'Bearer sk-0000000000000000000000000000000000000000000000000' },
      garbage: { authorization: 'Basic %%%', cookie: 'svc_session=a%00b; svc_session=;=' },
    },
    // A path parameter is asked for in braces, and has values of its own where that matters.
    known: (name) => values[name] ?? values[name.replace(/[{}]/g, '')],
  };
}

const newCode = async (user: Caller, clientId: string): Promise<string> => {
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    body: { client_id: clientId, redirect_uri: callback, approved: true },
  });
  return new URL(redirect_url).searchParams.get('code')!;
};

async function exchange(service: Service, basic: string, code: string) {
  const answer = await fetch(`${service.url}/api/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basic },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback }),
  });
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

interface Things {
  user: Caller;
  application: { id: number; client_id: string; client_secret_plain: string };
  tokens: { access_token: string; refresh_token: string };
  code: string;
  channel: { id: number };
  sessionId: string;
}

const models = [
  'demo/chat',
  'demo/embed',
  'demo/rerank',
  'demo/moderation',
  'demo/image',
  'demo/speech',
  'demo/transcribe',
];
const hi = [{ role: 'user', content: 'hi' }];
const address = ['http://127.0.0.1:9/hook'];

function knownValues(things: Things): Record<string, readonly unknown[]> {
  const { user, application, tokens, code, channel, sessionId } = things;
  const ids = [user.id, application.id, channel.id, 1, 2, 3];
  return {
    ...{ id: ids, app_id: [application.id], application_id: [application.id], user_id: ids, token_id: ids },
    ...{ channel_id: [channel.id], session_id: [sessionId, 'another'], jobId: ['video_x'], goal: ['say hello'] },
    ...{
      model: models,
      model_id: ['fuzz/model'],
      '{model_id}': ['demo/chat', 'fuzz/model'],
      model_name: ['upstream'],
      provider: [{}, { only: ['demo'] }],
    },
    ...{
      messages: [hi, [...hi, { role: 'assistant', content: 'ho' }, ...hi]],
      input: ['hello', ['a', 'b']],
      prompt: ['x'],
    },
    ...{
      documents: [['a', 'b'], [{ text: 'c' }]],
      query: ['a'],
      voice: ['alloy'],
      max_tokens: [1, 20],
      message: ['hello'],
    },
    ...{
      client_id: [application.client_id],
      client_secret: [application.client_secret_plain],
      redirect_uri: [callback],
    },
    ...{ redirect_uris: [[callback]], response_type: ['code'], code: [code], token: Object.values(tokens) },
    ...{
      refresh_token: [tokens.refresh_token],
      grant_type: ['authorization_code', 'refresh_token', 'client_credentials'],
    },
    ...{
      scope: ['openid', 'openid email'],
      scopes: ['openid email'],
      code_challenge: ['a'.repeat(43)],
      state: ['s&=\u00e9'],
    },
    // No option that would change what the run measures.
    ...{ key: ['QuotaForNewUser', 'DecisionLogDays', 'MsPlanModel'], max_iterations: [1], max_time_secs: [1, 2] },
    ...{ base_url: address, webhook_url: address, callback_url: address, homepage_url: address, url: address },
    ...{ username: ['root', 'nobody', 'fuzz_user'], password: ['a fine password', 'x'], preset: ['ollama'] },
    ...{ stream_events: [true], page: [1, 2, 0, -1], page_size: [1, 20, 1000], format: ['json', 'csv'] },
  };
}

/** What stands in the database and must stand nowhere else, beside the secrets that were given to the service. */
export function secretsOf(service: Service): string[] {
  const file = new Database(join(service.dataDir, 'svc.db'), { readonly: true });
  const names = file.query<{ name: string }, []>("select name from sqlite_master where type = 'table'").all();
  const found = new Set<string>();
  for (const { name } of names) {
    const columns = file.query<{ name: string }, []>(`pragma table_info("${name}")`).all();
    for (const column of columns.filter((one) => /hash|sealed|secret|credential|password/i.test(one.name))) {
      const rows = file.query<{ value: unknown }, []>(`select "${column.name}" as value from "${name}"`).all();
      for (const { value } of rows) {
        if (typeof value === 'string' && value.length >= 24) found.add(value);
        if (value instanceof Uint8Array && value.length >= 16) found.add(Buffer.from(value).toString('hex'));
      }
    }
  }
  file.close();
  return [...found, upstreamSecret, rootPassword, '$argon2id$'];
}
