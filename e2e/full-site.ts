/** A site with data of every kind that belongs to one administrator, so that none of her pages is empty. */
import { type DemoData, fillDemoData } from '../scripts/demo-data.ts';
import { openSite, type Site, type Visitor } from './browser.ts';
import { paths } from './every-page.ts';
import { rootPassword } from './service.ts';
import { refuse, startUpstream } from './upstream.ts';

export interface FullSite {
  site: Site;
  data: DemoData;
  /** The pages she can open, including detail pages, and the pages for visitors without an account. */
  paths: { hers: string[]; beforeTheDoor: string[] };
  stop(): Promise<void>;
}

type Post = <T = { id: number }>(path: string, data: object, method?: 'post' | 'put') => Promise<T>;

const organisationTabs = ['overview', 'teams', 'members', 'budgets', 'keys', 'tools', 'usage', 'activity', 'settings'];
const personTabs = ['overview', 'usage', 'keys', 'applications', 'sessions', 'audit'];
const plain = ['/sessions', '/knowledge', '/runs', '/videos', '/orchestration/preferences', '/device', '/nowhere'];
const beforeTheDoor = ['/login', '/register', '/forgot-password', '/goodbye', '/docs', '/nowhere'];
const byLink = ['/join', '/link-account', '/reset-password', '/verify-email', '/oauth2/logout'];

export async function openFullSite(): Promise<FullSite> {
  const site = await openSite({ DEMO_PROVIDER: 'on', OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' });
  const data = await fillDemoData(site.service.url, rootPassword);
  const upstream = startUpstream(() => refuse(500, { error: { message: 'Under repair' } }));
  const ada = await site.signIn('ada', data.adaPassword);
  const post: Post = async (path, body, method = 'post') => {
    const answer = await ada.context.request[method](path, { data: body });
    if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()).data;
  };
  const { id: userId } = (await (await ada.context.request.get('/api/user/self')).json()).data;
  await site.service.root.api(`/api/admin/users/${userId}`, { method: 'PUT', body: { role: 10 } });
  await administer(site, post, upstream.url);
  const organisationId = await organise(post, userId);
  const { url } = await post<{ url: string }>(`/api/organisations/${organisationId}/invitations`, {});
  await connect(post, data);
  const hers = [
    ...paths,
    ...plain,
    '/admin/options?q=limit',
    ...(await ofSingleThings(ada, data)),
    ...organisationTabs.map((tab) => `/organisations/${organisationId}?tab=${tab}`),
    ...personTabs.map((tab) => `/admin/users/${userId}?tab=${tab}`),
  ];
  await site.closeVisitors();
  return {
    site,
    data,
    paths: { hers, beforeTheDoor: [...beforeTheDoor, ...byLink, `/join${new URL(url).hash}`] },
    stop: async () => {
      upstream.stop();
      data.stop();
      await site.stop();
    },
  };
}

/** What administrators configure: a failing provider, identity providers, model aliases, codes, an invited user. */
async function administer(site: Site, post: Post, failing: string): Promise<void> {
  const { modelId } = await site.service.serve({
    kind: 'openai',
    url: failing,
    provider: 'brittle',
    modelId: 'brittle/chat',
  });
  const messages = [{ role: 'user', content: 'hi' }];
  const { key } = await post<{ key: string }>('/api/tokens', { name: 'tests' });
  for (let index = 0; index < 8; index += 1)
    await site.service.post('/v1/chat/completions', { model: modelId, messages }, { key });
  for (const [name, value] of Object.entries({ OwnKeys: true, OwnKeyFee: 0.05, McpUserServers: true }))
    await site.service.root.api('/api/admin/options', { method: 'PUT', body: { key: name, value } });
  const provider = { name: 'Acme', slug: 'acme', client_id: 'svc', client_secret: 'a-secret-of-tests' };
  await post('/api/admin/identity-providers', { ...provider, issuer: `${failing}/issuer` });
  await post('/api/admin/model-aliases', { name: 'fast', models: ['northwind/small', 'demo/chat'] });
  await post('/api/admin/redemption-codes', { quota: 500_000, count: 3, note: 'Fair' });
  await post('/api/admin/invitations', { username: 'grace', email: 'grace@example.com' });
  await site.register('eve');
  await post('/api/mcp/servers', { name: 'files', url: `${failing}/mcp`, audience: 'everyone' });
}

/** An organisation with a team, keys, budgets, limits, a directory and a server. */
async function organise(post: Post, userId: number): Promise<number> {
  const { id } = await post('/api/organisations', { name: 'Acme', time_zone: 'Europe/Berlin', balance: 'shared' });
  const at = `/api/organisations/${id}`;
  const team = await post(`${at}/teams`, { name: 'Research' });
  await post(`${at}/teams/${team.id}/members/${userId}`, {}, 'put');
  await post(`${at}/invitations`, { email: 'grace@example.com', role: 'member', team_id: team.id });
  await post(`${at}/keys`, { name: 'robot', owner: 'team', team_id: team.id });
  await post(`${at}/budgets`, { level: 'team', level_id: team.id, window: 'month', amount: 5_000_000 });
  await post(`${at}/limits/team/${team.id}`, { requests_per_minute: 500 }, 'put');
  await post(`${at}/scim/tokens`, { name: 'Okta' });
  await post('/api/mcp/servers', { name: 'wiki', url: 'https://wiki.example.com/mcp', organisation_id: id });
  const signedInTo = { auth: 'oauth', sign_in: 'shared' };
  await post('/api/mcp/servers', {
    name: 'desk',
    url: 'https://desk.example.com/mcp',
    organisation_id: id,
    ...signedInTo,
  });
  return id;
}

/** A user's own settings: a spending limit, a provider key, an application with access to her account. */
async function connect(post: Post, data: DemoData): Promise<void> {
  await post('/api/user/spending/month', { amount: 20_000_000, hard: true, alerts: [0.5, 0.8] }, 'put');
  await post('/api/routing/own-keys', { provider: 'northwind', name: 'Mine', credential: 'sk-of-my-own' });
  const { response_type: _, ...request } = Object.fromEntries(new URLSearchParams(data.authorizePath.split('?')[1]));
  await post('/api/oauth2/authorize', { ...request, scope: 'openid', approved: true });
  await post('/api/svc-ms/sessions', { session_id: 'an-empty-one' });
}

async function ofSingleThings(ada: Visitor, data: DemoData): Promise<string[]> {
  const lastOf = async (status: string): Promise<string> =>
    (await (await ada.context.request.get(`/api/requests?status=${status}`)).json()).data.requests[0].request_id;
  return [
    `/applications/${data.applicationId}`,
    `/sessions/${data.sessionId}`,
    `/runs/${data.runSessionId}`,
    '/models/northwind/small',
    `/requests/${await lastOf('answered')}`,
    `/requests/${await lastOf('failed')}`,
    '/requests/req_unknown',
    data.authorizePath,
    '/usage?show=failed',
  ];
}
