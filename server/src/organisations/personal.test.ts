import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { type Inbox, openInbox } from '../identity/links/smtp.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { signPayload } from '../lib/hashing.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

const clock = manualClock(Date.UTC(2026, 0, 30, 12));
let world: World;
let inbox: Inbox;
let heard: { body: string; headers: Headers }[];
let hook: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  inbox = await openInbox();
  heard = [];
  hook = Bun.serve({
    port: 0,
    fetch: async (request) => {
      heard.push({ body: await request.text(), headers: request.headers });
      return new Response('ok');
    },
  });
  const env = { SMTP_URL: inbox.url, MAIL_FROM: 'svc <svc@svc.example>', ALLOW_PRIVATE_WEBHOOKS: '1' };
  world = await openWorld({ clock, env });
});
afterAll(async () => {
  await world?.close();
  await inbox?.close();
  hook?.stop(true);
});

interface Limit {
  window: string;
  amount: number;
  hard: boolean;
  used: number;
  remaining: number;
  resets_at: number | null;
}
interface Spending {
  limits: Limit[];
  warnings: { share: number; window: string }[];
}

async function someone(): Promise<{ member: Member; key: string }> {
  const member = await world.t.user();
  await world.credit(member.id, 100 * price);
  return { member, key: await member.key() };
}
const limit = (by: Member, window: string, body: object) =>
  world.send<Limit>(by, 'PUT', `/api/user/spending/${window}`, body);
const spending = async (by: Member) => (await world.send<Spending>(by, 'GET', '/api/user/spending')).data;
const inBrowser = (by: Member) =>
  by.call('/v1/chat/completions', {
    method: 'POST',
    headers: { 'x-svc-web': '1' },
    body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  });

test('a monthly limit applies to all keys and the browser, is named in the error, and resets', async () => {
  const { member, key } = await someone();
  const second = await member.key();
  expect((await spending(member)).limits).toEqual([]);
  expect((await world.ask(key)).status).toBe(200);
  // What was spent before does not count.
  expect((await limit(member, 'month', { amount: 3 * price })).data).toMatchObject({ used: 0, hard: true });
  expect((await world.ask(key)).status).toBe(200);
  expect((await world.ask(second)).status).toBe(200);
  expect((await inBrowser(member)).status).toBe(200);
  const refused = await world.ask(key);
  expect(refused).toMatchObject({ status: 403, code: 'budget_exceeded' });
  expect(refused.message).toContain('Your spending limit, $0.0006 a month,');
  expect(refused.message).toContain('It resets at 2026-02-01 00:00 (UTC).');
  expect((await inBrowser(member)).status).toBe(403);
  await until('all is charged', async () => (await spending(member)).limits[0]!.used === 3 * price);
  expect((await spending(member)).limits).toMatchObject([{ window: 'month', remaining: 0 }]);
  clock.advance(2 * 86_400_000);
  expect((await world.ask(key)).status).toBe(200);
});

test('concurrent requests for the last units are served only as far as the limit allows', async () => {
  const { member, key } = await someone();
  await limit(member, 'day', { amount: 5 * price });
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await world.ask(key)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 403)).toHaveLength(15);
});

test('a soft limit rejects nothing; each threshold alerts once, on the page, by mail and by webhook', async () => {
  const { member, key } = await someone();
  await world.send(member, 'PUT', '/api/user/self', { email: 'saver@mail.example' });
  await world.send(world.root, 'PUT', `/api/admin/users/${member.id}`, { email_verified: true });
  await world.send(member, 'PUT', '/api/user/spending', { webhook_url: `http://127.0.0.1:${hook.port}/` });
  const { data } = await world.send<{ webhook_secret: string }>(member, 'POST', '/api/user/spending/webhook-secret');
  await limit(member, 'month', { amount: 4 * price, hard: false, alerts: [0.5, 1] });
  // Told a moment after it was charged: of several shares passed at once, the largest.
  for (const told of [1, 2]) {
    for (let asked = 0; asked < 3; asked += 1) expect((await world.ask(key)).status).toBe(200);
    await until('the share is told', async () => (await spending(member)).warnings.length === told);
  }
  await until('the mails have come', () => inbox.mails.filter(({ to }) => to === 'saver@mail.example').length === 2);
  await until('the webhook was called', () => heard.length === 2);
  const { notices } = (
    await world.send<{ notices: { kind: string; about: object }[] }>(member, 'GET', '/api/user/notices')
  ).data;
  expect(notices.map(({ kind }) => kind)).toEqual(['spending', 'spending']);
  expect(notices[0]!.about).toMatchObject({ share: 1, amount: 4 * price, window: 'month', hard: false });
  for (const { body, headers } of heard) {
    expect(JSON.parse(body)).toMatchObject({ event: 'budget_warning', user_id: member.id, data: { window: 'month' } });
    const timestamp = Number(headers.get('x-svc-timestamp'));
    expect(headers.get('x-svc-signature')).toBe(signPayload(data.webhook_secret, body, timestamp));
  }
  for (let asked = 0; asked < 2; asked += 1) await world.ask(key);
  expect((await spending(member)).warnings).toHaveLength(2);
});

test('a limit is changed and removed, also concurrently, and affects no one else', async () => {
  const { member, key } = await someone();
  const other = await someone();
  const both = await Promise.all([1, 2].map((times) => limit(member, 'total', { amount: times * price })));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect((await spending(member)).limits).toHaveLength(1);
  await limit(member, 'total', { amount: 0 });
  expect((await world.ask(key)).status).toBe(403);
  expect((await world.ask(other.key)).status).toBe(200);
  expect((await world.send(member, 'DELETE', '/api/user/spending/total')).status).toBe(200);
  expect((await world.send(member, 'DELETE', '/api/user/spending/total')).status).toBe(404);
  expect((await world.ask(key)).status).toBe(200);
  for (const body of [
    { amount: -1 },
    { amount: 0.5 },
    { amount: 1e16 },
    { amount: 1, alerts: [2] },
    { amount: 1, x: 1 },
  ])
    expect((await limit(member, 'month', body)).status).toBe(400);
  expect((await limit(member, 'year', { amount: 1 })).status).toBe(404);
});

test('a limit is not listed as an organisation, is part of the export, and does not block account deletion', async () => {
  const { member } = await someone();
  await limit(member, 'month', { amount: price });
  expect((await world.send<{ organisations: [] }>(member, 'GET', '/api/organisations')).data.organisations).toEqual([]);
  const taken = await (await member.call('/api/user/self/export')).text();
  expect(JSON.parse(taken).organisations.spending_limits).toMatchObject([{ span: 'month', amount: price }]);
  // Somebody with a limit is a person still.
  const { status } = await world.send(world.root, 'DELETE', `/api/admin/users/${member.id}`);
  expect(status).toBe(200);
});
