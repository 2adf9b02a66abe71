/** A site where everything has the longest possible name, and numbers are large. */
import type { Page } from 'playwright-core';
import { openSite, type Site } from './browser.ts';
import type { Service } from './service.ts';
import { refuse, startUpstream } from './upstream.ts';

/** Sixty characters, in forms that people and programs use. */
const longName = 'Department of Long Names and of What Nobody Calls by a Nickname'.slice(0, 60);
const longWord = 'regional-language-models-preview-of-the-week-for-departments';
/** As long as groups of a company's directory. */
const longTeam = `SG-Azure ${longName} / ${longWord} / ${longName} / ${longWord}`.padEnd(256, ' x').slice(0, 256);
/** Ids may have 128 characters. */
export const longSession = `session-${longWord}-${longWord}`.slice(0, 128);
export const longRun = `run-${longWord}-${longWord}`.slice(0, 128);
const longEmail = 'bartholomew.featherstonehaugh@department.of.example-institute.org';
const longUsername = 'bartholomew.featherstonehaugh-cc';
const most = 499_000_000_000;

export async function openLongSite(): Promise<Site> {
  const site = await openSite({ DEMO_PROVIDER: 'on', ALLOW_PRIVATE_WEBHOOKS: '1' });
  const upstream = startUpstream(() => refuse(500, { error: { message: 'down' } }));
  try {
    await fill(site, upstream.url);
    return site;
  } catch (error) {
    await site.stop();
    throw error;
  } finally {
    upstream.stop();
  }
}

type Send = <T = { id: number }>(path: string, body: object, method?: string) => Promise<T>;

async function fill({ service }: Site, url: string): Promise<void> {
  const { root, serve, post } = service;
  const send: Send = (path, body, method = 'POST') => root.api(path, { method, body });
  for (const [key, value] of Object.entries({ OwnKeys: true, RateLimitEnabled: false, McpUserServers: true }))
    await send('/api/admin/options', { key, value }, 'PUT');
  const { modelId } = await serve({
    ...{ kind: 'openai', provider: 'department-of-long-names', modelId: `department/${longWord}` },
    url: `${url}/${longWord}/v1`,
  });
  const messages = [{ role: 'user', content: longName }];
  const { key } = await send<{ key: string }>('/api/tokens', { name: longName.slice(0, 50) });
  for (const model of [modelId, 'demo/chat', 'demo/chat', longWord])
    await post('/v1/chat/completions', { model, messages }, { key });
  await people(service, send);
  const theirs = await organise(send);
  await post('/v1/chat/completions', { model: 'demo/chat', messages }, { key: theirs });
  await send('/api/oauth2/applications', {
    ...{ name: longName, redirect_uris: [`https://${longWord}.example/callback`], scopes: 'openid' },
  });
  await send('/api/routing/own-keys', { provider: 'department-of-long-names', name: longName, credential: 'sk-mine' });
  await send('/api/admin/model-aliases', { name: longWord, models: [modelId, 'demo/chat'] });
  await send('/api/admin/redemption-codes', { quota: most, count: 2, note: longName });
  await send('/api/mcp/servers', { name: longWord.slice(0, 24), url: `${url}/${longWord}/mcp`, audience: 'everyone' });
  const provider = { name: longName.slice(0, 40), slug: 'long', client_id: longWord, client_secret: 'secret' };
  await send('/api/admin/identity-providers', { ...provider, issuer: `${url}/${longWord}` });
  await orchestrate(send);
}

/** The longest that one may name a session, a tag or an entry, and addresses without a space in goals. */
async function orchestrate(send: Send): Promise<void> {
  const most = (length: number) => longWord.replaceAll('-', '').repeat(4).slice(0, length);
  await send('/api/svc-ms/sessions', { session_id: longSession, tags: [most(64), longName, 'short'] });
  const entry = { category: most(64), title: most(200), content: most(200), keywords: [most(64), longName] };
  await send('/api/svc-ms/knowledge', entry);
  const message = `1. ${most(150)}\n2. Read https://${longWord}.example/${most(180)} first\n3. List ${longName}`;
  const run = {
    message,
    session_id: longRun,
    stream_events: false,
    config: { confidence_threshold: 1, max_iterations: 1 },
  };
  await send('/api/svc-ms/autonomous/execute', run);
}

async function people({ url, root }: Service, send: Send): Promise<void> {
  const body = { username: longUsername, password: 'a fine password', email: longEmail, display_name: longName };
  // Without cookies: registering also logs in, which would replace the current session.
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/api/user/register`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { users } = await root.api<{ users: { id: number }[] }>(`/api/admin/users?q=${longUsername}`);
  const { id } = users[0]!;
  await send(`/api/admin/users/${id}/credits`, { quota: most });
  await send(`/api/admin/users/${id}`, { email_verified: true, group: longWord }, 'PUT');
  await send('/api/admin/invitations', { username: `${longUsername.slice(0, 30)}-d`, email: longEmail });
}

/** Returns a key of a team. */
async function organise(send: Send): Promise<string> {
  const { id, account_id } = await send<{ id: number; account_id: number }>('/api/organisations', { name: longName });
  await send(`/api/admin/users/${account_id}/credits`, { quota: most });
  const at = `/api/organisations/${id}`;
  const team = await send(`${at}/teams`, { name: longTeam });
  await send(`${at}/invitations`, { email: longEmail, role: 'member', team_id: team.id });
  const given = { name: longName.slice(0, 50), owner: 'team', team_id: team.id };
  const { key } = await send<{ key: string }>(`${at}/keys`, given);
  await send(`${at}/budgets`, { level: 'team', level_id: team.id, window: 'month', amount: most });
  await send(`${at}/limits/team/${team.id}`, { requests_per_minute: 1_000_000 }, 'PUT');
  return key;
}

/** Tables that scroll horizontally, and words that are broken although they would fit on one line. */
export const tableFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const wide = [...document.querySelectorAll('.svc-table-scroll')].flatMap((table) => {
      const more = table.scrollWidth - table.clientWidth;
      return more > 0 ? [`${table.getAttribute('aria-label')} scrolls ${more} px`] : [];
    });
    const broken: string[] = [];
    const longest = 24;
    for (const cell of document.querySelectorAll('.svc-table td, .svc-table th')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode())
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[A-Za-z0-9]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1 && word.length <= longest) broken.push(`${word} in “${node.textContent}”`);
        }
    }
    return [...wide, ...broken];
  });
