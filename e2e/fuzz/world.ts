/** Things that exist in the service under test, for use in requests, and the secrets that no answer may contain. */
import { type Caller, login, rootPassword, type Service } from '../service.ts';
import { newExtra } from './extra.ts';
import { conversationItem, knownValues, playgroundChat, providerName, type Things } from './known.ts';
import { newOrganisation } from './organisation.ts';
import { particularValues } from './particular.ts';

export interface World {
  /** Headers by the name of the security scheme, and some invalid ones. */
  credentials: Record<string, Record<string, string>>;
  /** `request`: method and address in the document, where certain values are wanted. */
  known(name: string, request?: string): readonly unknown[] | undefined;
}

const callback = 'https://client.example/callback';
const scopes = 'openid email profile tokens:read tokens:write';
const upstreamSecret = 'sk-upstream-do-not-tell-0123456789';

/** A world, and a second one for requests that would destroy the first: log out, delete, suspend. */
export interface Worlds {
  main: World;
  spare: World;
}

/** Created again regularly, because fuzzed requests change almost everything. */
export async function makeWorlds(service: Service, turn: number): Promise<Worlds> {
  const root = await login(service.url, 'root', rootPassword);
  const another = await login(service.url, 'root', rootPassword);
  for (const [key, value] of Object.entries({
    RateLimitEnabled: false,
    RegistrationEnabled: true,
    OAuth2Enabled: true,
    OAuth2DynamicRegistration: true,
    OwnKeys: true,
  }))
    await root.api('/api/admin/options', { method: 'PUT', body: { key, value } });
  const main = await makeWorld(service, root, `fuzz-${turn}`);
  const spare = await makeWorld(service, another, `spare-${turn}`);
  return { main, spare };
}

async function makeWorld(service: Service, root: Caller, name: string): Promise<World> {
  const user = await service.user();
  // Not with the service's own root session: a fuzzed request may have ended it.
  await root.api(`/api/admin/users/${user.id}/credits`, { method: 'POST', body: { quota: 100_000_000 } });
  const key = await user.key({ name });
  const application = await user.api<{ id: number; client_id: string; client_secret_plain: string }>(
    '/api/oauth2/applications',
    { method: 'POST', body: { name, redirect_uris: [callback], scopes } },
  );
  const basic = `Basic ${btoa(`${application.client_id}:${application.client_secret_plain}`)}`;
  const registered = await newClient(service);
  const code = await newCode(user, application.client_id);
  const tokens = await exchange(service, basic, await newCode(user, application.client_id));
  const channel = await root.api<{ id: number }>('/api/admin/channels', {
    method: 'POST',
    body: { name, provider: 'fuzz', kind: 'openai', base_url: 'http://127.0.0.1:9', credential: upstreamSecret },
  });
  const credential = await root.api<{ id: number }>(`/api/admin/channels/${channel.id}/credentials`, {
    ...{ method: 'POST', body: { name, credential: upstreamSecret } },
  });
  const alias = await root.api<{ id: number }>('/api/admin/model-aliases', {
    ...{ method: 'POST', body: { name: `alias-${name}-${user.id}`, models: ['demo/chat'] } },
  });
  const ownKey = await user.api<{ id: number }>('/api/routing/own-keys', {
    ...{ method: 'POST', body: { name, provider: 'fuzz', credential: upstreamSecret } },
  });
  await user.api('/api/svc-ms/sessions', { method: 'POST', body: { session_id: name } });
  const fact = { category: 'fact', title: 'A fact', content: 'It is known.' };
  const knowledge = await user.api<{ id: number }>('/api/svc-ms/knowledge', { method: 'POST', body: fact });
  const chat = { columns: [{ id: 'one', model: 'demo/chat' }], settings: {}, entries: [] };
  await user.api(`/api/playground/chats/${playgroundChat}`, { method: 'PUT', body: { version: 0, content: chat } });
  const preset = await user.api<{ id: number }>('/api/playground/presets', {
    ...{ method: 'POST', body: { name, prompt: 'Be brief.' } },
  });
  const [token] = await user.api<{ id: number }[]>('/api/tokens');
  const job = await service.post('/v1/videos', { model: 'demo/video', prompt: 'a storm' }, { key });
  const items = [{ id: conversationItem, type: 'message', role: 'user', content: 'hi' }];
  const conversation = await service.post('/v1/conversations', { items }, { key });
  const provider = await newProvider(root);
  const server = await root.api<{ id: number }>('/api/mcp/servers', {
    ...{ method: 'POST', body: { name: name.replace('-', ''), url: 'http://127.0.0.1:9/mcp' } },
  });
  const organisation = await newOrganisation(service, user, await service.user(), name);
  const extra = await newExtra({
    ...{ url: service.url, root, user, key, name, basic, callback, channelId: channel.id },
    tokens: await exchange(service, basic, await newCode(user, application.client_id)),
    serverName: name.replace('-', ''),
  });
  const things: Things = {
    extra,
    ...(await newWork(service, key)),
    ...{ providerId: provider.id, mcpServerId: server.id },
    ...{ credentialId: credential.id, aliasId: alias.id, ownKeyId: ownKey.id },
    ...{ registered, baseUrl: service.url },
    ...{ callback, userId: user.id, channelId: channel.id, tokenId: token!.id, knowledgeId: knowledge.id },
    presetId: preset.id,
    ...{ application, tokens, code, sessionId: name, jobId: ((await job.json()) as { id: string }).id },
    organisation,
    conversationId: ((await conversation.json()) as { id: string }).id,
  };
  const values = knownValues(things);
  const particular = particularValues(things);
  return {
    credentials: {
      session: { cookie: user.cookie },
      admin: { cookie: root.cookie },
      apiKey: { authorization: `Bearer ${key}` },
      googleKey: { 'x-goog-api-key': key },
      oauth: { authorization: `Bearer ${tokens.access_token}` },
      scim: { authorization: `Bearer ${organisation.scimToken}` },
      client: { authorization: basic },
      registration: { authorization: `Bearer ${registered.registration_access_token}` },
      nobody: {},
      wrongBearer: { authorization: 'Bearer sk-0000000000000000000000000000000000000000000000000' },
      garbage: { authorization: 'Basic %%%', cookie: 'svc_session=a%00b; svc_session=;=' },
    },
    // A path parameter is looked up as `tokens/{id}`, which may have its own values.
    known: (field, request) =>
      (request === undefined ? undefined : particular(field, request)) ??
      values[field] ??
      values[field.replace(/^.*\{|\}$/g, '')],
  };
}

/** The same for all worlds, since its name is part of addresses; a fuzzed request may have deleted it. */
async function newProvider(root: Caller): Promise<{ id: number }> {
  const path = '/api/admin/identity-providers';
  const { providers } = await root.api<{ providers: { id: number; slug: string }[] }>(`${path}?page_size=100`);
  const there = providers.find(({ slug }) => slug === providerName);
  const body = { slug: providerName, name: 'Another company', issuer: 'http://127.0.0.1:9', client_id: 'svc' };
  return there ?? root.api<{ id: number }>(path, { method: 'POST', body });
}

/** A response, a file, an upload in parts, and batches of both kinds. */
async function newWork(service: Service, key: string) {
  const idOf = async (answer: Response) => ((await answer.json()) as { id: string }).id;
  const hi = { model: 'demo/chat', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
  const response = await idOf(await service.post('/v1/responses', { model: 'demo/chat', input: 'hi' }, { key }));
  const form = new FormData();
  form.set('purpose', 'batch');
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: hi };
  form.set('file', new File([JSON.stringify(line)], 'lines.jsonl'));
  const headers = { authorization: `Bearer ${key}` };
  const fileId = await idOf(await fetch(`${service.url}/v1/files`, { method: 'POST', headers, body: form }));
  const batch = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const requests = [{ custom_id: 'a', params: hi }];
  const batchIds = [
    await idOf(await service.post('/v1/batches', batch, { key })),
    await idOf(await service.post('/v1/messages/batches', { requests }, { key })),
  ];
  const about = { bytes: 1, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' };
  const uploadId = await idOf(await service.post('/v1/uploads', about, { key }));
  const part = new FormData();
  part.set('data', new File(['a'], 'a'));
  const parts = `${service.url}/v1/uploads/${uploadId}/parts`;
  const partId = await idOf(await fetch(parts, { method: 'POST', headers, body: part }));
  return { responseId: response, fileId, batchIds, uploadId, partId };
}

/** A client that registers itself. */
async function newClient(service: Service) {
  const answer = await fetch(`${service.url}/api/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback] }),
  });
  return (await answer.json()) as { client_id: string; registration_access_token: string };
}

const newCode = async (user: Caller, clientId: string): Promise<string> => {
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    body: { client_id: clientId, redirect_uri: callback, scope: scopes, approved: true },
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

/** Tables of the service: name and columns, and the rows of one column. */
export interface Storage {
  columns(): Promise<{ table: string; name: string }[]>;
  values(table: string, column: string): Promise<unknown[]>;
}

/** Secrets in the database that no answer may contain, and the secrets given to the service. */
export async function secretsOf(storage: Storage): Promise<string[]> {
  const found = new Set<string>();
  for (const { table, name } of await storage.columns()) {
    // What users gave is told to them, and so may be its hash.
    if (!/hash|sealed|secret|credential|password/i.test(name) || name === 'content_hash') continue;
    for (const value of await storage.values(table, name)) {
      if (typeof value === 'string' && value.length >= 24) found.add(value);
      if (value instanceof Uint8Array && value.length >= 16) found.add(Buffer.from(value).toString('hex'));
    }
  }
  return [...found, upstreamSecret, rootPassword, '$argon2id$'];
}
