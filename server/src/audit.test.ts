import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CallInit, type Member, openTestApp, rootPassword, type TestApp } from './app.fixture.ts';
import { manualClock } from './lib/clock.ts';

interface Entry {
  id: number;
  at: number;
  actor: { id: number | null; name: string };
  action: string;
  target: { type: string; id: number | string | null; name: string };
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  metadata: Record<string, unknown>;
  ip: string;
  user_agent: string;
}

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const agent = 'audit test/1.0';
const secrets = ['sk-first-credential-of-the-test', 'sk-second-credential-of-the-test', 'another fine password'];
let t: TestApp;
let root: Member;
let user: Member;

beforeAll(async () => {
  t = await openTestApp({ clock });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  user = await t.user('Someone.Known');
});
afterAll(() => t.close());

const send = (by: Member, path: string, method: string, body?: unknown): Promise<Response> =>
  by.call(path, { method, body, headers: { 'user-agent': agent } } as CallInit);
const dataOf = async (response: Response | Promise<Response>) =>
  ((await (await response).json()) as { data: Record<string, unknown> & { id: number } }).data;
async function logs(query = ''): Promise<{ logs: Entry[]; total: number }> {
  return (await dataOf(root.call(`/api/admin/audit?${query}`))) as never;
}
const newest = async (): Promise<Entry> => (await logs('page_size=1')).logs[0]!;

const newChannel = {
  name: 'Acme',
  kind: 'openai',
  base_url: 'https://api.acme.example/v1',
  credential: secrets[0],
};
/** Nobody answers there: names that end so never lead anywhere. */
const newServer = (name: string) => ({ name, url: 'http://mcp.invalid/mcp', headers: { 'x-key': secrets[0] } });
const codesPath = '/api/admin/redemption-codes';
type Made = { codes: [{ id: number; code: string }] };
const providersPath = '/api/admin/identity-providers';
const newProvider = (slug: string) => ({
  ...{ slug, name: 'Acme', issuer: 'https://acme.invalid', client_id: 'svc', client_secret: secrets[0] },
});
const provider = (slug: string) => dataOf(root.call(providersPath, { method: 'POST', body: newProvider(slug) }));
const channel = () => dataOf(root.call('/api/admin/channels', { method: 'POST', body: newChannel }));
let aliases = 0;
const alias = () => {
  aliases += 1;
  return dataOf(send(root, '/api/admin/model-aliases', 'POST', { name: `alias-${aliases}`, models: ['acme/large'] }));
};
const credential = (channelId: number) =>
  dataOf(send(root, `/api/admin/channels/${channelId}/credentials`, 'POST', { name: 'Spare', credential: secrets[0] }));
const model = async (channelId: number) =>
  dataOf(
    root.call('/api/admin/provider-models', {
      method: 'POST',
      body: { model_id: `acme/${channelId}`, channel_id: channelId, prompt_price: 1 },
    }),
  );
const application = () =>
  dataOf(
    user.call('/api/oauth2/applications', {
      method: 'POST',
      body: { name: 'Notes', redirect_uris: ['https://notes.example/cb'], scopes: 'openid' },
    }),
  );
const key = () => dataOf(user.call('/api/tokens', { method: 'POST', body: { name: 'laptop' } }));

type Told = { action: string; target: object; before?: unknown; after?: unknown; actor?: object };
/** Does it, and says what the log must say. */
type Doing = () => Promise<Told>;

/** Exactly: of the states no field more than those that changed. */
function compare(entry: Entry, told: Told): void {
  expect([entry.action, entry.actor]).toEqual([told.action, told.actor as never]);
  expect(entry.target).toMatchObject(told.target);
  for (const side of ['before', 'after'] as const) if (side in told) expect(entry[side]).toEqual(told[side] as never);
}

const onApplication = (action: string, told: Omit<Told, 'target'>, first?: string): Doing => {
  return async () => {
    const { id } = await application();
    if (first) await send(root, `/api/oauth2/admin/applications/${first}`, 'POST', { app_id: id });
    await send(root, `/api/oauth2/admin/applications/${action}`, 'POST', { app_id: id });
    return { ...told, target: { type: 'application', id, name: 'Notes' } };
  };
};

/** Every write that only administrators may make. */
const byAdministrators: Record<string, Doing> = {
  'PUT /api/admin/users/{id}': async () => {
    await send(root, `/api/admin/users/${user.id}`, 'PUT', { group: 'friends', email_verified: false });
    const target = { type: 'user', id: user.id, name: 'Someone.Known' };
    return { action: 'user_updated', target, before: { group: 'default' }, after: { group: 'friends' } };
  },
  'DELETE /api/admin/users/{id}': async () => {
    const { id } = await t.user();
    await send(root, `/api/admin/users/${id}`, 'DELETE');
    return { action: 'user_deleted', target: { type: 'user', id, name: `deleted-${id}` }, before: null, after: null };
  },
  'DELETE /api/admin/users/{id}/factors': async () => {
    await send(root, `/api/admin/users/${user.id}/factors`, 'DELETE');
    const target = { type: 'user', id: user.id, name: 'Someone.Known' };
    return { action: 'factors_removed', target, after: { second_factors: 'removed' } };
  },
  'DELETE /api/admin/users/{id}/sessions': async () => {
    const other = await t.user();
    await send(root, `/api/admin/users/${other.id}/sessions`, 'DELETE');
    const target = { type: 'user', id: other.id, name: other.username };
    return { action: 'sessions_ended', target, after: { ended: 1 } };
  },
  'DELETE /api/admin/users/{id}/sessions/{session_id}': async () => {
    const other = await t.user();
    const [{ id }] = (await dataOf(other.call('/api/user/sessions'))) as unknown as [{ id: number }];
    await send(root, `/api/admin/users/${other.id}/sessions/${id}`, 'DELETE');
    const target = { type: 'user', id: other.id, name: other.username };
    return { action: 'sessions_ended', target, after: { ended: 1 } };
  },
  'DELETE /api/admin/invitations/{id}': async () => {
    const { user: guest } = (await dataOf(
      send(root, '/api/admin/invitations', 'POST', { username: 'Guest.Two' }),
    )) as unknown as { user: { id: number } };
    await send(root, `/api/admin/invitations/${guest.id}`, 'DELETE');
    return { action: 'invitation_withdrawn', target: { type: 'user', id: guest.id, name: `deleted-${guest.id}` } };
  },
  'POST /api/admin/users/{id}/links': async () => {
    await send(root, `/api/admin/users/${user.id}/links`, 'POST', { purpose: 'reset_password' });
    const target = { type: 'user', id: user.id, name: 'Someone.Known' };
    return { action: 'link_issued', target, after: { purpose: 'reset_password', mailed: false } };
  },
  'POST /api/admin/invitations': async () => {
    const { user: invited } = (await dataOf(
      send(root, '/api/admin/invitations', 'POST', { username: 'Guest.One' }),
    )) as unknown as { user: { id: number } };
    return { action: 'user_invited', target: { type: 'user', id: invited.id, name: 'Guest.One' } };
  },
  'POST /api/admin/users/{id}/credits': async () => {
    await send(root, `/api/admin/users/${user.id}/credits`, 'POST', { quota: 700, note: 'welcome' });
    const after = { quota: 700, note: 'welcome', balance_after: 700 };
    return { action: 'credits_granted', target: { type: 'user', id: user.id, name: 'Someone.Known' }, after };
  },
  'POST /api/admin/redemption-codes': async () => {
    const { codes } = (await dataOf(send(root, codesPath, 'POST', { quota: 5, note: 'spring' }))) as never as Made;
    const [{ id, code }] = codes;
    const target = { type: 'redemption_code', id, name: `…${code.slice(-4)}` };
    const after = { quota: 5, count: 1, uses: 1, note: 'spring', status: 1 };
    return { action: 'codes_made', target, before: null, after };
  },
  'PUT /api/admin/redemption-codes/{id}': async () => {
    const { codes } = (await dataOf(root.call(codesPath, { method: 'POST', body: { quota: 5 } }))) as never as Made;
    const [{ id, code }] = codes;
    await send(root, `${codesPath}/${id}`, 'PUT', { status: 2 });
    const target = { type: 'redemption_code', id, name: `…${code.slice(-4)}` };
    return { action: 'code_updated', target, before: { status: 1 }, after: { status: 2 } };
  },
  'PUT /api/admin/options': async () => {
    await send(root, '/api/admin/options', 'PUT', { key: 'DecisionLogDays', value: 31 });
    const target = { type: 'option', id: 'DecisionLogDays', name: 'DecisionLogDays' };
    return { action: 'option_set', target, before: { value: 30 }, after: { value: 31 } };
  },
  'POST /api/admin/channels': async () => {
    const { id } = await dataOf(send(root, '/api/admin/channels', 'POST', newChannel));
    const after = expect.objectContaining({ name: 'Acme', base_url: newChannel.base_url, status: 1 });
    return { action: 'channel_created', target: { type: 'channel', id, name: 'Acme' }, before: null, after };
  },
  'PUT /api/admin/channels/{id}': async () => {
    const { id } = await channel();
    await send(root, `/api/admin/channels/${id}`, 'PUT', { weight: 5, name: 'Acme', credential: secrets[1] });
    const after = { weight: 5, credential: 'changed' };
    return { action: 'channel_updated', target: { type: 'channel', id, name: 'Acme' }, before: { weight: 1 }, after };
  },
  'DELETE /api/admin/channels/{id}': async () => {
    const { id } = await channel();
    await send(root, `/api/admin/channels/${id}`, 'DELETE');
    const before = expect.objectContaining({ name: 'Acme', kind: 'openai' });
    return { action: 'channel_deleted', target: { type: 'channel', id, name: 'Acme' }, before, after: null };
  },
  'POST /api/admin/channels/{id}/credentials': async () => {
    const { id } = await credential((await channel()).id);
    const after = expect.objectContaining({ name: 'Spare', weight: 1, first: false });
    return { action: 'credential_created', target: { type: 'credential', id, name: 'Spare' }, before: null, after };
  },
  'PUT /api/admin/channels/{id}/credentials/{credential_id}': async () => {
    const { id: channelId } = await channel();
    const { id } = await credential(channelId);
    const body = { weight: 5, name: 'Spare', credential: secrets[1] };
    await send(root, `/api/admin/channels/${channelId}/credentials/${id}`, 'PUT', body);
    const target = { type: 'credential', id, name: 'Spare' };
    const after = { weight: 5, credential: 'changed' };
    return { action: 'credential_updated', target, before: { weight: 1 }, after };
  },
  'DELETE /api/admin/channels/{id}/credentials/{credential_id}': async () => {
    const { id: channelId } = await channel();
    const { id } = await credential(channelId);
    await send(root, `/api/admin/channels/${channelId}/credentials/${id}`, 'DELETE');
    const target = { type: 'credential', id, name: 'Spare' };
    return { action: 'credential_deleted', target, before: expect.objectContaining({ name: 'Spare' }), after: null };
  },
  'POST /api/admin/channels/{id}/credentials/{credential_id}/test': async () => {
    const { id: channelId } = await channel();
    const { id } = await credential(channelId);
    await send(root, `/api/admin/channels/${channelId}/credentials/${id}/test`, 'POST');
    const after = { credential_id: id, ok: expect.any(Boolean) };
    return { action: 'credential_tested', target: { type: 'channel', id: channelId, name: 'Acme' }, after };
  },
  'POST /api/admin/model-aliases': async () => {
    const { id, name } = await alias();
    const after = { name, models: ['acme/large'], status: 1 };
    return { action: 'model_alias_created', target: { type: 'model_alias', id, name }, before: null, after };
  },
  'PUT /api/admin/model-aliases/{id}': async () => {
    const { id, name } = await alias();
    await send(root, `/api/admin/model-aliases/${id}`, 'PUT', { status: 2 });
    const target = { type: 'model_alias', id, name };
    return { action: 'model_alias_updated', target, before: { status: 1 }, after: { status: 2 } };
  },
  'DELETE /api/admin/model-aliases/{id}': async () => {
    const { id, name } = await alias();
    await send(root, `/api/admin/model-aliases/${id}`, 'DELETE');
    const before = { name, models: ['acme/large'], status: 1 };
    return { action: 'model_alias_deleted', target: { type: 'model_alias', id, name }, before, after: null };
  },
  'POST /api/admin/channels/{id}/test': async () => {
    const { id } = await dataOf(
      root.call('/api/admin/channels', { method: 'POST', body: { name: 'D', kind: 'demo' } }),
    );
    await send(root, `/api/admin/channels/${id}/test`, 'POST');
    return { action: 'channel_tested', target: { type: 'channel', id, name: 'D' }, after: { ok: expect.any(Boolean) } };
  },
  'POST /api/admin/channels/{id}/sync-models': async () => {
    const { id } = await dataOf(
      root.call('/api/admin/channels', { method: 'POST', body: { name: 'D', kind: 'demo' } }),
    );
    await send(root, `/api/admin/channels/${id}/sync-models`, 'POST');
    const after = { added: expect.any(Number), missing: 0, unpriced: expect.any(Number) };
    return { action: 'channel_models_synced', target: { type: 'channel', id, name: 'D' }, after };
  },
  'PUT /api/admin/channels/{id}/models': async () => {
    const { id, name } = await channel();
    const served = await model(id);
    const models = [{ id: served.id, status: 1, prompt_price: 4 }];
    await send(root, `/api/admin/channels/${id}/models`, 'PUT', { models });
    const target = { type: 'channel', id, name };
    return { action: 'channel_models_updated', target, after: { models: 1, enabled: 1 } };
  },
  'POST /api/admin/provider-models': async () => {
    const { id: channel_id } = await channel();
    const body = { model_id: 'acme/new', channel_id, prompt_price: 2 };
    const { id } = await dataOf(send(root, '/api/admin/provider-models', 'POST', body));
    const after = expect.objectContaining({ channel_id, prompt_price: 2 });
    return { action: 'provider_model_created', target: { type: 'provider_model', id, name: 'acme/new' }, after };
  },
  'PUT /api/admin/provider-models/{id}': async () => {
    const { id, model_id: name } = await model((await channel()).id);
    await send(root, `/api/admin/provider-models/${id}`, 'PUT', { completion_price: 3 });
    const target = { type: 'provider_model', id, name };
    const after = expect.objectContaining({ completion_price: 3 });
    return {
      action: 'provider_model_updated',
      target,
      before: expect.objectContaining({ completion_price: 0 }),
      after,
    };
  },
  'DELETE /api/admin/provider-models/{id}': async () => {
    const { id, model_id: name } = await model((await channel()).id);
    await send(root, `/api/admin/provider-models/${id}`, 'DELETE');
    const before = expect.objectContaining({ prompt_price: 1 });
    return { action: 'provider_model_deleted', target: { type: 'provider_model', id, name }, before, after: null };
  },
  'POST /api/mcp/servers': async () => {
    const { id } = await dataOf(send(root, '/api/mcp/servers', 'POST', newServer('files')));
    const after = expect.objectContaining({
      url: newServer('').url,
      header_names: ['x-key'],
      audience: 'administrators',
    });
    return { action: 'mcp_server_created', target: { type: 'mcp_server', id, name: 'files' }, before: null, after };
  },
  'PUT /api/mcp/servers/{id}': async () => {
    const { id } = await dataOf(root.call('/api/mcp/servers', { method: 'POST', body: newServer('mail') }));
    await send(root, `/api/mcp/servers/${id}`, 'PUT', { enabled: false, headers: { 'x-key': secrets[1] } });
    const target = { type: 'mcp_server', id, name: 'mail' };
    const after = { enabled: false, headers: 'changed' };
    return { action: 'mcp_server_updated', target, before: { enabled: true }, after };
  },
  'DELETE /api/mcp/servers/{id}': async () => {
    const { id } = await dataOf(root.call('/api/mcp/servers', { method: 'POST', body: newServer('old') }));
    await send(root, `/api/mcp/servers/${id}`, 'DELETE');
    const before = expect.objectContaining({ name: 'old', tools: [] });
    return { action: 'mcp_server_deleted', target: { type: 'mcp_server', id, name: 'old' }, before, after: null };
  },
  'POST /api/mcp/servers/{id}/test': async () => {
    const { id } = await dataOf(root.call('/api/mcp/servers', { method: 'POST', body: newServer('away') }));
    await send(root, `/api/mcp/servers/${id}/test`, 'POST');
    return { action: 'mcp_server_tested', target: { type: 'mcp_server', id, name: 'away' }, after: { ok: false } };
  },
  'PUT /api/mcp/servers/{id}/tools': async () => {
    const { id } = await dataOf(root.call('/api/mcp/servers', { method: 'POST', body: newServer('tools') }));
    const allowed = { name: 'add', ask_first: 1, description: '', input_schema: '{}', definition: 'd'.repeat(64) };
    const { db } = t.platform.database;
    await db
      .insertInto('mcp_tools')
      .values({ ...allowed, server_id: id, approved_at: 0 })
      .execute();
    const tool = { name: 'add', definition: allowed.definition };
    await send(root, `/api/mcp/servers/${id}/tools`, 'PUT', { tools: [{ ...tool, ask_first: false, price: 5 }] });
    const target = { type: 'mcp_server', id, name: 'tools' };
    const states = [
      { ask_first: true, price: 0 },
      { ask_first: false, price: 5 },
    ];
    const [before, after] = states.map((state) => ({ tools: [{ ...tool, ...state }] }));
    return { action: 'mcp_tools_set', target, before, after };
  },
  'POST /api/mcp/servers/{id}/tools/{name}/approve': async () => {
    const { id } = await dataOf(root.call('/api/mcp/servers', { method: 'POST', body: newServer('approved') }));
    const known = { name: 'add', ask_first: 0, description: '', input_schema: '{}', definition: 'e'.repeat(64) };
    await t.platform.database.db
      .insertInto('mcp_tools')
      .values({ ...known, server_id: id, approved_at: 0 })
      .execute();
    const { definition } = known;
    await send(root, `/api/mcp/servers/${id}/tools/add/approve`, 'POST', { definition, ask_first: true });
    const target = { type: 'mcp_server', id, name: 'approved' };
    const [before, after] = [false, true].map((ask_first) => ({
      tools: [{ name: 'add', definition, ask_first, price: 0 }],
    }));
    return { action: 'mcp_tool_approved', target, before, after };
  },
  'DELETE /api/mcp/servers/{id}/shared-sign-in': async () => {
    const { id } = await dataOf(root.call('/api/mcp/servers', { method: 'POST', body: newServer('shared') }));
    await send(root, `/api/mcp/servers/${id}/shared-sign-in`, 'DELETE');
    return { action: 'mcp_shared_sign_in_removed', target: { type: 'mcp_server', id, name: 'shared' } };
  },
  'POST /api/admin/identity-providers': async () => {
    const { id } = await dataOf(send(root, providersPath, 'POST', newProvider('made')));
    const target = { type: 'identity_provider', id, name: 'made' };
    const after = expect.objectContaining({ issuer: 'https://acme.invalid', allow_sign_up: true, trust_email: false });
    return { action: 'identity_provider_created', target, before: null, after };
  },
  'PUT /api/admin/identity-providers/{id}': async () => {
    const { id } = await provider('changed');
    await send(root, `${providersPath}/${id}`, 'PUT', { enabled: false, client_secret: secrets[1] });
    const target = { type: 'identity_provider', id, name: 'changed' };
    const after = { enabled: false, client_secret: 'changed' };
    return { action: 'identity_provider_updated', target, before: { enabled: true }, after };
  },
  'DELETE /api/admin/identity-providers/{id}': async () => {
    const { id } = await provider('gone');
    await send(root, `${providersPath}/${id}`, 'DELETE');
    const target = { type: 'identity_provider', id, name: 'gone' };
    const before = expect.objectContaining({ slug: 'gone' });
    return { action: 'identity_provider_deleted', target, before, after: null };
  },
  'POST /api/admin/identity-providers/{id}/test': async () => {
    const { id } = await provider('tested');
    await send(root, `${providersPath}/${id}/test`, 'POST');
    const target = { type: 'identity_provider', id, name: 'tested' };
    return { action: 'identity_provider_tested', target, after: { ok: false } };
  },
  'PUT /api/routing/configs/{model_id}': async () => {
    await send(root, '/api/routing/configs/demo/chat', 'PUT', { price_weight: 0.9 });
    const target = { type: 'routing_config', id: 'demo/chat', name: 'demo/chat' };
    return {
      action: 'routing_config_set',
      target,
      before: null,
      after: expect.objectContaining({ price_weight: 0.9 }),
    };
  },
  'DELETE /api/routing/configs/{model_id}': async () => {
    await send(root, '/api/routing/configs/demo/chat', 'PUT', { price_weight: 0.8 });
    await send(root, '/api/routing/configs/demo/chat', 'DELETE');
    const target = { type: 'routing_config', id: 'demo/chat', name: 'demo/chat' };
    const before = expect.objectContaining({ price_weight: 0.8 });
    return { action: 'routing_config_removed', target, before, after: null };
  },
  'POST /api/oauth2/admin/applications/verify': onApplication('verify', {
    action: 'app_verified',
    before: { is_verified: false },
    after: { is_verified: true },
  }),
  'POST /api/oauth2/admin/applications/unverify': onApplication(
    'unverify',
    { action: 'app_updated', before: { is_verified: true }, after: { is_verified: false } },
    'verify',
  ),
  'POST /api/oauth2/admin/applications/suspend': onApplication('suspend', {
    action: 'app_suspended',
    before: { status: 1 },
    after: { status: 2 },
  }),
  'POST /api/oauth2/admin/applications/activate': onApplication(
    'activate',
    { action: 'app_activated', before: { status: 2 }, after: { status: 1 } },
    'suspend',
  ),
  'PUT /api/oauth2/admin/applications/{app_id}': async () => {
    const { id } = await application();
    await send(root, `/api/oauth2/admin/applications/${id}`, 'PUT', { rate_limit: 50 });
    const target = { type: 'application', id, name: 'Notes' };
    return { action: 'app_updated', target, before: { rate_limit: 1000 }, after: { rate_limit: 50 } };
  },
};

/** Of those who run an organisation: administrators of the service may only end what these began. */
const notTheirs = ['POST /api/mcp/servers/{id}/shared-sign-in'];

describe('administrator actions', () => {
  test.each(Object.keys(byAdministrators))('%s', async (route) => {
    const told = await byAdministrators[route]!();
    const entry = await newest();
    expect(entry).toMatchObject({ ip: '127.0.0.1', user_agent: agent, at: Math.floor(clock.nowMs() / 1000) });
    compare(entry, { actor: { id: root.id, name: 'root' }, ...told });
  });

  test('cover every write route of administrators', async () => {
    const { paths } = t.app.document() as { paths: Record<string, Record<string, unknown>> };
    const found: string[] = [];
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods).filter((name) => name !== 'get')) {
        // A plain user is told so before anything else is looked at.
        const response = await user.call(path.replace(/\{\w+\}/g, '1'), { method: method.toUpperCase(), body: {} });
        if (response.status === 403 && (await response.text()).includes('Only administrators'))
          found.push(`${method.toUpperCase()} ${path}`);
        // Some of these calls end the session.
        if ((await user.call('/api/user/self')).status === 401) user = await login('Someone.Known');
      }
    expect(found.sort()).toEqual([...Object.keys(byAdministrators), ...notTheirs].sort());
  });
});

async function login(username: string, password = 'a fine password'): Promise<Member> {
  const response = await t.call('/api/user/login', { method: 'POST', body: { username, password } });
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  return {
    ...user,
    cookie,
    call: (path, init = {}) => t.call(path, { ...init, headers: { cookie, ...init.headers } }),
  };
}

/** What people do to their own ways in. */
const byUsers: Record<string, Doing> = {
  'a registration': async () => {
    const { id, username } = await t.user();
    return { action: 'user_registered', target: { type: 'user', id, name: username }, actor: { id, name: username } };
  },
  'a login': async () => {
    user = await login('someone.KNOWN');
    return { action: 'login_succeeded', target: { type: 'user', id: user.id, name: 'Someone.Known' } };
  },
  'a failed login': async () => {
    await t.call('/api/user/login', { method: 'POST', body: { username: 'someone.known', password: 'wrong' } });
    // It is told off the request's path.
    while ((await newest()).action !== 'login_failed') await Bun.sleep(1);
    const target = { type: 'user', id: user.id, name: 'Someone.Known' };
    return { action: 'login_failed', target, actor: { id: null, name: '' } };
  },
  'a new key': async () => {
    const { id } = await key();
    const after = expect.objectContaining({ name: 'laptop', status: 1 });
    return { action: 'key_created', target: { type: 'api_key', id, name: 'laptop' }, before: null, after };
  },
  'a changed key': async () => {
    const { id } = await key();
    await send(user, `/api/tokens/${id}`, 'PUT', { status: 2 });
    const target = { type: 'api_key', id, name: 'laptop' };
    return { action: 'key_updated', target, before: { status: 1 }, after: { status: 2 } };
  },
  'a deleted key': async () => {
    const { id } = await key();
    await send(user, `/api/tokens/${id}`, 'DELETE');
    return { action: 'key_deleted', target: { type: 'api_key', id, name: 'laptop' }, after: null };
  },
  'a new address': async () => {
    await send(user, '/api/user/self', 'PUT', { email: 'someone@example.org' });
    const target = { type: 'user', id: user.id };
    return { action: 'profile_changed', target, before: { email: '' }, after: { email: 'someone@example.org' } };
  },
  'a new password': async () => {
    const response = await send(user, '/api/user/self', 'PUT', {
      password: secrets[2],
      current_password: 'a fine password',
    });
    expect(response.status).toBe(200);
    user = await login('Someone.Known', secrets[2]);
    while ((await newest()).action === 'login_succeeded') {
      const { logs: two } = await logs('page_size=2');
      expect(two[1]).toMatchObject({ action: 'password_changed', after: { password: 'changed' } });
      break;
    }
    return { action: 'login_succeeded', target: { type: 'user', id: user.id } };
  },
  'a session ended': async () => {
    const other = await login('Someone.Known', secrets[2]);
    const { id } = (
      (await (await other.call('/api/user/sessions')).json()) as { data: { id: number; current: boolean }[] }
    ).data.find(({ current }) => current)!;
    await send(user, `/api/user/sessions/${id}`, 'DELETE');
    return { action: 'session_ended', target: { type: 'session', id, name: '' } };
  },
  'a new application': async () => {
    const { id } = await application();
    const target = { type: 'application', id, name: 'Notes' };
    return { action: 'app_created', target, before: null, after: expect.objectContaining({ scopes: 'openid' }) };
  },
  'a rotated secret': async () => {
    const { id } = await application();
    await send(user, `/api/oauth2/applications/${id}/rotate-secret`, 'POST');
    return {
      action: 'secret_rotated',
      target: { type: 'application', id },
      before: {},
      after: { client_secret: 'changed' },
    };
  },
};

test.each(Object.keys(byUsers))('user actions: %s', async (name) => {
  const told = await byUsers[name]!();
  const entry = await newest();
  compare(entry, { actor: { id: user.id, name: 'Someone.Known' }, ...told });
});

test('can be searched by name and id, action, time and page, only by administrators', async () => {
  const names = async (query: string) => new Set((await logs(`${query}&page_size=100`)).logs.map((e) => e.action));
  expect(await names('actor=ONE.KNO&action=key_created')).toEqual(new Set(['key_created']));
  expect((await logs(`actor=${user.id}&action=key_created`)).total).toBe(
    (await logs('actor=someone.known&action=key_created')).total,
  );
  expect(await names('actor=root&target=someone.known')).toEqual(
    new Set(['credits_granted', 'factors_removed', 'link_issued', 'user_updated']),
  );
  expect(await names('target=acme/new')).toEqual(new Set(['provider_model_created']));
  expect(await names('target=%25')).toEqual(new Set());
  expect(await names('target=notes&actor=root')).toEqual(
    new Set(['app_verified', 'app_updated', 'app_suspended', 'app_activated']),
  );
  expect((await logs('actor=nobody')).total).toBe(0);
  const all = await logs('page_size=2');
  expect((await logs('page=2&page_size=1')).logs[0]).toEqual(all.logs[1]!);
  const now = Math.floor(clock.nowMs() / 1000);
  expect((await logs(`from=${now + 1}`)).total).toBe(0);
  expect((await logs(`to=${now}`)).total).toBe(all.total);
  expect((await user.call('/api/admin/audit')).status).toBe(403);
  const csv = await (await root.call('/api/admin/audit?format=csv&action=option_set')).text();
  expect(csv.split('\r\n')[1]).toContain('root,option_set,option,DecisionLogDays');
});

test('contains no secrets, and the OAuth log shows only its own kinds', async () => {
  const { db } = t.platform.database;
  const stored = JSON.stringify(await db.selectFrom('audit_log').selectAll().execute());
  for (const secret of [...secrets, rootPassword, 'a fine password']) expect(stored).not.toContain(secret);
  expect(stored).not.toMatch(/sk-[A-Za-z0-9]{8}|\$argon2|"s1\./);
  const { data } = (await (await root.call('/api/oauth2/admin/audit?page_size=100')).json()) as {
    data: { logs: Record<string, unknown>[]; total: number };
  };
  expect(
    data.logs.every(({ event_type }) => /^(app|secret|authorization|token|consent)_/.test(String(event_type))),
  ).toBe(true);
  expect(Object.keys(data.logs[0]!).sort()).toEqual(
    ['application_id', 'created_at', 'event_type', 'id', 'ip_address', 'metadata', 'user_agent', 'user_id'].sort(),
  );
  const other = await root.call('/api/oauth2/admin/audit?event_type=option_set');
  expect(((await other.json()) as { data: { total: number } }).data.total).toBe(0);
});

test('old entries are deleted', async () => {
  clock.advance(366 * 86_400_000);
  await t.app.identity.sweep();
  expect((await t.platform.database.db.selectFrom('audit_log').select('id').execute()).length).toBe(0);
});
