/** Every page that does not depend on a particular item, and data that fills their tables. */
import { openSite, type Site } from './browser.ts';
import type { Service } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

export const pathsOfRelay = [
  '/',
  '/playground',
  '/requests',
  '/models',
  '/models/demo/chat',
  '/routing/health',
  '/routing/decisions',
  '/routing/preferences',
  '/admin',
  '/admin/channels',
  '/admin/mcp',
  '/admin/models',
  '/admin/aliases',
  '/admin/routing',
  '/admin/system',
  '/docs',
];
export const paths = [
  ...pathsOfRelay,
  '/keys',
  '/own-keys',
  '/tools',
  '/usage',
  '/credits',
  '/applications',
  '/applications/new',
  '/organisations',
  '/authorized-apps',
  '/admin/users',
  '/admin/credits',
  '/admin/identity-providers',
  '/admin/applications',
  '/admin/audit',
  '/admin/options',
  '/account',
];

/** Fills the tables: a channel whose circuit opens, an application, another user with credits. */
async function fill({ root, key, serve, user, post }: Service, upstream: Upstream): Promise<void> {
  const { modelId } = await serve({ kind: 'openai', url: upstream.url });
  for (let index = 0; index < 8; index += 1)
    await post('/v1/chat/completions', { model: modelId, messages: [{ role: 'user', content: 'hi' }] }, { key });
  const application = { name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
  await root.api('/api/oauth2/applications', { method: 'POST', body: application });
  await user(1_000_000);
}

export async function openFilledSite(): Promise<Site> {
  const site = await openSite();
  const upstream = startUpstream(() => refuse(500, { error: { message: 'down' } }));
  await fill(site.service, upstream);
  upstream.stop();
  return site;
}
