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

test('invitations and warnings are mailed, warnings to those who manage and have a verified address', async () => {
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
