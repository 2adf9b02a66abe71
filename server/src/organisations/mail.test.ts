import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Inbox, openInbox } from '../identity/links/smtp.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

let inbox: Inbox;
let world: World;
beforeAll(async () => {
  inbox = await openInbox();
  world = await openWorld({ env: { SMTP_URL: inbox.url, MAIL_FROM: 'svc <svc@svc.example>' } });
});
afterAll(async () => {
  await world?.close();
  await inbox?.close();
});

const mailsTo = (address: string) => inbox.mails.filter(({ to }) => to === address);

test('invitations and alerts are emailed, alerts to managers with a verified address', async () => {
  const owner = await world.t.user();
  await world.credit(owner.id, 100 * price);
  await world.send(owner, 'PUT', '/api/user/self', { email: 'owner@mail.example' });
  const verified = await world.send(world.root, 'PUT', `/api/admin/users/${owner.id}`, { email_verified: true });
  expect(verified.status).toBe(200);
  const { data } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' });
  const path = `/api/organisations/${data.id}`;

  const invited = await world.send<{ url: string | null; mailed: boolean }>(owner, 'POST', `${path}/invitations`, {
    role: 'admin',
    email: 'admin@mail.example',
  });
  expect(invited.data).toMatchObject({ url: null, mailed: true });
  await until('the invitation has come', () => mailsTo('admin@mail.example').length === 1);
  const [, token] = /\/join#([A-Za-z0-9]{48})/.exec(mailsTo('admin@mail.example')[0]!.text)!;
  const admin = await world.t.user();
  // An address that nobody has verified is told nothing.
  await world.send(admin, 'PUT', '/api/user/self', { email: 'admin@mail.example' });
  expect((await world.send(admin, 'POST', '/api/invitations/accept', { token })).status).toBe(200);

  const budget = { level: 'organisation', level_id: data.id, window: 'total', amount: 2 * price, alerts: [1] };
  expect((await world.send(owner, 'POST', `${path}/budgets`, budget)).status).toBe(200);
  const made = await world.send<{ key: string }>(owner, 'POST', `${path}/keys`, { name: 'k' });
  for (let n = 0; n < 2; n += 1) expect((await world.ask(made.data.key)).status).toBe(200);
  await until('the warning has come', () => mailsTo('owner@mail.example').length === 1);
  expect(mailsTo('owner@mail.example')[0]!.text).toContain('100 % of the budget of organisation');
  expect(mailsTo('admin@mail.example')).toHaveLength(1);
});

test('mails use the recipient’s language, and invitations the inviter’s', async () => {
  const chinese = await world.t.user();
  await world.credit(chinese.id, 100 * price);
  const { data } = await world.send(chinese, 'POST', '/api/organisations', { name: '天津 Acme' });
  const path = `/api/organisations/${data.id}`;
  const english = await world.join(chinese, data.id, 'admin');
  for (const [member, language] of [
    [chinese, 'zh-CN'],
    [english, 'en'],
  ] as const) {
    await world.send(member, 'PUT', '/api/user/self', { email: `${language}@mail.example`, language });
    await world.send(world.root, 'PUT', `/api/admin/users/${member.id}`, { email_verified: true });
    const invitation = { role: 'viewer', email: `by-${language}@mail.example` };
    expect((await world.send(member, 'POST', `${path}/invitations`, invitation)).status).toBe(200);
  }
  const host = new URL(world.t.config.webUrl).host;
  await until('the invitations have come', () => mailsTo('by-en@mail.example').length === 1);
  expect(mailsTo('by-zh-CN@mail.example')[0]!.subject).toBe(`加入 天津 Acme（${host}）`);
  expect(mailsTo('by-zh-CN@mail.example')[0]!.text).toContain(
    '以查看者身份加入 天津 Acme。此链接只能使用一次，7天内有效。',
  );
  expect(mailsTo('by-en@mail.example')[0]!.subject).toBe(`Join 天津 Acme (${host})`);
  expect(mailsTo('by-en@mail.example')[0]!.text).toContain('as viewer. This link works once and expires in 7 days.');

  const budget = { level: 'organisation', level_id: data.id, window: 'total', amount: 2 * price, alerts: [0.5] };
  expect((await world.send(chinese, 'POST', `${path}/budgets`, budget)).status).toBe(200);
  const made = await world.send<{ key: string }>(chinese, 'POST', `${path}/keys`, { name: 'k' });
  expect((await world.ask(made.data.key)).status).toBe(200);
  await until('the warnings have come', () =>
    ['zh-CN', 'en'].every((to) => mailsTo(`${to}@mail.example`).length === 1),
  );
  const [toChinese, toEnglish] = ['zh-CN', 'en'].map((to) => mailsTo(`${to}@mail.example`)[0]!);
  expect(toChinese!.subject).toBe(`天津 Acme：一项预算已使用 50%（${host}）`);
  expect(toChinese!.text).toContain('组织 天津 Acme 的预算已使用 50%：累计已花费 $0.0002，预算为 $0.0004。');
  expect(toEnglish!.subject).toBe(`天津 Acme: 50 % of a budget is used (${host})`);
  expect(toEnglish!.text).toContain('budget of organisation 天津 Acme is used: $0.0002 of $0.0004 in total.');
});

test('a budget alert names its team, member or key', async () => {
  const owner = await world.t.user();
  await world.credit(owner.id, 100 * price);
  await world.send(owner, 'PUT', '/api/user/self', { email: 'named@mail.example' });
  await world.send(world.root, 'PUT', `/api/admin/users/${owner.id}`, { email_verified: true });
  const { data } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' });
  const path = `/api/organisations/${data.id}`;
  const { data: team } = await world.send(owner, 'POST', `${path}/teams`, { name: 'Research' });
  await world.send(owner, 'PUT', `${path}/teams/${team.id}/members/${owner.id}`);
  const key = { name: 'nightly', team_id: team.id };
  const { data: made } = await world.send<{ id: number; key: string }>(owner, 'POST', `${path}/keys`, key);
  const levels = { team: team.id, member: owner.id, key: made.id };
  for (const [level, level_id] of Object.entries(levels)) {
    const budget = { level, level_id, window: 'total', amount: 2 * price, alerts: [0.5] };
    expect((await world.send(owner, 'POST', `${path}/budgets`, budget)).status).toBe(200);
  }
  expect((await world.ask(made.key)).status).toBe(200);
  await until('the warnings have come', () => mailsTo('named@mail.example').length === 3);
  const said = mailsTo('named@mail.example').map(({ text }) => /budget of (.+) is used/.exec(text)?.[1]);
  expect(said.toSorted()).toEqual(['key nightly', `member ${owner.username}`, 'team Research']);
});

test('a key limit alert uses the language of the key’s owner', async () => {
  const member = await world.t.user();
  await world.credit(member.id, 100 * price);
  await world.send(member, 'PUT', '/api/user/self', { email: 'key@mail.example', language: 'zh-CN' });
  await world.send(world.root, 'PUT', `/api/admin/users/${member.id}`, { email_verified: true });
  const { data } = await world.send<{ id: number; key: string }>(member, 'POST', '/api/tokens', { name: '<b>k</b>' });
  const limit = { amount: 2 * price, alerts: [0.5], hard: false };
  expect((await world.send(member, 'PUT', `/api/tokens/${data.id}/limit`, limit)).status).toBe(200);
  expect((await world.ask(data.key)).status).toBe(200);
  await until('the warning has come', () => mailsTo('key@mail.example').length === 1);
  const { subject, text } = mailsTo('key@mail.example')[0]!;
  expect(subject).toStartWith('<b>k</b>：限额已使用 50%（');
  expect(text).toContain(
    '你的 API 密钥 <b>k</b> 的限额已使用 50%：本月已花费 $0.0002，限额为 $0.0004。\r\n超出后请求仍会继续。',
  );
});
