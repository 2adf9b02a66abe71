/** Mails that anybody can cause to an address: a stranger blocks nobody else's, and nobody is flooded. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { password, post } from '../factors/factors.fixture.ts';
import { type Inbox, openInbox } from './smtp.fixture.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
let inbox: Inbox;
let t: TestApp;
let root: Member;
let made = 0;
beforeAll(async () => {
  inbox = await openInbox();
  const env = { SMTP_URL: inbox.url, MAIL_FROM: 'svc <svc@svc.example>', TRUSTED_PROXIES: '127.0.0.1' };
  t = await openTestApp({ clock, env });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(async () => {
  await t?.close();
  await inbox?.close();
});

const mailsTo = (address: string): number => inbox.mails.filter(({ to }) => to === address).length;
const next = (): number => {
  made += 1;
  return made;
};
const newAddress = (): string => `victim-${next()}@mail.example`;

/** Somebody at a network address of their own, unless it is given. */
async function personAt(ip = `192.0.2.${next()}`): Promise<Member> {
  const member = await t.user();
  const call: Member['call'] = (path, init = {}) =>
    member.call(path, { ...init, headers: { 'x-forwarded-for': ip, ...init.headers } });
  return { ...member, call };
}
const takeAddress = (by: Member, email: string) => by.call('/api/user/self', { method: 'PUT', body: { email } });
const verification = async (by: Member) =>
  (await post(by, '/api/user/email/verification', { password })).status === 200;
const forgotFrom = (ip: string, email: string) =>
  t.call('/api/user/password/forgot', { method: 'POST', body: { email }, headers: { 'x-forwarded-for': ip } });
const organisationOf = async (by: Member): Promise<number> => {
  const answer = await post(by, '/api/organisations', { name: 'Tea', time_zone: 'UTC' });
  return ((await answer.json()) as { data: { id: number } }).data.id;
};
const invited = async (by: Member, id: number, email: string): Promise<boolean> => {
  const answer = await post(by, `/api/organisations/${id}/invitations`, { email });
  return ((await answer.json()) as { data: { mailed: boolean } }).data.mailed;
};
async function times(count: number, act: () => Promise<boolean>): Promise<number> {
  let sent = 0;
  for (let n = 0; n < count; n += 1) if (await act()) sent += 1;
  return sent;
}

/** Each kind of mail: how somebody new causes one, as often as they like. */
const kinds: [string, (email: string) => Promise<(person?: Member) => Promise<boolean>>][] = [
  [
    'a verification',
    async (email) => async (person) => {
      const by = person ?? (await personAt());
      await takeAddress(by, email);
      return verification(by);
    },
  ],
  [
    'an invitation',
    async (email) => async (person) => {
      const by = person ?? (await personAt());
      return invited(by, await organisationOf(by), email);
    },
  ],
];

describe.each(kinds)('%s', (_, open) => {
  test('a stranger can cause five mails per hour, and the owner still gets theirs', async () => {
    const email = newAddress();
    const cause = await open(email);
    const stranger = await personAt();
    expect(await times(20, () => cause(stranger))).toBe(5);
    const owner = await personAt();
    expect(await times(20, () => cause(owner))).toBe(5);
  });

  test('a stranger with many accounts can cause five mails, and the owner still gets theirs', async () => {
    const email = newAddress();
    const cause = await open(email);
    const ip = '198.51.100.7';
    expect(await times(12, async () => cause(await personAt(ip)))).toBe(5);
    expect(await cause(await personAt())).toBe(true);
  });

  test('many strangers can cause a bounded number of mails, and the owner still gets one', async () => {
    const email = newAddress();
    const cause = await open(email);
    const strangers = await Promise.all(Array.from({ length: 4 }, () => personAt()));
    let sent = 0;
    for (const stranger of strangers) sent += await times(8, () => cause(stranger));
    // Ten from everybody, and one of each who came late.
    expect(sent).toBe(12);
    expect(await cause(await personAt())).toBe(true);
  });
});

test('strangers on other networks cannot block the owner’s password reset', async () => {
  const email = newAddress();
  const owner = await t.user();
  await takeAddress(owner, email);
  const body = { email_verified: true };
  expect((await root.call(`/api/admin/users/${owner.id}`, { method: 'PUT', body })).status).toBe(200);
  const causes = async (ip: string, tries: number, expected: number): Promise<void> => {
    const before = mailsTo(email);
    for (let n = 0; n < tries; n += 1) await forgotFrom(ip, email);
    // They are sent in the background: those that are expected, and then one more elsewhere.
    await until('they have come', () => mailsTo(email) - before >= expected);
    const other = newAddress();
    const mark = await t.user();
    await takeAddress(mark, other);
    await root.call(`/api/admin/users/${mark.id}`, { method: 'PUT', body });
    await forgotFrom(`203.0.113.${next()}`, other);
    await until('the last has come', () => mailsTo(other) === 1);
    expect(mailsTo(email) - before).toBe(expected);
  };
  await causes('198.51.100.8', 20, 5);
  // One network of IPv6 is one caller.
  await causes('2001:db8::1', 4, 4);
  await causes('2001:db8::2', 4, 1);
  await causes('198.51.100.9', 4, 1);
  await causes('198.51.100.10', 1, 1);
});

test('strangers’ requests do not block links sent by administrators', async () => {
  const email = newAddress();
  const owner = await personAt();
  await takeAddress(owner, email);
  for (const stranger of [await personAt(), await personAt()]) {
    await takeAddress(stranger, email);
    expect(await times(8, () => verification(stranger))).toBe(5);
  }
  const link = () => post(root, `/api/admin/users/${owner.id}/links`, { purpose: 'verify_email', mail: true });
  expect(await times(8, async () => (await link()).status === 200)).toBe(5);
});
